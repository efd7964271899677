"""Host bytes and accepted readings -> board bytes and tilt: the device side of the wire, as the firmware
does it.

Follows the board spec: numbered edges sent again every 100 ms until acknowledged, a picture 20 ms after the
last edge, on request and once a second, command ids done once and answered again, no servo pulse before
enable_tilt nor in the first second after a reset, silence of 1 s ends the servo signal, tilt reports, boot
noise before the first hello. Bytes leave one every 40 us; bytes from the host are taken as they come.
Left out: duty limit, real stall detection, hold timing finer than the event, receive overruns, the watchdog
(a fault resets the board instead), what a host would see of a half-sent frame at a reset (the frame in
flight is cut).
"""

from collections import deque
from collections.abc import Callable
from math import inf
from random import Random

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
    ANGLE_UNKNOWN_CDEG,
    FLICKER_PAIRS_MAX,
    HOST_TO_BOARD,
    SESSION_UNASKED,
    Ack,
    AckEdges,
    BoardMessage,
    ConfigKey,
    Configure,
    DisableTilt,
    EdgeMsg,
    EnableTilt,
    Fault,
    FaultCode,
    Feature,
    GetHello,
    GetMargins,
    GetPicture,
    Hello,
    HostMessage,
    Lights,
    Margins,
    NumberedCommand,
    Picture,
    Ping,
    Pong,
    ResetCause,
    Result,
    StopTilt,
    TiltReport,
    TiltTo,
)

from .agenda import Agenda
from .drive import Drive
from .faults import FaultHook
from .inputs import Lines
from .model import SWING_MIN_MS, Model
from .scan import BoardClock, Scan

RESEND_S = 0.1
PICTURE_AFTER_EDGE_S = 0.02
PICTURE_EVERY_S = 1.0
SILENCE_S = 1.0
NO_PULSE_S = 1.0
TILT_MOVING_S = 0.1
TILT_IDLE_S = 5.0
DEADLINE_MS = 2000
BROWN_OUT_AFTER_S = 0.02
HOLD_FOR_EVER = 0xFFFF
_IDS_KEPT = 16
_OUT_FRAMES_MAX = 2000  # nobody reads: the oldest frames fall out, as in an operating system's buffer


