"""What the acts of this capability refuse."""


class ClientMetadataError(Exception):
    """A client that cannot be let in; the message says why, in a sentence for people."""


class NoLeaveError(Exception):
    """A member who cannot let a client act for them; the message says why."""
