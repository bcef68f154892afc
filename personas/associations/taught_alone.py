"""Take back what only one member's robot taught for a persona, an industry or a role."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memories.curation.merge import shelve
from memories.privacy.opt_out import take_back
from memories.store.models.choices import Status
from memories.store.models.contribution import Contribution
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs import audit
from orgs.database.rls import Scope, scope
from orgs.models.audiences import Audience, AudienceKind
from orgs.principals import Actor, Principal, resolve
from robots.models.robots import Robot

COHORTS = (AudienceKind.PERSONA, AudienceKind.INDUSTRY, AudienceKind.ROLE)
WAITS = (Status.PENDING_REVIEW, Status.QUARANTINED)
STANDS = (Status.ACTIVE, Status.ARCHIVED)


def take_back_taught(actor: Actor, *, earlier: bool, now: datetime) -> int:
    """Make private again what only the member's robots taught. Returns how many memories were
    shared.

    What waits for a decision always comes back, else it would be shared after the member opted out.
    earlier: what is shared already comes back too, unless somebody else said it as well or it is
    protected. Call inside a scope of the organisation.
    """
    principal = resolve(actor)
    robots = Robot.objects.filter(organisation_id=actor.organisation_id, owner_id=actor.member_id)
    mine = list(robots.values_list("id", flat=True))
    if not mine:
        return 0
    places = Audience.objects.filter(
        organisation_id=actor.organisation_id, kind__in=(*COHORTS, AudienceKind.REVIEW)
    )
    # After opting out the member reads none of these, so the scope names the audiences itself.
    reached = {principal.own_audience, *places.values_list("id", flat=True)}
    with scope(Scope(organisation=actor.organisation_id, audiences=tuple(sorted(reached)))):
        for memory in _locked(_taught(principal, mine).filter(status__in=WAITS)):
            _back(principal, memory, now)
            # It waits no more, so nobody can approve it for others.
            memory.proposed_audience, memory.held_for = None, ""
            memory.save(update_fields=["proposed_audience", "held_for"])
            if memory.status != Status.FORGOTTEN:
                shelve(memory, now)
        shared = _taught(principal, mine).filter(status__in=STANDS, red_line=False)
        found = _locked(shared.filter(audience__kind__in=COHORTS)) if earlier else []
        for memory in found:
            _back(principal, memory, now)
    return len(found)


def _taught(principal: Principal, robots: Sequence[UUID]) -> MemoryQuerySet:
    """Said by these robots and by nobody else, for people of a persona, an industry or a role."""
    said = Contribution.objects.filter(
        organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("id")
    )
    rows = Memory.objects.filter(
        ~Exists(said.exclude(robot_id__in=robots)),
        organisation_id=principal.organisation_id,
        robot_id__in=robots,
    )
    meant = Q(audience__kind__in=COHORTS) | Q(proposed_audience__kind__in=COHORTS)
    return rows.filter(meant)


def _locked(rows: MemoryQuerySet) -> list[Memory]:
    return list(rows.select_for_update(of=("self",)).order_by("id"))


def _back(principal: Principal, memory: Memory, now: datetime) -> None:
    before = memory.audience_id
    take_back(principal, memory, now, by_subject=False)
    audit.record(
        "memory.shared",
        actor=principal.actor,
        now=now,
        target=memory.id,
        target_type="memory",
        before=str(before),
        after=str(memory.audience_id),
    )
