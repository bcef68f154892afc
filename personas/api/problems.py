"""The exceptions of this app as problems of the API."""

from personas.errors import (
    BlockOutdatedError,
    BlockReadOnlyError,
    BlockTooLongError,
    MissingAssociationError,
    PersonalDataError,
)
from personas.registry.handles import InvalidHandleError

# (status, code, title) by exception.
EXCEPTION_PROBLEMS: dict[type[Exception], tuple[int, str, str]] = {
    InvalidHandleError: (400, "bad-handle", "Not a handle"),
    MissingAssociationError: (409, "association-first", "No persona is known yet"),
    BlockOutdatedError: (409, "outdated", "Changed meanwhile"),
    BlockTooLongError: (422, "over-limit", "Longer than the block allows"),
    PersonalDataError: (422, "personal-data", "The gate found something"),
    BlockReadOnlyError: (403, "read-only", "Not yours to write"),
}
