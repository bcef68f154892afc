"""The exceptions of this app as problems of the API."""

from orgs.api.problems import register_exception
from personas.errors import (
    BlockOutdatedError,
    BlockReadOnlyError,
    BlockTooLongError,
    MissingAssociationError,
    PersonalDataError,
)
from personas.registry.handles import InvalidHandleError

register_exception(InvalidHandleError, 400, "bad-handle", "Not a handle")
register_exception(MissingAssociationError, 409, "association-first", "No persona is known yet")
register_exception(BlockOutdatedError, 409, "outdated", "Changed meanwhile")
register_exception(BlockTooLongError, 422, "over-limit", "Longer than the block allows")
register_exception(PersonalDataError, 422, "personal-data", "The gate found something")
register_exception(BlockReadOnlyError, 403, "read-only", "Not yours to write")
