"""The exceptions of this app as problems of the API."""

from orgs.api.problems import map_exception
from personas.errors import AssociationFirst, BlockOutdated, OverLimit, PersonalData, ReadOnly
from personas.registry.handles import BadHandle

map_exception(BadHandle, 400, "bad-handle", "Not a handle")
map_exception(AssociationFirst, 409, "association-first", "No persona is known yet")
map_exception(BlockOutdated, 409, "outdated", "Changed meanwhile")
map_exception(OverLimit, 422, "over-limit", "Longer than the block allows")
map_exception(PersonalData, 422, "personal-data", "The gate found something")
map_exception(ReadOnly, 403, "read-only", "Not yours to write")
