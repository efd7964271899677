"""Host bytes and accepted readings -> board bytes and tilt: the device side of the wire, as the firmware
does it.

Follows the board spec: numbered edges sent again every 100 ms until acknowledged, a picture 20 ms after the
last edge, on request and once a second, command ids done once and answered again, no servo pulse before
enable_tilt nor in the first second after a reset, silence of 1 s ends the servo signal, tilt reports, boot
noise before the first hello. Bytes leave one every 40 us; bytes from the host are taken as they come.
Left out: hold timing finer than the event, receive overruns, the watchdog
(a fault resets the board instead), what a host would see of a half-sent frame at a reset (the frame in
flight is cut).
"""

from collections import deque
from collections.abc import Callable
from math import inf
from random import Random

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
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
    Restart,
    Result,
    StopTilt,
    TiltTo,
)

from .agenda import Agenda
from .breaking import FaultHook
from .drive import Drive
from .inputs import Lines
from .model import Model
from .scan import BoardClock, Scan
from .servo import SILENCE_S, Servo
from .settings import STORED, Settings, Values
from .watch import Watch

RESEND_S = 0.1
PICTURE_AFTER_EDGE_S = 0.02
PICTURE_EVERY_S = 1.0
STORE_BYTE_S = 0.004
RESTART_AFTER_S = 0.025  # more than a servo's period: the last pulse is whole
LIGHT_SILENT = 15  # on the first light, all others dark: no host
_IDS_KEPT = 16
_UNDER_WAY = -1  # a command that is answered when it has ended
_OUT_FRAMES_MAX = 2000  # nobody reads: the oldest frames fall out, as in an operating system's buffer


