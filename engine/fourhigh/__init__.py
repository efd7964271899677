"""The opponent for Four High: what stacks are worth, and an alpha-beta search over them."""
