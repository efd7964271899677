"""The one root error of the referee room."""


class RefereeError(ValueError):
    """A player's command does not fit the state of the game; the message says why and what to do."""
