"""Joins table and rules: rested pictures in, verdicts and game events out. Pure."""
