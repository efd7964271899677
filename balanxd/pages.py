"""Reports for people: a title and a body in, one page that needs nothing else out; it follows light and dark."""

from __future__ import annotations

import html

STYLE = """
:root{color-scheme:light dark;--page:#fff;--ink:#222;--dim:#666;--line:#8884;--good:#1f6f53;--bad:#b3402e;--odd:#8a5a00}
@media(prefers-color-scheme:dark){:root{--page:#161616;--ink:#eee;--dim:#a8a8a8;--good:#5fc9a0;--bad:#ff8f7d;--odd:#e8b04f}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
background:var(--page);color:var(--ink);overflow-wrap:anywhere}
h1{font-weight:600}p{margin:.2rem 0}small,.dim{color:var(--dim)}
.good{color:var(--good)}.bad{color:var(--bad)}.odd{color:var(--odd)}
table{border-collapse:collapse;width:100%}
td,th{border-top:1px solid var(--line);padding:.5rem;vertical-align:top;text-align:left}
pre{overflow-x:auto;font-size:.75rem;max-height:16rem}
""".strip()


def printable(text: str) -> str:
    """A text without control characters: a byte of a log must not make a file unreadable."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "�" for letter in text)


def words(text: str) -> str:
    """A text as it may stand in a page, whatever is in it."""
    return html.escape(printable(text))


def page(title: str, body: str, style: str = "", *, sheet: str = "", again_s: int = 0) -> str:
    """The whole page. title is a text; body is HTML; style is added to that of all pages.

    sheet: the address that has both styles, where they may not stand in the page; the daemon's icon is beside it.
    again_s: the page comes again by itself so often.
    """
    styled = f"<style>\n{STYLE}\n{style}</style>"
    if sheet:
        styled = f'<link rel="stylesheet" href="{words(sheet)}"><link rel="icon" href="favicon.svg">'
    again = f'<meta http-equiv="refresh" content="{again_s}">' if again_s else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"{again}<title>{words(title)}</title>{styled}</head>\n<body>\n{body}\n</body></html>\n"
    )
