"""`balanx bench`: the figures on this machine."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--only", multiple=True, metavar="NAME", help="Only these figures.")
def bench(as_json: bool, only: tuple[str, ...]) -> None:
    """Measure the figures on this machine."""
    from balanxd.bench import run_bench

    run_bench(as_json, only)
