"""Record a decision: a memory, and the parts that only a decision has."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db import transaction

from memories.access.lookup import changeable, fetch, note
from memories.access.permissions import NotYours, may_change
from memories.access.references import References
from memories.access.visibility import Misplaced, Visibility, effective_visibility
from memories.curation.decisions.dissents import DissentDraft, check_said, dissent_row
from memories.curation.decisions.models import Claim, Decision, Participant
from memories.curation.decisions.parts import named, part_of
from memories.curation.decisions.rules import topic_hash, words_of_topic
from memories.curation.decisions.voices import Voice, Voices, respect_wishes
from memories.curation.supersede import supersede
from memories.ingestion.drafts import Draft, Remembered, with_proposal
from memories.ingestion.remember import remember
from memories.safety.refusals import noting_refusals, refuse_held
from memories.store.lineage import NAMED
from memories.store.models.choices import Category, Status, Tier
from memories.store.models.memory import Memory
from orgs.database.bulk import insert_rows
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExists, NotFound
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act
from robots.access.spoken_for import note_spoken_for

NOT_READABLE = "You could not read this decision yourself. Choose another visibility."
NO_WORDS = "The topic has no words to find it by."
OTHER_READERS = "A decision is superseded by one for the same readers. Nothing was recorded."
CIRCLE = "The older decision came of this one, so this one cannot hold in its place."
ANOTHERS = "Somebody else has remembered just this, and it is not yours to make a decision of."
ALREADY = "That decision was superseded by another already."


class BadDecision(ValueError):
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
class RecordedDecision:
    """status: of its memory; while it waits for a review, the decision is in no list.

    deduplicated: the decision existed already, and nothing was added.
    """

    id: UUID
    status: str
    deduplicated: bool


def opening(topic: str) -> str:
    """How the text of a decision's memory begins; the rest is the conclusion."""
    return f"Decision on {topic}: "


def conclusion_of(memory: Memory) -> str:
    """The conclusion in the text of a decision's memory; the whole text if somebody edited it into
    another form."""
    content: str = memory.content
    return content.removeprefix(opening(memory.topic))


def record_decision(actor: Actor, draft: DecisionDraft, *, now: datetime) -> RecordedDecision:
    """Remember a decision in the tier slow, with its record.

    Raises what `remember` raises, BadDecision for a topic without words, NotFound for a reference
    that the caller does not know, IdentityClaim for words of somebody for whom they may not speak,
    HeldBack for words that a gate refuses, Misplaced if the caller would not read it, and
    what `supersede_decision` raises.
    """
    words = words_of_topic(draft.topic)
    if not words:
        raise BadDecision(NO_WORDS)
    with noting_refusals(actor, now, target_type="decision"), transaction.atomic():
        made = remember(actor, _memory(actor, draft, now), now=now)
        refuse_held(actor, made.status, proposed=made.proposed)
        principal = writer(actor, member=draft.member, group=draft.group, made=made)
        with principal.scope():
            memory = _readable(principal, made.id)
            fresh = not Decision.objects.filter(
                organisation_id=actor.organisation_id, memory_id=memory.id
            ).exists()
            if fresh and not may_change(principal, memory):
                raise NotYours(ANOTHERS)
            if fresh:
                _write(principal, memory, draft, sorted(words), made, now)
            if draft.supersedes is not None:
                supersede_decision(principal, memory, draft.supersedes, now)
    return RecordedDecision(memory.id, memory.status, not fresh)


def writer(
    actor: Actor,
    *,
    member: str | UUID | None,
    group: str | UUID | None,
    made: Remembered | None = None,
) -> Principal:
    """The principal that reads the new memory: a person with all rights, since it may wait for a
    review; a personal robot with what it has just proposed (`made`)."""
    if actor.is_person:
        return resolve(actor)
    principal = resolve(act(actor, member=member, group=group))
    return with_proposal(principal, made) if made is not None else principal


