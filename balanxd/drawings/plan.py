"""A layout and its wiring -> the board seen from above: which chip and input lies under each space."""

from __future__ import annotations

from itertools import pairwise

from hardware.wiring import Wiring
from rules.balanx.layout import Layout

from .chain import Input, inputs_of
from .svg import Canvas, Point

_STEP, _LEFT, _TOP = 52.0, 52.0, 96.0
_HUES = (212, 28, 150, 275, 48, 345, 185, 90)


def plan_svg(layout: Layout, wiring: Wiring) -> str:
    """The drawing."""
    chain = [item for item in inputs_of(layout, wiring) if item.space is not None]
    cells = {name: cell for cell, name in enumerate(layout.cell_names)}
    chips = sorted({item.chip for item in chain})
    columns = 4
    width = max(480.0, _LEFT + layout.files * _STEP + 24)
    left = (width - (layout.files - 1) * _STEP) / 2
    bottom = _TOP + layout.ranks * _STEP
    rows = -(-len(chips) // columns)
    canvas = Canvas(
        width,
        bottom + 74 + 24 * rows,
        f"Chain of inputs, board “{layout.name}”, from above",
        _chip_style(chips),
    )
    canvas.words(20, 52, "In each space: input of its 74HC165, and its number in the chain.", "small dim")
    canvas.words(20, 69, "The line is the chain, from the controller outwards.", "small dim")

    def middle(cell: int) -> Point:
        file, rank = cell % layout.files, cell // layout.files
        return left + file * _STEP, _TOP + (layout.ranks - 1 - rank + 0.5) * _STEP

    for groove in layout.grooves:
        places = [middle(cell) for cell in groove]
        top = min(y for _, y in places)
        canvas.box(places[0][0] - 23, top - 23, 46, 46 + _STEP * (len(places) - 1), "groove", 23)
    _route(canvas, [middle(cells[item.space]) for item in chain if item.space])
    for item in chain:
        _space(canvas, middle(cells[item.space or ""]), item)
    for file in range(layout.files):
        canvas.words(left + file * _STEP, bottom + 18, layout.cell_names[file][0], "dim", "middle")
    for rank in range(layout.ranks):
        canvas.words(left - 36, middle(rank * layout.files)[1] + 5, str(rank + 1), "dim", "middle")
    canvas.words(width / 2, bottom + 38, "White's edge", "small dim", "middle")
    for place, chip in enumerate(chips):
        x, y = 28 + place % columns * (width - 40) / columns, bottom + 66 + 24 * (place // columns)
        numbers = [item.number for item in chain if item.chip == chip]
        canvas.disc(x, y - 5, 8, f"chip{chip}")
        canvas.words(x + 14, y, f"chip {chip}: {numbers[0]}–{numbers[-1]}", "small")
    return canvas.svg


def _space(canvas: Canvas, at: Point, item: Input) -> None:
    x, y = at
    canvas.disc(x, y, 19, f"chip{item.chip}")
    canvas.words(x, y - 1, f"{item.chip}{item.letter}", "strong small", "middle")
    canvas.words(x, y + 12, str(item.number), "tiny", "middle")


def _route(canvas: Canvas, points: list[Point]) -> None:
    """The chain from space to space; jumps back to the first file are drawn thin."""
    for before, after in pairwise(points):
        near = abs(before[0] - after[0]) + abs(before[1] - after[1]) <= _STEP * 1.01
        canvas.wire((before, after), "data" if near else "jump")


def _chip_style(chips: list[int]) -> str:
    light = "".join(f".chip{chip}{{fill:hsl({_HUES[chip % len(_HUES)]} 75% 84%)}}" for chip in chips)
    dark = "".join(f".chip{chip}{{fill:hsl({_HUES[chip % len(_HUES)]} 42% 32%)}}" for chip in chips)
    other = ".tiny{font-size:10px}.jump{stroke:var(--data);stroke-width:1;stroke-dasharray:3 5;opacity:.7}"
    return f"\n{other}{light}@media(prefers-color-scheme:dark){{{dark}}}"