class Controller:
    """The board's computer. `opened` is the host opening the port."""

    own_time = False  # all that it does is in the agenda

    def __init__(
        self,
        agenda: Agenda,
        model: Model,
        lines: Lines,
        drive: Drive,
        margins: Callable[[int], tuple[int, int]],
        layout_name: str,
        noise: Random,
        bits: int | None = None,
    ) -> None:
        """bits: of a cell's reading; None for those of the model's sensors."""
        self._agenda = agenda
        self._model = model
        self._board = model.board
        self._lines = lines
        self._margins = margins
        self._kind = model.board.board_kind or layout_name
        self._noise = noise
        self.faults: FaultHook  # set by the table
        self._scan = Scan(agenda, lines, model.board.debounce, self._accepted)
        self._bits = model.sensor.bits if bits is None else bits
        self.settings = Settings(
            Values(debounce_samples=model.board.debounce, angle_limit_cdeg=round(model.tilt.angle_deg * 100))
        )
        self.watch = Watch(agenda, self.settings, self._send, self._scan.dead_from, model.tilt.supply_mv)
        self.servo = Servo(
            agenda, model, drive, self.settings, lambda: self.watch.supply_mv, self._send, self._brown_out
        )
        self._decoder = Decoder(HOST_TO_BOARD)
        self._out: deque[tuple[float, bytes]] = deque()  # (when its first byte starts, frame as it leaves)
        self._out_taken = 0
        self._line_free_s = -inf
        self.boot = 0
        self.on = False
        self._lights = bytearray(len(lines.all))
        self._cause = ResetCause.POWER_ON
        self._life = 0  # voids what was due in an earlier life
        self._clock = BoardClock(agenda.now_s, 0, model.board.clock, model.board.scan_hz)
        self._begin_life()

    def run_to(self, until_s: float) -> float:
        """See sim.outside.AnyController: it lives by the table's agenda."""
        return until_s

    def ends_changed(self) -> None:
        """An end-position input changed."""
        self.servo.ends_changed()

    def close(self) -> None:
        """See sim.outside.AnyController: it holds nothing."""

    @property
    def lights(self) -> bytes:
        """Palette index that each light shows; one light tells that no host is heard."""
        if self._agenda.now_s < self.servo.host_heard_s + SILENCE_S:
            return bytes(self._lights)
        return bytes([LIGHT_SILENT, *bytes(len(self._lights) - 1)])

    @property
    def kept(self) -> str:
        """What outlives the power besides the boot number, as hexadecimal digits; empty when nothing was stored."""
        return bytes(self.settings.stored).rstrip(b"\xff").hex()

    @kept.setter
    def kept(self, text: str) -> None:
        stored = bytes.fromhex(text).ljust(STORED, b"\xff")
        self.settings.stored[:] = stored[:STORED]

    # -- bytes

    def write(self, data: bytes) -> None:
        """Bytes from the host arrive now."""
        data = self.faults.line_to_board(data)
        if not data or not self.on:
            return
        counters = self._decoder.counters
        damaged = counters.bad_crc + counters.too_long
        for message in self._decoder.feed(data):
            self._take(message)
        self.watch.damaged(counters.bad_crc + counters.too_long - damaged)

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
        self.watch.end()
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
        self._last_picture_s = self._reset_s
        self.servo.reset()
        self._lights[:] = bytes(len(self._lights))
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
        self.settings.start()
        self._scan.begin(self._clock, self.settings.now.debounce_samples)
        self._hello()
        self._picture_soon(now + PICTURE_AFTER_EDGE_S)
        self._agenda.at(now + PICTURE_EVERY_S, self._picture_slow, life)
        self.servo.begin(self._clock)
        self.watch.begin()

    def _hello(self) -> None:
        tilt, board = self._model.tilt, self._board
        features = Feature.LIGHTS | Feature.MARGINS
        if self.watch.chain_checked:
            features |= Feature.CHAIN_END
        if self.servo.fitted:
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
        self.servo.host_heard_s = self._agenda.now_s
        match message:
            case Ping(token=token):
                self._send(Pong(token, self._clock.us(self._agenda.now_s)))
            case AckEdges(number=number, boot=boot):
                if boot == self.boot:
                    self._edges_acked(number)
            case GetPicture():
                self._picture()
                self.servo.report()  # a host that has just come up believes nothing it was told before
            case GetHello(session=session):
                if session != self._session:
                    self._session = session
                    self._done.clear()
                    self._hello()
                    self.watch.again()
                else:
                    self._hello()
            case GetMargins(first=first, count=count):
                self._send(Margins(first, self._margin_pairs(first, count)))
            case Restart(session=session, boot=boot):
                if session == self._session != SESSION_UNASKED and boot == self.boot:
                    self.servo.end_signal()
                    self._agenda.at(self._agenda.now_s + RESTART_AFTER_S, self._restart, self._life)
            case _:
                self._do(message)

    def _margin_pairs(self, first: int, count: int) -> tuple[tuple[int, int], ...]:
        wiring = self._board.wiring or tuple(range(len(self._lines.all)))
        pairs = [
            self._margins(cell) if cell >= 0 else (0, 0) for cell in wiring[first : first + min(count, 60)]
        ]
        threshold = self.settings.now.threshold
        return tuple((reading, threshold or own) for reading, own in pairs)

    def _restart(self, life: int) -> None:
        if life != self._life:
            return
        if self.settings.writing:
            self._agenda.at(self._agenda.now_s + STORE_BYTE_S, self._restart, life)
        else:
            self.reset(ResetCause.SOFTWARE)

    def _do(self, command: NumberedCommand) -> None:
        result = self._done.get(command.id)
        if result is None:
            if isinstance(command, Configure) and command.key == ConfigKey.STORE:
                self._store(command)
                return
            result = int(self._perform(command))
            self._remember(command.id, result)
        if result != _UNDER_WAY:
            self._send(Ack(command.id, result))

    def _remember(self, number: int, result: int) -> None:
        self._done[number] = result
        if len(self._done) > _IDS_KEPT:
            del self._done[next(iter(self._done))]

    def _store(self, command: Configure) -> None:
        """A byte each some milliseconds, then the answer."""
        begun = self.settings.begin_store(command.value)
        if isinstance(begun, Result):
            self._remember(command.id, begun)
            self._send(Ack(command.id, begun))
            return
        self._remember(command.id, _UNDER_WAY)
        bytes_left = deque(begun)
        life = self._life

        def write(life_now: int) -> None:
            if life_now != self._life:
                return
            if bytes_left:
                address, byte = bytes_left.popleft()
                self.settings.stored[address] = byte
                self._agenda.at(self._agenda.now_s + STORE_BYTE_S, write, life)
                return
            result = self.settings.stored_all(command.value)
            if result is Result.DONE:
                self.watch.over(FaultCode.SETTINGS_LOST)
                self._scan.configure(self.settings.now.debounce_samples)
            if command.id in self._done:
                self._done[command.id] = result
            self._send(Ack(command.id, result))

        self._agenda.at(self._agenda.now_s + STORE_BYTE_S, write, life)

    def _perform(self, command: NumberedCommand) -> Result:
        match command:
            case TiltTo(angle_cdeg=angle, swing_ms=swing_ms):
                return self.servo.tilt_to(angle, swing_ms)
            case EnableTilt(angle_cdeg=angle):
                return self.servo.enable(angle)
            case StopTilt():
                self.servo.stop()
                return Result.DONE
            case DisableTilt():
                self.servo.end_signal()
                return Result.DONE
            case Lights(first=first, palette=palette):
                if first + len(palette) > len(self._lights):
                    return Result.UNKNOWN
                self._lights[first : first + len(palette)] = palette
                return Result.DONE
            case Configure(key=key, value=value):
                return self._configure(key, value)

    def _configure(self, key: int, value: int) -> Result:
        result = self.settings.configure(key, value)
        if result is Result.DONE and key == ConfigKey.DEBOUNCE_SAMPLES:
            self._scan.configure(value)
        return result

    def _brown_out(self) -> None:
        """The servo's start pulled the supply down, if that is the fault of the day."""
        if self.faults.weak_supply:
            self.reset(ResetCause.BROWN_OUT)
