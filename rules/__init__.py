"""The games alone: positions, moves, verdicts, outcomes, records. Standard library only: no time, I/O or chance."""
