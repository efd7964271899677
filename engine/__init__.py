"""The computer opponent: search and evaluation over the rules. Pure."""
