"""Boxilies: two players place stones with arrows on their sides, and turn the figures of weaker neighbours."""

from .board import Board
from .game import BoxiliesGame
from .house import HouseRules, starter_of_seed
from .moves import Move
from .position import Position
from .recognise import Placed
from .stones import Stone, StonesError, StoneSet, stone_set_named

__all__ = [
    "Board",
    "BoxiliesGame",
    "HouseRules",
    "Move",
    "Placed",
    "Position",
    "Stone",
    "StoneSet",
    "StonesError",
    "starter_of_seed",
    "stone_set_named",
]
