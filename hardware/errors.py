"""The one root error of the hardware room."""


class HardwareError(ValueError):
    """What the configuration says about the table cannot be; the message names what and where."""
