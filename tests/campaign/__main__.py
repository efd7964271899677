"""`python -m campaign [SEEDS] [KIND ...]`: games with one random fault each -> the table of `docs/faults.md`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from hardware.faults import FaultName

from .games import Told, campaign_game

HEAD = "| fault | could show | named | other names | ended | checker agreed |\n|---|---|---|---|---|---|"


def row(kind: FaultName, told: list[Told]) -> str:
    """One line of the table. Named counts the games that could show the fault; the others stand behind a plus."""
    shows = [each for each in told if each.shows]
    named = sum(each.right for each in shows)
    more = sum(each.right for each in told) - named
    others: dict[str, int] = {}
    for each in told:
        for name in each.others:
            others[name] = others.get(name, 0) + 1
    said = ", ".join(f"{name} {number}" for name, number in sorted(others.items())) or "-"
    ended = sum(each.ended for each in told)
    agreed = sum(not each.wrong for each in told)
    return f"| {kind} | {len(shows)} | {named}{f' + {more}' if more else ''} | {said} | {ended} | {agreed} |"


def main(arguments: list[str]) -> int:
    """Print the table; 1 where the checker did not agree."""
    seeds = int(arguments[0]) if arguments else 20
    kinds = [FaultName(name) for name in arguments[1:]] or list(FaultName)
    wrong: list[str] = []
    print(HEAD)
    for kind in kinds:
        told = []
        for seed in range(1, seeds + 1):
            with tempfile.TemporaryDirectory(prefix="balanx-") as folder:
                each = campaign_game(kind, seed, Path(folder))
            told.append(each)
            wrong += [f"{kind} {seed}: {complaint}" for complaint in each.wrong]
            if not each.ended:
                print(f"{kind} {seed}: did not end", file=sys.stderr)
            elif each.shows and not each.right:
                print(f"{kind} {seed}: not named", file=sys.stderr)
            if each.others:
                print(f"{kind} {seed}: also {', '.join(each.others)}", file=sys.stderr)
        print(row(kind, told), flush=True)
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
