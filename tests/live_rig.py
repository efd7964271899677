"""A daemon in this process: a state folder and a story told beside it in; what it keeps of a game out."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from balanxd.journal import read_journal
from balanxd.live import Live, Options
from balanxd.players import parse_player
from referee.events import Lasting, TurnTaken
from sim.table import Table

PATIENCE_S = 60.0

Story = Callable[[Live], Coroutine[Any, Any, None]]


def options(state: Path, seed: int, *, who: str = "random", seats: int = 2, **more: Any) -> Options:
    """One kind of player at all seats, the page at a free port of this computer."""
    return Options(
        players=(parse_player(who),) * seats, state=state, seed=seed, http=("127.0.0.1", 0), **more
    )


def events_in(live: Live) -> tuple[Lasting, ...]:
    """What the journal of the game has so far."""
    path = live.journal.path
    return read_journal(path.read_bytes()).events if path.exists() else ()


def moves_in(live: Live) -> list[str]:
    """The turns among them."""
    return [event.move for event in events_in(live) if isinstance(event, TurnTaken)]


def has_turns(live: Live, count: int) -> Callable[[], bool]:
    """Whether the journal has so many turns."""
    return lambda: len(moves_in(live)) >= count


async def until(ready: Callable[[], bool]) -> None:
    """Wait while the daemon runs. TimeoutError where it never comes."""
    async with asyncio.timeout(PATIENCE_S):
        while not ready():
            await asyncio.sleep(0.005)


async def tell(live: Live, story: Story) -> None:
    """Run the daemon until the story is told; a daemon that ends before that raises what ended it."""
    running = asyncio.create_task(live.run())
    told = asyncio.create_task(story(live))
    try:
        await asyncio.wait([running, told], return_when=asyncio.FIRST_COMPLETED)
        if not told.done():
            running.result()
            raise AssertionError("the daemon has ended")
        told.result()
    finally:
        told.cancel()
        live.stop()
        await asyncio.wait([running])
        await live.close()
    running.result()


class Obedient:
    """Somebody whose hand makes the moves that the daemon announces, each once."""

    def __init__(self, table: Table) -> None:
        self._hand = table.hand
        self._asked: object = None

    def look(self, live: Live) -> None:
        """Begin what is announced now, with a hand that is free."""
        state: dict[str, Any] = live.state()
        arrows = [arrow for arrow in state["arrows"] if arrow["kind"] == "announced"]
        asked = (state["ply"], *arrows)
        if arrows and asked != self._asked and not self._hand.busy and self._hand.carrying is None:
            self._asked = asked
            names = live.pipeline.session.game.cell_names
            self._hand.move(names.index(arrows[0]["from"]), names.index(arrows[0]["to"]))