class Controller:
    """The board's computer. `opened` is the host opening the port."""

    def __init__(
        self,
        agenda: Agenda,
        model: Model,
        lines: Lines,
        drive: Drive,
        margins: Callable[[int], tuple[int, int]],
        layout_name: str,
        noise: Random,
    ) -> None:
        self._agenda = agenda
        self._model = model
        self._board = model.board
        self._lines = lines
        self._drive = drive
        self._margins = margins
        self._kind = model.board.board_kind or layout_name
        self._noise = noise
        self.faults: FaultHook  # set by the table
        self._scan = Scan(agenda, lines, model.board.debounce, self._accepted)
        self._bits = model.sensor.bits
        self._servo = model.tilt.kind == "servo"
        self._decoder = Decoder(HOST_TO_BOARD)
        self._out: deque[tuple[float, bytes]] = deque()  # (when its first byte starts, frame as it leaves)
        self._out_taken = 0
        self._line_free_s = -inf
        self.boot = 0
        self.on = False
        self.lights = bytearray(len(lines.all))
        self._cause = ResetCause.POWER_ON
        self._life = 0  # voids what was due in an earlier life
        self._swing = 0
        self._clock = BoardClock(agenda.now_s, 0, model.board.clock, model.board.scan_hz)
        self._begin_life()

    # -- bytes

    def write(self, data: bytes) -> None:
        """Bytes from the host arrive now."""
        data = self.faults.line_to_board(data)
        if not data or not self.on:
            return
        for message in self._decoder.feed(data):
            self._take(message)

    def read(self) -> bytes:
        """Bytes whose last bit has left by now."""
        out = self._out
        if not out:
            return b""
        now, byte_s = self._agenda.now_s + 1e-9, self._board.byte_s
        gone = []
        while out:
            start, frame = out[0]
            if start + len(frame) * byte_s <= now:
                gone.append(frame[self._out_taken :] if self._out_taken else frame)
                self._out_taken = 0
                out.popleft()
                continue
            ready = int((now - start) / byte_s)
            if ready > self._out_taken:
                gone.append(frame[self._out_taken : ready])
                self._out_taken = ready
            break
        return b"".join(gone)

    def next_s(self) -> float:
        """When the frame now leaving will have left; inf if none."""
        if not self._out:
            return inf
        start, frame = self._out[0]
        return start + len(frame) * self._board.byte_s

    def _send(self, message: BoardMessage) -> None:
        self._send_bytes(encode(message))

    def _send_bytes(self, data: bytes) -> None:
        now = self._agenda.now_s
        start = self._line_free_s if self._line_free_s > now else now
        self._line_free_s = start + len(data) * self._board.byte_s
        data = self.faults.line_to_host(data)
        if data:
            self._out.append((start, data))
            if len(self._out) > _OUT_FRAMES_MAX:
                self._out.popleft()
                self._out_taken = 0

    # -- life

    def opened(self) -> None:
        """The host opens the port: many boards reset (DTR)."""
        if self._board.dtr_resets:
            self.reset(ResetCause.EXTERNAL)

    def reset(self, cause: ResetCause) -> None:
        """Restarts now: pulses end, everything but the boot number is forgotten."""
        now = self._agenda.now_s
        out = self._out
        while out and out[-1][0] >= now:
            out.pop()
        if out:
            start, frame = out[-1]
            out[-1] = (start, frame[: int((now - start) / self._board.byte_s)])
        if len(out) <= 1 and self._out_taken >= (len(out[0][1]) if out else 0):
            out.clear()
            self._out_taken = 0
        self._line_free_s = now
        self.on = False
        self._scan.end()
        if self._servo:
            self._drive.brake()
        self._cause = cause
        self._begin_life()

    def _begin_life(self) -> None:
        self._life += 1
        self._decoder.reset()
        self._reset_s = self._agenda.now_s
        self._session = SESSION_UNASKED
        self._done: dict[int, int] = {}
        self._edges: deque[EdgeMsg] = deque()
        self._edges_sent_s: deque[float] = deque()
        self._number = 0
        self._overflow = False
        self._resend_due = False
        self._picture_due_s = inf
        self._last_host_s = -inf
        self._armed = False
        self._signal = False
        self._target_cdeg = 0
        self._from_cdeg = 0
        self._swing_start_s = -inf
        self._swing_end_s = -inf
        self._swing += 1
        self._watching = False
        self._last_picture_s = self._last_tilt_s = self._reset_s
        self._limit_cdeg = round(self._model.tilt.angle_deg * 100)
        self._swing_min_ms = SWING_MIN_MS
        self._hold_ms = HOLD_FOR_EVER
        self._deadline_ms = DEADLINE_MS
        self.lights[:] = bytes(len(self.lights))
        self._agenda.at(self._reset_s + self._board.boot_s, self._up, self._life)

    def _up(self, life: int) -> None:
        if life != self._life:
            return
        now = self._agenda.now_s
        self.on = True
        self.boot = (self.boot + 1) & 0xFFFF
        start_us = self._board.clock.start_us if self._life == 1 else 0
        self._clock = BoardClock(now, start_us, self._board.clock, self._board.scan_hz)
        self._send_bytes(bytes(self._noise.randrange(256) for _ in range(self._noise.randrange(9))) + b"\0")
        self._scan.begin(self._clock, self._board.debounce)
        self._hello()
        self._picture_soon(now + PICTURE_AFTER_EDGE_S)
        self._agenda.at(now + PICTURE_EVERY_S, self._picture_slow, life)
        self._agenda.at(now + TILT_IDLE_S, self._tilt_slow, life)

    def _hello(self) -> None:
        tilt, board = self._model.tilt, self._board
        features = Feature.LIGHTS | Feature.MARGINS
        if self._servo:
            features |= Feature.SERVO
        if tilt.end_inputs and tilt.kind != "none":
            features |= Feature.END_INPUTS
        self._send(
            Hello(
                major=board.major,
                minor=board.minor,
                build_id=board.build_id,
                cells=len(self._lines.all),
                bits=self._bits,
                reader_hz=board.scan_hz,
                reset_cause=self._cause,
                boot=self.boot,
                session=self._session,
                features=int(features),
                firmware=board.firmware,
                product=board.product,
                board_kind=self._kind,
                unique_id=board.unique_id,
            )
        )

    # -- sensing

    def _accepted(self, index: int, reading: int, at_s: float) -> None:
        """The scan accepted a change."""
        self._number = (self._number + 1) & 0xFFFF
        if len(self._edges) >= self._board.edge_queue:
            self._overflow = True
            self._edges.clear()
            self._edges_sent_s.clear()
        if not self._overflow:
            edge = EdgeMsg(index, reading, self._clock.us(at_s), self._number, self.boot)
            self._edges.append(edge)
            self._edges_sent_s.append(at_s)
            self._send(edge)
            if not self._resend_due:
                self._resend_due = True
                self._agenda.at(at_s + RESEND_S, self._resend, self._life)
        self._picture_soon(at_s + PICTURE_AFTER_EDGE_S)

    def _resend(self, life: int) -> None:
        if life != self._life:
            return
        now = self._agenda.now_s
        if not self._edges:
            self._resend_due = False
            return
        due_s = self._edges_sent_s[0] + RESEND_S
        if due_s <= now:
            for edge in self._edges:
                self._send(edge)
            self._edges_sent_s = deque([now] * len(self._edges))
            due_s = now + RESEND_S
        self._agenda.at(due_s, self._resend, life)

    def _picture_soon(self, due_s: float) -> None:
        # one call in the heap at a time: a later due time is found when the call comes
        if self._picture_due_s == inf:
            self._agenda.at(due_s, self._picture_call, self._life)
        self._picture_due_s = due_s

    def _picture_call(self, life: int) -> None:
        if life != self._life:
            return
        due_s = self._picture_due_s
        if due_s > self._agenda.now_s:
            self._agenda.at(due_s, self._picture_call, life)
            return
        self._picture_due_s = inf
        self._picture()

    def _picture_slow(self, life: int) -> None:
        if life != self._life:
            return
        due_s = self._last_picture_s + PICTURE_EVERY_S
        if due_s <= self._agenda.now_s:
            self._picture()
            due_s = self._last_picture_s + PICTURE_EVERY_S
        self._agenda.at(due_s, self._picture_slow, life)

    def _picture(self) -> None:
        now = self._agenda.now_s
        self._last_picture_s = now
        self._send(
            Picture(
                number=self._number,
                overflow=self._overflow,
                board_us=self._clock.us(now),
                boot=self.boot,
                bits=self._bits,
                flicker=self._scan.flicker(FLICKER_PAIRS_MAX),
                readings=self._scan.readings(),
            )
        )
        if self._overflow:
            self._picture_soon(now + RESEND_S)  # until the host has taken one

    def _edges_acked(self, number: int) -> None:
        edges = self._edges
        while edges and (number - edges[0].number) & 0xFFFF < 0x8000:
            edges.popleft()
            self._edges_sent_s.popleft()
        if self._overflow and number == self._number:
            self._overflow = False

    # -- commands

    def _take(self, message: HostMessage) -> None:
        self._last_host_s = self._agenda.now_s
        match message:
            case Ping(token=token):
                self._send(Pong(token, self._clock.us(self._agenda.now_s)))
            case AckEdges(number=number, boot=boot):
                if boot == self.boot:
                    self._edges_acked(number)
            case GetPicture():
                self._picture()
                self._tilt_report()  # a host that has just come up believes nothing it was told before
            case GetHello(session=session):
                if session != self._session:
                    self._session = session
                    self._done.clear()
                self._hello()
            case GetMargins(first=first, count=count):
                self._send(Margins(first, self._margin_pairs(first, count)))
            case _:
                self._do(message)

    def _margin_pairs(self, first: int, count: int) -> tuple[tuple[int, int], ...]:
        wiring = self._board.wiring or tuple(range(len(self._lines.all)))
        return tuple(
            self._margins(cell) if cell >= 0 else (0, 0) for cell in wiring[first : first + min(count, 60)]
        )

    def _do(self, command: NumberedCommand) -> None:
        result = self._done.get(command.id)
        if result is None:
            result = int(self._perform(command))
            self._done[command.id] = result
            if len(self._done) > _IDS_KEPT:
                del self._done[next(iter(self._done))]
        self._send(Ack(command.id, result))

    def _perform(self, command: NumberedCommand) -> Result:
        match command:
            case TiltTo(angle_cdeg=angle, swing_ms=swing_ms):
                return self._tilt_to(angle, swing_ms)
            case EnableTilt(angle_cdeg=angle):
                return self._enable(angle)
            case StopTilt():
                self._stop()
                return Result.DONE
            case DisableTilt():
                self._end_signal()
                return Result.DONE
            case Lights(first=first, palette=palette):
                if first + len(palette) > len(self.lights):
                    return Result.UNKNOWN
                self.lights[first : first + len(palette)] = palette
                return Result.DONE
            case Configure(key=key, value=value):
                return self._configure(key, value)

    def _configure(self, key: int, value: int) -> Result:
        match key:
            case ConfigKey.DEBOUNCE_SAMPLES:
                if not 1 <= value <= 250:
                    return Result.OUT_OF_LIMITS
                self._scan.configure(value)
            case ConfigKey.ANGLE_LIMIT_CDEG:
                if value > round(self._model.tilt.angle_deg * 100):
                    return Result.OUT_OF_LIMITS
                self._limit_cdeg = value
            case ConfigKey.SWING_MIN_MS:
                if value < SWING_MIN_MS:
                    return Result.OUT_OF_LIMITS
                self._swing_min_ms = value
            case ConfigKey.HOLD_MS:
                self._hold_ms = value
            case ConfigKey.DEADLINE_MS:
                self._deadline_ms = value
            case _:
                return Result.UNKNOWN
        return Result.DONE

    # -- tilt

    def _enable(self, angle_cdeg: int) -> Result:
        if not self._servo:
            return Result.UNKNOWN
        now = self._agenda.now_s
        if now < self._reset_s + NO_PULSE_S:
            return Result.TOO_SOON
        if angle_cdeg != ANGLE_UNKNOWN_CDEG and abs(angle_cdeg) > self._limit_cdeg:
            return Result.OUT_OF_LIMITS
        if self._armed and self._signal:
            return Result.DONE
        self._armed = True
        if not self._watching:
            self._watching = True
            self._agenda.at(self._last_host_s + SILENCE_S, self._silence, self._life)
        here = round(self._drive.angle_deg * 100)
        if angle_cdeg == ANGLE_UNKNOWN_CDEG:
            self._from_cdeg = here
            self._start(0, self._model.tilt.to_level_s)
        else:
            # the first pulse says where to be: a host that is wrong about it makes the servo jump
            self._from_cdeg = angle_cdeg
            off = abs(here - angle_cdeg) > 20
            self._start(angle_cdeg, self._model.tilt.jump_s if off else 0.0)
        return Result.DONE

    def _tilt_to(self, angle_cdeg: int, swing_ms: int) -> Result:
        if not self._servo:
            return Result.UNKNOWN
        if not self._armed:
            return Result.NOT_ENABLED
        if abs(angle_cdeg) > self._limit_cdeg:
            return Result.OUT_OF_LIMITS
        if swing_ms < self._swing_min_ms:
            return Result.TOO_FAST
        now = self._agenda.now_s
        if now < self._swing_end_s:
            return Result.BUSY
        self._from_cdeg = self._target_cdeg
        self._start(angle_cdeg, swing_ms / 1000)
        return Result.DONE

    def _start(self, angle_cdeg: int, lasts_s: float) -> None:
        now = self._agenda.now_s
        self._signal = True
        self._target_cdeg = angle_cdeg
        self._swing += 1
        self._swing_start_s, self._swing_end_s = now, now + lasts_s
        if lasts_s > 0:
            self._drive.swing_to(angle_cdeg / 100, lasts_s)
        self._tilt_report()
        if lasts_s > 0:
            self._agenda.at(now + lasts_s, self._arrived, self._swing)
            self._agenda.at(now + TILT_MOVING_S, self._tilt_moving, self._swing)
            if self.faults.weak_supply:
                self._agenda.at(now + BROWN_OUT_AFTER_S, self._brown_out, self._life)
            if self._end_of(angle_cdeg):
                self._agenda.at(now + max(lasts_s, self._deadline_ms / 1000), self._deadline, self._swing)

    def _end_of(self, angle_cdeg: int) -> int:
        """The end input that a target should close, 0 if none."""
        tilt = self._model.tilt
        if not tilt.end_inputs:
            return 0
        end = (tilt.angle_deg - tilt.end_margin_deg) * 100
        return 1 if angle_cdeg >= end else 2 if angle_cdeg <= -end else 0

    def _brown_out(self, life: int) -> None:
        if life == self._life:
            self.reset(ResetCause.BROWN_OUT)

    def _arrived(self, swing: int) -> None:
        if swing != self._swing or not self.on:
            return
        self._tilt_report()
        if self._hold_ms != HOLD_FOR_EVER:
            self._agenda.at(self._agenda.now_s + self._hold_ms / 1000, self._hold_over, swing)

    def _hold_over(self, swing: int) -> None:
        if swing == self._swing and self.on and self._signal:
            self._signal = False
            self._tilt_report()

    def _deadline(self, swing: int) -> None:
        if swing != self._swing or not self.on or self._drive.sensed == self._end_of(self._target_cdeg):
            return
        self._send(Fault(FaultCode.TILT_DEADLINE, round((self._agenda.now_s - self._swing_start_s) * 1000)))
        self._end_signal()

    def _commanded_cdeg(self) -> int:
        """Where the profile is, which is where the pulses tell the servo to be."""
        now = self._agenda.now_s
        whole = self._swing_end_s - self._swing_start_s
        if now >= self._swing_end_s or whole <= 0:
            return self._target_cdeg
        u = (now - self._swing_start_s) / whole
        return round(
            self._from_cdeg + (self._target_cdeg - self._from_cdeg) * u**3 * (10 - 15 * u + 6 * u * u)
        )

    def _stop(self) -> None:
        if self._agenda.now_s < self._swing_end_s:
            self._target_cdeg = self._commanded_cdeg()
            self._swing_end_s = self._agenda.now_s
            self._swing += 1
            self._drive.brake()
            if not self._drive.dead:
                # the profile ends where the braked board will stand
                self._target_cdeg = round(self._drive.rest_deg * 100)
            self._tilt_report()

    def _end_signal(self) -> None:
        if not self._servo:
            return
        self._stop()
        was = self._signal or self._armed
        self._signal = self._armed = False
        if was:
            self._tilt_report()

    def _tilt_report(self) -> None:
        now = self._agenda.now_s
        self._last_tilt_s = now
        self._send(
            TiltReport(
                commanded_cdeg=self._commanded_cdeg(),
                sensed=self._drive.sensed,
                moving=now < self._swing_end_s,
                enabled=self._signal,
                supply_mv=self._model.tilt.supply_mv if self._servo else 0,
                board_us=self._clock.us(now),
            )
        )

    def ends_changed(self) -> None:
        """An end-position input changed."""
        if self.on:
            self._tilt_report()

    def _tilt_moving(self, swing: int) -> None:
        if swing == self._swing and self.on and self._agenda.now_s < self._swing_end_s - 1e-9:
            self._tilt_report()
            self._agenda.at(self._agenda.now_s + TILT_MOVING_S, self._tilt_moving, swing)

    def _tilt_slow(self, life: int) -> None:
        if life != self._life:
            return
        due_s = self._last_tilt_s + TILT_IDLE_S
        if due_s <= self._agenda.now_s:
            self._tilt_report()
            due_s = self._last_tilt_s + TILT_IDLE_S
        self._agenda.at(due_s, self._tilt_slow, life)

    # -- silence

    def _silence(self, life: int) -> None:
        """Watches the host while something is enabled that must end with its silence."""
        if life != self._life:
            return
        due_s = self._last_host_s + SILENCE_S
        if not self._armed:
            self._watching = False
        elif due_s > self._agenda.now_s:
            self._agenda.at(due_s, self._silence, life)
        else:
            self._watching = False
            self._end_signal()
            self._send(Fault(FaultCode.HOST_SILENT, 0))
