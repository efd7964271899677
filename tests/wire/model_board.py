"""The smallest board that keeps the protocol's promises: edges, pictures, commands, silence. Time is an argument."""

from dataclasses import dataclass, field

from firmware_bridge.codec import Decoder, encode
from firmware_bridge.messages import (
    HOST_TO_BOARD,
    MAJOR,
    Ack,
    AckEdges,
    EdgeMsg,
    GetHello,
    GetMargins,
    GetPicture,
    Hello,
    Margins,
    Picture,
    Ping,
    Pong,
    Restart,
)


@dataclass
class ModelBoard:
    cells: int = 8
    bits: int = 1
    boot: int = 1
    major: int = MAJOR
    minor: int = 0
    cause: int = 1
    queue_max: int = 6
    us_at_0: int = 0
    number: int = 0
    session: int = 0
    last_id: int = 0
    last_result: int = 0
    lost_number: int | None = None  # last edge thrown away, None: no overflow
    resend_s: float = 0.0
    picture_s: float = 1.0
    done: list = field(default_factory=list)
    queue: list = field(default_factory=list)
    out: list = field(default_factory=list)

    def __post_init__(self):
        self.readings = bytearray(self.cells)
        self.decoder = Decoder(HOST_TO_BOARD)

    def us(self, now_s):
        return (self.us_at_0 + round(now_s * 1e6)) % 2**32

    def say(self, message):
        self.out.append(encode(message))

    def restart(self, cause=3):
        self.__init__(  # type: ignore[misc]
            cells=self.cells,
            bits=self.bits,
            boot=self.boot + 1,
            major=self.major,
            minor=self.minor,
            cause=cause,
        )
        self.say(self.hello())

    def hello(self):
        return Hello(
            self.major,
            self.minor,
            0,
            self.cells,
            self.bits,
            1000,
            self.cause,
            self.boot,
            self.session,
            0,
            (1, 0, 0),
            "Balanx",
            "model",
            b"\x01",
        )

    def picture(self, now_s):
        overflow = self.lost_number is not None
        return Picture(self.number, overflow, self.us(now_s), self.boot, self.bits, (), bytes(self.readings))

    def change(self, cell, reading, now_s):
        if self.readings[cell] == reading:
            return
        self.readings[cell] = reading
        self.number = (self.number + 1) % 65536
        if len(self.queue) >= self.queue_max:
            self.queue.clear()
            self.lost_number = self.number
        else:
            edge = EdgeMsg(cell, reading, self.us(now_s), self.number, self.boot)
            self.queue.append(edge)
            self.say(edge)
        self.picture_s = now_s + 0.02

    def tick(self, now_s):
        if now_s >= self.resend_s:
            self.resend_s = now_s + 0.1
            for edge in self.queue:
                self.say(edge)
        if now_s >= self.picture_s:
            self.picture_s = now_s + 1.0
            self.say(self.picture(now_s))

    def receive(self, data, now_s):
        for message in self.decoder.feed(data):
            match message:
                case GetHello():
                    if message.session != self.session:
                        self.session, self.last_id = message.session, 0
                    self.say(self.hello())
                case GetPicture():
                    self.say(self.picture(now_s))
                case AckEdges(number, boot):
                    if boot == self.boot:
                        self.queue = [e for e in self.queue if 0 < (e.number - number) % 65536 < 32768]
                        if self.lost_number is not None and (number - self.lost_number) % 65536 < 32768:
                            self.lost_number = None
                case Ping(token):
                    self.say(Pong(token, self.us(now_s)))
                case GetMargins(first, count):
                    self.say(Margins(first, ((500, 300),) * count))
                case Restart():
                    pass  # this model has one life
                case _:
                    if message.id != self.last_id:
                        self.last_id, self.last_result = message.id, 0
                        self.done.append(message)
                    self.say(Ack(message.id, self.last_result))

    def take(self):
        """The frames since, one by one."""
        out, self.out = self.out, []
        return out
