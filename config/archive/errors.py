"""The one error of the archive that a person is shown."""

import errno

from config.embedded.errors import EmbeddedError


class ArchiveError(EmbeddedError):
    """The message says what is wrong and what to do; it names no text of a tenant."""


NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


def describe_os_error(error: OSError, what: str) -> str:
    """A sentence about a file that could not be written or read. what: the file or its folder."""
    if error.errno in NO_SPACE:
        return f"There is no space left for {what}."
    return f"{what} cannot be used ({error.strerror or type(error).__name__})."
