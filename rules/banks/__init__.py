"""BANKS: two to six players, disks of six colours that bank off the edges of a parallelogram."""

from .game import BanksGame
from .judge import HouseRules
from .layout import Lattice
from .moves import OFF, Move, choice
from .position import COLOURS, MARKS, Position

__all__ = ["COLOURS", "MARKS", "OFF", "BanksGame", "HouseRules", "Lattice", "Move", "Position", "choice"]
