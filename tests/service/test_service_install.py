"""The installer, into a scratch root, with the system's commands as stubs that write down what they are told."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASH = shutil.which("bash") or "/bin/bash"

# A Python that makes an environment which pip fills with a program that tells a version.
PYTHON = """
case "$*" in
  *"(3, 11)"*) exit "$(cat "$STUBS/python-too-old" 2>/dev/null || echo 0)" ;;
  *"(3, 13)"*) [ "$(cat "$STUBS/python-minor")" -ge 13 ]; exit ;;
  *"import lgpio"*) [ -e "$STUBS/lgpio" ]; exit ;;
  *"import venv"*) exit 0 ;;
  --version) echo Python 3.9.2 ;;
  "-m venv "*)
    folder=${!#}
    mkdir -p "$folder/bin"
    printf '#!%s\\n. "%s"\\n' "$BASH_HERE" "$STUBS/pip" > "$folder/bin/python"
    chmod +x "$folder/bin/python"
    echo "venv $*" >> "$LOG" ;;
esac
"""
PIP = """
echo "pip $* PIP_CONSTRAINT=${PIP_CONSTRAINT:-}" >> "$LOG"
if [ -e "$STUBS/pip-fails" ]; then echo "no such package" >&2; exit 1; fi
place=$(dirname "$0")
status=$(cat "$STUBS/exit" 2>/dev/null || echo 0)
printf '#!%s\\necho balanx %s\\nexit %s\\n' "$BASH_HERE" "$(cat "$STUBS/version")" "$status" > "$place/balanx"
chmod +x "$place/balanx"
"""
SYSTEMCTL = """
echo "systemctl $*" >> "$LOG"
if [ "$1" = restart ] && [ -e "$STUBS/does-not-start" ]; then
  grep -q "$(cat "$STUBS/does-not-start")" <("$SCRATCH/opt/balanx/current/bin/balanx") && exit 1
fi
exit 0
"""


class Card:
    """A scratch root, and commands before the real ones in PATH."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.stubs = folder / "stubs"
        self.log_file = folder / "log"
        self.root.mkdir()
        self.stubs.mkdir()
        self.log_file.touch()
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.stub("id", "echo 0")
        self.stub("python3", PYTHON)
        self.stub("systemctl", SYSTEMCTL)
        self.stub("getent", '[ -e "$STUBS/$1-$2" ]')
        for name in ("useradd", "usermod", "userdel", "groupadd"):
            self.stub(name, f'echo "{name} $*" >> "$LOG"')
        self.stub("apt-get", 'echo "apt-get $*" >> "$LOG"; if [ -e "$STUBS/no-network" ]; then exit 100; fi')
        (self.stubs / "pip").write_text(PIP)
        self.set("version", "1.0")
        self.set("python-minor", "11")

    def set(self, name: str, text: str = "") -> None:
        (self.stubs / name).write_text(text)

    def unset(self, name: str) -> None:
        (self.stubs / name).unlink()

    def stub(self, name: str, script: str) -> None:
        command = self.bin / name
        command.write_text(f"#!{BASH}\n{script}\n")
        command.chmod(0o755)

    def run(
        self, *arguments: str, script: Path = ROOT / "scripts/install.sh"
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [BASH, script, "--root", str(self.root), "--start", *arguments],
            env={
                "PATH": f"{self.bin}:{os.environ['PATH']}",
                "STUBS": str(self.stubs),
                "LOG": str(self.log_file),
                "SCRATCH": str(self.root),
                "BASH_HERE": BASH,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def good(self, *arguments: str, script: Path = ROOT / "scripts/install.sh") -> str:
        told = self.run(*arguments, script=script)
        assert told.returncode == 0, told.stdout + told.stderr
        return told.stdout

    def bad(self, *arguments: str) -> str:
        told = self.run(*arguments)
        assert told.returncode == 1, told.stdout + told.stderr
        last = told.stderr.strip().splitlines()[-1]
        assert last.startswith("install.sh: ")
        return last

    @property
    def log(self) -> list[str]:
        return self.log_file.read_text().splitlines()

    def path(self, name: str) -> Path:
        return self.root / name.lstrip("/")

    @property
    def runs(self) -> str:
        """The version that the command leads to."""
        current = self.path("/opt/balanx/current/bin/balanx")
        assert os.readlink(self.path("/usr/local/bin/balanx")) == "/opt/balanx/current/bin/balanx"
        return subprocess.run([current], capture_output=True, text=True, check=False).stdout.strip()

    def versions(self) -> list[str]:
        return sorted(path.name for path in self.path("/opt/balanx/versions").iterdir())

    def upgrade(self, version: str) -> str:
        self.set("version", version)
        return self.good()

    def adapter(self, name: str, serial: str = "") -> None:
        device = self.path(f"/sys/devices/usb1/1-1.{len(name)}")
        (device / "tty").mkdir(parents=True)
        (device / "idVendor").write_text("1a86\n")
        if serial:
            (device / "serial").write_text(serial + "\n")
        entry = self.path(f"/sys/class/tty/{name}")
        entry.mkdir(parents=True)
        (entry / "device").symlink_to(device / "tty")
        self.path("/dev").mkdir(exist_ok=True)
        self.path(f"/dev/{name}").touch()


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


# ---- install and update ------------------------------------------------------------------------------------


def test_a_fresh_card_gets_all_of_it(card: Card) -> None:
    said = card.good()
    assert card.runs == "balanx 1.0"
    assert "Done: balanx 1.0" in said
    systemd = "/etc/systemd/system/"
    for name, place in (
        ("balanxd.service", systemd),
        ("balanx-poweroff.path", systemd),
        ("balanx-poweroff.service", systemd),
        ("60-balanx.rules", "/etc/udev/rules.d/"),
        ("balanx.tmpfiles.conf", "/etc/tmpfiles.d/"),
    ):
        there = card.path(place + name.replace("balanx.tmpfiles", "balanx"))
        assert there.read_bytes() == (ROOT / "systemd" / name).read_bytes()
    log = "\n".join(card.log)
    assert all(f"groupadd --system {group}" in log for group in ("dialout", "gpio", "i2c", "audio"))
    assert "useradd --system" in log
    assert "usermod --append --groups dialout,gpio,i2c,audio balanx" in log
    assert log.index("enable") < log.index("systemctl restart balanxd.service")
    assert "No controller is plugged in" in said


def test_pins_and_an_environment_of_its_own(card: Card) -> None:
    card.good()
    (pip,) = (line for line in card.log if line.startswith("pip "))
    assert f"--constraint {ROOT}/constraints.txt" in pip
    assert f"PIP_CONSTRAINT={ROOT}/constraints.txt" in pip
    assert f"{ROOT}[pi]" in pip
    assert "break-system-packages" not in (ROOT / "scripts/install.sh").read_text()
    assert not any("--system-site-packages" in line for line in card.log)
    assert not any("apt-get" in line for line in card.log)


def test_trixie_takes_debians_lgpio(card: Card) -> None:
    card.set("python-minor", "13")
    card.good()
    assert any("apt-get -qq install" in line and "python3-lgpio" in line for line in card.log)
    (venv,) = (line for line in card.log if line.startswith("venv"))
    assert "--system-site-packages" in venv


def test_trixie_with_lgpio_needs_no_apt(card: Card) -> None:
    card.set("python-minor", "13")
    card.set("lgpio")
    card.good()
    assert not any("apt-get" in line for line in card.log)


def test_users_and_groups_that_are_there_are_not_made_again(card: Card) -> None:
    for name in ("group-dialout", "group-gpio", "group-i2c", "group-audio", "passwd-balanx"):
        card.set(name)
    card.good()
    assert not any(line.startswith(("useradd", "groupadd")) for line in card.log)


def test_a_second_time_changes_nothing_that_is_yours(card: Card) -> None:
    card.good()
    mine = card.path("/etc/balanx/board.toml")
    mine.write_text("# mine\n")
    game = card.path("/var/lib/balanx/games/20260101-000000-00.journal")
    game.parent.mkdir(parents=True)
    game.write_text("a game")
    card.good()
    card.upgrade("2.0")
    assert card.runs == "balanx 2.0"
    assert (mine.read_text(), game.read_text()) == ("# mine\n", "a game")


def test_only_the_version_before_is_kept(card: Card) -> None:
    card.good()
    for version in ("2.0", "3.0", "4.0"):
        card.upgrade(version)
        assert card.runs == f"balanx {version}"
    assert len(card.versions()) == 2


def test_a_packet_folder_needs_no_network(card: Card, tmp_path: Path) -> None:
    card.good("--wheel", "/somewhere/balanx.whl", "--find-links", str(tmp_path))
    (pip,) = (line for line in card.log if line.startswith("pip "))
    assert f"--no-index --find-links {tmp_path} /somewhere/balanx.whl[pi]" in pip


# ---- back, and away ----------------------------------------------------------------------------------------


def test_back_with_one_command_and_forward_again(card: Card) -> None:
    card.good()
    card.upgrade("2.0")
    card.good("--rollback")
    assert card.runs == "balanx 1.0"
    assert card.log[-1] == "systemctl restart balanxd.service"
    card.good("--rollback", script=card.path("/opt/balanx/install.sh"))
    assert card.runs == "balanx 2.0"


def test_a_version_without_a_switch_takes_it_away(card: Card) -> None:
    """A version from before the switch was there, and an update from it."""
    card.good()
    for name in ("balanx-poweroff.path", "balanx-poweroff.service"):
        card.path(f"/opt/balanx/versions/1/system/{name}").unlink()
    card.upgrade("2.0")
    switch = card.path("/etc/systemd/system/balanx-poweroff.path")
    assert switch.exists()
    card.good("--rollback")
    assert not switch.exists()
    assert not switch.with_suffix(".service").exists()
    card.good("--rollback")
    assert switch.exists()


def test_there_is_nothing_before_the_first(card: Card) -> None:
    assert "no version before" in card.bad("--rollback")
    card.good()
    assert "no version before" in card.bad("--rollback")
    assert card.runs == "balanx 1.0"


@pytest.mark.parametrize("purge", [False, True])
def test_uninstall_keeps_games_unless_told_otherwise(card: Card, purge: bool) -> None:
    card.good()
    card.set("passwd-balanx")
    game = card.path("/var/lib/balanx/games/a.journal")
    game.parent.mkdir(parents=True)
    game.touch()
    card.good("--uninstall", *(["--purge"] if purge else []))
    left = {str(path.relative_to(card.root)) for path in card.root.rglob("*") if not path.is_dir()}
    assert left == (
        set()
        if purge
        else {"var/lib/balanx/games/a.journal", "etc/balanx/board.toml", "etc/balanx/balanxd.env"}
    )
    assert any("systemctl" in line and "disable" in line for line in card.log)
    assert ("userdel balanx" in card.log) == purge
    card.good("--uninstall")  # again


# ---- what goes wrong ---------------------------------------------------------------------------------------


def whole(card: Card) -> None:
    """The old version is what the command and the service lead to, and nothing is left of the new one."""
    assert card.runs == "balanx 1.0"
    assert card.versions() == ["1"]


def test_a_failure_in_pip_leaves_the_old_version(card: Card) -> None:
    card.good()
    restarts = card.log.count("systemctl restart balanxd.service")
    card.set("pip-fails")
    assert "untouched" in card.bad()
    whole(card)
    assert card.log.count("systemctl restart balanxd.service") == restarts, "it was not even disturbed"


def test_a_version_that_does_not_run_is_not_switched_to(card: Card) -> None:
    card.good()
    card.set("version", "2.0")
    card.set("exit", "1")
    assert "does not run" in card.bad()
    whole(card)


def test_a_version_that_does_not_come_up_is_switched_back(card: Card) -> None:
    card.good()
    card.set("version", "2.0")
    card.set("does-not-start", "2.0")
    assert "the one before runs again" in card.bad()
    whole(card)
    assert card.log[-1] == "systemctl restart balanxd.service"
    card.unset("does-not-start")
    card.upgrade("3.0")
    assert card.runs == "balanx 3.0"


def test_a_rollback_that_does_not_come_up_is_taken_back(card: Card) -> None:
    card.good()
    card.upgrade("2.0")
    card.set("does-not-start", "1.0")
    assert "this one runs again" in card.bad("--rollback")
    assert card.runs == "balanx 2.0"


def test_no_network_for_apt_is_one_sentence(card: Card) -> None:
    card.set("python-minor", "13")
    card.set("no-network")
    assert "is the network there?" in card.bad()
    assert not card.path("/opt/balanx/current").exists()


def test_an_old_python_is_refused(card: Card) -> None:
    card.set("python-too-old", "1")
    assert "3.11 or newer" in card.bad()


def test_only_root_may(card: Card) -> None:
    card.stub("id", "echo 1000")
    assert "sudo" in card.bad()


@pytest.mark.parametrize("arguments", [["--nonsense"], ["--port"], ["--root"]])
def test_wrong_usage_is_status_2(card: Card, arguments: list[str]) -> None:
    assert card.run(*arguments).returncode == 2


def test_purge_alone_removes_nothing(card: Card) -> None:
    card.good()
    assert "--uninstall" in card.bad("--purge")
    whole(card)


# ---- the controller's port ---------------------------------------------------------------------------------


def rule(card: Card) -> str:
    path = card.path("/etc/udev/rules.d/61-balanx-port.rules")
    return path.read_text().strip() if path.exists() else ""


def test_the_one_adapter_is_the_boards(card: Card) -> None:
    card.adapter("ttyUSB0")
    assert "/dev/balanx is /dev/ttyUSB0" in card.good()
    assert rule(card) == 'SUBSYSTEM=="tty", KERNELS=="1-1.7", SYMLINK+="balanx"'


def test_an_adapter_with_a_number_is_known_in_every_socket(card: Card) -> None:
    card.adapter("ttyACM0", serial="85736323838351F0")
    card.good()
    assert rule(card) == (
        'SUBSYSTEM=="tty", ATTRS{idVendor}=="1a86", ATTRS{serial}=="85736323838351F0", SYMLINK+="balanx"'
    )


def test_of_two_adapters_somebody_says_which(card: Card) -> None:
    """The other one may be a 3D printer."""
    card.adapter("ttyUSB0")
    card.adapter("ttyUSB11")
    assert "Which is the board's?" in card.good()
    assert rule(card) == ""
    card.good("--port", "/dev/ttyUSB11")
    assert 'KERNELS=="1-1.8"' in rule(card)
    card.upgrade("2.0")
    assert 'KERNELS=="1-1.8"' in rule(card), "an update asks nothing again"
    card.good("--port", "/dev/ttyUSB0", script=card.path("/opt/balanx/install.sh"))
    assert 'KERNELS=="1-1.7"' in rule(card), "the copy in /opt can name it anew"
    assert card.runs == "balanx 2.0"


def test_a_port_on_the_header(card: Card) -> None:
    card.path("/dev").mkdir()
    card.path("/dev/ttyAMA0").touch()
    card.path("/dev/serial0").symlink_to("ttyAMA0")
    card.good("--port", "/dev/serial0")
    assert rule(card) == 'SUBSYSTEM=="tty", KERNEL=="ttyAMA0", SYMLINK+="balanx"'


def test_a_number_with_strange_letters_makes_no_rule_of_its_own(card: Card) -> None:
    card.adapter("ttyUSB0", serial='x", RUN+="/bin/sh')
    card.good()
    assert "RUN" not in rule(card)


# ---- once for real -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_with_a_real_environment_and_the_built_wheel(card: Card, tmp_path: Path) -> None:
    """Packages that pip would fetch come from the environment of the test; the rest is as on a Pi."""
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("balanx-*.whl")
    here = sysconfig.get_path("purelib")
    card.stub(
        "python3",
        f'"{sys.executable}" "$@" || exit\n'
        'if [ "$1 $2" = "-m venv" ]; then\n'
        f'  for place in "${{!#}}"/lib/python3*/site-packages; do echo "{here}" > "$place/zz-borrowed.pth"; done\n'
        "fi",
    )
    card.stub("systemctl", "exit 0")
    told = subprocess.run(
        [
            BASH,
            ROOT / "scripts/install.sh",
            *("--root", card.root, "--wheel", wheel, "--find-links", tmp_path),
        ],
        env={
            **os.environ,
            "PIP_NO_DEPS": "1",
            "PATH": f"{card.bin}:{os.environ['PATH']}",
            "LOG": str(card.log_file),
            "STUBS": str(card.stubs),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    installed = card.path("/opt/balanx/current/bin/balanx")
    doctor = subprocess.run([installed, "doctor", "--json"], capture_output=True, text=True, check=False)
    assert '"findings"' in doctor.stdout, doctor.stderr
    code = "import balanxd; print(balanxd.__file__)"
    found = subprocess.run(
        [installed.parent / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "/opt/balanx/" in found.stdout
