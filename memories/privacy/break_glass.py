"""Break glass: support reads one memory, for a reason and some minutes, and its members are
informed.

The support role of the database has no grant on a text. After all checks the text is read in the
role of the application, in a scope of this memory's audience alone. A robot's internal notes stay
closed.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memories.privacy.models import Disclosure
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.users import User
from orgs.principals import Actor

OPEN_DURATION = timedelta(minutes=15)
INTERNAL_AUDIENCE_TYPES = (AudienceType.ROBOT, AudienceType.TEAM)
SUPPORT_DATABASE = "support"


class DisclosureClosedError(Exception):
    """The memory is not open for support; the message says why."""


def open_disclosure(
    *, organisation_id: UUID, memory_id: UUID, staff: User, reason: str, now: datetime
) -> Disclosure:
    """Open one memory for one member of support, and record it. Raises NotFoundError and
    DisclosureClosedError."""
    memory = _get_metadata(organisation_id, memory_id)
    with scope(Scope(organisation=organisation_id, audiences=(memory.audience_id,))):
        row = Memory.objects.filter(organisation_id=organisation_id, id=memory_id)
        people = row.values_list("member_id", "author_id", "speaker_member_id").first() or ()
        told = list(dict.fromkeys(p for p in people if p))
        disclosure = Disclosure(
            organisation_id=organisation_id,
            memory_id=memory_id,
            staff=staff.pk,
            staff_name=str(staff),
            reason=reason,
            told=told,
            opened_at=now,
            ends_at=now + OPEN_DURATION,
        )
        disclosure.save(force_insert=True)
        _record_audit("support.opened", disclosure, now, reason=reason, told=len(told))
    return disclosure


def read_disclosed_memory(
    *, organisation_id: UUID, memory_id: UUID, staff: User, now: datetime
) -> tuple[Memory, Disclosure]:
    """The text, while it is open to this member of support; each read is recorded. Raises
    NotFoundError and DisclosureClosedError."""
    memory = _get_metadata(organisation_id, memory_id)
    with scope(Scope(organisation=organisation_id, audiences=(memory.audience_id,))):
        disclosure = (
            Disclosure.objects.filter(
                organisation_id=organisation_id,
                memory_id=memory_id,
                staff=staff.pk,
                ends_at__gt=now,
            )
            .order_by("-id")
            .first()
        )
        if disclosure is None:
            raise DisclosureClosedError("It is not open to you, or the fifteen minutes are over.")
        _record_audit("support.read", disclosure, now)
        shown = Memory.objects.filter(organisation_id=organisation_id, id=memory_id).first()
    if shown is None:
        raise NotFoundError("no such memory")
    return shown, disclosure


def list_disclosures(actor: Actor, *, since: datetime | None = None) -> list[Disclosure]:
    """The times when support opened a memory of the member, the newest first. since: only later
    ones."""
    if not actor.is_person:
        return []
    with organisation_scope(actor.organisation_id):
        rows = Disclosure.objects.filter(
            organisation_id=actor.organisation_id, told__contains=[actor.member_id]
        )
        if since:
            rows = rows.filter(opened_at__gte=since)
        return list(rows.order_by("-id")[:50])


def _get_metadata(organisation_id: UUID, memory_id: UUID) -> Memory:
    """The columns of a memory that support may read anyway, in its own role. Raises
    NotFoundError."""
    with organisation_scope(organisation_id, using=SUPPORT_DATABASE):
        memory = (
            Memory.objects.using(SUPPORT_DATABASE)
            .filter(organisation_id=organisation_id, id=memory_id)
            .select_related("audience")
            .only("id", "audience_id", "kind", "status", "audience__id", "audience__kind")
            .first()
        )
    if memory is None:
        raise NotFoundError("no such memory")
    if memory.kind == Kind.INTERNAL or memory.audience.kind in INTERNAL_AUDIENCE_TYPES:
        raise DisclosureClosedError("A robot's internal notes are opened for nobody.")
    if memory.status == Status.FORGOTTEN:
        raise DisclosureClosedError("It is forgotten, and stays so.")
    return memory


def _record_audit(action: str, disclosure: Disclosure, now: datetime, **detail: Any) -> None:
    audit.record_entry(
        action,
        actor=Actor(organisation_id=disclosure.organisation_id),
        now=now,
        staff=disclosure.staff,
        target=disclosure.memory_id,
        target_type="memory",
        **detail,
    )
