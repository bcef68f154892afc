"""Record a decision: a memory, and the parts that only a decision has."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db import transaction

from memories.access.permissions import (
    ChangeForbiddenError,
    get_readable_memory,
    lock_changeable_memory,
    may_change,
    record_memory_audit,
)
from memories.access.references import ReferenceLookup
from memories.access.visibility import MemoryRequestError, Visibility, effective_visibility
from memories.curation.decision_records.dissents import DissentDraft, build_dissent, check_said
from memories.curation.decision_records.models import Claim, Decision, Participant
from memories.curation.decision_records.record_parts import attribution_columns, part_columns
from memories.curation.decision_records.topic_rules import topic_hash, topic_words
from memories.curation.decision_records.voice_attribution import (
    Attribution,
    AttributionResolver,
    check_consents,
)
from memories.ingestion.drafts import Draft, RememberResult, with_proposal
from memories.ingestion.remember import remember
from memories.safety.gate_refusals import check_not_waiting, record_refusals
from memories.state.supersede_memory import list_successor_ids, supersede_memory
from memories.store.models.choices import Category, Status, Tier
from memories.store.models.memory import SOURCE_IDS_KEY, Memory
from memories.store.version_stamp import stamp_parts
from orgs.database.bulk_insert import insert_rows
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError, ReferenceNotFoundError
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.spoken_for import note_spoken_for

DECISION_NOT_READABLE = "You could not read this decision yourself. Choose another visibility."
TOPIC_WITHOUT_WORDS = "The topic has no words to find it by."
READERS_DIFFER = "A decision is superseded by one for the same readers. Nothing was recorded."
SUPERSEDE_CYCLE = "The older decision came of this one, so this one cannot hold in its place."
MEMORY_NOT_OWN = (
    "Somebody else has remembered just this, and it is not yours to make a decision of."
)
ALREADY_SUPERSEDED = "That decision was superseded by another already."


class InvalidDecisionError(ValueError):
    """The draft is no decision; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimDraft:
    """An argument or a remark. by: as in DissentDraft; without it, it is nobody's in particular."""

    text: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDraft:
    """What was decided; references as the caller gave them.

    confidence: 0-1. based_on: memories that it was made from; those that the caller does not read
    are skipped. supersedes: the decision that it replaces. key: a second call with the same key and
    text means the same decision.
    """

    topic: str
    conclusion: str
    confidence: float = 1.0
    participants: tuple[str, ...] = ()
    agree: int = 0
    disagree: int = 0
    claims: tuple[ClaimDraft, ...] = ()
    dissents: tuple[DissentDraft, ...] = ()
    domain: str = ""
    tags: tuple[str, ...] = ()
    group: str | UUID | None = None
    member: str | UUID | None = None
    visibility: str | None = None
    decided_at: datetime | None = None
    supersedes: UUID | None = None
    based_on: tuple[UUID, ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class RecordDecisionResult:
    """status: of its memory; while it waits for a review, the decision is in no list.

    deduplicated: the decision existed already, and nothing was added.
    """

    id: UUID
    status: str
    deduplicated: bool


def content_prefix(topic: str) -> str:
    """How the text of a decision's memory begins; the rest is the conclusion."""
    return f"Decision on {topic}: "


def conclusion_text(memory: Memory) -> str:
    """The conclusion in the text of a decision's memory; the whole text if somebody edited it into
    another form."""
    content: str = memory.content
    return content.removeprefix(content_prefix(memory.topic))


def record_decision(actor: Actor, draft: DecisionDraft, *, now: datetime) -> RecordDecisionResult:
    """Remember a decision in the tier slow, with its record.

    Raises what `remember` raises, InvalidDecisionError for a topic without words, NotFoundError for
    a reference that the caller does not know, ImpersonationError for words of somebody for whom
    they may not speak, GateRefusedError for words that a gate refuses, MemoryRequestError if the
    caller would not read it, and what `supersede_decision` raises.
    """
    words = topic_words(draft.topic)
    if not words:
        raise InvalidDecisionError(TOPIC_WITHOUT_WORDS)
    with record_refusals(actor, now, target_type="decision"), transaction.atomic():
        made = remember(actor, _build_draft(actor, draft, now), now=now)
        check_not_waiting(actor, made.status, proposed=made.proposed)
        principal = resolve_writer(actor, member=draft.member, group=draft.group, made=made)
        with principal.scope():
            memory = _lock_readable_memory(principal, made.id)
            fresh = not Decision.objects.filter(
                organisation_id=actor.organisation_id, memory_id=memory.id
            ).exists()
            if fresh and not may_change(principal, memory):
                raise ChangeForbiddenError(MEMORY_NOT_OWN)
            if fresh:
                _write_record(principal, memory, draft, sorted(words), made, now)
                if made.deduplicated:
                    stamp_parts(memory, actor, now)
            if draft.supersedes is not None:
                supersede_decision(principal, memory, draft.supersedes, now)
    return RecordDecisionResult(memory.id, memory.status, not fresh)


def resolve_writer(
    actor: Actor,
    *,
    member: str | UUID | None,
    group: str | UUID | None,
    made: RememberResult | None = None,
) -> Principal:
    """The principal that reads the new memory: a person with all rights, since it may wait for a
    review; a personal robot with what it has just proposed (`made`)."""
    if actor.is_person:
        return resolve_principal(actor)
    principal = resolve_principal(resolve_actor(actor, member=member, group=group))
    return with_proposal(principal, made) if made is not None else principal


def _build_draft(actor: Actor, draft: DecisionDraft, now: datetime) -> Draft:
    visibility = effective_visibility(
        draft.visibility,
        group=draft.group is not None,
        member=draft.member is not None or actor.is_person,
        person=actor.is_person,
    )
    everyones = visibility is Visibility.ORGANISATION
    decided_at = draft.decided_at or now
    return Draft(
        content=content_prefix(draft.topic) + draft.conclusion,
        visibility=draft.visibility,
        group=draft.group,
        member=draft.member,
        category=Category.ORG_DECISION if everyones else Category.DECISION,
        topic=draft.topic,
        tier=Tier.SLOW,
        confidence=draft.confidence,
        tags=draft.tags,
        occurred_at=decided_at,
        source={SOURCE_IDS_KEY: [str(id_) for id_ in draft.based_on]} if draft.based_on else {},
        key=draft.key or _default_key(draft, decided_at),
    )


def _default_key(draft: DecisionDraft, decided_at: datetime) -> str:
    """A key from the words and the time. With a key a decision is never merged with a similar one,
    and a call that is sent twice is the same decision."""
    said = "\0".join([draft.topic, draft.conclusion, decided_at.isoformat()])
    return f"decision:{sha256(said.encode()).hexdigest()[:32]}"


def _lock_readable_memory(principal: Principal, memory_id: UUID) -> Memory:
    try:
        return get_readable_memory(principal, memory_id, lock=True)
    except NotFoundError:
        raise MemoryRequestError(DECISION_NOT_READABLE) from None


def _write_record(
    principal: Principal,
    memory: Memory,
    draft: DecisionDraft,
    words: Sequence[str],
    made: RememberResult,
    now: datetime,
) -> None:
    voices = AttributionResolver(principal.actor, memory.group, ReferenceLookup(principal.actor))
    with organisation_scope(memory.organisation_id):
        by = [*(one.by for one in draft.claims), *(one.by for one in draft.dissents)]
        voices.foresee([*draft.participants, *by])
        present = [voices.taking_part(one) for one in draft.participants]
        claims = [voices.speaking(one.by) if one.by else Attribution() for one in draft.claims]
        against = [voices.speaking(one.by) for one in draft.dissents]
        named_voices = [*present, *claims, *against]
        check_consents(principal.actor, made.audience_kind, named_voices)
    said = [*(one.text for one in draft.claims), *(one.words for one in draft.dissents)]
    check_said(
        principal.actor,
        memory,
        list(zip(said, [*claims, *against], strict=True)),
        called=[draft.domain, *(one.mere_name for one in present)],
    )
    with organisation_scope(memory.organisation_id):
        note_spoken_for(principal.actor, [one.member_id for one in named_voices], now=now)
    part = part_columns(memory)
    record = Decision(
        **part,
        topic_hash=topic_hash(words),
        words=list(words),
        domain=draft.domain,
        agree=draft.agree,
        disagree=draft.disagree,
    )
    insert_rows([record])
    insert_rows(
        [
            Participant(id=new_id(), position=at, **attribution_columns(one), **part)
            for at, one in enumerate(present)
        ]
    )
    insert_rows(
        [
            Claim(id=new_id(), position=at, text=said.text, **attribution_columns(one), **part)
            for at, (said, one) in enumerate(zip(draft.claims, claims, strict=True))
        ]
    )
    insert_rows(
        [
            build_dissent(principal.actor, part, said, one, at, now)
            for at, (said, one) in enumerate(zip(draft.dissents, against, strict=True))
        ]
    )
    record_memory_audit(
        principal,
        "decision.recorded",
        memory,
        now,
        claims=len(claims),
        dissents=len(against),
        participants=len(present),
    )


def supersede_decision(principal: Principal, newer: Memory, older_id: UUID, now: datetime) -> None:
    """Replace an older decision by a newer one. Both stay, and each names the other.

    Call in the principal's scope; `newer` is locked. Raises NotFoundError if the older one is no
    decision that the caller reads, ChangeForbiddenError if they may not change it,
    MemoryRequestError for other readers, for a newer one that waits for a review and for a circle,
    AlreadyExistsError if another decision replaced it already, and RedLineError.
    """
    older = lock_changeable_memory(principal, older_id)
    if not Decision.objects.filter(
        organisation_id=older.organisation_id, memory_id=older.id
    ).exists():
        raise ReferenceNotFoundError("decision", older_id)
    if older.superseded_by_id == newer.id:
        return
    if older.id in list_successor_ids(newer.organisation_id, newer.id):
        raise MemoryRequestError(SUPERSEDE_CYCLE)
    if older.status != Status.ACTIVE or older.superseded_by_id is not None:
        raise AlreadyExistsError(ALREADY_SUPERSEDED)
    if older.audience_id != newer.audience_id:
        raise MemoryRequestError(READERS_DIFFER)
    supersede_memory(principal, older, newer, now)
