"""Stories at the board: TOML files in, played on a simulated table with everything between, and judged.

`story` reads them, `stage` plays one with a seed, `mutants` are referees that lack one of their virtues.
docs: `tests/scenarios/README.md` says what a story may do.
"""
