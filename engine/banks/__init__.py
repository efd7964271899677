"""The opponent for BANKS, with two to six players: what hands are worth, and a search over captures."""
