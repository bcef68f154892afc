"""Who was spoken for, and by which robot: one entry a day in the audit trail, and what of it the
member may know.

It names robot, member and day, no memory. A person speaks for themselves, and so does a personal
robot for its owner; neither is noted.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from orgs.database.prepared_statements import fetched
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.principals import Actor

ACTION = "member.spoken_for"
# Two calls at one moment may write two entries; readers count days.
_NOTE = """
INSERT INTO orgs_auditentry (id, organisation_id, at, action, member, robot, target_type, target,
                             detail)
SELECT given.id, %(organisation)s::uuid, %(now)s::timestamptz, %(action)s::text, NULL, %(robot)s::uuid,
    'member', given.member, '{}'::jsonb
FROM unnest(%(ids)s::uuid[], %(members)s::uuid[]) AS given (id, member)
WHERE NOT EXISTS (
    SELECT 1 FROM orgs_auditentry e WHERE e.organisation_id = %(organisation)s::uuid
    AND e.target = given.member AND e.action = %(action)s::text AND e.robot = %(robot)s::uuid
    AND (e.at AT TIME ZONE 'UTC')::date = (%(now)s::timestamptz AT TIME ZONE 'UTC')::date)
"""
_BY_ROBOT = """
SELECT e.robot, r.name, count(DISTINCT (e.at AT TIME ZONE 'UTC')::date),
    max((e.at AT TIME ZONE 'UTC')::date)
FROM orgs_auditentry e
JOIN robots_robot r ON r.organisation_id = e.organisation_id AND r.id = e.robot
WHERE e.organisation_id = %(organisation)s AND e.target = %(member)s AND e.action = %(action)s
GROUP BY e.robot, r.name ORDER BY 4 DESC, r.name
LIMIT %(most)s
"""
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SpokenFor:
    """A robot that gave words as the member's or wrote for them. days: on how many; last: the last
    of them, in UTC."""

    robot_id: UUID
    name: str
    days: int
    last: date


def note_spoken_for(actor: Actor, members: Iterable[UUID | None], *, now: datetime) -> None:
    """Note that a robot gave words as these members' or wrote for them, once for each day; call
    inside a scope of the organisation, beside what is written."""
    if actor.robot_id is None or actor.owner_id is not None:
        return
    named = sorted({id_ for id_ in members if id_ is not None})
    if named:
        fetched(
            _NOTE,
            {
                "organisation": actor.organisation_id,
                "robot": actor.robot_id,
                "action": ACTION,
                "now": now,
                "ids": [new_id() for _ in named],
                "members": named,
            },
        )


def spoken_for_by(actor: Actor) -> list[SpokenFor]:
    """The robots that spoke for the asking person, the latest first, at most MOST_SHOWN."""
    if not actor.is_person:
        return []
    values = {
        "organisation": actor.organisation_id,
        "member": actor.member_id,
        "action": ACTION,
        "most": MOST_SHOWN,
    }
    with organisation_scope(actor.organisation_id):
        return [SpokenFor(*row) for row in fetched(_BY_ROBOT, values)]
