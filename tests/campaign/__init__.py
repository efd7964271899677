"""Random faults over random games: what could be seen of each, what was named, and what the checker says.

`games` plays one; `truth` tells from the marbles alone whether its fault could show at all; `python -m campaign` makes
the table of `docs/faults.md`.
"""
