"""The unit, the udev rules and the folders, as the system's own tools read them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from balanxd.cli.arguments import AUTO_PORT, SERVICE_STATE, players_of
from balanxd.cli.serve import BOARD_FILE, serve
from balanxd.config import parse_board
from balanxd.evening import Power, power_of
from rules.games import NAMES

ROOT = Path(__file__).resolve().parents[2]
SYSTEMD = ROOT / "systemd"
EXPOSURE_X10 = 15


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    assert program, "systemd-analyze is not here: scripts/needs installs it"
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


UNITS = ("balanxd.service", "balanx-poweroff.path", "balanx-poweroff.service")


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit, with a program in its place that is there, and those that it wants beside it."""
    for name in UNITS[1:]:
        shutil.copy(SYSTEMD / name, tmp_path / name)
    text = (SYSTEMD / "balanxd.service").read_text()
    assert text.count("ExecStart=/usr/local/bin/balanx ") == 1
    copy = tmp_path / "balanxd.service"
    copy.write_text(text.replace("/usr/local/bin/balanx ", "/bin/true "))
    return copy


def verify(unit: Path) -> str:
    told = analyze("verify", "--man=no", "--recursive-errors=no", str(unit))
    return told.stdout + told.stderr + ("" if told.returncode == 0 else f"status {told.returncode}")


@pytest.mark.parametrize("name", UNITS)
def test_verify_prints_nothing(unit: Path, name: str) -> None:
    """A bad value gives status 0: any output fails."""
    assert verify(unit.with_name(name)) == ""


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (UNITS[0], "Type=notify", "Type=notfy"),
        (UNITS[0], "WatchdogSec", "WatchdogSecs"),
        (UNITS[0], "UMask=0077", "UMask=99"),
        (UNITS[1], "PathExists=%t", "PathExists=t"),
        (UNITS[2], "/usr/bin/systemctl", "/usr/bin/sistemctl"),
    ],
)
def test_verify_would_say_so(unit: Path, name: str, good: str, bad: str) -> None:
    wrong = unit.with_name(name)
    wrong.write_text(wrong.read_text().replace(good, bad))
    assert verify(wrong) != ""


@pytest.mark.parametrize("name", [UNITS[0], UNITS[2]])
def test_exposure_is_low(unit: Path, name: str) -> None:
    file = unit.with_name(name)
    told = analyze("security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE_X10}", str(file))
    assert told.returncode == 0, told.stdout
    found = re.search(r"exposure level for \S+: ([\d.]+)", told.stdout)
    assert found
    assert float(found[1]) <= EXPOSURE_X10 / 10


def settings(name: str = UNITS[0]) -> list[tuple[str, str]]:
    lines = (SYSTEMD / name).read_text().splitlines()
    return [
        (key, value) for key, _, value in (line.partition("=") for line in lines) if value and key[0] != "#"
    ]


def test_the_pi_can_be_told_and_the_groups_stay() -> None:
    """gpiozero reads the model in /proc and /sys; a private user range would take dialout away."""
    found = dict(settings())
    assert {"ProcSubset", "PrivateUsers", "PrivateDevices"}.isdisjoint(found)
    assert set(found["SupplementaryGroups"].split()) == {"dialout", "gpio", "i2c", "audio"}
    allowed = {value.split()[0] for key, value in settings() if key == "DeviceAllow"}
    assert {"char-ttyUSB", "char-ttyACM", "char-ttyAMA", "char-gpiochip", "char-i2c", "char-alsa"} <= allowed


def test_it_never_gives_up_and_is_ended_when_it_hangs() -> None:
    found = dict(settings())
    assert found["Type"] == "notify"
    assert found["Restart"] == "always"
    assert found["StartLimitIntervalSec"] == "0"
    assert 0 < int(found["RestartSec"]) <= 30
    assert 0 < int(found["WatchdogSec"]) <= 30
    assert int(found["TimeoutStopSec"]) > 5


