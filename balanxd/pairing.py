"""Pairing: six digits that somebody reads off the board in; a token that a browser keeps, out.

Whoever is not at this computer may watch, and asks for nothing before it has shown a token, or the code of now. A code
is good for two minutes and five tries. After wrong ones there is a pause before the next code, which doubles each time;
asking at the computer itself (`balanx pair`) ends it. Tokens have 128 bits; the file holds only their hashes.

Times are monotonic seconds, of any clock that runs as real time does. Chance is an argument.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .errors import BalanxError
from .wholefile import write_whole

CODE_S = 120.0
TRIES = 5
DIGITS = 6
PAUSE_S = 15.0
LONGEST_PAUSE_S = 900.0
TOKEN_BYTES = 16
TOKENS_MOST = 64  # the oldest is forgotten first
FILE = "tokens.json"


@dataclass(frozen=True, slots=True)
class CodeShown:
    """A code that the board may show to whoever stands before it, until it ends; see `Pairing`."""

    code: str
    until_s: float


@dataclass(frozen=True, slots=True)
class CodeEnded:
    """The code is good no more: used, worn out, or too old."""


PairingEvent = CodeShown | CodeEnded


class Pairing:
    """Codes and tokens of one daemon. `show` hears of every code (lights, log); it must not send it to the page."""

    def __init__(
        self, folder: Path, chance: Callable[[int], bytes], show: Callable[[PairingEvent], None]
    ) -> None:
        """folder: of the state. chance: so many random bytes. Raises BalanxError where the tokens cannot be read."""
        self._path = folder / FILE
        self._chance = chance
        self._show = show
        self._hashes = _read(self._path)
        self._code = ""
        self._until_s, self._tries = 0.0, 0
        self._wrong = 0  # codes with wrong tries in a row
        self._not_before_s = float("-inf")

    def wanted(self, now_s: float) -> str:
        """Somebody would like to come in: make sure that there is a code. What to say to them."""
        self.tick(now_s)
        if not self._code:
            if now_s < self._not_before_s:
                return _wait(self._not_before_s - now_s)
            self._new(now_s)
        return "Enter the code shown on the board: only then may you play from here. Watching is free."

    def at_the_board(self, now_s: float) -> CodeShown:
        """Somebody at the computer itself asks for the code: a fresh one, without a pause."""
        self._not_before_s, self._wrong = float("-inf"), 0
        self._new(now_s)
        return CodeShown(self._code, self._until_s)

    def redeem(self, code: str, now_s: float) -> tuple[str, str]:
        """(token, "") for the right code, ("", what is wrong) else; a disk that takes no token is told, too."""
        self.tick(now_s)
        if not self._code:
            if now_s < self._not_before_s:
                return "", f"That code is too old. {_wait(self._not_before_s - now_s)}"
            self._new(now_s)
            return "", "That code is too old. The board shows a new one now."
        if not hmac.compare_digest(code.encode("utf-8", "replace"), self._code.encode()):
            return "", self._missed(now_s)
        self._end()
        self._wrong = 0
        token = self._chance(TOKEN_BYTES).hex()
        self._hashes = [*self._hashes, _hash(token)][-TOKENS_MOST:]
        try:
            _write(self._path, self._hashes)
        except OSError as error:
            say = f"You are in until the daemon ends; it could not be kept: {self._path}: {error.strerror or error}."
            return token, say
        return token, ""

    def known(self, token: str) -> bool:
        """Whether a token is one of ours."""
        mine = _hash(token)
        # All are compared: how long it takes tells nothing.
        return bool(sum([hmac.compare_digest(mine, each) for each in self._hashes]))

    def forget_all(self) -> int:
        """No token is good any more; how many there were. Raises OSError."""
        count, self._hashes = len(self._hashes), []
        _write(self._path, [])
        return count

    def tick(self, now_s: float) -> None:
        """A code that is too old ends."""
        if self._code and now_s >= self._until_s:
            if self._tries < TRIES:
                self._pause(self._until_s)  # else four guesses on each code would be free
            self._end()

    def _new(self, now_s: float) -> None:
        number = (
            int.from_bytes(self._chance(8)) % 10**DIGITS
        )  # 2**64 is no multiple: the slant is 1 in 10**13
        self._code = f"{number:0{DIGITS}}"
        self._until_s, self._tries = now_s + CODE_S, TRIES
        self._show(CodeShown(self._code, self._until_s))

    def _missed(self, now_s: float) -> str:
        self._tries -= 1
        if self._tries > 0:
            return "That is not the code on the board."
        self._end()
        self._pause(now_s)
        return f"That was wrong {TRIES} times. {_wait(self._not_before_s - now_s)}"

    def _pause(self, from_s: float) -> None:
        self._not_before_s = from_s + min(PAUSE_S * 2**self._wrong, LONGEST_PAUSE_S)
        self._wrong = min(self._wrong + 1, 20)

    def _end(self) -> None:
        self._code = ""
        self._show(CodeEnded())


def _wait(seconds: float) -> str:
    return f"There is a new code in {max(1, round(seconds))} s; try then."


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _read(path: Path) -> list[str]:
    try:
        text = path.read_text()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BalanxError(f"{path}: {error.strerror or error}") from error
    try:
        found = json.loads(text)["tokens"]
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise ValueError("not a list of texts")
    except (ValueError, KeyError, TypeError):
        # Nobody comes in with it, and nobody is kept out who reads the code anew.
        return []
    return found


def _write(path: Path, hashes: list[str]) -> None:
    """For this user only."""
    write_whole(path, json.dumps({"tokens": hashes}), 0o600)
