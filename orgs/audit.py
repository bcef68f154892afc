"""Write the audit trail; call inside a scope of the organisation."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from orgs.database.bulk import insert_rows
from orgs.models.audit import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from orgs.principals import Actor


def record(
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


def record_each(
    action: str,
    *,
    actor: "Actor",
    now: "datetime",
    target_type: str,
    targets: "Mapping[UUID, Mapping[str, Any]]",
) -> None:
    """Append one entry for each target with its detail, in one statement."""
    insert_rows(
        [
            AuditEntry(
                organisation_id=actor.organisation_id,
                at=now,
                action=action,
                member=actor.member_id,
                robot=actor.robot_id,
                target=target,
                target_type=target_type,
                detail=dict(detail),
            )
            for target, detail in targets.items()
        ]
    )
