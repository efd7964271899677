"""The rooms of promises in; the whole list by name out: whoever imports this has all of them."""

from contract import keeping, line, motion, sensing
from contract.promises import BEHAVIOURS

ROOMS = (keeping, line, motion, sensing)
PROMISES = {each.name: each for each in BEHAVIOURS}
