"""Decide contradictions that need nobody: the newest that the same speaker said holds.

Which ones, the group says (`ContradictionPolicy`); what is private to a member goes by the default,
their own facts. Only what the rules found is decided, and only of words that the member is proven
to have said, that nobody else reworded, shared or approved, and that few read: everything else
asks. The older memory is superseded as by a person's decision, and undoing it is the same; the
item keeps that it was decided so, and is not decided so again.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from memories.curation.decision_records.record_parts import is_decision
from memories.embedding.model_catalogue import EmbeddingModel
from memories.jobs.leases import WORKER
from memories.jobs.organisation_run import OrganisationRun
from memories.language.comparison.changed_facts import is_outdated_by, replaces_all
from memories.language.comparison.statements import read_statement
from memories.lifecycle.consolidation.near_duplicates import propose_pairs
from memories.review.models import (
    BY_POLICY,
    PAIR_CAUSES,
    Proposal,
    ProposalCause,
    ProposalState,
)
from memories.review.propose import close_by_itself
from memories.state.supersede_memory import InvalidValidityError, holds_q, supersede_memory
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Type
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import speaking_member_id
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience, AudienceType
from orgs.models.audit import AuditEntry
from orgs.models.organisations import ContradictionPolicy, Group
from orgs.principals import Actor, Principal, resolve_principal
from robots.registry.robots import WEB, ensure_builtin_robot

BATCH_SIZE = 100
_NIL_ID = UUID(int=0)
# What may wait about one of the two meanwhile: that it disagrees with more, is alike or too much.
_HARMLESS_CAUSES = (*PAIR_CAUSES, ProposalCause.CAPACITY)


def propose_and_decide_pairs(
    organisation_id: UUID, ids: Sequence[UUID], *, model: EmbeddingModel, now: datetime, using: str
) -> Counter[str]:
    """`propose_pairs`, and once that is stored decide what a policy decides of it."""
    found = propose_pairs(organisation_id, ids, model=model, now=now, using=using)
    if found[ProposalCause.CONTRADICTION]:
        decide = partial(decide_pairs_of, organisation_id, list(ids), now=now)
        # A failure leaves the items open; the daily run looks at them again.
        transaction.on_commit(decide, using=using, robust=True)
    return found


def decide_pairs_of(organisation_id: UUID, ids: Sequence[UUID], *, now: datetime) -> int:
    """Decide the open contradictions about these memories that a policy decides; returns how
    many. Call outside of transactions."""
    with organisation_scope(organisation_id, using=WORKER):
        about = Q(memory_id__in=ids) | Q(other_id__in=ids)
        items = list(_open_items(organisation_id, WORKER).filter(about).order_by("id"))
    return sum(decide_item(item, now=now) for item in items)


def run_policy_decisions(run: OrganisationRun) -> None:
    """Decide the open contradictions of an organisation, or of the audience of the run, that a
    policy decides. Result: decided, if there are any."""
    only = {"audience_id": run.parameters["audience"]} if "audience" in run.parameters else {}
    while True:
        with organisation_scope(run.organisation_id, using=WORKER):
            rows = _open_items(run.organisation_id, WORKER).filter(**only)
            rows = rows.filter(id__gt=run.place.get("decided", str(_NIL_ID)))
            items = list(rows.order_by("id")[:BATCH_SIZE])
        if decided := sum(decide_item(item, now=run.now) for item in items):
            run.count(decided=decided)
        if len(items) < BATCH_SIZE:
            return
        run.place["decided"] = str(items[-1].id)
        if not run.step(run.job.done, run.place["total"]):
            return


def decide_item(item: Proposal, *, now: datetime) -> bool:
    """Decide one open item, if the policy of its group does, in a scope of its one audience.
    Returns whether it was decided.

    item: with its memories, as they were. Nothing is done if somebody holds it or has decided
    it.
    """
    if item.other is None or _claimed_speaker(item.memory, item.other) is None:
        return False
    organisation_id, audience_id = item.organisation_id, item.audience_id
    with organisation_scope(organisation_id):
        robot = ensure_builtin_robot(organisation_id, WEB, now)
    service = Actor(organisation_id=organisation_id, robot_id=robot.id, name=robot.name)
    principal = replace(resolve_principal(service), audiences=frozenset({audience_id}))
    with principal.scope():
        # Memories are locked before their item, as in every decision.
        rows = _lock_memories(item, now)
        free = Q(locked_until=None) | Q(locked_until__lte=now)
        found = (
            _open_items(organisation_id, related=False)
            .select_for_update(of=("self",))
            .filter(free, id=item.id)
            .first()
        )
        newer, older = rows.get(item.memory_id), rows.get(item.other.id)
        if found is None or newer is None or older is None:
            return False
        policy = _find_policy(older, newer, now)
        return policy is not None and _supersede(principal, found, older, newer, policy, now)


def _supersede(
    principal: Principal,
    item: Proposal,
    older: Memory,
    newer: Memory,
    policy: ContradictionPolicy,
    now: datetime,
) -> bool:
    try:
        outcome = supersede_memory(principal, older, newer, now, policy=policy.value)
    except InvalidValidityError:
        return False
    details = {BY_POLICY: policy.value}
    close_by_itself(principal.actor, item, ProposalState.APPROVED, outcome, details, now)
    return True


def _open_items(
    organisation_id: UUID, using: str = "default", *, related: bool = True
) -> "QuerySet[Proposal]":
    """Open contradictions that the rules found and that no policy has decided before."""
    rows = Proposal.objects.using(using).filter(
        organisation_id=organisation_id,
        cause=ProposalCause.CONTRADICTION,
        state=ProposalState.OPEN,
        other__isnull=False,
        proposed_by=None,
        robot=None,
    )
    # A language model only puts a pair into the queue.
    rows = rows.exclude(details__has_any_keys=[BY_POLICY, "found_by"])
    return rows.select_related("memory", "other") if related else rows


def _lock_memories(item: Proposal, now: datetime) -> dict[UUID, Memory]:
    """Both memories that hold now, locked, by id; without what is protected or encrypted."""
    rows = Memory.objects.select_for_update(of=("self",)).filter(
        holds_q(now),
        organisation_id=item.organisation_id,
        audience_id=item.audience_id,
        id__in=[item.memory_id, item.other_id],
        superseded_by=None,
        red_line=False,
        sensitive=False,
    )
    found = rows.active(now).select_related("audience", "speaker_member", "author").order_by("id")
    return {row.id: row for row in found}


def _find_policy(older: Memory, newer: Memory, now: datetime) -> ContradictionPolicy | None:
    """The policy by which the newer one holds; None if somebody has to decide. Call in a scope that
    reads both."""
    speaker = _common_speaker(older, newer)
    if speaker is None or not _is_said_later(older, newer, now) or not _lasts(older, newer):
        return None
    policy = _policy_for(older.audience, speaker)
    own_name = None
    if policy is ContradictionPolicy.OWN_FACTS:
        own_name = _name_of(newer)
    elif policy is not ContradictionPolicy.SAME_SPEAKER:
        return None
    if not _is_replaced(older, newer, own_name):
        return None
    waits_or_theirs = _wait_otherwise(older, newer) or _are_shared_by_others(older, newer, speaker)
    return None if waits_or_theirs else policy


def _common_speaker(one: Memory, other: Memory) -> UUID | None:
    """`_claimed_speaker`; None also if one records a decision. In a scope that reads both."""
    speaker = _claimed_speaker(one, other)
    return None if speaker is None or is_decision(one) or is_decision(other) else speaker


def _claimed_speaker(one: Memory, other: Memory) -> UUID | None:
    """The member who is proven to have said both memories, in these words, about themselves or
    nobody; None if there is none, or one was made of other memories."""
    speaker = speaking_member_id(one)
    if speaker is None or speaking_member_id(other) != speaker:
        return None
    for memory in (one, other):
        reworded = memory.reworded_by_id or memory.reworded_by_robot_id
        made = is_proposition(memory) or is_summary(memory)
        if reworded or made or memory.member_id not in (None, speaker):
            return None
    return speaker


def _is_said_later(older: Memory, newer: Memory, now: datetime) -> bool:
    before, after = (memory.occurred_at or memory.created_at for memory in (older, newer))
    return before < after <= now


def _lasts(older: Memory, newer: Memory) -> bool:
    """Whether nobody said that the newer one ends, unless both leave at one time."""
    return newer.valid_until is None and newer.expires_at in (None, older.expires_at)


def _policy_for(audience: Audience, speaker: UUID) -> ContradictionPolicy:
    """The policy of the group that reads the memories or in which their list of readers was made.
    What is private to the speaker, or was told by them outside of groups, goes by the default; what
    everyone or a profession reads, and another's private space, asks."""
    if audience.kind in (AudienceType.GROUP, AudienceType.EXPLICIT) and audience.group_id:
        group = Group.objects.get(organisation_id=audience.organisation_id, id=audience.group_id)
        return ContradictionPolicy(group.contradiction_policy)
    own = audience.kind == AudienceType.MEMBER and audience.key == str(speaker)
    if own or audience.kind == AudienceType.EXPLICIT:
        return ContradictionPolicy.OWN_FACTS
    return ContradictionPolicy.ASK


