"""Suspend an organisation: nobody reads or writes in it, by any door, and all stays as it is.

What the workers have begun goes on, and so do erasures. Every way to an actor asks whether the
organisation is suspended: the statement that finds the caller of a key, the look-up of a member's
organisation, and the key by which robots enrol.
"""

from datetime import datetime
from uuid import UUID

from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError, SuspendedError
from orgs.models.organisations import Organisation
from orgs.principals import Actor


def set_suspended(
    organisation_id: UUID,
    *,
    suspended: bool,
    reason: str = "",
    now: datetime,
    staff: UUID | None = None,
) -> bool:
    """Suspend an organisation or end that, recorded in its trail. Returns whether it was otherwise.

    reason: what its people are told, at most MAX_SUSPENSION_REASON_LENGTH. staff: the superuser who
    does it; None for a command of the server. Raises NotFoundError.
    """
    with organisation_scope(organisation_id):
        found = Organisation.objects.select_for_update().filter(id=organisation_id).first()
        if found is None:
            raise NotFoundError("no such organisation")
        if (found.suspended_at is not None) == suspended:
            return False
        found.suspended_at, found.suspended_for = (now, reason) if suspended else (None, "")
        found.save(update_fields=["suspended_at", "suspended_for"])
        audit.record_entry(
            "organisation.suspended" if suspended else "organisation.resumed",
            actor=Actor(organisation_id=organisation_id),
            now=now,
            staff=staff,
        )
    return True


def check_not_suspended(organisation_id: UUID) -> None:
    """Raises SuspendedError. Call in a scope of the organisation."""
    rows = Organisation.objects.filter(id=organisation_id, suspended_at__isnull=False)
    if found := rows.only("suspended_for").first():
        raise SuspendedError(found.suspended_for)
