"""The error that a person can fix."""

from config.embedded.errors import EmbeddedError


class ClusterError(EmbeddedError):
    """What is wrong, as one sentence."""
