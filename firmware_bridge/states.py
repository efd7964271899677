"""The link as a table: which input leads from which state to which (theory of operation: link.py)."""

from __future__ import annotations

from enum import Enum, auto


class LinkState(Enum):
    """Where a link stands; the theory of operation in `link.py` says what each means."""

    CLOSED = auto()
    GREETING = auto()
    READING = auto()
    UP = auto()
    INCOMPATIBLE = auto()


class Input(Enum):
    """What can happen to a link."""

    PORT_OPENED = auto()
    PORT_CLOSED = auto()
    HELLO = auto()  # with our session, a version we speak, and the boot number known so far
    FOREIGN_HELLO = auto()  # a board that we cannot play with
    WHOLE_PICTURE = auto()  # that fits the hello
    RESTART = auto()  # hello without our session, or another boot number
    SILENCE = auto()  # no good frame for SILENCE_S


TABLE: dict[LinkState, dict[Input, LinkState]] = {
    LinkState.CLOSED: {
        Input.PORT_OPENED: LinkState.GREETING,
    },
    LinkState.GREETING: {
        Input.PORT_CLOSED: LinkState.CLOSED,
        Input.HELLO: LinkState.READING,
        Input.FOREIGN_HELLO: LinkState.INCOMPATIBLE,
        Input.RESTART: LinkState.GREETING,
    },
    LinkState.READING: {
        Input.PORT_CLOSED: LinkState.CLOSED,
        Input.WHOLE_PICTURE: LinkState.UP,
        Input.FOREIGN_HELLO: LinkState.INCOMPATIBLE,
        Input.RESTART: LinkState.GREETING,
        Input.SILENCE: LinkState.GREETING,
    },
    LinkState.UP: {
        Input.PORT_CLOSED: LinkState.CLOSED,
        Input.FOREIGN_HELLO: LinkState.INCOMPATIBLE,
        Input.RESTART: LinkState.GREETING,
        Input.SILENCE: LinkState.GREETING,
    },
    LinkState.INCOMPATIBLE: {
        Input.PORT_CLOSED: LinkState.CLOSED,
        Input.RESTART: LinkState.GREETING,
    },
}
"""state: {input: next state}. Entering a state, also the same one again, runs its entry action (`_enter`)."""

IGNORED: dict[LinkState, frozenset[Input]] = {
    LinkState.CLOSED: frozenset(Input) - {Input.PORT_OPENED},  # bytes of a closed port are dropped unread
    LinkState.GREETING: frozenset(
        {Input.WHOLE_PICTURE, Input.SILENCE}
    ),  # unknown board; asks again by itself
    LinkState.READING: frozenset({Input.HELLO}),  # second answer to a get_hello sent twice
    LinkState.UP: frozenset(
        {Input.HELLO, Input.WHOLE_PICTURE}
    ),  # a picture is data here, not a change of state
    LinkState.INCOMPATIBLE: frozenset(
        {
            Input.HELLO,
            Input.FOREIGN_HELLO,
            Input.WHOLE_PICTURE,
            Input.SILENCE,
        }  # said once; others are leftovers
    ),
}
"""Pairs that change nothing. PORT_OPENED where it is in neither is a mistake of the caller and raises."""
