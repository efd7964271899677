"""`python -m checker TRACE_DIR [RECORD]`: a trace's journal against its marbles; exit status 1 and what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

from .compare import check_trace


def main(arguments: list[str]) -> int:
    """The exit status."""
    if len(arguments) not in (1, 2):
        print("usage: python -m checker TRACE_DIR [RECORD]", file=sys.stderr)
        return 2
    record = Path(arguments[1]).read_text() if len(arguments) == 2 else None
    report = check_trace(Path(arguments[0]), record)
    for line in report.wrong:
        print(line, file=sys.stderr)
    print(
        f"{report.turns} turns, {report.exact} positions seen space by space, {report.early} before the tilt, "
        f"{report.twins} twins, {len(report.wrong)} complaints"
    )
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
