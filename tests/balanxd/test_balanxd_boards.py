"""What the page draws of the other games: plans, pieces, ways, routes, scores, and what can be chosen."""

import itertools
import math
from typing import Any

import msgspec
import pytest

from balanxd import boards
from balanxd.options import checked_tags, game_of_options
from balanxd.players import check_level, parse_player
from balanxd.view import View
from referee import events as e
from rules.games import AnyGame, game_named, game_of_tags
from rules.line import Line

BANKS = "..../.03./..../...4 000111 1,1,1,0,0,0;0,0,0,1,1,1 0 0"


def banks() -> AnyGame:
    return game_of_tags({"Game": "banks", "Setup": BANKS})


@pytest.mark.parametrize("name", ["balanx", "banks", "boxilies", "fourhigh"])
def test_a_plan_has_every_cell_once_and_in_its_place(name: str) -> None:
    game = game_named(name)
    plan = boards.plan(game)
    msgspec.json.encode(plan)
    cells = plan["cells"]
    assert [cell["name"] for cell in cells] == list(game.cell_names)
    places = [(cell["x"], cell["y"]) for cell in cells]
    nearest = min(math.dist(a, b) for number, a in enumerate(places) for b in places[:number])
    assert nearest == pytest.approx(1.0, abs=1e-3)


def test_rails_of_banks_are_straight_and_cover_all_neighbours() -> None:
    game: Any = banks()
    plan = boards.plan(game)
    at = {cell["name"]: (cell["x"], cell["y"]) for cell in plan["cells"]}
    steps = set()
    for rail in plan["rails"]:
        for one, other in itertools.pairwise(rail):
            assert math.dist(at[one], at[other]) == pytest.approx(1.0, abs=1e-3)
            steps.add(frozenset((one, other)))
    beside = {
        frozenset((game.cell_names[cell], game.cell_names[other]))
        for cell in range(game.cells)
        for heading in range(6)
        if (other := game.lattice.beside(cell, heading)) is not None
    }
    assert steps == beside


def test_pieces_say_what_is_to_be_seen_and_whose_it_is() -> None:
    game = banks()
    assert boards.pieces(game, game.start()) == {
        "b2": {"colour": 0, "owner": 0},
        "c2": {"colour": 3, "owner": 1},
        "d4": {"colour": 4, "owner": 1},
    }
    high = game_named("fourhigh")
    position = high.parse_position("8/8/8/8/3,WB,4/8/8/W,7 B 0")
    assert boards.pieces(high, position) == {
        "a1": {"stack": "W", "owner": 1},
        "d4": {"stack": "WB", "owner": 0},
    }
    stones = game_named("boxilies")
    position = stones.parse_position(".,.,./.,A51B,./.,.,. B")
    assert boards.pieces(stones, position) == {
        "b2": {"stone": "A5", "turn": 1, "pointer": 2, "sides": [1, 3, 1, 0], "owner": 1}
    }
    assert [len(seat["stones"]) for seat in boards.beside(stones, position)] == [4, 5]
    assert boards.scores(stones, position) == [0, 1]


def test_ways_and_routes_lead_where_the_rules_let_them() -> None:
    game: Any = banks()
    ways = boards.ways(game, game.start())
    assert set(ways) == {"b2"}
    routes = boards.routes(game, game.start(), ["b2"])
    assert set(routes) == set(ways["b2"])
    for target, route in routes.items():
        assert (route[0], route[-1]) == ("b2", target)
    assert boards.routes(game, game.start(), ["c2"]) == {}
    assert boards.ways(game_named("boxilies"), game_named("boxilies").start()) == {}


def test_what_is_offered_can_be_played_at_the_levels_that_are_told() -> None:
    for each in boards.offered(banks(), simulated=True):
        named = game_named(each["game"])
        assert each["seats"][: len(named.seats)] == list(named.seats)
        for option in each["options"]:
            for value in option["values"]:
                game = game_of_options(checked_tags(each["game"], {option["tag"]: value}), 1)
                assert list(game.seats) == each["seats"][: len(game.seats)]
        for player in each["players"]:
            check_level(parse_player(player["value"]), named)


def test_a_new_game_keeps_the_values_of_the_one_that_is_there() -> None:
    game = game_of_options(checked_tags("banks", {"Board": "7x7", "Players": "3"}), 1)
    offered = {each["game"]: each for each in boards.offered(game, simulated=True)}
    size, players = offered["banks"]["options"]
    assert (size["value"], players["value"]) == ("7x7", "3")
    assert "7x7" in size["values"]
    assert [option["value"] for option in offered["fourhigh"]["options"]] == ["pass", "100"]


