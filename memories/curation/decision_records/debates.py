"""Debates: calls for a program that runs meetings.

A debate begins with what is known (phase 0). Its critiques are remembered in the fast tier (phase
2). Its outcome becomes a decision in the slow tier (phase 7).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.access.permissions import ChangeForbiddenError
from memories.access.references import ReferenceLookup
from memories.access.visibility import MemoryRequestError, effective_visibility
from memories.curation.decision_records.models import Debate, DebateState
from memories.curation.decision_records.prepare_decision import (
    Preparation,
    prepare_decision_in_scope,
)
from memories.curation.decision_records.record_decision import (
    DECISION_NOT_READABLE,
    TOPIC_WITHOUT_WORDS,
    DecisionDraft,
    InvalidDecisionError,
    RecordDecisionResult,
    record_decision,
    resolve_writer,
)
from memories.curation.decision_records.topic_rules import topic_words
from memories.curation.decision_records.voice_attribution import ROBOT_PREFIX, AttributionResolver
from memories.ingestion.draft_gates import DraftGates
from memories.ingestion.drafts import Draft, DraftRefusal, RememberResult
from memories.ingestion.placement import PlacementResolver
from memories.ingestion.remember import remember_many
from memories.jobs.job_queue import notify_after_commit
from memories.jobs.models import JobType
from memories.jobs.organisation_run import build_job, ensure_curators_audience
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.answering.confidence import parse_recorded_hits
from memories.retrieval.feedback import record_feedback, record_outcome
from memories.retrieval.models import Recall
from memories.retrieval.recall import RecallResult, recall
from memories.retrieval.resolve_filters import Query
from memories.safety.gate_refusals import record_refusals, require_passing
from memories.store.models.choices import Tier
from memories.store.models.memory import SOURCE_IDS_KEY
from orgs import audit
from orgs.database.rls import insert_scope, organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

# The tiers from which a meeting gets memories: not the fast one, which holds what was said just
# now.
OPENING_TIERS = (Tier.SLOW, Tier.MEDIUM)
DEBATE_CLOSED = "This debate has its outcome already."
NOT_OPENER = "Whoever opened a debate goes on with it."


@dataclass(frozen=True, slots=True)
class OpenDebateResult:
    """Phase 0. answer: the memories that the topic recalls, with the id for feedback."""

    debate: Debate
    answer: RecallResult
    preparation: Preparation


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """by: as the `by` of a dissent; without it the critique has no speaker."""

    content: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedMemory:
    """A memory that a critique used. usefulness: 0-1."""

    memory: UUID
    usefulness: float


@dataclass(frozen=True, slots=True)
class CritiqueResult:
    """Phase 2. surprises: (memory, surprise in 0-1) of the used memories, in their order."""

    remembered: list[RememberResult]
    surprises: list[tuple[UUID, float]]


@dataclass(frozen=True, slots=True)
class CloseDebateResult:
    """Phase 7. updated: the memories that got the result as feedback. job: the consolidation that
    waits."""

    decision: RecordDecisionResult
    updated: list[UUID]
    job: UUID


def open_debate(
    actor: Actor,
    topic: str,
    *,
    group: str | None = None,
    member: str | None = None,
    visibility: str | None = None,
    limit: int = 10,
    now: datetime,
) -> OpenDebateResult:
    """Begin a debate, with the memories of the tiers GIVEN about its topic and the text of
    `prepare`.

    Only the debate and the record of the recall are written. Raises what `remember` raises for such
    an audience, InvalidDecisionError, GateRefusedError, and MemoryRequestError for an audience that
    the caller does not read.
    """
    if not topic_words(topic):
        raise InvalidDecisionError(TOPIC_WITHOUT_WORDS)
    with record_refusals(actor, now, target_type="debate"), transaction.atomic():
        with organisation_scope(actor.organisation_id):
            place = Draft(content=topic, visibility=visibility, group=group, member=member)
            placer = PlacementResolver(actor, now)
            placement = placer.place(place)
            gates = DraftGates(placer)
            given, familiar = gates.given(place, placement)
            require_passing(gates.gate, topic, given, familiar=familiar)
        query = Query(
            text=topic,
            limit=limit,
            group=group,
            member=member,
            filters={"tiers": [str(tier) for tier in OPENING_TIERS]},
        )
        answer = recall(actor, query, now=now, load=fetch_answer_rows)
        principal = resolve_writer(actor, member=member, group=group)
        if placement.audience_id not in principal.audiences:
            raise MemoryRequestError(DECISION_NOT_READABLE)
        with principal.scope():
            debate = Debate(
                organisation_id=actor.organisation_id,
                audience_id=placement.audience_id,
                group_id=placement.principal.actor.group_id,
                robot_id=actor.robot_id,
                member_id=placement.principal.actor.member_id,
                visibility=effective_visibility(
                    visibility,
                    group=placement.principal.actor.group_id is not None,
                    member=placement.principal.actor.member_id is not None,
                    person=actor.is_person,
                ),
                topic=topic,
                recall_id=answer.recall_id,
                created_at=now,
            )
            debate.save(force_insert=True)
            _record_audit(principal, "debate.opened", debate, now)
        asker = resolve_principal(resolve_actor(actor, member=member, group=group))
        with asker.scope():
            preparation = prepare_decision_in_scope(asker, topic, now=now)
    return OpenDebateResult(debate, answer, preparation)


def add_critiques(
    actor: Actor,
    debate_id: UUID,
    critiques: Sequence[Critique],
    *,
    used: Sequence[UsedMemory] = (),
    recall_id: UUID | None = None,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> CritiqueResult:
    """Remember critiques in the fast tier, for the readers of the debate, and give feedback on the
    memories that they used. All of it or nothing.

    recall_id: the caller's recall that served these memories; by default the one that began the
    debate. Raises NotFoundError for a debate, a recall or a hit that is not the caller's,
    ChangeForbiddenError, AlreadyExistsError if the debate is over or a hit has feedback already,
    and what `remember` raises.
    """
    with transaction.atomic():
        principal, debate = _lock_open_debate(actor, debate_id, member, group)
        with organisation_scope(actor.organisation_id):
            voices = AttributionResolver(
                principal.actor, debate.group, ReferenceLookup(principal.actor)
            )
            drafts = [
                _build_critique_draft(actor, debate, one, voices, used, now) for one in critiques
            ]
        outcomes = remember_many(actor, drafts, now=now)
        for outcome in outcomes:
            if isinstance(outcome, DraftRefusal):
                raise outcome.error
        surprises = [
            (one.memory, _record_usefulness(actor, debate, one, recall_id, now)) for one in used
        ]
        with principal.scope():
            _record_audit(
                principal,
                "debate.criticised",
                debate,
                now,
                critiques=len(drafts),
                used=len(surprises),
            )
    return CritiqueResult([one for one in outcomes if isinstance(one, RememberResult)], surprises)


def close_debate(
    actor: Actor,
    debate_id: UUID,
    draft: DecisionDraft,
    *,
    result: str | None = None,
    recall_id: UUID | None = None,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> CloseDebateResult:
    """Record the decision of a debate in the slow tier, for the readers of the debate, and close
    it.

    Topic, group, member and visibility of the draft are replaced by the debate's. result: success
    or failure, given as feedback on each memory of `draft.based_on` that the recall served. A
    consolidation of the debate's audience is queued. Raises NotFoundError, ChangeForbiddenError,
    AlreadyExistsError the second time, and what `record_decision` raises.
    """
    with transaction.atomic():
        principal, debate = _lock_open_debate(actor, debate_id, member, group)
        made = record_decision(
            actor,
            replace(
                draft,
                topic=debate.topic,
                group=debate.group_id,
                member=None if actor.is_person else debate.member_id,
                visibility=debate.visibility,
            ),
            now=now,
        )
        updated = _record_outcomes(actor, debate, draft.based_on, result, recall_id, now)
        with principal.scope():
            Debate.objects.filter(organisation_id=actor.organisation_id, id=debate.id).update(
                state=DebateState.CLOSED, decision_id=made.id, closed_at=now
            )
            _record_audit(principal, "debate.closed", debate, now, decision=str(made.id))
        job = _enqueue_consolidation(principal, debate, now)
    return CloseDebateResult(made, updated, job)


def get_debate(
    actor: Actor, debate_id: UUID, *, member: str | None = None, group: str | None = None
) -> Debate:
    """One debate. Raises NotFoundError."""
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with principal.scope():
        return _get_debate(principal, debate_id)


def _get_debate(principal: Principal, debate_id: UUID, *, lock: bool = False) -> Debate:
    rows = Debate.objects.filter(organisation_id=principal.organisation_id, id=debate_id)
    if lock:
        rows = rows.select_for_update(of=("self",))
    found = rows.select_related("group").first()
    if found is None:
        raise NotFoundError("no such debate")
    return found


def _lock_open_debate(
    actor: Actor, debate_id: UUID, member: str | None, group: str | None
) -> tuple[Principal, Debate]:
    """The open debate of the caller, locked to the end of the transaction."""
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with principal.scope():
        debate = _get_debate(principal, debate_id, lock=True)
    opened_by = debate.member_id if actor.is_person else debate.robot_id
    caller = actor.member_id if actor.is_person else actor.robot_id
    if opened_by != caller or (actor.is_person and debate.robot_id is not None):
        raise ChangeForbiddenError(NOT_OPENER)
    if debate.state != DebateState.OPEN:
        raise AlreadyExistsError(DEBATE_CLOSED)
    return principal, debate


def _build_critique_draft(
    actor: Actor,
    debate: Debate,
    one: Critique,
    voices: AttributionResolver,
    used: Sequence[UsedMemory],
    now: datetime,
) -> Draft:
    by = one.by or ""
    return Draft(
        content=one.content,
        # A robot cannot be a speaker, so only its name is given.
        speaker=voices.speaking(by).name if by.startswith(ROBOT_PREFIX) else by,
        visibility=debate.visibility,
        group=debate.group_id,
        member=None if actor.is_person else debate.member_id,
        topic=debate.topic,
        tier=Tier.FAST,
        source={"debate": str(debate.id), SOURCE_IDS_KEY: [str(said.memory) for said in used]},
        occurred_at=now,
    )


def _record_usefulness(
    actor: Actor, debate: Debate, one: UsedMemory, recall_id: UUID | None, now: datetime
) -> float:
    served = recall_id or debate.recall_id
    if served is None:
        raise NotFoundError("no such answer")
    learned = record_feedback(
        actor, recall_id=served, memory_id=one.memory, usefulness=one.usefulness, now=now
    )
    return learned.surprise


def _record_outcomes(
    actor: Actor,
    debate: Debate,
    references: Sequence[UUID],
    result: str | None,
    recall_id: UUID | None,
    now: datetime,
) -> list[UUID]:
    """Give the result as feedback on the served memories; memories that are gone are skipped.
    Returns their ids."""
    served = recall_id or debate.recall_id
    if result is None or served is None or not references:
        return []
    with resolve_principal(actor).scope():
        record = Recall.objects.filter(organisation_id=actor.organisation_id, id=served).first()
    if record is None:
        if recall_id is not None:
            raise ReferenceNotFoundError("answer", recall_id)
        return []
    hits = {hit.id for hit in parse_recorded_hits(record.hits)}
    updated = []
    for memory_id in dict.fromkeys(references):
        if memory_id not in hits:
            continue
        with suppress(NotFoundError):
            record_outcome(actor, recall_id=served, memory_id=memory_id, outcome=result, now=now)
            updated.append(memory_id)
    return updated


def _enqueue_consolidation(principal: Principal, debate: Debate, now: datetime) -> UUID:
    """Queue a consolidation of the debate's audience in the same transaction. Returns the job's
    id."""
    audience_id = ensure_curators_audience(debate.organisation_id)
    job = build_job(
        debate.organisation_id,
        JobType.CONSOLIDATE,
        audience_id,
        now,
        parameters={"audience": str(debate.audience_id)},
    )
    with principal.scope(), insert_scope([audience_id]):
        job.save(force_insert=True)
        audit.record_entry(
            "job.consolidate", actor=principal.actor, now=now, target=job.id, target_type="job"
        )
    notify_after_commit(job)
    return job.id


def _record_audit(
    principal: Principal, action: str, debate: Debate, now: datetime, **detail: Any
) -> None:
    audit.record_entry(
        action, actor=principal.actor, now=now, target=debate.id, target_type="debate", **detail
    )
