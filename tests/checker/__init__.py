"""An independent checker: a journal and the simulator's own marbles in, complaints out.

It imports nothing of what it judges: it reads checksums, position texts, layouts and records with its own code.
"""

from .compare import check_table, check_trace
from .pieces import check_pieces, check_pieces_table
from .report import Report

__all__ = ["Report", "check_pieces", "check_pieces_table", "check_table", "check_trace"]
