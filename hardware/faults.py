"""Names of faults: the one closed vocabulary of what can be wrong with a table.

What detects a fault says it by its name, what injects one is told it by the same name, and neither knows the other.
"""

from __future__ import annotations

from enum import StrEnum


class FaultName(StrEnum):
    """What is wrong: a sensor, a marble, the tilt, the wire, the controller, the supply."""

    STUCK_ON = "stuck_on"  # a sensor that sees a marble where none is
    STUCK_OFF = "stuck_off"  # a sensor that does not see its marble
    BOUNCING = "bouncing"  # a contact that chatters long after each change
    FLICKERING = "flickering"  # a sensor that toggles, whatever lies there
    SWAPPED = "swapped"  # the wires of two sensors are exchanged
    DEAD_CHAIN = "dead_chain"  # nothing is read from one input of the chain on
    CROSSTALK = "crosstalk"  # a sensor that sees its neighbour's marble
    WEAK = "weak"  # a sensor that sees its marble only just, or not each time
    OPEN_WIRE = "open_wire"  # an input with no sensor at its end
    MARBLE_STUCK = "marble_stuck"
    TILT_SHORT = "tilt_short"  # the board does not come down all the way
    SERVO_LATE = "servo_late"
    STALLED = "stalled"  # the board does not move
    WRONG_WAY = "wrong_way"  # the board goes to the other side than told
    END_NEVER = "end_never"  # an end input that never closes
    END_ALWAYS = "end_always"  # an end input that never opens
    BYTES_LOST = "bytes_lost"
    BYTES_FLIPPED = "bytes_flipped"
    CONTROLLER_RESET = "controller_reset"
    BROWN_OUT = "brown_out"  # at a start of the servo
