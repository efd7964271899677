"""Lines, boxes, parts and words -> one SVG that follows the reader's light or dark colours."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Point = tuple[float, float]

STYLE = """
:root{--page:#fbfaf7;--ink:#26231f;--dim:#6d675e;--box:#fff;--edge:#8a8378;--groove:#e4ded2;--data:#0b63b0;
--load:#8a4fbf;--clock:#a35a00;--plus:#c22f2f;--ground:#26231f;--sig:#0a7a4f}
@media(prefers-color-scheme:dark){:root{--page:#1b1a18;--ink:#f0ece4;--dim:#aaa397;--box:#26241f;--edge:#7d766b;
--groove:#37342e;--data:#6db6ff;--load:#c79bf2;--clock:#f0b060;--plus:#ff8a80;--ground:#d8d2c6;--sig:#5fd3a2}}
text{font:14px system-ui,"DejaVu Sans",sans-serif;fill:var(--ink)}.small{font-size:12px}.dim{fill:var(--dim)}
.title{font-size:17px;font-weight:600}.strong{font-weight:600}.page{fill:var(--page)}
.box{fill:var(--box);stroke:var(--edge);stroke-width:1.5}.groove{fill:var(--groove)}
.wire{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
.data{stroke:var(--data)}.load{stroke:var(--load)}.clock{stroke:var(--clock)}.plus{stroke:var(--plus)}
.ground{stroke:var(--ground)}.sig{stroke:var(--sig)}.ink{stroke:var(--ink)}
.t-data{fill:var(--data)}.t-load{fill:var(--load)}.t-clock{fill:var(--clock)}.t-plus{fill:var(--plus)}
.more{stroke-dasharray:2 7}.t-sig{fill:var(--sig)}
.dot-data{fill:var(--data)}.dot-load{fill:var(--load)}.dot-clock{fill:var(--clock)}
.dot-plus{fill:var(--plus)}.dot-ground{fill:var(--ground)}.dot-sig{fill:var(--sig)}.dot-ink{fill:var(--ink)}
""".strip()


def number(value: float) -> str:
    """A coordinate without needless digits."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Canvas:
    """One drawing, built from the back to the front; `text` gives the whole file. Coordinates grow down and right."""

    def __init__(self, width: float, height: float, title: str, more_style: str = "") -> None:
        self._size = (width, height)
        self._title = title
        self._style = STYLE + more_style
        self._items: list[str] = []
        self.words(20, 30, title, "title")

    @property
    def svg(self) -> str:
        """The file."""
        width, height = map(number, self._size)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'role="img" aria-label="{escape(self._title)}">'
        )
        page = f'<rect class="page" width="{width}" height="{height}" rx="12"/>'
        return "\n".join([head, f"<style>{self._style}</style>", page, *self._items, "</svg>", ""])

    def words(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """One line of text; y is its base line."""
        kinds = f' class="{kind}"' if kind else ""
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._items.append(f'<text x="{number(x)}" y="{number(y)}"{kinds}{where}>{escape(text)}</text>')

    def box(
        self, x: float, y: float, width: float, height: float, kind: str = "box", radius: float = 6
    ) -> None:
        """A rectangle with round corners."""
        place = " ".join(
            f'{name}="{number(value)}"'
            for name, value in (("x", x), ("y", y), ("width", width), ("height", height), ("rx", radius))
        )
        self._items.append(f'<rect class="{kind}" {place}/>')

    def disc(self, x: float, y: float, radius: float, kind: str) -> None:
        """A circle."""
        self._items.append(f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>')

    def wire(self, points: Sequence[Point], kind: str, *, joined: bool = False) -> None:
        """A wire along points; `joined`: a dot where it begins, for it meets another wire there."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self._items.append(f'<polyline class="wire {kind}" points="{path}"/>')
        if joined:
            self.joint(*points[0], kind)

    def joint(self, x: float, y: float, kind: str) -> None:
        """Wires meet here."""
        self.disc(x, y, 4, f"dot-{kind}")

    def earth(self, x: float, y: float) -> None:
        """The ground symbol, hanging from (x, y)."""
        for half, below in ((11, 0), (7, 5), (3, 10)):
            self.wire(((x - half, y + below), (x + half, y + below)), "ground")

    def resistor_across(self, x: float, y: float, label: str, kind: str, above: bool = True) -> None:
        """A resistor of 44 units that lies across, its left end at (x, y)."""
        self.box(x, y - 8, 44, 16, "box", 2)
        self.words(
            x + 22,
            y - 14 if above else y + 24,
            label,
            f"small t-{kind}" if kind == "plus" else "small",
            "middle",
        )

    def resistor_down(self, x: float, y: float, label: str, left: bool = False) -> None:
        """A resistor of 40 units that hangs from (x, y)."""
        self.box(x - 8, y, 16, 40, "box", 2)
        self.words(x - 14 if left else x + 14, y + 25, label, "small", "end" if left else "start")

    def capacitor_down(self, x: float, y: float, label: str, left: bool = False) -> None:
        """A capacitor between a plus wire that ends at (x, y) and a ground wire that begins at (x, y + 8)."""
        self.wire(((x - 13, y), (x + 13, y)), "ink")
        self.wire(((x - 13, y + 8), (x + 13, y + 8)), "ink")
        self.words(x - 19 if left else x + 19, y + 9, label, "small", "end" if left else "start")

    def switch_across(self, x: float, y: float, kind: str) -> None:
        """An open switch of 40 units, its left end at (x, y)."""
        self.disc(x + 3, y, 3, f"dot-{kind}")
        self.disc(x + 37, y, 3, f"dot-{kind}")
        self.wire(((x + 3, y), (x + 34, y - 15)), kind)

    def parts_box(self, x: float, y: float, width: float, height: float, title: str, under: str = "") -> None:
        """A part with its name above and what is said of it below that, both inside at the top."""
        self.box(x, y, width, height)
        self.words(x + width / 2, y + 20, title, "strong", "middle")
        if under:
            self.words(x + width / 2, y + 37, under, "small dim", "middle")
