"""Dissents: add one to a decision, answer one. The words of a dissent never change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memories.access.permissions import (
    ROLE_WRITE_DENIED,
    ChangeForbiddenError,
    get_readable_memory,
    lock_changeable_memory,
    may_publish,
    record_memory_audit,
)
from memories.access.references import ReferenceLookup
from memories.curation.decision_records.models import Decision, Dissent
from memories.curation.decision_records.record_parts import attribution_columns, part_columns
from memories.curation.decision_records.voice_attribution import (
    Attribution,
    AttributionResolver,
    check_consents,
)
from memories.review.changes import DISSENT, Approval, propose_change
from memories.review.models import Proposal
from memories.safety.gate_refusals import record_refusals
from memories.safety.memory_submissions import check_words_of_parts
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.base import id_like
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.spoken_for import note_spoken_for

MAX_DISSENTS = 100
TOO_MANY_DISSENTS = f"A decision has at most {MAX_DISSENTS} dissents."
DECISION_NOT_ACTIVE = "The decision is not active."


@dataclass(frozen=True, slots=True, kw_only=True)
class DissentDraft:
    """kind: one of DissentKind. confidence: 0-1. by: who dissents, as the `speaker` of a memory, or
    robot:<id or name>; by default the writer."""

    kind: str
    content: str
    reasoning: str = ""
    by: str | None = None
    confidence: float = 1.0

    @property
    def words(self) -> str:
        """All that it says, as it is read: one thing after the other."""
        return f"{self.content}\n{self.reasoning}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DissentAnswer:
    """An answer to a dissent. A field that is None stays as it is."""

    acknowledged: bool | None = None
    rebuttal: str | None = None


def add_dissent(
    actor: Actor,
    decision_id: UUID,
    draft: DissentDraft,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> Dissent:
    """Add a dissent to a decision that the caller reads. No review stands before it, so the gates
    do, also for a person who may only propose to its readers.

    Raises NotFoundError, PermissionError for a caller who may not write, ImpersonationError for
    somebody for whom they may not speak, LearningPausedError, SharingOptOutError, GateRefusedError,
    and AlreadyExistsError if the decision is not active or has MOST_DISSENTS.
    """
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    refused = record_refusals(actor, now, target=decision_id)
    with refused, principal.scope():
        memory = get_decision_memory(principal, decision_id, lock=True)
        if actor.only_reads:
            raise PermissionError(ROLE_WRITE_DENIED)
        if memory.status != Status.ACTIVE:
            raise AlreadyExistsError(DECISION_NOT_ACTIVE)
        there = Dissent.objects.filter(
            organisation_id=memory.organisation_id, memory_id=memory.id
        ).count()
        if there >= MAX_DISSENTS:
            raise AlreadyExistsError(TOO_MANY_DISSENTS)
        with organisation_scope(memory.organisation_id):
            voices = AttributionResolver(
                principal.actor, memory.group, ReferenceLookup(principal.actor)
            )
            voice = voices.speaking(draft.by)
            check_consents(principal.actor, memory.audience.kind, [voice])
        check_said(principal.actor, memory, [(draft.words, voice)])
        with organisation_scope(memory.organisation_id):
            note_spoken_for(principal.actor, [voice.member_id], now=now)
        made = build_dissent(principal.actor, part_columns(memory), draft, voice, there, now)
        made.save(force_insert=True)
        record_memory_audit(
            principal, "dissent.added", memory, now, dissent=str(made.id), kind=made.form
        )
        return _dissents_with_names(memory).get(id=made.id)


def answer_dissent(
    actor: Actor,
    decision_id: UUID,
    dissent_id: UUID,
    answer: DissentAnswer,
    *,
    member: str | None = None,
    group: str | None = None,
    now: datetime,
) -> Dissent | Proposal:
    """Acknowledge or rebut a dissent; for those who may edit the decision. Who may not publish to
    its readers proposes the answer, and gets the queue item.

    Raises NotFoundError, ChangeForbiddenError, GateRefusedError, and AlreadyExistsError where the
    decision is not active.
    """
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    with record_refusals(actor, now, target=decision_id), principal.scope():
        get_decision_memory(principal, decision_id)
        memory = lock_changeable_memory(principal, decision_id)
        rows = _dissents_with_names(memory).filter(id=dissent_id)
        found = rows.first()
        if found is None:
            raise NotFoundError("no such dissent")
        if memory.status != Status.ACTIVE:
            raise AlreadyExistsError(DECISION_NOT_ACTIVE)
        changed = _changed_fields(found, answer)
        # Whoever may only propose it has it reviewed.
        if answered := changed.get("rebuttal"):
            check_words_of_parts(memory, principal.actor, [answered], reviewed=True)
        if changed and not may_publish(principal.actor, memory):
            wished = {"dissent": str(found.id), **changed}
            return propose_change(principal, memory, DISSENT, wished, now)
        if changed:
            rows.update(
                **changed,
                answered_at=now,
                answered_by_id=principal.actor.member_id if actor.is_person else None,
                answered_by_robot_id=principal.actor.robot_id,
            )
            record_memory_audit(
                principal,
                "dissent.answered",
                memory,
                now,
                dissent=str(found.id),
                fields=sorted(changed),
            )
        return rows.get() if changed else found


def apply_approved_answer(change: Approval) -> dict[str, Any]:
    """Answer a dissent as proposed, in the decider's name."""
    given = dict(change.given)
    dissent = UUID(given.pop("dissent"))
    answer = DissentAnswer(**given)
    done = answer_dissent(change.decider, change.memory.id, dissent, answer, now=change.now)
    if isinstance(done, Proposal):
        raise ChangeForbiddenError(DECISION_NOT_ACTIVE)
    return {"stays": DISSENT}