def _name_of(memory: Memory) -> str:
    member = memory.speaker_member or memory.author
    return member.name if member else ""


def _is_replaced(older: Memory, newer: Memory, own_name: str | None) -> bool:
    before, after = read_statement(older.content), read_statement(newer.content)
    if before is None or after is None or not replaces_all(before, after, name=own_name):
        return False
    turns = any(one.conversation or one.type == Type.CONVERSATION for one in (older, newer))
    return is_outdated_by(before, after, one_voice=True, turns=turns)


def _wait_otherwise(older: Memory, newer: Memory) -> bool:
    """Whether a report, a correction or another wish about one of them is open."""
    ids = [older.id, newer.id]
    rows = Proposal.objects.filter(
        Q(memory_id__in=ids) | Q(other_id__in=ids),
        organisation_id=older.organisation_id,
        state=ProposalState.OPEN,
    )
    return rows.exclude(cause__in=_HARMLESS_CAUSES).exists()


def _are_shared_by_others(older: Memory, newer: Memory, speaker: UUID) -> bool:
    """Whether anybody but the speaker published one of them to its readers: a copy that somebody
    approved, or a memory that somebody shared. Only the audit trail keeps who did."""
    rows = AuditEntry.objects.filter(
        organisation_id=older.organisation_id,
        action="memory.shared",
        target__in=[older.id, newer.id],
    )
    return rows.exclude(member=speaker, robot=None).exists()
