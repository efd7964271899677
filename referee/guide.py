"""Guidance: cells to fill and to clear in, plain sentences out.

`piece` is the game's word for one; `lies` says for each missing cell what should lie there, in words, or nothing where
all pieces are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def names(cells: Sequence[str]) -> str:
    """`c4`, `c4 and d5`, `c4, d5 and e6`."""
    if len(cells) < 2:
        return "".join(cells)
    return f"{', '.join(cells[:-1])} and {cells[-1]}"


def lead_back(missing: Sequence[str], extra: Sequence[str], piece: str, lies: Mapping[str, str]) -> str:
    """What to do next so that the picture fits again, one step at a time."""
    for cell in missing:
        if cell in extra:
            if lies[cell]:
                return f"Change what lies on {cell}: there should be {lies[cell]}."
            return f"The {piece} on {cell} has the wrong colour: change it."
    if not missing:
        if extra:
            return f"Take the {piece} off {extra[0]}."
        return f"Look whether every {piece} lies in its place."
    goal = missing[0]
    if not extra:
        return f"Put {lies[goal] or f'a {piece}'} on {goal}."
    if lies[goal]:
        return f"Take the {piece} off {extra[0]}, and put {lies[goal]} on {goal}."
    return f"Take the {piece} from {extra[0]} and put it on {goal}."


def what_is_wrong(missing: Sequence[str], extra: Sequence[str], piece: str, lies: Mapping[str, str]) -> str:
    """The difference between picture and game, one plain sentence."""
    both = [cell for cell in missing if cell in extra]
    if both:
        if any(lies[cell] for cell in both):
            return f"Something else than the game's {piece} lies on {names(both)}."
        return f"There is a {piece} of the wrong colour on {names(both)}."
    if missing and extra:
        return f"A {piece} is missing on {names(missing)}, and {names(extra)} should be free."
    if missing:
        return f"A {piece} is missing on {names(missing)}."
    if extra:
        return f"There should be no {piece} on {names(extra)}."
    return "The board and the game do not agree."
