#!/usr/bin/env bash
# Installs Balanx as a service on Raspberry Pi OS (Bookworm, Trixie) or Debian: run it again to update, with --rollback
# to go back, with --uninstall to remove it. A new version is made whole beside the old one before anything is switched.
set -euo pipefail
shopt -s inherit_errexit

usage() {
  cat <<'TEXT'
usage: sudo scripts/install.sh [options]

  (nothing)         install, or update to the version of this folder
  --rollback        back to the version before
  --uninstall       remove the program and the service; games and calibration stay
  --purge           with --uninstall: games and calibration go too
  --port PORT       the controller's serial port, as /dev/ttyUSB0; auto: the one adapter that is plugged in
  --wheel FILE      install this wheel instead of the folder the script is in
  --find-links DIR  take packages from a folder only, without a network
  --no-start        do not start the service now
  --root DIR        install below DIR, for an image of a card; nothing is started there unless --start is given
TEXT
}

action=install root='' wheel='' links='' purge=false port=auto asked_port=false start=''
fail() { echo "install.sh: $*" >&2; exit 1; }
need() { [ $# -ge 2 ] || { usage >&2; exit 2; }; }
while [ $# -gt 0 ]; do
  case $1 in
    --rollback) action=rollback ;;
    --uninstall) action=uninstall ;;
    --purge) purge=true ;;
    --port) need "$@"; port=$2; asked_port=true; shift ;;
    --wheel) need "$@"; wheel=$2; shift ;;
    --find-links) need "$@"; links=$2; shift ;;
    --no-start) start=false ;;
    --start) start=true ;;
    --root) need "$@"; root=${2%/}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "install.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
if [ -z "$start" ]; then if [ -n "$root" ]; then start=false; else start=true; fi; fi
if $purge && [ "$action" != uninstall ]; then fail "--purge goes with --uninstall"; fi
[ "$(id -u)" -eq 0 ] || fail "only root may install: sudo $0"

here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
prefix=$root/opt/balanx
versions=$prefix/versions
state=$root/var/lib/balanx
settings=$root/etc/balanx
units=$root/etc/systemd/system
rules=$root/etc/udev/rules.d
command_link=$root/usr/local/bin/balanx
service_user=balanx
say() { echo "==> $*"; }

# ---- what is switched --------------------------------------------------------------------------------------

target() { readlink "$prefix/$1" 2>/dev/null || true; }

point() {  # NAME VERSION: a link is replaced at once, or not at all
  ln -sfn "$2" "$prefix/.$1.new"
  mv -T "$prefix/.$1.new" "$prefix/$1"
}

systemd() { systemctl ${root:+--root="$root"} "$@"; }

restart() {  # Starts what `current` leads to; status 1 where it does not come up (systemd waits for its READY=1).
  $start || return 0
  systemctl daemon-reload && systemctl restart balanxd.service
}

put_files() {  # FOLDER: the system's files of a version, from its own copy of them; a version may have no switch
  local name
  install -D -m 0644 "$1/balanxd.service" "$units/balanxd.service"
  for name in balanx-poweroff.path balanx-poweroff.service; do
    if [ -e "$1/$name" ]; then install -D -m 0644 "$1/$name" "$units/$name"; else rm -f "$units/$name"; fi
  done
  install -D -m 0644 "$1/60-balanx.rules" "$rules/60-balanx.rules"
  install -D -m 0644 "$1/balanx.tmpfiles.conf" "$root/etc/tmpfiles.d/balanx.conf"
  install -D -m 0755 "$1/install.sh" "$prefix/install.sh"
}

# ---- the parts of an installation --------------------------------------------------------------------------

check_python() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Balanx needs Python 3.11 or newer (Raspberry Pi OS Bookworm or later), here is $(python3 --version 2>&1)"
}

apt_packages() {  # What pip cannot bring: venv, and lgpio where it has no wheel.
  local missing=()
  python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
  if $system_lgpio && ! python3 -c 'import lgpio' 2>/dev/null; then missing+=(python3-lgpio); fi
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "${missing[*]} is missing, and there is no apt-get here"
  say "Installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update && apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install ${missing[*]}: is the network there?"
}

