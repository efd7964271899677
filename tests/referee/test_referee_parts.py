"""The referee's small parts: motion guard, witness, announcer, guidance, false readings."""

import pytest
from tables.desk import CLASSIC

from hardware.fakes import FakeDrive
from hardware.faults import FaultName
from hardware.health import Complaint
from hardware.occupancy import Change
from hardware.tilt import TiltFailed
from referee import events as e
from referee.announcer import Announcer
from referee.drives import USUAL_GAP_S, Unnamed, what_failed
from referee.errors import RefereeError
from referee.guide import lead_back, names, what_is_wrong
from referee.infer import Lifted, Prospects
from referee.motion import Motion
from referee.sensors import Sensors, false_readings, stuck_marble, unseen_arrival
from referee.witness import Witness
from rules.games import game_named

MIDDLE = CLASSIC.parse_position("1W5/W1W1B2/1W1WW2/WW2B2/1B2W2/W1B1BBB/3B1B1/4B2 W 38")
NOTHING: frozenset[int] = frozenset()


def cell(name: str) -> int:
    return CLASSIC.cell_names.index(name)


def changes(*told: tuple[float, str, int]) -> list[Change]:
    return [Change(at_s, cell(name), reading) for at_s, name, reading in told]


# ---- motion ------------------------------------------------------------------------------------------------


def swinging() -> tuple[Motion, FakeDrive, list[e.GameEvent]]:
    said: list[e.GameEvent] = []
    drive = FakeDrive(side=0)
    motion = Motion(CLASSIC, drive, said.append)
    motion.go(1, CLASSIC.picture(MIDDLE, "presence"), 10.0)
    return motion, drive, said


@pytest.mark.parametrize(
    ("at_s", "name", "stops"),
    [
        (10.45, "a3", False),  # a marble alone in its groove
        (10.6, "a4", False),  # and where it arrives
        (10.2, "a3", True),  # before the board has passed its level nothing rolls
        (10.45, "b8", True),  # a groove of one
        (10.45, "e3", True),  # a full groove
        (10.45, "g8", True),  # an empty one
    ],
)
def test_the_motor_stops_for_what_no_rolling_marble_does(at_s: float, name: str, stops: bool) -> None:
    motion, drive, said = swinging()
    assert motion.watch(changes((at_s, name, 0))) == stops
    assert motion.moving == (not stops)
    assert [what for what, *_ in drive.done] == ["go", "stop"][: 1 + stops]
    assert [type(event) for event in said] == [e.TiltStarted, e.TiltStopped][: 1 + stops]


def test_nothing_is_stopped_that_does_not_move() -> None:
    motion, drive, _ = swinging()
    motion.arrived(10.7, True)
    assert not motion.watch(changes((10.8, "b8", 0)))
    motion.halt(10.9)
    assert [what for what, *_ in drive.done] == ["go"]
    assert motion.not_before_s == pytest.approx(11.3)


@pytest.mark.parametrize(
    ("motor", "drive_side", "placement", "side"),
    [
        (True, 1, "7/7/7/7/7/7/7/W6 W 20", 1),
        (True, None, "7/7/7/7/7/7/7/W6 W 20", None),
        (False, None, "7/7/7/7/7/7/7/W6 W 20", 0),
        (False, None, "7/7/7/7/7/7/W6/7 B 21", 1),
        (False, None, "7/7/7/7/7/7/7/1W5 B 21", 1),  # none can tell: as the rules want it
        (False, None, "7/7/7/7/7/7/7/1W5 W 20", 0),
    ],
)
def test_who_knows_the_side_that_is_down(
    motor: bool, drive_side: int | None, placement: str, side: int | None
) -> None:
    position = CLASSIC.parse_position(placement)
    motion = Motion(CLASSIC, FakeDrive(motor=motor, side=drive_side), lambda event: None)
    assert motion.side(CLASSIC.picture(position, "presence"), position.side) == side


def test_a_board_of_unknown_side_is_not_rocked() -> None:
    motion = Motion(CLASSIC, FakeDrive(side=None), lambda event: None)
    assert not motion.can_rock()
    assert not motion.rock(1.0)


