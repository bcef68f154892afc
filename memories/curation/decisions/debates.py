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

from memories.access.permissions import NotYours
from memories.access.references import References
from memories.access.visibility import Misplaced, effective_visibility
from memories.curation.decisions.models import Debate, DebateState
from memories.curation.decisions.prepare import Preparation, prepared
from memories.curation.decisions.record import (
    NO_WORDS,
    NOT_READABLE,
    BadDecision,
    DecisionDraft,
    RecordedDecision,
    record_decision,
    writer,
)
from memories.curation.decisions.rules import words_of_topic
from memories.curation.decisions.voices import ROBOT_MARK, Voices
from memories.ingestion.drafts import Draft, Refused, Remembered
from memories.ingestion.gates import DraftGates
from memories.ingestion.placement import DraftPlacer
from memories.ingestion.remember import remember_many
from memories.jobs.models import JobKind
from memories.jobs.organisation_queue import curators_audience, new_job
from memories.jobs.queue import hint
from memories.retrieval.answer_rows import answer_rows
from memories.retrieval.answering.recorded import recorded
from memories.retrieval.feedback import give_feedback, tell_outcome
from memories.retrieval.models import Recall
from memories.retrieval.recall import Query, RecallAnswer, recall
from memories.safety.refusals import noting_refusals, refuse
from memories.store.lineage import NAMED
from memories.store.models.choices import Tier
from orgs import audit
from orgs.database.rls import deposit_scope, organisation_scope
from orgs.errors import AlreadyExists, NotFound
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

# The tiers from which a meeting gets memories: not the fast one, which holds what was said just
# now.
GIVEN = (Tier.SLOW, Tier.MEDIUM)
OVER = "This debate has its outcome already."
ANOTHERS = "Whoever opened a debate goes on with it."


@dataclass(frozen=True, slots=True)
class OpenedDebate:
    """Phase 0. answer: the memories that the topic recalls, with the id for feedback."""

    debate: Debate
    answer: RecallAnswer
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
class Criticised:
    """Phase 2. surprises: (memory, surprise in 0-1) of the used memories, in their order."""

    remembered: list[Remembered]
    surprises: list[tuple[UUID, float]]


@dataclass(frozen=True, slots=True)
class DebateOutcome:
    """Phase 7. updated: the memories that got the result as feedback. job: the consolidation that
    waits."""

    decision: RecordedDecision
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
) -> OpenedDebate:
    """Begin a debate, with the memories of the tiers GIVEN about its topic and the text of
    `prepare`.

    Only the debate and the record of the recall are written. Raises what `remember` raises for such
    an audience, BadDecision, HeldBack, and Misplaced for an audience that the caller does not read.
    """
    if not words_of_topic(topic):
        raise BadDecision(NO_WORDS)
    with noting_refusals(actor, now, target_type="debate"), transaction.atomic():
        with organisation_scope(actor.organisation_id):
            place = Draft(content=topic, visibility=visibility, group=group, member=member)
            placer = DraftPlacer(actor, now)
            placement = placer.place(place)
            gates = DraftGates(placer)
            given, familiar = gates.given(place, placement)
            refuse(gates.gate, topic, given, familiar=familiar)
        query = Query(
            text=topic,
            limit=limit,
            group=group,
            member=member,
            filters={"tiers": [str(tier) for tier in GIVEN]},
        )
        answer = recall(actor, query, now=now, load=answer_rows)
        principal = writer(actor, member=member, group=group)
        if placement.audience_id not in principal.audiences:
            raise Misplaced(NOT_READABLE)
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
            _note(principal, "debate.opened", debate, now)
        asker = resolve(act(actor, member=member, group=group))
        with asker.scope():
            preparation = prepared(asker, topic, now=now)
    return OpenedDebate(debate, answer, preparation)


def criticise(
    actor: Actor,
    debate_id: UUID,
    critiques: Sequence[Critique],
    *,
    used: Sequence[UsedMemory] = (),
    recall_id: UUID | None = None,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> Criticised:
    """Remember critiques in the fast tier, for the readers of the debate, and give feedback on the
    memories that they used. All of it or nothing.

    recall_id: the caller's recall that served these memories; by default the one that began the
    debate. Raises NotFound for a debate, a recall or a hit that is not the caller's, NotYours,
    AlreadyExists if the debate is over or a hit has feedback already, and what `remember` raises.
    """
    with transaction.atomic():
        principal, debate = _going_on(actor, debate_id, member, group)
        with organisation_scope(actor.organisation_id):
            voices = Voices(principal.actor, debate.group, References(principal.actor))
            drafts = [_draft(actor, debate, one, voices, used, now) for one in critiques]
        outcomes = remember_many(actor, drafts, now=now)
        for outcome in outcomes:
            if isinstance(outcome, Refused):
                raise outcome.error
        surprises = [(one.memory, _told(actor, debate, one, recall_id, now)) for one in used]
        with principal.scope():
            _note(
                principal,
                "debate.criticised",
                debate,
                now,
                critiques=len(drafts),
                used=len(surprises),
            )
    return Criticised([one for one in outcomes if isinstance(one, Remembered)], surprises)


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
) -> DebateOutcome:
    """Record the decision of a debate in the slow tier, for the readers of the debate, and close
    it.

    Topic, group, member and visibility of the draft are replaced by the debate's. result: success
    or failure, given as feedback on each memory of `draft.based_on` that the recall served. A
    consolidation of the debate's audience is queued. Raises NotFound, NotYours, AlreadyExists the
    second time, and what `record_decision` raises.
    """
    with transaction.atomic():
        principal, debate = _going_on(actor, debate_id, member, group)
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
        updated = _turned_out(actor, debate, draft.based_on, result, recall_id, now)
        with principal.scope():
            Debate.objects.filter(organisation_id=actor.organisation_id, id=debate.id).update(
                state=DebateState.CLOSED, decision_id=made.id, closed_at=now
            )
            _note(principal, "debate.closed", debate, now, decision=str(made.id))
        job = _owe_consolidation(principal, debate, now)
    return DebateOutcome(made, updated, job)