make_version() {  # Prints the name of a version that is whole and runs. The one in use is not touched.
  local source=${wheel:-$here} name number=1 folder
  local options=(--disable-pip-version-check --quiet --constraint "$here/constraints.txt")
  if [ -n "$links" ]; then options+=(--no-index --find-links "$links"); fi
  while [ -e "$versions/$number" ]; do number=$((number + 1)); done
  name=versions/$number folder=$versions/$number
  trap 'rm -rf "$folder"' EXIT
  local venv=(python3 -m venv)
  if $system_lgpio; then venv+=(--system-site-packages); fi
  mkdir -p "$versions"
  "${venv[@]}" "$folder" || fail "python3 -m venv failed"
  # The tools that build a wheel from the folder are pinned, too.
  PIP_CONSTRAINT=$here/constraints.txt "$folder/bin/python" -m pip install "${options[@]}" "$source[pi]" >&2 ||
    fail "pip could not install Balanx; the version that was there is untouched"
  "$folder/bin/balanx" --version >&2 ||
    fail "the new version does not run; the version that was there is untouched"
  mkdir "$folder/system"
  cp "$here/systemd/balanxd.service" "$here/systemd/balanx-poweroff.path" "$here/systemd/balanx-poweroff.service" \
    "$here/systemd/60-balanx.rules" "$here/systemd/balanx.tmpfiles.conf" "$here/scripts/install.sh" "$folder/system/"
  trap - EXIT
  echo "$name"
}

make_user() {
  local group
  for group in dialout gpio i2c audio; do
    getent group "$group" >/dev/null || groupadd --system "$group"
  done
  getent passwd "$service_user" >/dev/null ||
    useradd --system --user-group --home-dir /var/lib/balanx --no-create-home --shell /usr/sbin/nologin "$service_user"
  usermod --append --groups dialout,gpio,i2c,audio "$service_user"
}

make_settings() {  # Nothing that is there is changed.
  mkdir -p "$settings"
  if [ -e "$settings/board.toml" ]; then return; fi
  cat > "$settings/board.toml" <<'TOML'
# The board. docs/configuration.md says all keys; `balanx doctor` says what is wrong.
[board]
name = "Balanx board"
layout = "classic"

[link]
port = "/dev/balanx"      # "sim" plays on the simulated board

[tilt]
side_checked = false      # true once somebody saw that the motor tilts to the side that is meant
TOML
  cat > "$settings/balanxd.env" <<'ENV'
# Options of `balanx serve`, as the service starts it. Without a --seat those play who were chosen last, at first a person
# against engine:2. BALANX_ARGS=--seat 1=human --seat 2=engine:3 begins so after every power-up, whatever was chosen.
BALANX_ARGS=
ENV
}

adapters() {  # Serial adapters on USB, as kernel names.
  local entry
  for entry in "$root"/sys/class/tty/ttyUSB* "$root"/sys/class/tty/ttyACM*; do
    if [ -e "$entry" ]; then basename "$entry"; fi
  done
}

usb_of() {  # KERNEL-NAME: the folder of the USB device that a port belongs to
  local folder
  folder=$(readlink -f "$root/sys/class/tty/$1/device") || return 1
  while [ -n "$folder" ] && [ "$folder" != / ]; do
    if [ -e "$folder/idVendor" ]; then echo "$folder"; return; fi
    folder=$(dirname "$folder")
  done
  return 1
}

link_port() {  # Makes /dev/balanx for one controller: by its serial number, else by the socket it is plugged into.
  local file=$rules/61-balanx-port.rules name folder found serial
  if [ -e "$file" ] && ! $asked_port; then return; fi
  if [ "$port" = auto ]; then
    mapfile -t found < <(adapters)
    case ${#found[@]} in
      0) say "No controller is plugged in. Plug it in, then: sudo /opt/balanx/install.sh --port auto"; return ;;
      1) port=/dev/${found[0]} ;;
      *) say "Several serial adapters are here (${found[*]}). Which is the board's? sudo /opt/balanx/install.sh --port /dev/..."; return ;;
    esac
  fi
  name=$(basename "$(readlink -f "$root$port" || echo "$port")")
  mkdir -p "$rules"
  if folder=$(usb_of "$name"); then
    serial=$(cat "$folder/serial" 2>/dev/null || true)
    if [[ $serial =~ ^[A-Za-z0-9._-]{4,}$ ]]; then
      echo "SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"$(cat "$folder/idVendor")\", ATTRS{serial}==\"$serial\", SYMLINK+=\"balanx\""
    else
      echo "SUBSYSTEM==\"tty\", KERNELS==\"$(basename "$folder")\", SYMLINK+=\"balanx\""
    fi > "$file"
  else
    echo "SUBSYSTEM==\"tty\", KERNEL==\"$name\", SYMLINK+=\"balanx\"" > "$file"
  fi
  say "/dev/balanx is $port. Another one: sudo /opt/balanx/install.sh --port /dev/..."
}

