"""The opponent for Boxilies: an alpha-beta search that plays the end of every game exactly."""
