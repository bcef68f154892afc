"""How many people taught a persona: of few, figures and times would tell who it was."""

from collections.abc import Iterable
from uuid import UUID

from orgs.database.prepared_statements import fetch_all

# From how many teachers on figures are shown, and which lesson is the newest.
ENOUGH = 3

# The member whom a personal robot serves taught through it. What other robots say of themselves is
# no person's lesson.
_TEACHERS = """
SELECT c.audience_id, count(DISTINCT coalesce(r.owner_id, c.member_id))
FROM memories_contribution c
JOIN memories_memory m ON m.organisation_id = c.organisation_id AND m.id = c.memory_id
    AND m.status = 'active'
JOIN robots_robot r ON r.organisation_id = c.organisation_id AND r.id = c.robot_id
WHERE c.organisation_id = %(organisation)s AND c.audience_id = ANY(%(audiences)s::uuid[])
GROUP BY 1
"""


def with_few_teachers(organisation_id: UUID, audiences: Iterable[UUID]) -> set[UUID]:
    """Those of the audiences that fewer than ENOUGH people taught what stands there now; call in a
    scope that reads them."""
    wanted = set(audiences)
    if not wanted:
        return set()
    values = {"organisation": organisation_id, "audiences": sorted(wanted)}
    taught = {id_ for id_, people in fetch_all(_TEACHERS, values) if people >= ENOUGH}
    return wanted - taught
