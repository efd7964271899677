"""Four High: two players, sixteen singles each, stacks that grow by captures on 64 numbered spaces."""

from .game import FourHighGame
from .house import HouseRules, Stuck
from .moves import PASS, Move
from .numbers import Numbers, numbers_named
from .position import Position

__all__ = ["PASS", "FourHighGame", "HouseRules", "Move", "Numbers", "Position", "Stuck", "numbers_named"]
