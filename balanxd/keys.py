"""Tables of a TOML file, read key by key: plain values in; checked values, or one line that names file and key, out."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin, get_type_hints

from .errors import BalanxError

LARGEST = 1e15


class Keys:
    """One table of a TOML file, read key by key; `done` refuses what nobody read."""

    def __init__(self, source: str, path: str, table: Mapping[str, Any]) -> None:
        self.source = source
        self.path = path
        self._table = dict(table)
        self._known: list[str] = []

    def fail(self, key: str, what: str) -> BalanxError:
        """An error that names file and key."""
        return BalanxError(f"{self.source}: {self.path}{key}: {what}")

    def text(self, key: str, default: str, among: Collection[str] = ()) -> str:
        """A text, one of `among` where that is given."""
        value = self._take(key, default)
        if not isinstance(value, str):
            raise self.fail(key, f"must be a text, not {value!r}")
        if among and value not in among:
            raise self.fail(
                key, f"must be {' or '.join(sorted(among))}, not {value!r}{nearest(value, among)}"
            )
        return value

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        value = self._take(key, default)
        if not _is_number(value):
            raise self.fail(key, f"must be a number, not {value!r}")
        if not low <= value <= high:
            raise self.fail(key, f"must be {low:g} to {high:g}, not {value:g}")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise self.fail(key, f"must be true or false, not {value!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts, None where it is not given."""
        value = self._take(key, None)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fail(key, "must be a list of texts")
        return tuple(value)

    def table(self, key: str) -> dict[str, Any]:
        """A table, empty where it is not given."""
        value = self._take(key, {})
        if not isinstance(value, dict):
            raise self.fail(key, "must be a table")
        return value

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        value = self._take(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail(key, f"must be a whole number, not {value!r}")
        if not low <= value <= high:
            raise self.fail(key, f"must be {low} to {high}, not {value}")
        return value

    def has(self, key: str) -> bool:
        """Whether a key is given."""
        return key in self._table

    def given(self, key: str) -> Any:
        """The plain value of a key; None where it is not given."""
        return self._take(key, None)

    def all(self) -> Mapping[str, Any]:
        """The whole table; then whoever reads it refuses what it does not know, or calls `done` to refuse all."""
        return dict(self._table)

    def done(self) -> None:
        """Raise BalanxError for the first key that nobody asked for."""
        for key in self._table:
            if key not in self._known:
                raise self.fail(key, _no_such_key(key, self._known))

    def _take(self, key: str, default: Any) -> Any:
        self._known.append(key)
        return self._table.get(key, default)


def _is_number(value: Any) -> bool:
    """Whether a TOML value is a number that can be reckoned with (not nan, inf, or one too large for a float)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= LARGEST


def _no_such_key(key: str, known: Collection[str]) -> str:
    if not known:
        return "no such key (there are none)"
    return f"no such key{nearest(key, known) or ' (there are ' + ', '.join(known) + ')'}"


def nearest(word: str, among: Collection[str]) -> str:
    """`(did you mean ...?)` with a space before it; empty where nothing is near."""
    near = get_close_matches(word, list(among), 1, 0.5)
    return f" (did you mean {near[0]}?)" if near else ""


def dataclass_from(keys: Keys, kind: type[Any], table: Mapping[str, Any]) -> Any:
    """A frozen dataclass of plain values and ranges from a TOML table, over its defaults. Raises BalanxError."""
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise keys.fail(key, _no_such_key(key, known))
        hint = hints[key]
        if is_dataclass(hint):
            if not isinstance(value, dict):
                raise keys.fail(key, "must be a table")
            values[key] = dataclass_from(Keys(keys.source, f"{keys.path}{key}.", value), hint, value)  # type: ignore[arg-type]
        else:
            values[key] = _fit(keys, key, value, hint)
    try:
        return kind(**values)
    except ValueError as error:
        raise BalanxError(f"{keys.source}: {keys.path.rstrip('.')}: {error}") from error


def _fit(keys: Keys, key: str, value: Any, hint: Any) -> Any:
    """A TOML value as a field's type wants it. Raises BalanxError."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Literal:
        if value not in parts:
            raise keys.fail(key, f"must be {' or '.join(map(str, parts))}, not {value!r}")
        return value
    if kind is tuple:
        if not isinstance(value, list):
            raise keys.fail(key, f"must be a list, not {value!r}")
        if parts[-1] is Ellipsis:
            parts = parts[:1] * len(value)
        if len(parts) != len(value):
            raise keys.fail(key, f"must be a list of {len(parts)}, not of {len(value)}")
        found = tuple(_fit(keys, key, item, part) for item, part in zip(value, parts, strict=True))
        if parts == (float, float) and found[0] > found[1]:
            raise keys.fail(key, f"is a range, but {found[0]:g} is above {found[1]:g}")
        return found
    if float in (hint, *parts):
        if _is_number(value):
            return float(value)
        raise keys.fail(key, f"must be a number, not {value!r}")
    if hint in (bool, int, str) and type(value) is hint:
        return value
    if hint is bytes and isinstance(value, str):
        with contextlib.suppress(ValueError):
            return bytes.fromhex(value)
    wanted = {bool: "true or false", int: "a whole number", str: "a text", bytes: "hexadecimal digits"}
    raise keys.fail(key, f"must be {wanted.get(hint, 'something else')}, not {value!r}")