# ---- witness -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "gap_s"),
    [
        ([(1.0, "b8", 0), (2.0, "c8", 1)], 1.0),
        ([(1.0, "b8", 0), (1.02, "b8", 1), (1.05, "b8", 0), (2.0, "c8", 1)], 0.95),
        ([(1.0, "b8", 0), (1.03, "c8", 1), (1.04, "b8", 1), (1.08, "b8", 0)], 0.03),
        (
            [(1.0, "b8", 0), (1.1, "c8", 1), (1.3, "c8", 0), (1.5, "b8", 1), (2.5, "b8", 0), (3.5, "d8", 1)],
            1.0,
        ),
        ([(1.0, "b8", 0)], None),
        ([(1.0, "c8", 1)], None),
    ],
)
def test_the_gap_between_leaving_and_being_seen_again(
    told: list[tuple[float, str, int]], gap_s: float | None
) -> None:
    found = Witness(changes(*told)).gap_s(cell("b8"), cell("b8"))
    assert found == (None if gap_s is None else pytest.approx(gap_s))


def test_the_mate_that_rolls_is_not_the_marble() -> None:
    told = changes((1.0, "a7", 0), (1.1, "a8", 0), (1.3, "a7", 1), (2.0, "a7", 1), (2.5, "a4", 1))
    assert Witness(told).gap_s(cell("a8"), cell("a7")) == pytest.approx(1.4)


def test_chatter_of_a_leaving_marble_is_no_edge() -> None:
    told = changes(
        (1.0, "b8", 0), (1.01, "b8", 1), (1.04, "b8", 0), (2.0, "c8", 1), (2.02, "c8", 0), (2.05, "c8", 1)
    )
    assert Witness(told).edges(NOTHING) == [
        (cell("b8"), 0),
        (cell("c8"), 1),
        (cell("c8"), 0),
        (cell("c8"), 1),
    ]
    assert Witness(told).edges(frozenset({cell("b8")}))[0] == (cell("c8"), 1)


def test_a_marble_of_colour_passes_through_unsure_as_it_leaves() -> None:
    told = changes((1.0, "a8", 3), (1.03, "a8", 0), (1.05, "a8", 1), (1.08, "a8", 0))
    assert Witness(told).edges(NOTHING) == [(cell("a8"), 3), (cell("a8"), 0)]


# ---- announcer ---------------------------------------------------------------------------------------------


def test_a_machine_is_asked_once_and_its_answer_said_again() -> None:
    said: list[e.GameEvent] = []
    announcer = Announcer(CLASSIC, {0}, said.append)
    announcer.turn(MIDDLE, 1.0)
    announcer.turn(MIDDLE, 2.0)
    assert [type(event) for event in said] == [e.MoveWanted]
    assert not announcer.allows(MIDDLE, CLASSIC.play(MIDDLE, CLASSIC.parse_move("e4-e2")))
    announcer.answer("e4-e2", MIDDLE)
    announcer.turn(MIDDLE, 3.0)
    assert isinstance(said[-1], e.Announced)
    assert said[-1].move == "e4-e2"
    assert announcer.allows(MIDDLE, CLASSIC.play(MIDDLE, CLASSIC.parse_move("e4-e2")))
    assert not announcer.allows(MIDDLE, CLASSIC.play(MIDDLE, CLASSIC.parse_move("e4-d4")))
    announcer.forget()
    announcer.turn(MIDDLE, 4.0)
    assert isinstance(said[-1], e.MoveWanted)


def test_a_person_is_not_asked_and_may_do_anything() -> None:
    said: list[e.GameEvent] = []
    announcer = Announcer(CLASSIC, {1}, said.append)
    announcer.turn(MIDDLE, 1.0)
    assert said == []
    assert announcer.allows(MIDDLE, MIDDLE)


def test_an_illegal_announcement_is_refused() -> None:
    with pytest.raises(RefereeError, match="a3-a8 was announced"):
        Announcer(CLASSIC, {0}, lambda event: None).answer("a3-a8", MIDDLE)


