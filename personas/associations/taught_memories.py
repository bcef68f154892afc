"""Take back what only one member's robot taught for a persona, an industry or a role."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memories.privacy.opt_out import make_private
from memories.state.transitions import archive_memories
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.models.version import Contribution
from orgs import audit
from orgs.database.rls import Scope, scope
from orgs.models.audiences import COHORT_AUDIENCE_TYPES, Audience, AudienceType
from orgs.principals import Actor, Principal, resolve_principal
from robots.models.robots import Robot

PENDING_STATUSES = (Status.PENDING_REVIEW, Status.QUARANTINED)
SHARED_STATUSES = (Status.ACTIVE, Status.ARCHIVED)


def make_taught_private(actor: Actor, *, earlier: bool, now: datetime) -> int:
    """Make private again what only the member's robots taught. Returns how many memories were
    shared.

    What waits for a decision always comes back, else it would be shared after the member opted out.
    earlier: what is shared already comes back too, unless somebody else said it as well or it is
    protected. Call inside a scope of the organisation.
    """
    principal = resolve_principal(actor)
    robots = Robot.objects.filter(organisation_id=actor.organisation_id, owner_id=actor.member_id)
    mine = list(robots.values_list("id", flat=True))
    if not mine:
        return 0
    places = Audience.objects.filter(
        organisation_id=actor.organisation_id,
        kind__in=(*COHORT_AUDIENCE_TYPES, AudienceType.REVIEW),
    )
    # After opting out the member reads none of these, so the scope names the audiences itself.
    reached = {principal.own_audience, *places.values_list("id", flat=True)}
    with scope(Scope(organisation=actor.organisation_id, audiences=tuple(sorted(reached)))):
        for memory in _lock(_taught_memories(principal, mine).filter(status__in=PENDING_STATUSES)):
            _make_private(principal, memory, now)
            # It waits no more, so nobody can approve it for others.
            memory.proposed_audience, memory.held_for = None, ""
            memory.save(update_fields=["proposed_audience", "held_for"])
            if memory.status != Status.FORGOTTEN:
                archive_memories([memory], now)
        shared = _taught_memories(principal, mine).filter(
            status__in=SHARED_STATUSES, red_line=False
        )
        found = _lock(shared.filter(audience__kind__in=COHORT_AUDIENCE_TYPES)) if earlier else []
        for memory in found:
            _make_private(principal, memory, now)
    return len(found)


def _taught_memories(principal: Principal, robots: Sequence[UUID]) -> MemoryQuerySet:
    """Said by these robots and by nobody else, for people of a persona, an industry or a role."""
    said = Contribution.objects.filter(
        organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("id")
    )
    rows = Memory.objects.filter(
        ~Exists(said.exclude(robot_id__in=robots)),
        organisation_id=principal.organisation_id,
        robot_id__in=robots,
    )
    meant = Q(audience__kind__in=COHORT_AUDIENCE_TYPES) | Q(
        proposed_audience__kind__in=COHORT_AUDIENCE_TYPES
    )
    return rows.filter(meant)


def _lock(rows: MemoryQuerySet) -> list[Memory]:
    return list(rows.select_for_update(of=("self",)).order_by("id"))


def _make_private(principal: Principal, memory: Memory, now: datetime) -> None:
    before = memory.audience_id
    make_private(principal, memory, now, by_subject=False)
    audit.record_entry(
        "memory.shared",
        actor=principal.actor,
        now=now,
        target=memory.id,
        target_type="memory",
        before=str(before),
        after=str(memory.audience_id),
    )
