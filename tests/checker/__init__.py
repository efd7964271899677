"""An independent checker: a journal and the simulator's own marbles in, complaints out.

It imports nothing of what it judges: it reads checksums, position texts, layouts and records with its own code.
"""

from .compare import Report, check_table, check_trace

__all__ = ["Report", "check_table", "check_trace"]
