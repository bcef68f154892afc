"""Errors of an organisation's registry: names, members, groups and robots."""

from collections.abc import Sequence

# How the resources of a quota are named in sentences.
QUOTA_LABELS = {
    "memories": "memories",
    "bytes": "bytes of text",
    "robots": "robots",
    "groups": "groups",
}


class AlreadyExistsError(Exception):
    """The thing exists already; the message names it.

    existing: its id, if the asker may see it; then the answer carries it (`more`).
    """

    def __init__(self, message: str = "", *, existing: object = None) -> None:
        super().__init__(message)
        self.existing = existing
        self.more = existing_members(existing)


def existing_members(existing: object) -> dict[str, str]:
    """The member of a problem that names what exists; none without an id."""
    return {} if existing is None else {"existing": str(existing)}


class ConfirmationError(Exception):
    """The confirmation is missing or wrong, so nothing was done."""


class NotFoundError(Exception):
    """It does not exist, or the asker may not know of it: both look the same."""


class ReferenceNotFoundError(NotFoundError):
    """What a reference of the caller means is not found.

    kind: what was looked for, such as `group` or `member`. reference: as the caller named it.
    """

    def __init__(self, kind: str, reference: object) -> None:
        super().__init__(f"no such {kind}")
        self.kind, self.reference = kind, reference


class LookalikeNameError(Exception):
    """The name could be taken for another one; the message names what the asker may know of."""


class InvalidNameError(Exception):
    """The name cannot be read as it is written, or is reserved."""


class SuspendedError(PermissionError):
    """Whoever runs the server has suspended the organisation. reason: what they say to its people;
    may be empty."""

    def __init__(self, reason: str = "") -> None:
        told = f": {reason.rstrip('.')}" if reason else ""
        super().__init__(
            f"Your organisation is suspended{told}. Nothing is lost. Ask whoever runs this server."
        )


class UnknownServerError(ValueError):
    """No server of this name is set in DATABASE_SERVERS."""

    def __init__(self, server: str) -> None:
        super().__init__(f"DATABASE_SERVERS names no server {server!r}.")


class PlacementPendingError(Exception):
    """The organisation is being made on another server."""

    def __init__(self) -> None:
        super().__init__("The organisation is being made. Try again.")


class QuotaError(Exception):
    """The organisation keeps as much of a resource as it may; see `orgs.organisations.quotas`.

    used: what it kept before; allowed: the most. Both in pieces, or in bytes of texts.
    """

    def __init__(self, resource: str, used: int, allowed: int) -> None:
        super().__init__(
            f"This organisation may keep {allowed:,} {QUOTA_LABELS[resource]} and keeps {used:,}. "
            "Nothing was stored. Forget what is not needed, or ask whoever runs this server."
        )
        self.more = {"quota": {"resource": resource, "used": used, "allowed": allowed}}


class InvalidLanguageError(ValueError):
    """The database has no text search in this language; the message names the choices."""

    def __init__(self, choices: Sequence[str]) -> None:
        detail = f"Not a choice; one of {', '.join(choices)}."
        super().__init__(f"language: {detail}")
        self.errors = [{"field": "language", "detail": detail}]
