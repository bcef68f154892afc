"""Who was spoken for, and by which robot: one entry a day in the audit trail, and what of it the
member may know.

It names robot, member and day, no memory. A person speaks for themselves, and so does a personal
robot for its owner; neither is noted.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from django.db import transaction

from orgs import audit
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.principals import Actor

ACTION = "member.spoken_for"
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
# The day that this process noted last, by robot and member; at most MOST_NOTED of them.
MOST_NOTED = 10_000
_noted: dict[tuple[UUID | None, UUID], date] = {}


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
    day = now.astimezone(UTC).date()
    wanted = {id_ for id_ in members if id_ is not None}
    named = sorted(one for one in wanted if _noted.get((actor.robot_id, one)) != day)
    if named:
        transaction.on_commit(lambda: _remember_noted(actor.robot_id, named, day))
        audit.record_daily(
            "member.spoken_for",
            robot=actor,
            now=now,
            target_type="member",
            targets=named,
        )


def _remember_noted(robot_id: UUID | None, members: Iterable[UUID], day: date) -> None:
    if len(_noted) >= MOST_NOTED:
        _noted.clear()
    _noted.update({(robot_id, member): day for member in members})


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
        return [SpokenFor(*row) for row in fetch_all(_BY_ROBOT, values)]
