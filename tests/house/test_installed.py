"""What is installed, from the checkout or from the wheel: every room is ours, RPi.GPIO stays away."""

import importlib
import importlib.metadata
import importlib.util
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
PINS = dict(
    line.split("==")
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if not line.startswith("#")
)
HERE: dict[str, str] = {name: str(value) for name, value in default_environment().items()}
# A Raspberry Pi, old and new: what is resolved there matters, not what is resolved on this machine.
PIS = [
    {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": machine,
        "python_version": version,
    }
    for machine in ("armv7l", "aarch64")
    for version in ("3.11", "3.12", "3.13")
]
RIVALS = {"rpi-gpio", "rpi-lgpio"}  # both own RPi/GPIO; only pi-legacy may ask for the first


def home_of_the_distribution() -> Path:
    """Where the distribution balanx is imported from: site-packages, or the checkout when editable."""
    distribution = importlib.metadata.distribution("balanx")
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        return Path(unquote(urlparse(origin["url"]).path))
    return Path(str(distribution.locate_file("")))


def closure(extras: set[str], environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(who asks, what is asked for) from balanx on down; a package not installed ends its branch."""
    todo = [("balanx", frozenset(extras))]
    seen: set[tuple[str, frozenset[str]]] = set()
    while todo:
        asked = todo.pop()
        if asked in seen:
            continue
        seen.add(asked)
        name, wanted = asked
        try:
            requirements = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for text in requirements:
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate(environment | {"extra": e}) for e in {"", *wanted}):
                needed = canonicalize_name(requirement.name)
                yield name, needed
                todo.append((needed, frozenset(requirement.extras)))


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_comes_from_the_distribution_balanx(room: str) -> None:
    """PyPI has packages named rules and hardware: theirs must not be taken for ours."""
    module = importlib.import_module(room)
    assert module.__file__ is not None
    assert Path(module.__file__).resolve().parent == home_of_the_distribution().resolve() / room


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_tells_type_checkers_that_it_is_typed(room: str) -> None:
    assert (home_of_the_distribution() / room / "py.typed").is_file()


def test_the_installed_version_is_the_one_of_the_project() -> None:
    assert importlib.metadata.version("balanx") == PROJECT["project"]["version"]


def test_the_console_script_is_there() -> None:
    scripts = importlib.metadata.distribution("balanx").entry_points.select(group="console_scripts")
    assert {script.name: script.value for script in scripts} == PROJECT["project"]["scripts"]


def test_rpi_gpio_cannot_be_imported() -> None:
    assert importlib.util.find_spec("RPi") is None


@pytest.mark.parametrize("environment", PIS, ids=lambda e: f"{e['platform_machine']}-{e['python_version']}")
@pytest.mark.parametrize("extras", [set(), {"pi"}, {"dev"}], ids=["base", "pi", "dev"])
def test_neither_base_nor_extras_ask_for_rpi_gpio(extras: set[str], environment: dict[str, str]) -> None:
    asked = set(closure(extras, HERE | environment))
    assert {("balanx", "gpiozero"), ("balanx", "pyserial")} <= asked
    assert ("pi" in extras) == (("balanx", "gpiod") in asked)
    assert [(who, what) for who, what in asked if what in RIVALS] == []


def test_only_pi_legacy_asks_for_rpi_gpio() -> None:
    assert ("balanx", "rpi-gpio") in set(closure({"pi-legacy"}, HERE | PIS[0]))


def test_the_pi_extra_is_walked_to_its_ends() -> None:
    """Guards the tests above: they see nothing behind a package that is not installed."""
    without_lgpio = HERE | {"python_version": "3.13"}  # it brings nothing along elsewhere
    missing = {what for _, what in closure({"pi"}, without_lgpio) if not _installed(what)}
    assert missing == set()


def test_every_package_that_may_come_along_is_pinned() -> None:
    pinned = {canonicalize_name(name) for name in PINS}
    for environment in PIS:
        asked = {what for _, what in closure({"pi", "dev"}, HERE | environment)}
        assert asked - pinned == set()


def test_the_constraints_are_plain_pins() -> None:
    """Nothing but name==version: no addresses, no options, no hashes of one platform's files."""
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line), line
    assert RIVALS.isdisjoint(canonicalize_name(name) for name in PINS)


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