def check_said(
    actor: Actor,
    memory: Memory,
    said: Sequence[tuple[str, Attribution]],
    *,
    called: Iterable[str] = (),
) -> None:
    """Raise GateRefusedError for claims or dissents that may not reach the readers of a decision.

    said: each text with whose words it gives. called: further names that are shown with it.
    """
    names = [*called, *(voice.mere_name for _, voice in said)]
    of_members = [text for text, voice in said if voice.member_id]
    others = [text for text, voice in said if not voice.member_id]
    if of_members:
        check_words_of_parts(memory, actor, of_members, of_member=True)
    if others or any(names):
        check_words_of_parts(memory, actor, others, called=names)


def _dissents_with_names(memory: Memory) -> "QuerySet[Dissent]":
    """The dissents on a decision with their members and robots, so that an answer needs no further
    query."""
    rows = Dissent.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id)
    return rows.select_related(*Dissent.NAMED)


def _changed_fields(found: Dissent, answer: DissentAnswer) -> dict[str, Any]:
    """The fields that are given and differ."""
    given = {"acknowledged": answer.acknowledged, "rebuttal": answer.rebuttal}
    return {k: v for k, v in given.items() if v is not None and getattr(found, k) != v}


def get_decision_memory(principal: Principal, decision_id: UUID, *, lock: bool = False) -> Memory:
    """The memory of a decision that the caller reads; in their scope.

    Raises NotFoundError, also for a forgotten decision, even if the caller may restore it.
    """
    memory = get_readable_memory(principal, decision_id, lock=lock)
    is_one = Decision.objects.filter(
        organisation_id=principal.organisation_id, memory_id=memory.id
    ).exists()
    if memory.status == Status.FORGOTTEN or not is_one:
        raise NotFoundError("no such decision")
    return memory


def build_dissent(
    actor: Actor,
    part: Mapping[str, Any],
    draft: DissentDraft,
    voice: Attribution,
    position: int,
    now: datetime,
) -> Dissent:
    """The row of a dissent, not stored yet. part: the columns that bind it to its memory."""
    return Dissent(
        id=id_like(part["memory_id"], now),
        position=position,
        **attribution_columns(voice),
        form=draft.kind,
        content=draft.content,
        reasoning=draft.reasoning,
        confidence=draft.confidence,
        created_at=now,
        noted_by_id=actor.member_id if actor.is_person else None,
        noted_by_robot_id=actor.robot_id,
        **part,
    )