tell_system() {
  if [ -z "$root" ] && command -v udevadm >/dev/null; then udevadm control --reload && udevadm trigger || true; fi
  if [ -z "$root" ]; then systemd-tmpfiles --create balanx.conf; else mkdir -p "$state"; fi
  systemd enable --quiet balanxd.service
}

forget_old() {  # Only the version in use and the one before it stay.
  local folder
  for folder in "$versions"/*; do
    case versions/$(basename "$folder") in
      "$(target current)" | "$(target previous)") ;;
      *) rm -rf "$folder" ;;
    esac
  done
}

# ---- what one may ask for ----------------------------------------------------------------------------------

install_all() {
  if $asked_port && [ ! -e "$here/pyproject.toml" ] && [ -n "$(target current)" ]; then
    # The copy in /opt/balanx can only name the port anew, go back, or remove.
    link_port
    tell_system
    restart || fail "the service does not come up: journalctl -u balanxd -n 50"
    return
  fi
  [ -e "$here/pyproject.toml" ] || fail "this copy can --rollback, --uninstall and name the --port; to update, run scripts/install.sh of the new version"
  check_python
  system_lgpio=false
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 13))' && system_lgpio=true
  apt_packages
  say "Making the new version"
  local new old
  new=$(make_version)
  make_user
  make_settings
  link_port
  old=$(target current)
  point current "$new"
  put_files "$prefix/current/system"
  mkdir -p "$(dirname "$command_link")"
  ln -sfn "/opt/balanx/current/bin/balanx" "$command_link"
  tell_system
  if ! restart; then
    if [ -n "$old" ]; then
      point current "$old"
      put_files "$prefix/current/system"
      restart || true
      rm -rf "${prefix:?}/$new"
      fail "the new version does not come up; the one before runs again. journalctl -u balanxd -n 50"
    fi
    fail "the service does not come up: journalctl -u balanxd -n 50, and balanx doctor"
  fi
  if [ -n "$old" ]; then point previous "$old"; fi
  forget_old
  say "Done: $("$prefix/current/bin/balanx" --version). The page is at http://$(hostname).local:8060/"
  say "What may still be missing: sudo balanx doctor. Back to the version before: sudo /opt/balanx/install.sh --rollback"
}

rollback() {
  local current previous
  current=$(target current) previous=$(target previous)
  [ -n "$previous" ] && [ -e "$prefix/$previous/bin/balanx" ] || fail "there is no version before this one"
  point current "$previous"
  point previous "$current"
  put_files "$prefix/current/system"
  if ! restart; then
    point current "$current"
    point previous "$previous"
    put_files "$prefix/current/system"
    restart || true
    fail "the version before does not come up; this one runs again. journalctl -u balanxd -n 50"
  fi
  say "Back: $("$prefix/current/bin/balanx" --version). Forward again: the same command."
}

uninstall() {
  systemd disable --quiet balanxd.service 2>/dev/null || true
  if $start; then systemctl stop balanxd.service balanx-poweroff.path 2>/dev/null || true; fi
  rm -f "$units/balanxd.service" "$units/balanx-poweroff.path" "$units/balanx-poweroff.service" "$rules/60-balanx.rules" "$rules/61-balanx-port.rules" "$root/etc/tmpfiles.d/balanx.conf" "$command_link"
  rm -rf "$prefix"
  if $start; then systemctl daemon-reload || true; fi
  if $purge; then
    rm -rf "$state" "$settings"
    if getent passwd "$service_user" >/dev/null; then userdel "$service_user" || true; fi
    say "Removed, with all games."
  else
    say "Removed. Games and calibration stay in /var/lib/balanx, the board file in /etc/balanx."
  fi
}

case $action in
  install) install_all ;;
  rollback) rollback ;;
  uninstall) uninstall ;;
esac
