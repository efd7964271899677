"""Balanx: two players, ten marbles each, a see-saw board of grooves."""

from .game import BalanxGame
from .layout import Layout, layout_named
from .moves import PASS, Move
from .position import Position

__all__ = ["PASS", "BalanxGame", "Layout", "Move", "Position", "layout_named"]
