"""Lights of the board: what the page shows in; palette indices for the board's lights out."""
