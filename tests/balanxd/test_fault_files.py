"""Faults in a board's file: one grammar, and one clear line for what cannot be."""

import pytest

from balanxd.config import parse_board
from balanxd.errors import BalanxError
from balanxd.simulated.build import build_table
from hardware.faults import FaultName
from sim.errors import SimError
from sim.faults import KINDS, StuckOn, kind_of

EVERY = {
    FaultName.SWAPPED: 'space = "e4"\nother = "a1"',
    FaultName.DEAD_CHAIN: "input = 40",
    FaultName.CROSSTALK: 'space = "e4"\nneighbour = "e5"',
    FaultName.END_NEVER: "seat = 1",
    FaultName.END_ALWAYS: "seat = 0",
} | dict.fromkeys(
    (
        FaultName.TILT_SHORT, FaultName.SERVO_LATE, FaultName.STALLED, FaultName.WRONG_WAY, FaultName.BROWN_OUT,
        FaultName.BYTES_LOST, FaultName.BYTES_FLIPPED, FaultName.CONTROLLER_RESET,
    ),
    "",
)  # fmt: skip


def refused(text: str) -> str:
    with pytest.raises(BalanxError) as caught:
        build_table(parse_board(text, "board.toml"), 1)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", FaultName)
def test_every_fault_can_be_told_in_a_board_file(kind: FaultName) -> None:
    more = EVERY.get(kind, 'space = "e4"')
    text = f'[[sim.fault]]\nkind = "{kind}"\nfrom_s = 3\nuntil_s = 5\nchance = 0.5\n{more}\n'
    table = build_table(parse_board(text, "board.toml"), 1)
    (fault,) = table.faults.planned
    assert kind_of(fault) is kind
    assert type(fault) is KINDS[kind]
    assert (fault.from_s, fault.until_s, fault.chance) == (3.0, 5.0, 0.5)
    table.advance(6.0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[sim.fault]\nkind = "weak"', "sim.fault: must be written as"),
        ('[[sim.fault]]\nspace = "e4"', "kind: say which fault"),
        ('[[sim.fault]]\nkind = "stuck_onn"', r"stuck_onn.*did you mean stuck_on\?"),
        ('[[sim.fault]]\nkind = "stuck_on"', "stuck_on needs space"),
        ('[[sim.fault]]\nkind = "swapped"', "swapped needs space and other"),
        ('[[sim.fault]]\nkind = "stuck_on"\nspce = "e4"', r"spce: no such key \(did you mean space\?\)"),
        ('[[sim.fault]]\nkind = "stuck_on"\nspace = "e44"', r"did you mean e4\?"),
        ('[[sim.fault]]\nkind = "stuck_on"\nspace = "e4"\nlevel = 2', "level is 2"),
        ('[[sim.fault]]\nkind = "stuck_on"\nspace = "e4"\nchance = 1.5', "chance is 1.5"),
        ('[[sim.fault]]\nkind = "stuck_on"\nspace = "e4"\nfrom_s = 5\nuntil_s = 4', "before until_s"),
        ('[[sim.fault]]\nkind = "dead_chain"\ninput = 56', "the chain has 0..55"),
        ('[[sim.fault]]\nkind = "bytes_lost"\nway = "up"', "way: must be both or to_host or to_board"),
        ('[[sim.fault]]\nkind = "servo_late"\nfactor = 1', "factor is 1"),
        ('[[sim.fault]]\nkind = "tilt_short"\nshare = 1', "share of 1"),
        ('[[sim.fault]]\nkind = "end_never"\nseat = 2', "seat is 2"),
        ('[[sim.fault]]\nkind = "swapped"\nspace = "e4"\nother = "e4"', "with itself"),
        ('[[sim.fault]]\nkind = "weak"\nspace = "e4"\nhz = 0', "hz is 0"),
    ],
)
def test_a_fault_that_cannot_be_is_one_line_that_names_the_place(text: str, why: str) -> None:
    said = refused(text)
    assert said.startswith("board.toml: sim.fault")
    with pytest.raises(BalanxError, match=why):
        raise BalanxError(said)


def test_a_real_board_has_no_planned_faults() -> None:
    assert "fits only" in refused('[link]\nport = "/dev/x"\n[[sim.fault]]\nkind = "stalled"')


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_fault_is_on_in_its_time_and_drawn_by_chance_from_the_seed(seed: int) -> None:
    def shown(until_s: float) -> int:
        text = '[[sim.fault]]\nkind = "stuck_on"\nspace = "e4"\nfrom_s = 2\nuntil_s = 4\n'
        table = build_table(parse_board(text, "board.toml"), seed)
        table.advance(until_s)
        return table.levels() >> 25 & 1  # e4 is input 25

    assert [shown(at_s) for at_s in (1.5, 2.5, 3.5, 4.5)] == [0, 1, 1, 0]


def test_a_chance_is_drawn_anew_each_period_and_is_the_same_for_the_same_seed() -> None:
    text = '[[sim.fault]]\nkind = "stuck_on"\nspace = "e4"\nchance = 0.5\nevery_s = 1\n'

    def history(seed: int) -> list[int]:
        table = build_table(parse_board(text, "board.toml"), seed)
        found = []
        for second in range(40):
            table.advance(second + 0.5)
            found.append(table.levels() >> 25 & 1)
        return found

    one = history(1)
    assert one == history(1)
    assert one != history(2)
    assert 8 <= sum(one) <= 32


def test_a_fault_that_is_over_can_be_had_again() -> None:
    table = build_table(parse_board("", "board.toml"), 1)
    table.faults.plan(StuckOn(space="e4"))
    table.advance(1.0)
    assert table.levels() >> 25 & 1
    table.faults.end(FaultName.STUCK_ON)
    table.advance(2.0)
    assert not table.levels() >> 25 & 1
    assert table.faults.planned == ()
    with pytest.raises(SimError, match="no space"):
        table.faults.plan(StuckOn(space="z9"))
