"""Each behaviour on each target: `pytest tests/contract --board=sim|host|emulated|serial:PORT`."""

import pytest
from contract.promises import BEHAVIOURS, Behaviour
from contract.whole import PROMISES, ROOMS

from balanxd.contract.board import Board

RUNS = [
    pytest.param(each, id=each.name, marks=pytest.mark.board(name=each.name, fit=each.fit, needs=each.needs))
    for each in PROMISES.values()
]


@pytest.mark.parametrize("behaviour", RUNS)
def test_behaviour(behaviour: Behaviour, board: Board) -> None:
    behaviour.check(board)


def test_there_are_enough_of_them_each_by_its_own_name() -> None:
    names = [each.name for each in BEHAVIOURS]
    assert len(set(names)) == len(names) >= 60
    assert {each.check.__module__ for each in BEHAVIOURS} == {room.__name__ for room in ROOMS}
