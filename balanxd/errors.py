"""The one root error of the daemon's room."""


class BalanxError(Exception):
    """Something outside cannot be used (file, port, configuration); the message is one clear line."""
