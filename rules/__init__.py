"""The games alone: positions, moves, verdicts, outcomes and records. Standard library only; no time, I/O, random state."""
