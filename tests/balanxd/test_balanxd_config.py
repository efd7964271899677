"""Board files: every unknown key and every broken bound is one line that names file, key and the nearest key."""

from pathlib import Path
from typing import Any

import pytest
from board_files import FILE, complaint
from hypothesis import given
from hypothesis import strategies as st

from balanxd.config import load_board, load_layout, parse_board, simulated_board
from balanxd.errors import BalanxError
from balanxd.simulated.build import build_table, model_of

SPACES = simulated_board().layout.cell_names


def test_a_board_file_says_everything() -> None:
    board = parse_board(
        '[board]\nname = "club"\nlayout = "wide"\nsensor = "colour"\n[link]\nport = "/dev/ttyUSB0"\n'
        '[tilt]\ndrive = "manual"\nend_inputs = false\nangle_deg = 7\nswing_s = 0.8\n',
        FILE,
    )
    assert (board.name, board.layout.name, board.sensor, board.port) == (
        "club",
        "wide",
        "colour",
        "/dev/ttyUSB0",
    )
    assert (board.drive, board.end_inputs, board.limits.full_cdeg, board.limits.swing_s) == (
        "manual",
        False,
        700,
        0.8,
    )
    assert not board.simulated
    assert simulated_board().simulated


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("[bord]\nname = 'x'", "bord", "board"),
        ("name = 'x'", "name", ""),
        ("[board]\nsensors = 'colour'", "board.sensors", "sensor"),
        ("[board]\nlayuot = 'wide'", "board.layuot", "layout"),
        ("[link]\nprot = 'x'", "link.prot", "port"),
        ("[tilt]\nswing = 1.0", "tilt.swing", "swing_s"),
        ("[tilt]\nangle = 8", "tilt.angle", "angle_deg"),
        ("[sim.hands]\nflicker = true", "sim.hands", "hand"),
        ("[sim.hand]\nliftms = [1, 2]", "sim.hand.liftms", "lift_ms"),
        ("[sim.noise]\nspikes = 1.0", "sim.noise.spikes", "spike"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(text: str, key: str, nearest: str) -> None:
    said = complaint(text, model_of)
    assert f"{key}: no such key" in said
    assert (f"did you mean {nearest}" if nearest else "there are board, link, tilt, sim") in said


@pytest.mark.parametrize(
    "text", ["x = ", "x = " + "[" * 50_000, "x = " + "9" * 5000], ids=["cut", "deep", "huge"]
)
def test_what_is_no_toml_is_one_line(text: str) -> None:
    complaint(text, model_of)


def test_a_table_without_keys_offers_none() -> None:
    assert complaint("[options]\nsize = 3\n", model_of) == "options.size: no such key (there are none)"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("board = 3", "board"),
        ("[board]\nname = 3", "board.name"),
        ("[board]\nlayout = 'classsic'", "board.layout"),
        ("[board]\nlayout = 'no/such.toml'", "board.layout"),
        ('[board]\nlayout = "\\u0000.toml"', "board.layout"),
        ("[board]\nsensor = 'hall'", "board.sensor"),
        ("[board]\nwiring = 'a1'", "board.wiring"),
        ("[board]\nwiring = [1, 2]", "board.wiring"),
        ("[board]\nwiring = ['a1', 'a1']", "board.wiring"),
        ("[board]\nwiring = ['z9']", "board.wiring"),
        ("[board]\nwiring = ['a1']", "board.wiring"),
        ("[link]\nport = ['x']", "link.port"),
        ("[tilt]\ndrive = 'crane'", "tilt.drive"),
        ("[tilt]\nend_inputs = 1", "tilt.end_inputs"),
        *(
            (f"[tilt]\n{key} = {value}", f"tilt.{key}")
            for key, low, high in (
                ("angle_deg", 1.99, 15.01),
                ("rock_deg", 0.09, 2.01),
                ("swing_s", 0.24, 5.1),
                ("warning_s", 0.69, 10.1),
                ("grace_s", -0.1, 10.1),
                ("hold_s", -0.1, 10.1),
            )
            for value in (low, high, "nan", "inf", "-inf", "true", "'8'", "[8]", "1e300", "9" * 30)
        ),
        ("[sim]\nhand = 3", "sim.hand"),
        ("[sim.hand]\nflicker = 1", "sim.hand.flicker"),
        ("[sim.hand]\nlift_ms = 3", "sim.hand.lift_ms"),
        ("[sim.hand]\nlift_ms = [1]", "sim.hand.lift_ms"),
        ("[sim.hand]\nlift_ms = [3, 1]", "sim.hand.lift_ms"),
        ("[sim.hand]\nlift_ms = [1, nan]", "sim.hand.lift_ms"),
        ("[sim.hand]\nlift_flickers = 1.5", "sim.hand.lift_flickers"),
        ("[sim.marble]\nmass_g = 'heavy'", "sim.marble.mass_g"),
        ("[sim.marble]\nmass_g = inf", "sim.marble.mass_g"),
        ("[sim.sensor]\nkind = 'radar'", "sim.sensor.kind"),
        ("[sim.sensor]\nkind = ['colour']", "sim.sensor.kind"),
        ("[sim.sensor]\nkind = 'colour'", "sim.sensor.kind"),
        ("[sim.board]\nunique_id = 'xyz'", "sim.board.unique_id"),
        ("[sim.board]\nfirmware = [1, 2]", "sim.board.firmware"),
        ("[sim.seat]\nd_over_r = 2.0", "sim"),
        ("[link]\nport = '/dev/x'\n[sim.hand]\nflicker = true", "sim"),
    ],
)
def test_a_broken_bound_names_file_and_key(text: str, key: str) -> None:
    assert complaint(text, model_of).startswith(key)