# ---- guidance ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "extra", "wrong", "back"),
    [
        (["a1"], [], "A marble is missing on a1.", "Put a marble on a1."),
        ([], ["b2"], "There should be no marble on b2.", "Take the marble off b2."),
        (
            ["a1"],
            ["b2"],
            "A marble is missing on a1, and b2 should be free.",
            "Take the marble from b2 and put it on a1.",
        ),
        (
            ["a1", "c3"],
            ["a1", "c3"],
            "There is a marble of the wrong colour on a1 and c3.",
            "The marble on a1 has the wrong colour: change it.",
        ),
        ([], [], "The board and the game do not agree.", "Look whether every marble lies in its place."),
    ],
)
def test_guidance_is_one_plain_sentence(missing: list[str], extra: list[str], wrong: str, back: str) -> None:
    alike = dict.fromkeys(missing, "")
    assert what_is_wrong(missing, extra, "marble", alike) == wrong
    assert lead_back(missing, extra, "marble", alike) == back


@pytest.mark.parametrize(
    ("missing", "extra", "wrong", "back"),
    [
        (["a1"], [], "A disk is missing on a1.", "Put a red disk on a1."),
        ([], ["b2"], "There should be no disk on b2.", "Take the disk off b2."),
        (
            ["a1"],
            ["b2"],
            "A disk is missing on a1, and b2 should be free.",
            "Take the disk off b2, and put a red disk on a1.",
        ),
        (
            ["c3", "a1"],
            ["a1", "b2"],
            "Something else than the game's disk lies on a1.",
            "Change what lies on a1: there should be a red disk.",
        ),
    ],
)
def test_where_pieces_differ_guidance_says_which(
    missing: list[str], extra: list[str], wrong: str, back: str
) -> None:
    lies = dict.fromkeys(missing, "a red disk")
    assert what_is_wrong(missing, extra, "disk", lies) == wrong
    assert lead_back(missing, extra, "disk", lies) == back


@pytest.mark.parametrize(("name", "piece"), [("balanx", "marble"), ("banks", "disk"), ("fourhigh", "stack")])
@pytest.mark.parametrize("complaint", [Complaint.BLIND, Complaint.STUCK_ON])
def test_a_sensor_is_named_with_the_games_word_for_a_piece(
    name: str, piece: str, complaint: Complaint
) -> None:
    said: list[e.GameEvent] = []
    Sensors(game_named(name), said.append).name(3, complaint, 0.0)
    (named,) = said
    assert isinstance(named, e.SensorNamed)
    assert f" {piece} " in named.say.replace(".", " ")
    assert piece == "marble" or "marble" not in named.say


def test_names_are_read_as_people_say_them() -> None:
    assert [names(cells) for cells in ([], ["a1"], ["a1", "b2"], ["a1", "b2", "c3"])] == [
        "", "a1", "a1 and b2", "a1, b2 and c3",
    ]  # fmt: skip


# ---- what only the game can tell of a sensor ---------------------------------------------------------------


def seen(**cells: int) -> bytes:
    readings = bytearray(CLASSIC.picture(MIDDLE, "presence"))
    for name, reading in cells.items():
        readings[cell(name)] = reading
    return bytes(readings)


@pytest.mark.parametrize(
    ("cells", "false"),
    [
        ({"f8": 1}, "f8"),
        ({"g8": 1}, "g8"),
        ({"f8": 1, "g8": 1}, None),  # two too many
        ({"e4": 0, "d4": 1, "f8": 1}, "f8"),  # a move and one too many
        ({"e4": 0}, None),
        ({}, None),
    ],
)
def test_one_marble_too_many_is_a_false_reading(cells: dict[str, int], false: str | None) -> None:
    prospects = Prospects(CLASSIC, "presence", MIDDLE, 0)
    found = false_readings(prospects, seen(**cells), NOTHING)
    assert found == ([] if false is None else [cell(false)])


