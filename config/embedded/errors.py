"""The one error this package shows to a person."""


class EmbeddedError(Exception):
    """Something a person can act on; its text is one line and is printed without a traceback."""
