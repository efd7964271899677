"""Guidance: cells to fill and to clear in, plain sentences out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def names(cells: Sequence[str]) -> str:
    """`c4`, `c4 and d5`, `c4, d5 and e6`."""
    if len(cells) < 2:
        return "".join(cells)
    return f"{', '.join(cells[:-1])} and {cells[-1]}"


def lead_back(missing: Sequence[str], extra: Sequence[str]) -> str:
    """What to do next so that the picture fits again, one step at a time."""
    both = [cell for cell in missing if cell in extra]
    if both:
        return f"The marble on {both[0]} has the wrong colour: change it."
    if missing and extra:
        return f"Take the marble from {extra[0]} and put it on {missing[0]}."
    if missing:
        return f"Put a marble on {missing[0]}."
    if extra:
        return f"Take the marble off {extra[0]}."
    return "Look whether every marble lies in its groove."


def what_is_wrong(missing: Sequence[str], extra: Sequence[str]) -> str:
    """The difference between picture and game, one plain sentence."""
    both = [cell for cell in missing if cell in extra]
    if both:
        return f"There is a marble of the wrong colour on {names(both)}."
    if missing and extra:
        return f"A marble is missing on {names(missing)}, and {names(extra)} should be free."
    if missing:
        return f"A marble is missing on {names(missing)}."
    if extra:
        return f"There should be no marble on {names(extra)}."
    return "The board and the game do not agree."


# -- pieces that are not all alike: `lies` says for each missing cell what should lie there -------------------------


def lead_pieces_back(
    missing: Sequence[str], extra: Sequence[str], piece: str, lies: Mapping[str, str]
) -> str:
    """What to do next so that the picture fits again, one step at a time."""
    both = [cell for cell in missing if cell in extra]
    if both:
        return f"Change what lies on {both[0]}: there should be {lies[both[0]]}."
    if missing and extra:
        return f"Take the {piece} off {extra[0]}, and put {lies[missing[0]]} on {missing[0]}."
    if missing:
        return f"Put {lies[missing[0]]} on {missing[0]}."
    if extra:
        return f"Take the {piece} off {extra[0]}."
    return f"Look whether every {piece} lies in the middle of its cell."


def what_pieces_are_wrong(missing: Sequence[str], extra: Sequence[str], piece: str) -> str:
    """The difference between picture and game, one plain sentence."""
    both = [cell for cell in missing if cell in extra]
    if both:
        return f"Something else than the game's {piece} lies on {names(both)}."
    if missing and extra:
        return f"A {piece} is missing on {names(missing)}, and {names(extra)} should be free."
    if missing:
        return f"A {piece} is missing on {names(missing)}."
    if extra:
        return f"There should be no {piece} on {names(extra)}."
    return "The board and the game do not agree."