def test_lgpio_has_a_folder_that_it_may_write_to() -> None:
    environment = dict(value.partition("=")[::2] for key, value in settings() if key == "Environment")
    found = dict(settings())
    assert environment["LG_WD"] == f"%t/{found['RuntimeDirectory']}"
    assert environment["BALANX_STATE"] == f"%S/{found['StateDirectory']}"
    assert f"/var/lib/{found['StateDirectory']}" == SERVICE_STATE


def test_the_file_that_the_daemon_makes_is_the_one_that_is_waited_for_and_goes_first() -> None:
    service, path, off = (dict(settings(name)) for name in UNITS)
    environment = dict(value.partition("=")[::2] for key, value in settings() if key == "Environment")
    request = environment["BALANX_POWEROFF"]
    assert path["PathExists"] == request == f"%t/{service['RuntimeDirectory']}/poweroff"
    assert service["Wants"] == UNITS[1]
    assert power_of({**environment, "NOTIFY_SOCKET": "/run/systemd/notify"}) == Power(
        Path(request), kept=True
    )
    keys = [key for key, value in settings(UNITS[2]) if request in value or "poweroff" in value]
    assert keys == ["ExecStartPre", "ExecStart"]
    assert off["ExecStartPre"].split()[0].endswith("/rm")
    assert off["ReadWritePaths"] == f"-%t/{service['RuntimeDirectory']}"


def test_the_daemon_stays_unprivileged() -> None:
    found = dict(settings())
    assert found["User"] == "balanx"
    assert "CapabilityBoundingSet" not in found, "it is empty"
    assert "CapabilityBoundingSet=" in (SYSTEMD / UNITS[0]).read_text().splitlines()


# ---- udev and tmpfiles -------------------------------------------------------------------------------------

MATCH = r'(?:ACTION|SUBSYSTEM|SUBSYSTEMS|KERNEL|KERNELS|ATTR\{\w+\}|ATTRS\{\w+\}|ENV\{\w+\})=="[^"]+"'
ASSIGN = r'(?:(?:GROUP|MODE|ENV\{\w+\})="[^"]+"|SYMLINK\+="[^"]+")'
RULE = re.compile(rf"(?:{MATCH}, )+{ASSIGN}(?:, {ASSIGN})*")


def rules() -> list[str]:
    lines = (SYSTEMD / "60-balanx.rules").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("rule", rules())
def test_a_rule_has_the_form_of_one(rule: str) -> None:
    assert RULE.fullmatch(rule), rule


def test_modem_manager_leaves_the_usual_adapters_alone() -> None:
    vendors = {
        found[1]
        for rule in rules()
        if 'ENV{ID_MM_DEVICE_IGNORE}="1"' in rule and (found := re.search(r'ATTR\{idVendor\}=="(\w+)"', rule))
    }
    assert {"1a86", "0403", "10c4", "2341", "2a03"} <= vendors


def test_no_rule_for_a_kind_of_adapter_takes_somebody_elses_device() -> None:
    assert AUTO_PORT == "/dev/balanx"
    assert not any("SYMLINK" in rule for rule in rules())


def test_folders_are_those_of_the_program() -> None:
    lines = (SYSTEMD / "balanx.tmpfiles.conf").read_text().splitlines()
    folders = {line.split()[1]: line.split()[2:5] for line in lines if line and line[0] != "#"}
    assert folders[SERVICE_STATE] == ["0700", "balanx", "balanx"]
    assert str(Path(BOARD_FILE).parent) in folders


@pytest.mark.parametrize("game", NAMES)
def test_the_installed_options_fit_the_boards_of_all_games(game: str) -> None:
    told = re.search(r"^BALANX_ARGS=(.*)$", (ROOT / "scripts/install.sh").read_text(), re.MULTILINE)
    assert told
    context = serve.make_context("serve", told[1].split())
    board = parse_board(f'[board]\ngame = "{game}"\n', "board.toml")
    players = players_of(board, *(context.params[name] for name in ("seats", "white", "black")))
    assert [player.text for player in players] == ["human", "engine:2"]
