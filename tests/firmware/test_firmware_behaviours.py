"""The firmware's core and the simulator's controller keep the same promises."""

import ctypes

import pytest
from firmware.behaviours import BEHAVIOURS, Behaviour
from firmware.boards import Bench, HostBoard, PythonBoard

RUNS = [
    pytest.param(behaviour, target, id=f"{behaviour.name}-{target}")
    for behaviour in BEHAVIOURS
    for target in ("python", "c")
    if target == "c" or not behaviour.why_only_c
]


@pytest.mark.parametrize(("behaviour", "target"), RUNS)
def test_behaviour(behaviour: Behaviour, target: str, library: ctypes.CDLL) -> None:
    bench: Bench
    bench = PythonBoard(behaviour.fit) if target == "python" else HostBoard(behaviour.fit, library)
    behaviour.check(bench)


def test_there_are_enough_on_both() -> None:
    assert len({behaviour.name for behaviour in BEHAVIOURS}) == len(BEHAVIOURS)
    assert sum(not behaviour.why_only_c for behaviour in BEHAVIOURS) >= 40
