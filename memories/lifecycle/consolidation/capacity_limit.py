"""Bring a tier with more memories of an audience than its capacity back to it.

Unless the organisation lets its workers summarise, an item of the review queue proposes it.
Memories are archived and can be restored; nothing is deleted.

Full tiers are found in the role of the worker, which reads the whole organisation. Everything else
runs in a scope of the one audience, so that nothing can mix with another audience.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connections

from memories.access.permissions import ChangeForbiddenError
from memories.jobs.worker_hints import notify_embedding_worker
from memories.lifecycle.ageing_policy import find_policy_or_default
from memories.lifecycle.consolidation import archive_selection
from memories.lifecycle.consolidation.archive_selection import (
    MAX_MEMORIES,
    ArchiveSelection,
    AudienceTier,
    find_medoids,
    select_to_archive,
)
from memories.lifecycle.consolidation.summarise import SummaryResult, summarise_and_archive
from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.tiers import tier_capacities
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.store.known_use import CURRENT_TIER_SQL
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.organisation_models import find_serving_model
from orgs import audit
from orgs.database.advisory_locks import acquire_advisory_lock
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.expiry import not_expired_sql
from orgs.models.audiences import Audience, AudienceType
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.principals import Actor
from robots.registry.robots import WEB, ensure_builtin_robot

WORKER = "worker"
# The name of the lock: only one run at a time in an organisation.
CAPACITY_LOCK = "relieve"
# A rejected proposal is repeated after the tier has grown by this share of its capacity.
REPROPOSE_GROWTH = 0.1

_FULL_TIERS_SQL = f"""
SELECT m.audience_id, r.tier, r.capacity, least(count(*) - r.capacity,
    count(*) FILTER (WHERE NOT m.red_line AND NOT m.sensitive))
FROM memories_memory m
LEFT JOIN memories_use u ON u.organisation_id = m.organisation_id AND u.memory_id = m.id
JOIN unnest(%(tiers)s::text[], %(capacities)s::int[]) AS r (tier, capacity)
    ON r.tier = {CURRENT_TIER_SQL}
WHERE m.organisation_id = %(organisation)s AND m.status = 'active'
    AND {not_expired_sql()}
