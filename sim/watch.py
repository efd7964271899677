"""What the controller watches besides its see-saw -> faults: the chain's far end, its supply, damaged frames.

A fault that stands is told when it begins, and to each new session. Left out: how the chain's end is asked (a level
at its far end that must come out behind all inputs): here it is whole or broken, noticed after the firmware's time.
"""

from collections.abc import Callable
from math import inf

from firmware_bridge.messages import BoardMessage, Fault, FaultCode

from .agenda import Agenda
from .settings import Settings

STANDING = (FaultCode.SETTINGS_LOST, FaultCode.CHAIN_BROKEN, FaultCode.SUPPLY_LOW)
BAD_FRAMES_EVERY_S = 5.0
CHAIN_ANSWERS_AFTER_S = 0.064
CHAIN_BROKEN_AFTER_S = 0.08
SUPPLY_LOW_S = 0.02
SUPPLY_WELL_MV = 100


class Watch:
    """`supply_mv` is what the world gives; `dead_from` is asked for the first input that cannot be read."""

    def __init__(
        self,
        agenda: Agenda,
        settings: Settings,
        send: Callable[[BoardMessage], None],
        dead_from: Callable[[], int],
        supply_mv: int,
    ) -> None:
        self._agenda = agenda
        self._settings = settings
        self._send = send
        self._dead_from = dead_from
        self.supply_mv = supply_mv
        self._chain_whole = True
        self._life = 0
        self.end()

    def end(self) -> None:
        """The controller is dead."""
        self.on = False
        self._life += 1
        self._stands: dict[FaultCode, int] = {}
        self._bad = self._told = 0
        self._told_s = -inf
        self._chain_checked_s = inf
        self._low = False

    def begin(self) -> None:
        """The controller is up, its settings are read."""
        self.on = True
        if self._settings.locked:
            self._stand(FaultCode.SETTINGS_LOST, 0)
        self._begin_chain()
        self.supply(self.supply_mv)

    def again(self) -> None:
        """A new session: it knows of nothing that stands."""
        for code in STANDING:
            if code in self._stands:
                self._send(Fault(code, self._stands[code]))

    def over(self, code: FaultCode) -> None:
        """It does not stand any more."""
        self._stands.pop(code, None)

    def _stand(self, code: FaultCode, argument: int) -> None:
        if code not in self._stands:
            self._stands[code] = argument
            self._send(Fault(code, argument))

    # -- the chain

    @property
    def chain_checked(self) -> bool:
        """The chain's far end has answered, or must."""
        return self._agenda.now_s >= self._chain_checked_s or bool(self._settings.now.chain_end)

    def chain(self, whole: bool) -> None:
        """The world: the chain's data wire breaks or is mended."""
        if whole != self._chain_whole:
            self._chain_whole = whole
            if self.on:
                self._begin_chain()

    def _begin_chain(self) -> None:
        now = self._agenda.now_s
        if self._chain_whole:
            self._chain_checked_s = min(self._chain_checked_s, now + CHAIN_ANSWERS_AFTER_S)
            self._agenda.at(now + CHAIN_ANSWERS_AFTER_S, self._chain_answers, self._life)
        else:
            if self._chain_checked_s > now:
                self._chain_checked_s = inf  # it never answered in this life
            self._agenda.at(now + CHAIN_BROKEN_AFTER_S, self._chain_breaks, self._life)

    def _chain_answers(self, life: int) -> None:
        if life == self._life and self._chain_whole:
            self.over(FaultCode.CHAIN_BROKEN)

    def _chain_breaks(self, life: int) -> None:
        if life == self._life and not self._chain_whole and self.chain_checked:
            self._stand(FaultCode.CHAIN_BROKEN, self._dead_from())

    # -- the supply

    def supply(self, supply_mv: int) -> None:
        """The world: the supply is this from now on (0: not measured)."""
        self.supply_mv = supply_mv
        if not self.on or not supply_mv:
            return
        if supply_mv > self._settings.now.supply_min_mv + SUPPLY_WELL_MV:
            self.over(FaultCode.SUPPLY_LOW)
        elif supply_mv < self._settings.now.supply_min_mv:
            self._agenda.at(self._agenda.now_s + SUPPLY_LOW_S, self._supply_low, self._life)

    def _supply_low(self, life: int) -> None:
        if life == self._life and 0 < self.supply_mv < self._settings.now.supply_min_mv:
            self._stand(FaultCode.SUPPLY_LOW, self.supply_mv)

    # -- the line

    def damaged(self, frames: int) -> None:
        """So many damaged frames were dropped now."""
        if not frames:
            return
        waits = self._bad > self._told
        self._bad += frames
        if waits:
            return
        self._agenda.at(max(self._agenda.now_s, self._told_s + BAD_FRAMES_EVERY_S), self._tell, self._life)

    def _tell(self, life: int) -> None:
        if life == self._life and self._bad > self._told:
            self._told, self._told_s = self._bad, self._agenda.now_s
            self._send(Fault(FaultCode.BAD_FRAMES, min(self._bad, 0xFFFF)))
