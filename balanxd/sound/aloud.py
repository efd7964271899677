"""Aloud: a view in; what a browser says that reads the page aloud out. Pure.

It is what a board says that speaks itself, so that the page knows neither what is worth saying nor how it is spelled.
"""

from __future__ import annotations

from balanxd.view import View

from .speech import Rank, Utterance, sentences, utterance
from .spelling import spoken


def aloud(view: View, *, motor: bool) -> dict[str, object]:
    """In values that JSON knows. text: empty for nothing new; answer: the menu's last word. motor: see `utterance`.

    cuts: it does not wait for what is being said; wait_s: real seconds that it must stand before it is said.
    """
    say, event = view.say, view.menu or view.scene
    if event is None:
        found: Utterance | None = Utterance(sentences(say.headline, say.detail))
    else:
        found = utterance(event, say, motor=motor)
    if found is None:
        found = Utterance("")
    return {
        "text": spoken(found.text),
        "cuts": found.rank > Rank.NEWS,
        "wait_s": found.wait_s,
        "answer": spoken(sentences(view.menu_said)),
    }
