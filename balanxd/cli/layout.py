"""`balanx layout`: groove plans."""

from __future__ import annotations

import click

from balanxd.config import load_layout


@click.group()
def layout() -> None:
    """Groove plans of boards."""


@layout.command("show")
@click.argument("name", metavar="NAME|FILE")
def layout_show(name: str) -> None:
    """Draw a layout."""
    from balanxd.drawing import layout_text

    click.echo(layout_text(load_layout(name)))


@layout.command("check")
@click.argument("name", metavar="NAME|FILE")
def layout_check(name: str) -> None:
    """Check a layout and say what it has."""
    plan = load_layout(name)
    double = sum(len(groove) == 2 for groove in plan.grooves)
    click.echo(
        f"{plan.name}: {plan.files} x {plan.ranks}, {double} double and {len(plan.grooves) - double} single grooves"
    )
