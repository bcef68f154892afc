"""What goes wrong in the registry of an organisation, whoever asks."""


class AlreadyExists(Exception):
    """The thing exists already; the message names it."""


class NotFound(Exception):
    """Absent, or not for the asker: the two are never told apart."""


class LikeAnother(Exception):
    """The name could be taken for another one; the message names what the asker may know of."""


class UnfitName(Exception):
    """The name holds what nobody sees, or is kept for something else."""
