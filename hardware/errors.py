"""The one root error of the hardware room, and others' errors as part of a sentence."""


class HardwareError(ValueError):
    """What the configuration says about the table cannot be; the message names what and where."""


def plain(error: BaseException) -> str:
    """What a library says of an error: one line without quotes and full stop; its name where it says nothing."""
    text = " ".join(str(error).split())
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    return text.rstrip(".!") or type(error).__name__