def get_debate(
    actor: Actor, debate_id: UUID, *, member: str | None = None, group: str | None = None
) -> Debate:
    """One debate. Raises NotFound."""
    principal = resolve(act(actor, member=member, group=group))
    with principal.scope():
        return _fetch(principal, debate_id)


def _fetch(principal: Principal, debate_id: UUID, *, lock: bool = False) -> Debate:
    rows = Debate.objects.filter(organisation_id=principal.organisation_id, id=debate_id)
    if lock:
        rows = rows.select_for_update(of=("self",))
    found = rows.select_related("group").first()
    if found is None:
        raise NotFound("no such debate")
    return found


def _going_on(
    actor: Actor, debate_id: UUID, member: str | None, group: str | None
) -> tuple[Principal, Debate]:
    """The open debate of the caller, locked to the end of the transaction."""
    principal = resolve(act(actor, member=member, group=group))
    with principal.scope():
        debate = _fetch(principal, debate_id, lock=True)
    opened_by = debate.member_id if actor.is_person else debate.robot_id
    caller = actor.member_id if actor.is_person else actor.robot_id
    if opened_by != caller or (actor.is_person and debate.robot_id is not None):
        raise NotYours(ANOTHERS)
    if debate.state != DebateState.OPEN:
        raise AlreadyExists(OVER)
    return principal, debate


def _draft(
    actor: Actor,
    debate: Debate,
    one: Critique,
    voices: Voices,
    used: Sequence[UsedMemory],
    now: datetime,
) -> Draft:
    by = one.by or ""
    return Draft(
        content=one.content,
        # A robot cannot be a speaker, so only its name is given.
        speaker=voices.speaking(by).name if by.startswith(ROBOT_MARK) else by,
        visibility=debate.visibility,
        group=debate.group_id,
        member=None if actor.is_person else debate.member_id,
        topic=debate.topic,
        tier=Tier.FAST,
        source={"debate": str(debate.id), NAMED: [str(said.memory) for said in used]},
        occurred_at=now,
    )


def _told(
    actor: Actor, debate: Debate, one: UsedMemory, recall_id: UUID | None, now: datetime
) -> float:
    served = recall_id or debate.recall_id
    if served is None:
        raise NotFound("no such answer")
    learned = give_feedback(
        actor, recall_id=served, memory_id=one.memory, usefulness=one.usefulness, now=now
    )
    return learned.surprise


def _turned_out(
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
    with resolve(actor).scope():
        record = Recall.objects.filter(organisation_id=actor.organisation_id, id=served).first()
    if record is None:
        if recall_id is not None:
            raise NotFound("no such answer")
        return []
    hits = {hit.id for hit in recorded(record.hits)}
    updated = []
    for memory_id in dict.fromkeys(references):
        if memory_id not in hits:
            continue
        with suppress(NotFound):
            tell_outcome(actor, recall_id=served, memory_id=memory_id, outcome=result, now=now)
            updated.append(memory_id)
    return updated


def _owe_consolidation(principal: Principal, debate: Debate, now: datetime) -> UUID:
    """Queue a consolidation of the debate's audience in the same transaction. Returns the job's
    id."""
    audience_id = curators_audience(debate.organisation_id)
    job = new_job(
        debate.organisation_id,
        JobKind.CONSOLIDATE,
        audience_id,
        now,
        parameters={"audience": str(debate.audience_id)},
    )
    with principal.scope(), deposit_scope([audience_id]):
        job.save(force_insert=True)
        audit.record(
            "job.consolidate", actor=principal.actor, now=now, target=job.id, target_type="job"
        )
    hint(job)
    return job.id


def _note(principal: Principal, action: str, debate: Debate, now: datetime, **detail: Any) -> None:
    audit.record(
        action, actor=principal.actor, now=now, target=debate.id, target_type="debate", **detail
    )