GROUP BY 1, 2, 3 HAVING count(*) > r.capacity
ORDER BY 1, 2
"""


@dataclass(slots=True)
class CapacityResult:
    """What a run did, in numbers. looked: full tiers; proposed: items put into the queue;
    summaries: made; archived: memories."""

    looked: int = 0
    proposed: int = 0
    summaries: int = 0
    archived: int = 0

    @property
    def figures(self) -> dict[str, int]:
        """The figures for the page of the job."""
        return asdict(self)


def enforce_capacity(
    organisation_id: UUID,
    *,
    now: datetime,
    dry_run: bool = False,
    keep_on: Callable[[int, int], bool] = lambda done, total: True,
) -> CapacityResult:
    """Bring every tier of every audience to its capacity, or propose it, by the policy.

    dry_run: only count. keep_on: called after each tier and each MOST memories with (tiers done,
    tiers); False ends the run, and finished parts stay. No language model is asked here, because
    locks are held; `llm_checks/summaries.py` asks afterwards.
    """
    done = CapacityResult()
    places, evict = _load_full_tiers(organisation_id, now, dry_run=dry_run)
    for number, place in enumerate(places, 1):
        done.looked += 1
        if dry_run:
            _preview_tier(place, evict, now, done)
        elif evict:
            if not _archive_excess_in_batches(
                place, now, done, partial(keep_on, number - 1, len(places))
            ):
                break
        else:
            with _audience_scope(place):
                done.proposed += _propose_once(place, now)
        if not keep_on(number, len(places)):
            break
    return done


def _load_full_tiers(
    organisation_id: UUID, now: datetime, *, dry_run: bool
) -> tuple[list[AudienceTier], bool]:
    """(the tiers above capacity, whether workers may summarise). Unless dry_run, open items that
    are no longer needed are withdrawn."""
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        policy = find_policy_or_default(organisation_id, using=WORKER)
        cursor.execute(_FULL_TIERS_SQL, _capacity_values(policy, now))
        places = [AudienceTier(organisation_id, *row) for *row, _ in cursor.fetchall()]
        if not dry_run:
            full = {(place.audience_id, place.tier) for place in places}
            items = Proposal.objects.using(WORKER).filter(
                organisation_id=organisation_id,
                cause=ProposalCause.CAPACITY,
                state=ProposalState.OPEN,
                # Items of upper apps have no tier.
                details__has_key="tier",
            )
            known = items.values_list("id", "audience_id", "details__tier")
            over = [id_ for id_, *place in known if policy.evict or tuple(place) not in full]
            items.filter(id__in=over).update(state=ProposalState.WITHDRAWN, decided_at=now)
    return places, policy.evict


def count_over_capacity(policy: AgeingPolicy, *, now: datetime) -> int:
    """How many memories of the organisation are above the capacity of their tiers, by a policy."""
    with (
        organisation_scope(policy.organisation_id, using=WORKER),
        connections[WORKER].cursor() as cursor,
    ):
        cursor.execute(_FULL_TIERS_SQL, _capacity_values(policy, now))
        return sum(row[-1] for row in cursor.fetchall())


def _capacity_values(policy: AgeingPolicy, now: datetime) -> dict[str, Any]:
    limits = tier_capacities(policy.capacities)
    return {
        "organisation": policy.organisation_id,
        "now": now,
        "tiers": list(limits),
        "capacities": list(limits.values()),
    }


def _audience_scope(place: AudienceTier) -> Any:
    return scope(Scope(organisation=place.organisation_id, audiences=(place.audience_id,)))


def _audience_type(place: AudienceTier) -> str:
    rows = Audience.objects.filter(organisation_id=place.organisation_id, id=place.audience_id)
    return rows.values_list("kind", flat=True).get()


def item_tier(item: Proposal) -> AudienceTier:
    """The tier and audience of an item; call inside a scope of the organisation."""
    tier = item.details["tier"]
    limits = tier_capacities(find_policy_or_default(item.organisation_id).capacities)
    return AudienceTier(item.organisation_id, item.audience_id, tier, limits[tier])


def preview_archive(place: AudienceTier, now: datetime) -> ArchiveSelection:
    """What would be archived; call inside a scope that reads the audience."""
    unwilling = archive_selection.members_without_consent(place, _audience_type(place))
    return select_to_archive(place, unwilling=unwilling, now=now, most=MAX_MEMORIES)


def _preview_tier(place: AudienceTier, evict: bool, now: datetime, done: CapacityResult) -> None:
    with _audience_scope(place):
        choice = preview_archive(place, now)
        if evict:
            done.archived += len(choice.ids)
            done.summaries += choice.summaries
        else:
            done.proposed += bool(choice.ids) and _should_propose(
                place, choice, _audience_type(place)
            )


def _archive_excess_in_batches(
    place: AudienceTier, now: datetime, done: CapacityResult, keep_on: Callable[[], bool]
) -> bool:
    """Bring a tier down in bounded parts, each a transaction, until it fits or keep_on is False.
    Returns whether it fits."""
    while True:
        with _audience_scope(place):
            robot = ensure_builtin_robot(place.organisation_id, WEB, now)
            worker = Actor(
                organisation_id=place.organisation_id, robot_id=robot.id, name=robot.name
            )
            part = archive_excess(place, worker, now=now)
        if not part.archived:
            return True
        done.archived += len(part.archived)
        done.summaries += len(part.made)
        if len(part.archived) >= MAX_MEMORIES and not keep_on():
            return False


def archive_excess(
    place: AudienceTier,
    actor: Actor,
    *,
    now: datetime,
    may: Callable[[Memory], bool] | None = None,
) -> SummaryResult:
    """Summarise and archive what is too much in one tier, at most MOST memories at once.

    Call inside a scope that reads the audience; the work runs in a scope of that audience alone.
    may: called for each memory to archive. Raises ChangeForbiddenError if it is False for any.
    """
    with _audience_scope(place):
        acquire_advisory_lock(place.organisation_id, CAPACITY_LOCK)
        unwilling = archive_selection.members_without_consent(place, _audience_type(place))
        choice = select_to_archive(place, unwilling=unwilling, now=now, most=MAX_MEMORIES)
        if not choice.ids:
            return SummaryResult()
        unwilling |= _lock_members(place, choice.ids, unwilling)
        rows = Memory.objects.select_for_update(of=("self",)).filter(
            organisation_id=place.organisation_id,
            audience_id=place.audience_id,
            id__in=choice.ids,
            status=Status.ACTIVE,
            red_line=False,
        )
        # Locked in the common order of memories.
        locked = list(rows.order_by("id"))
        if may is not None and not all(may(row) for row in locked):
            raise ChangeForbiddenError("Some of these are not yours to archive. A curator decides.")
        if not locked:
            return SummaryResult()
        done = summarise_and_archive(place, locked, unwilling=unwilling, now=now)
        audit.record_entry(
            "memory.summarised",
            actor=actor,
            now=now,
            target=(done.made or done.archived)[0].id,
            target_type="memory",
            tier=place.tier,
            count=choice.count,
            capacity=place.capacity,
            archived=len(done.archived),
            summaries=len(done.made),
        )
        notify_embedding_worker(place.organisation_id)
    return done


def lock_tier(place: AudienceTier, *, now: datetime) -> None:
    """Wait for other runs in this organisation, then lock the members whom the memories to archive
    are about.

    For a transaction that locks a memory before `archive_excess`: members are locked before
    memories, as in an opt-out.
    """
    with _audience_scope(place):
        acquire_advisory_lock(place.organisation_id, CAPACITY_LOCK)
        unwilling = archive_selection.members_without_consent(place, _audience_type(place))
        choice = select_to_archive(place, unwilling=unwilling, now=now, most=MAX_MEMORIES)
        _lock_members(place, choice.ids, unwilling)


def _lock_members(place: AudienceTier, ids: list[UUID], known: set[UUID]) -> set[UUID]:
    """Lock the members whom the memories are about, so that a later opt-out waits and finds what
    was made.

    Returns the members who have opted out or paused since they were looked up.
    """
    rows = Memory.objects.filter(organisation_id=place.organisation_id, id__in=ids)
    about = {id_ for pair in rows.values_list("member_id", "speaker_member_id") for id_ in pair}
    held = Member.objects.select_for_update(of=("self",), no_key=True).filter(
        organisation_id=place.organisation_id, id__in=about - known - {None}
    )
    list(held.order_by("id"))
    return archive_selection.members_without_consent(place, _audience_type(place)) - known


def _propose_once(place: AudienceTier, now: datetime) -> bool:
    """Propose it once; not for robots' own notes, which no person could decide. Returns whether it
    was proposed."""
    acquire_advisory_lock(place.organisation_id, CAPACITY_LOCK)
    choice, kind = preview_archive(place, now), _audience_type(place)
    if not choice.ids or not _should_propose(place, choice, kind):
        return False
    model = find_serving_model(place.organisation_id)
    found = find_medoids(place.organisation_id, [choice.ids], model.number)
    memory = Memory.objects.get(
        organisation_id=place.organisation_id, id=found.get(0, choice.ids[0])
    )
    Proposal.objects.create(
        id=new_id(),
        organisation_id=place.organisation_id,
        memory_id=memory.id,
        audience_id=place.audience_id,
        kind=memory.kind,
        cause=ProposalCause.CAPACITY,
        details={
            "tier": place.tier,
            "capacity": place.capacity,
            "count": choice.count,
            "chosen": len(choice.ids),
            "summaries": choice.summaries,
        },
        created_at=now,
    )
    return True


def _should_propose(place: AudienceTier, choice: ArchiveSelection, kind: str) -> bool:
    """Whether to propose: no item is open, and after a rejection the tier has grown."""
    if kind == AudienceType.ROBOT:
        return False
    items = Proposal.objects.filter(
        organisation_id=place.organisation_id,
        audience_id=place.audience_id,
        cause=ProposalCause.CAPACITY,
        details__tier=place.tier,
    )
    if items.filter(state=ProposalState.OPEN).exists():
        return False
    last = items.filter(state=ProposalState.REJECTED).order_by("-decided_at").first()
    if last is None:
        return True
    counted = int(last.details["count"])
    return choice.count >= counted + max(1, REPROPOSE_GROWTH * place.capacity)
