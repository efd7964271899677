"""Firmware that breaks one promise each is found out by the behaviour of that name: the suite can go red."""

from collections.abc import Callable

import pytest
from contract.whole import PROMISES
from firmware.building import Workshop

from balanxd.contract.host import HostBoard
from balanxd.contract.plugin import NOTE
from balanxd.hil.known_bad import KNOWN_BAD, KnownBad

MOTION_RULES = ("silence", "first second", "limit", "deadline", "stall", "end input")
SENSING = ("stuck input", "swapped pair", "dropped frame")


@pytest.mark.parametrize("bad", KNOWN_BAD, ids=lambda bad: bad.name)
def test_known_bad_firmware_goes_red(
    bad: KnownBad, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    promise = PROMISES[bad.promise]
    promise.check(HostBoard(promise.fit, workshop.library()))
    with pytest.raises(AssertionError):  # a green run of a bad firmware fails
        promise.check(HostBoard(promise.fit, workshop.library(bad.file, bad.text, bad.instead)))
    record_property(NOTE, f"known-bad firmware: {bad.name}: caught by {bad.promise}")


def test_each_rule_has_its_bad_firmware() -> None:
    assert {bad.name for bad in KNOWN_BAD} >= {*MOTION_RULES, *SENSING}
