"""Attach blocks of personas to the personal robots of the members who have these personas.

A robot may read a block because of its member's association. Attachments are noted only to list a
robot's blocks, so a failure to note one stops nothing.
"""

import logging
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError, transaction

from orgs.database.prepared_statements import fetch_all
from orgs.models.memberships import sharing_sql

log = logging.getLogger("commonmind.personas")

# Members without a robot have no row; those who opted out get none.
_ATTACH = f"""
WITH added AS (
    INSERT INTO personas_blockrobot (id, organisation_id, block_id, robot_id, attached_at)
    SELECT gen_random_uuid(), b.organisation_id, b.id, r.id, %(now)s
    FROM personas_association s
    JOIN orgs_member m ON m.organisation_id = s.organisation_id AND m.id = s.member_id
        AND {sharing_sql("m")}
    JOIN robots_robot r ON r.organisation_id = s.organisation_id AND r.owner_id = s.member_id
        AND r.retired_at IS NULL
    JOIN personas_block b ON b.organisation_id = s.organisation_id
        AND b.persona_id = s.persona_id
    WHERE s.organisation_id = %(organisation)s AND s.confirmed_at IS NOT NULL
        AND (%(member)s::uuid IS NULL OR s.member_id = %(member)s::uuid)
        AND (%(persona)s::uuid IS NULL OR s.persona_id = %(persona)s::uuid)
    ORDER BY b.id, r.id
    ON CONFLICT DO NOTHING
    RETURNING 1
)
SELECT count(*) FROM added
"""
_DETACH = """
WITH gone AS (
    DELETE FROM personas_blockrobot x USING personas_block b, robots_robot r
    WHERE x.organisation_id = %(organisation)s AND b.organisation_id = x.organisation_id
        AND r.organisation_id = x.organisation_id AND b.id = x.block_id AND r.id = x.robot_id
        AND r.owner_id = %(member)s
        AND (%(persona)s::uuid IS NULL OR b.persona_id = %(persona)s::uuid)
    RETURNING 1
)
SELECT count(*) FROM gone
"""


def attach_blocks(
    organisation_id: UUID,
    *,
    now: datetime,
    member_id: UUID | None = None,
    persona_id: UUID | None = None,
) -> int:
    """Attach blocks that are not attached yet. Returns how many.

    Of all members, one member or one persona. Call inside the organisation's scope. An error of the
    database becomes a warning in the log; what the caller wrote stays.
    """
    values = {
        "organisation": organisation_id,
        "member": member_id,
        "persona": persona_id,
        "now": now,
    }
    try:
        with transaction.atomic():
            count = int(fetch_all(_ATTACH, values)[0][0])
    except DatabaseError as error:
        log.warning(
            "The blocks of %s could not be attached: %s",
            persona_id,
            type(error).__name__,
            extra=_event(organisation_id, persona_id, error=type(error).__name__),
        )
        return 0
    if count:
        log.info("blocks attached", extra=_event(organisation_id, persona_id, count=count))
    return count


def detach_blocks(organisation_id: UUID, *, member_id: UUID, persona_id: UUID | None = None) -> int:
    """Detach one persona's block, or all, from a member's robot. Returns how many were attached."""
    values = {"organisation": organisation_id, "member": member_id, "persona": persona_id}
    count = int(fetch_all(_DETACH, values)[0][0])
    if count:
        log.info("blocks detached", extra=_event(organisation_id, persona_id, count=count))
    return count


def _event(organisation_id: UUID, persona_id: UUID | None, **more: object) -> dict[str, object]:
    """What a line of the log says besides: never of whom."""
    persona = None if persona_id is None else str(persona_id)
    return {"organisation": str(organisation_id), "persona": persona, **more}
