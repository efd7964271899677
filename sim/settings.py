"""Stored bytes -> what `configure` sets, and back: two copies with version, age and CRC, as the firmware keeps them.

A store makes the copy that does not count invalid, fills it, and makes it valid last: at each moment a good one is
there. Stored bytes that were something once and are no good copy now leave the defaults, with motion locked.
"""

from __future__ import annotations

import struct
from binascii import crc_hqx
from dataclasses import astuple, dataclass, replace

from firmware_bridge.messages import ConfigKey, Result

from .model import SWING_MIN_MS

HOLD_FOR_EVER = 0xFFFF
DEBOUNCE_MAX = 250
SUPPLY_MIN_MAX_MV = 20_000
STORED = 128
"""Bytes that outlive the power; those before `AT` are another firmware's boot number."""
AT = (16, 48)
_VERSION = 1
_NONE = 0xFF
_HEAD = struct.Struct("<BB")
_BODY = struct.Struct("<BBHHHHHH")
_SIZE = _HEAD.size + _BODY.size + 2


@dataclass(frozen=True, slots=True)
class Values:
    """What can be set, in the order in which it is stored."""

    debounce_samples: int = 5
    chain_end: int = 0
    angle_limit_cdeg: int = 800
    swing_min_ms: int = SWING_MIN_MS
    hold_ms: int = HOLD_FOR_EVER
    deadline_ms: int = 2000
    threshold: int = 0
    supply_min_mv: int = 4200


_FIELDS = {
    ConfigKey.DEBOUNCE_SAMPLES: "debounce_samples",
    ConfigKey.CHAIN_END: "chain_end",
    ConfigKey.ANGLE_LIMIT_CDEG: "angle_limit_cdeg",
    ConfigKey.SWING_MIN_MS: "swing_min_ms",
    ConfigKey.HOLD_MS: "hold_ms",
    ConfigKey.DEADLINE_MS: "deadline_ms",
    ConfigKey.THRESHOLD: "threshold",
    ConfigKey.SUPPLY_MIN_MV: "supply_min_mv",
}


class Settings:
    """`now`: what holds. `locked`: stored ones were damaged and nothing was stored since, so no motion."""

    def __init__(self, built_in: Values) -> None:
        """built_in: defaults, and with them the widest angle."""
        self._built_in = self.now = built_in
        self.stored = bytearray([_NONE]) * STORED
        self.locked = False
        self.writing = False
        self._copy = self._age = 0

    def start(self) -> None:
        """After a reset: what is stored holds; a store under way is cut."""
        self.writing = False
        self.now, self.locked = self._built_in, False
        self._copy = self._age = 0
        copies = [self._read(0), self._read(1)]
        good = [(copy, read) for copy, read in enumerate(copies) if isinstance(read, tuple)]
        if len(good) == 2 and (good[1][1][0] - good[0][1][0]) & 0xFF >= 0x80:
            good.pop()
        if good:
            self._copy, (self._age, self.now) = good[-1]
        else:
            self.locked = False in copies

    def _read(self, copy: int) -> tuple[int, Values] | bool:
        """Age and values; True for a copy that was never written, False for a damaged one."""
        raw = bytes(self.stored[AT[copy] : AT[copy] + _SIZE])
        if raw == bytes([_NONE]) * _SIZE:
            return True
        version, age = _HEAD.unpack_from(raw)
        values = Values(*_BODY.unpack_from(raw, _HEAD.size))
        if version != _VERSION or crc_hqx(raw, 0xFFFF) or not self._within(values):
            return False
        return age, values

    def _within(self, values: Values) -> bool:
        return (
            1 <= values.debounce_samples <= DEBOUNCE_MAX
            and values.chain_end <= 1
            and values.angle_limit_cdeg <= self._built_in.angle_limit_cdeg
            and values.swing_min_ms >= SWING_MIN_MS
            and values.supply_min_mv <= SUPPLY_MIN_MAX_MV
        )

    def configure(self, key: int, value: int) -> Result:
        """Sets one value until the next reset; never beyond the built-in limits."""
        if self.writing:
            return Result.BUSY
        if key not in _FIELDS:
            return Result.UNKNOWN
        changed: dict[str, int] = {_FIELDS[ConfigKey(key)]: value}
        wanted = replace(self.now, **changed)
        if not self._within(wanted):
            return Result.OUT_OF_LIMITS
        self.now = wanted
        return Result.DONE

    def begin_store(self, value: int) -> Result | list[tuple[int, int]]:
        """1: what to write, (address, byte) in order, one each few milliseconds, then `stored_all`; 0: to forget it."""
        if self.writing:
            return Result.BUSY
        if value > 1:
            return Result.OUT_OF_LIMITS
        self.writing = True
        if value == 0:
            order = (AT[self._copy ^ 1], AT[self._copy])  # the copy that counts goes last
            return [(at + i, _NONE) for at in order for i in range(_SIZE)]
        self._copy ^= 1
        self._age = (self._age + 1) & 0xFF
        raw = _HEAD.pack(_VERSION, self._age) + _BODY.pack(*astuple(self.now))
        raw += crc_hqx(raw, 0xFFFF).to_bytes(2, "big")
        at = AT[self._copy]
        return [(at, 0), *((at + i, raw[i]) for i in range(1, _SIZE)), (at, raw[0])]

    def stored_all(self, value: int) -> Result:
        """All was written: whether it reads back."""
        self.writing = False
        if value == 0:
            self.now = self._built_in
            self._copy = self._age = 0
        elif isinstance(self._read(self._copy), bool):
            self._copy ^= 1
            return Result.NOT_STORED
        self.locked = False
        return Result.DONE
