"""Write the audit trail; call inside a scope of the organisation."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson

from orgs.database.prepared_statements import fetch_all
from orgs.models.audit import AuditEntry
from orgs.models.base import new_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from orgs.principals import Actor

# A batch has an entry for each text that the gates looked at: making rows of the ORM would take
# longer than storing them.
_INSERT_ENTRIES = """
INSERT INTO orgs_auditentry (id, organisation_id, at, action, member, robot, target_type, target,
                             detail)
SELECT given.id, %(organisation)s, %(now)s, %(action)s, %(member)s::uuid, %(robot)s::uuid,
    %(type)s, given.target, given.detail
FROM ROWS FROM (unnest(%(ids)s::uuid[]), unnest(%(targets)s::uuid[]),
                json_array_elements(%(details)s::json)) AS given (id, target, detail)
"""
# Two calls at one moment may leave two entries of one day.
_DAILY = """
INSERT INTO orgs_auditentry (id, organisation_id, at, action, member, robot, target_type, target,
                             detail)
SELECT given.id, %(organisation)s::uuid, %(now)s::timestamptz, %(action)s::text, NULL,
    %(robot)s::uuid, %(type)s::text, given.target, '{}'::jsonb
FROM unnest(%(ids)s::uuid[], %(targets)s::uuid[]) AS given (id, target)
WHERE NOT EXISTS (
    SELECT 1 FROM orgs_auditentry e WHERE e.organisation_id = %(organisation)s::uuid
    AND e.target = given.target AND e.action = %(action)s::text AND e.robot = %(robot)s::uuid
    AND (e.at AT TIME ZONE 'UTC')::date = (%(now)s::timestamptz AT TIME ZONE 'UTC')::date)
"""


def record_entry(
    action: str,
    *,
    actor: "Actor",
    now: "datetime",
    target: UUID | None = None,
    target_type: str = "",
    staff: UUID | None = None,
    using: str = "default",
    **detail: Any,
) -> None:
    """Append one entry. `detail` holds ids, counts and fixed words, never content.

    staff: the user id of the support person, if one acted.
    """
    AuditEntry.objects.using(using).bulk_create(
        [
            AuditEntry(
                organisation_id=actor.organisation_id,
                at=now,
                action=action,
                member=actor.member_id,
                robot=actor.robot_id,
                staff=staff,
                target=target,
                target_type=target_type,
                detail=detail,
            )
        ]
    )


# Entries of one kind by one member or robot in a day, for acts that nobody is asked about.
MOST_A_DAY = 100
_TODAY = """
SELECT count(*) FROM (SELECT 1 FROM orgs_auditentry
    WHERE organisation_id = %(organisation)s AND action = %(action)s AND at > %(since)s
      AND member IS NOT DISTINCT FROM %(member)s::uuid
      AND robot IS NOT DISTINCT FROM %(robot)s::uuid
    LIMIT %(most)s) AS entries
"""


def record_seldom(
    action: str, *, actor: "Actor", now: "datetime", most: int = MOST_A_DAY, **detail: Any
) -> None:
    """Append an entry, unless this actor has `most` of this action within a day.

    For what a caller can do as often as they like without changing anything. The last entry says
    `further`: that more may have followed. Two calls at the same moment may both count as the last.
    """
    values = {
        "organisation": actor.organisation_id,
        "action": action,
        "since": now - timedelta(days=1),
        "member": actor.member_id,
        "robot": actor.robot_id,
        "most": most,
    }
    ((before,),) = fetch_all(_TODAY, values)
    if before < most:
        last = {"further": True} if before == most - 1 else {}
        record_entry(action, actor=actor, now=now, **detail, **last)


def record_entries(
    action: str,
    *,
    actor: "Actor",
    now: "datetime",
    target_type: str,
    targets: "Mapping[UUID, Mapping[str, Any]]",
) -> None:
    """Append one entry for each target with its detail, in one statement."""
    if not targets:
        return
    fetch_all(
        _INSERT_ENTRIES,
        {
            "organisation": actor.organisation_id,
            "now": now,
            "action": action,
            "member": actor.member_id,
            "robot": actor.robot_id,
            "type": target_type,
            "ids": [new_id() for _ in targets],
            "targets": list(targets),
            "details": orjson.dumps([*map(dict, targets.values())]).decode(),
        },
    )


def record_daily(
    action: str,
    *,
    robot: "Actor",
    now: "datetime",
    target_type: str,
    targets: "Sequence[UUID]",
) -> None:
    """Append one entry for each target of which the robot has none on this day (UTC). It names no
    member as the one who acted."""
    fetch_all(
        _DAILY,
        {
            "organisation": robot.organisation_id,
            "now": now,
            "action": action,
            "robot": robot.robot_id,
            "type": target_type,
            "ids": [new_id() for _ in targets],
            "targets": list(targets),
        },
    )