@pytest.mark.parametrize("game", [banks(), game_named("balanx"), game_named("fourhigh")])
def test_a_real_board_is_for_its_own_game(game: AnyGame) -> None:
    (only,) = boards.offered(game, simulated=False)
    assert only["game"] == game.name
    assert only["seats"] == list(game.seats)
    assert only["options"] == []


def view_of(
    game: AnyGame, *events: e.GameEvent, seats: tuple[str, ...] = ("human", "human")
) -> dict[str, Any]:
    view = View(game, players=seats, simulated=True, sensor=game.sensors[0], manual_tilt=False)
    header = e.GameStarted(
        game=game.name, layout="", position=game.position_text(game.start()), players=seats, tags=game.tags()
    )
    for event in (e.LinkChanged(up=True), header, e.TurnOpened(seat=game.start().side, ply=0), *events):
        view.take(event)
    state = view.state(1.0)
    msgspec.json.encode(state)
    assert "marble" not in msgspec.json.encode(state).decode().replace("marble_is_there", "")
    return state


def test_a_lifted_disk_shows_its_routes_and_nobody_may_resign() -> None:
    state = view_of(banks(), e.InHand(missing=1, lifted=("b2",), targets=("b4",)))
    assert state["routes"]["b4"][0] == "b2"
    assert "b2" not in state["shown_pieces"]
    assert "resign" not in state["buttons"]
    assert state["buttons"]["agree_draw"] is True
    assert state["scores"] == [1, 1]


def test_figures_to_be_turned_are_shown_one_by_one() -> None:
    game = game_named("boxilies")
    event = e.TurningWanted(move="A5@b2r1", say="Turn the figure on b1 to B's side.", cells=("b1", "c2"))
    state = view_of(game, event)
    assert state["turning"]["cells"] == ("b1", "c2")
    assert state["targets"] == ("b1",)
    assert state["shown_pieces"]["b2"]["stone"] == "A5"
    assert state["headline"] == "A5@b2r1"


def test_turns_are_numbered_as_the_record_numbers_them() -> None:
    game = game_of_tags({"Game": "banks", "Board": "4x4", "Players": "3", "Seed": "1"})
    position, events = game.start(), []
    for ply in range(7):
        move = game.moves(position)[0]
        after = game.play(position, move)
        events.append(
            e.TurnTaken(
                ply=ply, seat=position.side, move=game.move_text(move), position=game.position_text(after)
            )
        )
        position = after
    state = view_of(game, *events, seats=("human", "random", "random"))
    assert [(turn["number"], turn["seat"]) for turn in state["moves"]] == [
        (1, 2), (1, 1), (1, 0), (2, 2), (2, 1), (2, 0), (3, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "result", "headline", "part"),
    [
        ("banks", "12 4", "Player 1 wins", "Player 2 4"),
        ("banks", "9 9 quiet", "A draw", "without a capture"),
        ("boxilies", "5-4", "A wins", "All cells are full."),
        ("boxilies", "0-1 resigned", "B wins", "A resigned."),
        ("fourhigh", "13-7 closed", "Black wins", "No capture"),
        ("fourhigh", "5-5 agreed", "A draw", "agreed"),
    ],
)
def test_the_end_is_told_with_its_count(name: str, result: str, headline: str, part: str) -> None:
    state = view_of(game_named(name), e.GameOver(result=result))
    assert state["outcome"]["headline"] == headline
    assert part in state["outcome"]["detail"]


@pytest.mark.parametrize(("name", "piece"), [("boxilies", "stone"), ("banks", "disk"), ("fourhigh", "stack")])
def test_a_second_piece_is_told_by_the_games_word(name: str, piece: str) -> None:
    trouble = e.OutOfStep(code="second_marble", say="", guide="")
    assert view_of(game_named(name), trouble)["headline"] == f"A second {piece} was moved"


def test_turns_are_counted_although_a_position_does_not_say_how_many_there_were() -> None:
    game = game_named("fourhigh")
    line: Line[Any, Any] = Line.begin(game)
    taken = []
    for ply, move in enumerate(("d7-d3", "c2-d3")):
        side = line.position.side
        line = line.push(game.parse_move(move))
        taken.append(e.TurnTaken(ply=ply, seat=side, move=move, position=game.position_text(line.position)))
    assert view_of(game, *taken)["ply"] == 2
