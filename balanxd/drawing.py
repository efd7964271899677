"""Layouts and positions as text for a terminal."""

from __future__ import annotations

from rules.balanx.layout import Layout


def layout_text(layout: Layout) -> str:
    """The groove plan, Black's edge above: `o` a single space, `I` above `I` a groove of two; corners by letter.

    Spaces of White's start and Black's finish are `w`, of Black's start and White's finish `b`, in their own colour
    of groove: capital letters in grooves of two.
    """
    rows = []
    for rank in range(layout.ranks - 1, -1, -1):
        cells = range(rank * layout.files, (rank + 1) * layout.files)
        spaces = []
        for cell in cells:
            groove = layout.grooves[layout.groove_of[cell]]
            corner = "w" if cell in layout.starts[0] else "b" if cell in layout.starts[1] else "."
            joined = len(groove) == 2 and groove[1] == cell
            spaces.append(f"{corner}{'|' if joined else ' '}")
        rows.append(f"{rank + 1:>2}  {' '.join(spaces)}")
    letters = "  ".join(layout.cell_names[file][0] for file in range(layout.files))
    legend = "| joins a space with the one below it to one groove; w, b: corners where White and Black start"
    return "\n".join([f"{layout.name}, {layout.files} x {layout.ranks}", *rows, f"    {letters}", legend])