def test_a_marble_that_was_seen_to_roll_in_is_no_false_reading() -> None:
    prospects = Prospects(CLASSIC, "presence", MIDDLE, 0)
    twins = Motion(CLASSIC, FakeDrive(side=0), lambda event: None).twins
    picture = seen(b2=1)  # a marble went to b3, and the sensor that it left sees it still

    def blamed(*told: tuple[float, str, int]) -> list[int]:
        return false_readings(prospects, picture, NOTHING, changes(*told), twins)

    assert blamed((1.0, "b2", 1)) == [cell("b2")]
    assert blamed((1.0, "b3", 1), (1.2, "b3", 0), (2.0, "b2", 1)) == [cell("b2")]  # too late
    assert cell("b2") not in blamed((1.0, "b3", 1), (1.2, "b3", 0), (1.35, "b2", 1))


def test_a_lone_marble_on_the_high_side_is_stuck() -> None:
    motion = Motion(CLASSIC, FakeDrive(side=0), lambda event: None)
    prospects = Prospects(CLASSIC, "presence", MIDDLE, 0)
    assert stuck_marble(prospects, motion, seen(), NOTHING) is None
    assert stuck_marble(prospects, motion, seen(a3=0, a4=1), NOTHING) == (cell("a4"), cell("a3"))
    assert stuck_marble(prospects, motion, seen(a3=0, a4=1), frozenset({cell("a3")})) is None
    assert (
        stuck_marble(Prospects(CLASSIC, "presence", MIDDLE, None), motion, seen(a3=0, a4=1), NOTHING) is None
    )


@pytest.mark.parametrize(
    ("told", "lost", "unseen"),
    [
        ([(1.0, "a3", 0)], False, True),
        ([(1.0, "a3", 3), (1.0, "a3", 2), (1.01, "a3", 0)], False, True),  # colours on the way
        ([(1.0, "a3", 0), (1.05, "a3", 1), (1.1, "a3", 0)], False, False),  # a hand makes it flicker
        ([(1.0, "a3", 0), (1.2, "a4", 1), (1.3, "a4", 0)], False, False),  # it was there
        ([(1.0, "a3", 0), (1.0, "b8", 0)], False, False),  # a hand was about
        ([], False, False),
        ([(1.0, "a3", 0)], True, False),
    ],
)
def test_who_rolled_off_and_did_not_arrive(
    told: list[tuple[float, str, int]], lost: bool, unseen: bool
) -> None:
    motion = Motion(CLASSIC, FakeDrive(side=1), lambda event: None)
    hand = Lifted(1, frozenset({cell("a4")}), (cell("a4"),), ())
    witness = Witness(changes(*told), lost)
    assert unseen_arrival(hand, witness, motion, bytes(56)) == (cell("a4") if unseen else None)
    above = seen(a4=1)  # the other one of the groove has not rolled: it is not alone
    assert unseen_arrival(hand, witness, motion, above) == (cell("a3") if unseen else None)


@pytest.mark.parametrize(
    ("gaps", "loose", "low", "name"),
    [
        ([], 1, False, FaultName.STALLED),
        ([], 0, True, None),  # no marble could tell
        ([1.0], 1, True, FaultName.END_NEVER),
        ([1.2], 1, True, None),  # a little slow: either
        ([1.4], 1, True, FaultName.TILT_SHORT),
        ([1.0], 2, False, FaultName.TILT_SHORT),
    ],
)
def test_a_motion_that_did_not_end_is_named_where_marbles_tell(
    gaps: list[float], loose: int, low: bool, name: FaultName | None
) -> None:
    failed = TiltFailed(1.0, 1, "did not arrive", FaultName.END_NEVER)
    assert what_failed(failed, [USUAL_GAP_S * each for each in gaps], None, loose, low) == name
    stalled = TiltFailed(1.0, 1, "does not move", FaultName.STALLED)
    assert what_failed(stalled, [USUAL_GAP_S], None, loose, low) is FaultName.STALLED


def test_what_people_who_push_the_board_find_out_of_its_drive() -> None:
    assert Unnamed(1, moved=True).pushed(1, 1) is FaultName.TILT_SHORT  # its end input closes for them
    assert Unnamed(1, moved=False).pushed(1, 1) is None  # nobody knows whether it moved
    unnamed = Unnamed(1, moved=True)
    assert unnamed.pushed(None, 1) is None  # as the motor left it
    assert unnamed.pushed(0, 0) is None
    assert unnamed.pushed(None, None) is None
    assert unnamed.pushed(None, 1) is FaultName.END_NEVER