def _memory(actor: Actor, draft: DecisionDraft, now: datetime) -> Draft:
    visibility = effective_visibility(
        draft.visibility,
        group=draft.group is not None,
        member=draft.member is not None or actor.is_person,
        person=actor.is_person,
    )
    everyones = visibility is Visibility.ORGANISATION
    decided_at = draft.decided_at or now
    return Draft(
        content=opening(draft.topic) + draft.conclusion,
        visibility=draft.visibility,
        group=draft.group,
        member=draft.member,
        category=Category.ORG_DECISION if everyones else Category.DECISION,
        topic=draft.topic,
        tier=Tier.SLOW,
        confidence=draft.confidence,
        tags=draft.tags,
        occurred_at=decided_at,
        source={NAMED: [str(id_) for id_ in draft.based_on]} if draft.based_on else {},
        key=draft.key or _key(draft, decided_at),
    )


def _key(draft: DecisionDraft, decided_at: datetime) -> str:
    """A key from the words and the time. With a key a decision is never merged with a similar one,
    and a call that is sent twice is the same decision."""
    said = "\0".join([draft.topic, draft.conclusion, decided_at.isoformat()])
    return f"decision:{sha256(said.encode()).hexdigest()[:32]}"


def _readable(principal: Principal, memory_id: UUID) -> Memory:
    try:
        return fetch(principal, memory_id, lock=True)
    except NotFound:
        raise Misplaced(NOT_READABLE) from None


def _write(
    principal: Principal,
    memory: Memory,
    draft: DecisionDraft,
    words: Sequence[str],
    made: Remembered,
    now: datetime,
) -> None:
    voices = Voices(principal.actor, memory.group, References(principal.actor))
    with organisation_scope(memory.organisation_id):
        by = [*(one.by for one in draft.claims), *(one.by for one in draft.dissents)]
        voices.foresee([*draft.participants, *by])
        present = [voices.taking_part(one) for one in draft.participants]
        claims = [voices.speaking(one.by) if one.by else Voice() for one in draft.claims]
        against = [voices.speaking(one.by) for one in draft.dissents]
        named_voices = [*present, *claims, *against]
        respect_wishes(principal.actor, made.audience_kind, named_voices)
    said = [*(one.text for one in draft.claims), *(one.words for one in draft.dissents)]
    check_said(
        principal.actor,
        memory,
        list(zip(said, [*claims, *against], strict=True)),
        called=[draft.domain, *(one.mere_name for one in present)],
    )
    with organisation_scope(memory.organisation_id):
        note_spoken_for(principal.actor, [one.member_id for one in named_voices], now=now)
    part = part_of(memory)
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
            Participant(id=new_id(), position=at, **named(one), **part)
            for at, one in enumerate(present)
        ]
    )
    insert_rows(
        [
            Claim(id=new_id(), position=at, text=said.text, **named(one), **part)
            for at, (said, one) in enumerate(zip(draft.claims, claims, strict=True))
        ]
    )
    insert_rows(
        [
            dissent_row(principal.actor, part, said, one, at, now)
            for at, (said, one) in enumerate(zip(draft.dissents, against, strict=True))
        ]
    )
    note(
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

    Call in the principal's scope; `newer` is locked. Raises NotFound if the older one is no
    decision that the caller reads, NotYours if they may not change it, Misplaced for other readers,
    for a newer one that waits for a review and for a circle, AlreadyExists if another decision
    replaced it already, and RedLine.
    """
    older = changeable(principal, older_id)
    if not Decision.objects.filter(
        organisation_id=older.organisation_id, memory_id=older.id
    ).exists():
        raise NotFound("no such decision")
    if older.superseded_by_id == newer.id:
        return
    if older.id == newer.id or older.id in successors(newer):
        raise Misplaced(CIRCLE)
    if older.status != Status.ACTIVE or older.superseded_by_id is not None:
        raise AlreadyExists(ALREADY)
    if older.audience_id != newer.audience_id:
        raise Misplaced(OTHER_READERS)
    supersede(principal, older, newer, now)


def successors(memory: Memory) -> set[UUID]:
    """The ids of all successors of a memory, direct and indirect. They share its audience, so all
    are readable."""
    found: set[UUID] = set()
    rows = Memory.objects.filter(organisation_id=memory.organisation_id)
    following = memory.superseded_by_id
    while following is not None and following not in found:
        found.add(following)
        following = rows.filter(id=following).values_list("superseded_by_id", flat=True).first()
    return found
