"""Codes and tokens: six digits for two minutes and five tries, swapped for 128 bits that are stored hashed."""

import hashlib
import json
import random
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balanxd.errors import BalanxError
from balanxd.pairing import CODE_S, TRIES, CodeEnded, CodeShown, Pairing, PairingEvent


class Place:
    """One state folder; what the board shows."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self.folder = folder
        self.shown: list[PairingEvent] = []
        self.pairing = Pairing(folder, random.Random(seed).randbytes, self.shown.append)

    @property
    def code(self) -> str:
        """What somebody before the board reads."""
        shown = self.shown[-1]
        assert isinstance(shown, CodeShown)
        return shown.code

    def let_in(self, now_s: float = 0.0) -> str:
        self.pairing.wanted(now_s)
        token, say = self.pairing.redeem(self.code, now_s)
        assert (len(token), say) == (32, "")
        return token


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def other(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def test_the_code_on_the_board_lets_in_once(place: Place) -> None:
    assert "Enter the code shown on the board" in place.pairing.wanted(0.0)
    code = place.code
    assert len(code) == 6
    assert code.isdigit()
    token, say = place.pairing.redeem(code, 1.0)
    assert say == ""
    assert place.pairing.known(token)
    assert isinstance(place.shown[-1], CodeEnded)
    assert place.pairing.redeem(code, 2.0)[0] == ""


def test_wanting_again_keeps_the_code(place: Place) -> None:
    for now_s in (0.0, 1.0, CODE_S - 0.1):
        place.pairing.wanted(now_s)
    assert len(place.shown) == 1


def test_a_code_is_good_for_two_minutes(place: Place) -> None:
    place.pairing.wanted(0.0)
    old = place.code
    token, say = place.pairing.redeem(old, CODE_S + 0.01)
    assert token == ""
    assert "too old" in say
    assert place.code != old
    assert place.pairing.redeem(place.code, CODE_S + 1.0)[0]


def test_the_board_stops_showing_a_code_that_is_too_old(place: Place) -> None:
    place.pairing.wanted(0.0)
    place.pairing.tick(CODE_S - 0.1)
    assert isinstance(place.shown[-1], CodeShown)
    place.pairing.tick(CODE_S)
    assert isinstance(place.shown[-1], CodeEnded)


def test_five_tries_then_a_new_one_after_a_pause_that_grows(place: Place) -> None:
    now_s, pauses = 0.0, []
    for _ in range(4):
        place.pairing.wanted(now_s)
        worn = place.code
        for _ in range(TRIES):
            assert place.pairing.redeem(other(worn), now_s)[0] == ""
        assert isinstance(place.shown[-1], CodeEnded)
        began_s = now_s
        while not isinstance(place.shown[-1], CodeShown):
            assert place.pairing.redeem(worn, now_s)[0] == "", "a worn code lets nobody in"
            now_s += 1.0
            place.pairing.wanted(now_s)
        assert place.code != worn
        pauses.append(now_s - began_s)
    assert pauses == sorted(pauses)
    assert pauses[3] >= 4 * pauses[0] > 0


@pytest.mark.parametrize("each", [TRIES, TRIES - 1, 1])
def test_guessing_for_a_day_has_hardly_a_chance(place: Place, each: int) -> None:
    """So many guesses at each code, over a day without a rest: fewer than one in a thousand of all codes."""
    heard, tried, now_s = 0, 0, 0.0
    code = ""
    while now_s < 86_400:
        place.pairing.wanted(now_s)
        if isinstance(place.shown[-1], CodeShown):
            tried = tried if place.code == code else 0
            code = place.code
            if tried < each:
                place.pairing.redeem(other(code), now_s)
                heard, tried = heard + 1, tried + 1
                continue
        now_s += 1.0
    assert heard < 1000


def test_whoever_stands_at_the_computer_need_not_wait(place: Place) -> None:
    place.pairing.wanted(0.0)
    worn = place.code
    for _ in range(TRIES):
        place.pairing.redeem(other(worn), 0.0)
    shown = place.pairing.at_the_board(0.1)
    assert place.pairing.redeem(shown.code, 0.2)[0]


@given(st.text(max_size=40))
def test_no_other_text_is_the_code(text: str) -> None:
    shown: list[PairingEvent] = []
    pairing = Pairing(Path("nowhere"), random.Random(2).randbytes, shown.append)
    pairing.wanted(0.0)
    assert isinstance(shown[0], CodeShown)
    if text != shown[0].code:
        assert pairing.redeem(text, 0.0)[0] == ""
        assert not pairing.known(text)


def test_tokens_are_128_bits_and_stored_hashed_for_their_owner_alone(place: Place) -> None:
    tokens = [place.let_in(float(n)) for n in range(3)]
    assert len(set(tokens)) == 3
    assert {len(bytes.fromhex(token)) for token in tokens} == {16}
    path = place.folder / "tokens.json"
    text = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not any(token in text for token in tokens)
    assert json.loads(text)["tokens"] == [hashlib.sha256(token.encode()).hexdigest() for token in tokens]


def test_tokens_outlive_the_daemon(place: Place) -> None:
    token = place.let_in()
    again = Place(place.folder, seed=2)
    assert again.pairing.known(token)
    assert not again.pairing.known(token[:-1] + ("0" if token[-1] != "0" else "1"))


def test_the_hash_itself_opens_nothing(place: Place) -> None:
    token = place.let_in()
    assert not place.pairing.known(hashlib.sha256(token.encode()).hexdigest())


def test_forgetting_forgets_all(place: Place) -> None:
    token = place.let_in()
    assert place.pairing.forget_all() == 1
    assert not place.pairing.known(token)
    assert not Place(place.folder).pairing.known(token)


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"tokens": 5}', '{"tokens": [1]}', '{"others": []}'])
def test_a_damaged_file_lets_nobody_in_and_keeps_nobody_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "tokens.json").write_text(text)
    place = Place(tmp_path)
    token = place.let_in()
    assert Place(tmp_path).pairing.known(token)


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").mkdir()
    with pytest.raises(BalanxError, match=r"tokens\.json: "):
        Place(tmp_path)


def test_a_disk_that_takes_no_token_lets_in_for_now_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    place = Place(folder)
    folder.rmdir()
    place.pairing.wanted(0.0)
    token, say = place.pairing.redeem(place.code, 0.0)
    assert place.pairing.known(token)
    assert "could not be kept" in say