@pytest.mark.parametrize("text", ["[", "a = ", "[board]\n[board]\n", "\x00", "name = 'a\nb'"])
def test_what_is_no_toml_names_the_place(text: str) -> None:
    assert "(at " in complaint(text, model_of)


def test_the_bounds_themselves_are_good() -> None:
    low = "angle_deg = 2\nrock_deg = 0.1\nswing_s = 0.25\nwarning_s = 0.7\ngrace_s = 0\nhold_s = 0\n"
    high = "angle_deg = 15\nrock_deg = 2\nswing_s = 5\nwarning_s = 10\ngrace_s = 10\nhold_s = 10\n"
    assert parse_board(f"[tilt]\n{low}", FILE).limits.full_cdeg == 200
    assert parse_board(f"[tilt]\n{high}", FILE).limits.full_cdeg == 1500


def test_wiring_in_any_order_with_unused_inputs() -> None:
    names = ["-", *reversed(SPACES), "-"]
    board = parse_board(f"[board]\nwiring = {names}", FILE)
    assert board.wiring.inputs[0] is None
    assert board.wiring.inputs[1] == len(SPACES) - 1
    assert build_table(board, 1).occupancy()


@pytest.mark.parametrize("name", ["no/such/board.toml", ".", "/proc/self/mem"])
def test_files_that_cannot_be_read_are_one_line(name: str) -> None:
    with pytest.raises(BalanxError) as caught:
        load_board(Path(name))
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)
    with pytest.raises(BalanxError):
        load_layout(name)


def test_files_that_are_not_utf8_name_the_byte(tmp_path: Any) -> None:
    path = tmp_path / "board.toml"
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(BalanxError, match="not UTF-8 at byte 8"):
        load_board(path)


# ---- any TOML value under any key ----------------------------------------------------------------------------

KEYS = (
    *(f"board.{key}" for key in ("name", "layout", "sensor", "wiring", "tilt")),
    *(
        f"tilt.{key}"
        for key in ("drive", "end_inputs", "angle_deg", "rock_deg", "swing_s", "warning_s", "hold_s")
    ),
    *(
        f"sim.{key}"
        for key in ("marble.mass_g", "seat.d_over_r", "tilt.start_deg", "sensor.kind", "noise.bounce_ms")
    ),
    *(
        f"sim.{key}"
        for key in ("hand.lift_ms", "hand.lift_flickers", "board.wiring", "board.firmware", "nonsense")
    ),
    *(f"buttons.{key}" for key in ("next", "yes", "stop")),
    *("sim.board.clock.start_us", "link.port", "nonsense"),
)
WORDS = st.sampled_from(
    ["sim", "classic", "colour", "presence", "manual", "reed", "a1", "-", "", "/dev/null", "x y", "GPIO17"]
)
LEAVES = st.one_of(
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.booleans(),
    WORDS,
    st.text(st.characters(exclude_categories=["C"]), max_size=8),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abc"), inner, max_size=2)
    ),
    max_leaves=6,
)


def toml(value: Any) -> str:
    """A value as TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    raise AssertionError(value)


def refusal(text: str) -> str | None:
    """What is said against a file's text; None when it is taken."""
    try:
        board = parse_board(text, FILE)
        if board.simulated:
            model_of(board)
    except BalanxError as error:
        return str(error)
    return None


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=3))
def test_any_value_under_any_key_is_taken_or_refused_in_one_line(values: dict[str, Any]) -> None:
    said = refusal("\n".join(f"{key} = {toml(value)}" for key, value in values.items()))
    assert said is None or (said.startswith(f"{FILE}: ") and "\n" not in said)


@given(st.text(max_size=60))
def test_any_text_is_taken_or_refused_in_one_line(text: str) -> None:
    said = refusal(text)
    assert said is None or said.startswith(f"{FILE}: ")
