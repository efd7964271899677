"""The page's hand on a simulated board beside a machine's: what it may not do to the pieces."""

from collections.abc import Iterator
from typing import Any

import pytest

from balanxd.assemble import game_on
from balanxd.config import parse_board, simulated_board
from balanxd.games import AnyLine
from balanxd.options import checked_tags, game_of_options
from balanxd.simulated.sensorworld import NOTHING_HELD, SensorWorld
from balanxd.simulated.world import SimulatedWorld
from balanxd.web import actions as a
from referee.events import Announced
from rules.line import Line

TAGS = checked_tags("banks", {"Board": "4x4"})


@pytest.fixture
def world() -> Iterator[SensorWorld]:
    world = SensorWorld(parse_board("", "sim", None, TAGS), 4, None, print)
    yield world
    world.close()


def wait(world: SensorWorld, lasts_s: float) -> None:
    world.step(world.simulator.now_s + lasts_s)


def machine_plays(world: SensorWorld, line: AnyLine, text: str) -> AnyLine:
    start, goal = line.game.travel(line.game.parse_move(text))
    world.play_move(
        line, Announced(at_s=0, seat=line.position.side, move=text, from_cell=start, to_cell=goal)
    )
    wait(world, 5.0)
    return line.push(line.game.parse_move(text))


def lying(world: SensorWorld) -> set[Any]:
    return {row["cell"] for row in world.table()["pieces"]}  # type: ignore[attr-defined]


def test_a_chosen_disk_that_is_still_held_is_laid_aside_when_a_machine_plays(world: SensorWorld) -> None:
    """A choice counts once the disk is lifted. The next tap would put it on the board again, or on another disk."""
    line: AnyLine = Line.begin(game_of_options(TAGS, 4))
    assert world.act(a.Lift("c2")) == ""
    wait(world, 2.0)
    line = machine_plays(world, line.push(line.game.parse_move("*c2")), "*c4")
    assert world.act(a.Put("b1")) == NOTHING_HELD
    owned = {name for name, code in zip(line.game.cell_names, line.position.disks, strict=True) if code}
    assert lying(world) - {None} == owned


def test_a_disk_that_is_still_in_the_game_stays_in_the_hand_when_a_machine_plays(world: SensorWorld) -> None:
    line: AnyLine = Line.begin(game_of_options(TAGS, 4))
    assert world.act(a.Lift("b1")) == ""
    wait(world, 2.0)
    machine_plays(world, line, "*c4")
    assert world.act(a.PutBack()) == ""
    wait(world, 2.0)
    assert "b1" in lying(world)


def test_a_move_that_is_announced_again_while_the_hand_is_at_it_is_made_once() -> None:
    """As after a lost link. The second time it would lift the marble that has rolled into the place of the first."""
    board = simulated_board()
    world = SimulatedWorld(board, 1, None, print)
    line: AnyLine = Line.begin(game_on(board))
    cells = line.game.cell_names
    told = Announced(at_s=0, seat=0, move="a7-a4", from_cell=cells.index("a7"), to_cell=cells.index("a4"))
    world.play_move(line, told)
    world.step(world.simulator.now_s + 0.1)
    world.play_move(line, told)
    world.step(world.simulator.now_s + 10.0)
    world.close()
    assert [report.what for report in world.simulator.other_hand.history] == ["lifted", "put"]


def test_a_move_that_is_announced_again_while_the_hand_pushes_the_board_is_made() -> None:
    """As in the next game on a board that people push, or when it goes on after it was parked."""
    board = parse_board('[tilt]\ndrive = "manual"\n', "sim")
    world = SimulatedWorld(board, 1, None, print)
    line: AnyLine = Line.begin(game_on(board))
    cells = line.game.cell_names
    told = Announced(at_s=0, seat=0, move="a7-a4", from_cell=cells.index("a7"), to_cell=cells.index("a4"))
    hand = world.simulator.other_hand
    for again in (lambda: world.lay(line), lambda: hand.move(told.to_cell, told.from_cell)):
        world.play_move(line, told)
        world.step(world.simulator.now_s + 10.0)
        again()
        world.step(world.simulator.now_s + 10.0)
        hand.history.clear()
        world.push(0)
        world.play_move(line, told)
        world.step(world.simulator.now_s + 10.0)
        assert [report.what for report in hand.history] == ["pushed", "lifted", "put"]
        world.lay(line)
    world.close()


def test_a_move_that_is_announced_again_while_the_hand_pushes_the_board_after_it_is_made() -> None:
    """As after a takeback. The hand is busy all the time, but it has made the move that it was told first."""
    board = parse_board('[tilt]\ndrive = "manual"\n', "sim")
    world = SimulatedWorld(board, 1, None, print)
    line: AnyLine = Line.begin(game_on(board))
    cells = line.game.cell_names
    told = Announced(at_s=0, seat=0, move="a7-a4", from_cell=cells.index("a7"), to_cell=cells.index("a4"))
    hand = world.simulator.other_hand
    world.play_move(line, told)
    world.push(0)
    while hand.done < 2:
        world.step(world.simulator.now_s + 0.01)
    assert hand.busy
    world.play_move(line, told)
    world.step(world.simulator.now_s + 10.0)
    world.close()
    assert [report.what for report in hand.history] == ["lifted", "put", "pushed", "lifted", "put"]
