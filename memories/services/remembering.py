"""Remember: one path for one memory and for a thousand."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.models import Memory, Status
from memories.policies.deduplication import content_hash, find_repeat
from memories.policies.importance import default_importance, mentions
from memories.policies.visibility import Misplaced
from memories.services import writing
from memories.services.drafts import Draft, Outcome, Refused, Remembered
from memories.services.hints import hint_embedding
from memories.services.placing import Desk, Placement
from orgs.principals import Actor
from orgs.services import NotFound, ensure_explicit_audience
from robots.services import IdentityClaim, MissingScope, stamp_activity

REFUSALS = (NotFound, Misplaced, IdentityClaim, MissingScope, PermissionError)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class KeyTaken(Exception):
    """The key names another text in the same audience; both stay as they were."""

    def __init__(self) -> None:
        super().__init__(
            "This key already names a memory with another text. Choose another key, or change "
            "the memory that has it."
        )


@dataclass(frozen=True, slots=True)
class Item:
    """A draft that has its place."""

    index: int
    draft: Draft
    placement: Placement
    hash: bytes

    @property
    def key(self) -> str | None:
        return self.draft.key

    @property
    def conversation(self) -> str | None:
        return self.draft.conversation

    @property
    def occurred_at(self) -> datetime | None:
        return self.draft.occurred_at


def remember(actor: Actor, draft: Draft, *, now: datetime) -> Remembered:
    """Remember one memory. Raises what `remember_many` would have recorded."""
    outcome = remember_many(actor, [draft], now=now)[0]
    if isinstance(outcome, Refused):
        raise outcome.error
    return outcome


def remember_many(actor: Actor, drafts: Sequence[Draft], *, now: datetime) -> list[Outcome]:
    """Remember each draft, in order; one that is refused takes no other with it."""
    desk = Desk(actor, now)
    outcomes: dict[int, Outcome] = {}
    batches: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    with transaction.atomic():
        for index, draft in enumerate(drafts):
            try:
                placement = desk.place(draft)
            except REFUSALS as error:
                outcomes[index] = Refused(error)
                continue
            digest = content_hash(
                draft.content, speaker=placement.speaker, subject=placement.member_id
            )
            batches[
                (placement.principal.actor.member_id, placement.principal.actor.group_id)
            ].append(Item(index, draft, placement, digest))
        for items in batches.values():
            _remember_as(desk, items, outcomes, now)
    return [outcomes[index] for index in range(len(drafts))]


def _remember_as(
    desk: Desk, items: list[Item], outcomes: dict[int, Outcome], now: datetime
) -> None:
    """Write what one principal remembers; retried once if somebody else was a moment faster."""
    principal = items[0].placement.principal
    deposits = {i.placement.audience_id for i in items if i.placement.is_deposit}
    with principal.scope(deposit=tuple(sorted(deposits))):
        try:
            with transaction.atomic():
                found = _write(desk, items, now)
        except IntegrityError:
            found = _write(desk, items, now)
        outcomes.update(found)
        stamp_activity(organisation_id=principal.organisation_id, robot_id=desk.robot.id, now=now)
        hint_embedding(principal.organisation_id)


def _write(desk: Desk, items: list[Item], now: datetime) -> dict[int, Outcome]:
    outcomes: dict[int, Outcome] = {}
    earlier = writing.earlier_rows(items, desk.robot.id)
    fresh: list[Memory] = []
    repeats: dict[UUID, list[Item]] = defaultdict(list)
    for item in items:
        outcome, row = _decide(desk, item, earlier, now)
        outcomes[item.index] = outcome
        if isinstance(outcome, Refused):
            continue
        if outcome.deduplicated:
            repeats[outcome.id].append(item)
        elif row is not None:
            fresh.append(row)
            earlier.add(row)
    writing.insert(fresh, language=desk.organisation.language, now=now)
    counts = writing.repeat({id_: len(same) for id_, same in repeats.items()}, desk.robot.id, now)
    for id_, same in repeats.items():
        for item in same:
            outcomes[item.index] = _remembered(
                item, id_, deduplicated=True, remember_count=counts.get(id_, 1)
            )
    return outcomes


def _decide(
    desk: Desk, item: Item, earlier: writing.Earlier, now: datetime
) -> tuple[Outcome, Memory | None]:
    placement = item.placement
    keyed = earlier.by_key(placement.audience_id, item.key)
    if keyed is not None and bytes(keyed.content_hash) != item.hash:
        if not placement.is_deposit:
            return Refused(KeyTaken()), None
        # A deposit is never told of a conflict; it goes in without the key.
        return _fresh(desk, item, now, key=None)
    same = earlier.by_hash(placement.audience_id, item.hash)
    found = keyed or find_repeat(item, [row for row in same if row.deposited_by is None])
    if placement.is_deposit:
        own = [row for row in same if row.deposited_by == desk.robot.id]
        found = keyed or find_repeat(item, own)
    withdrawn = any(row.forgotten_by_subject for row in same)
    if withdrawn:
        return _ask_subject(desk, item, now)
    if found is None:
        return _fresh(desk, item, now, key=item.key)
    if placement.is_deposit:
        return _remembered(item, found.id), None
    return _remembered(item, found.id, deduplicated=True), None


def _ask_subject(desk: Desk, item: Item, now: datetime) -> tuple[Remembered, Memory]:
    """What its subject forgot comes back only if they say so: it waits where they alone look."""
    outcome, row = _fresh(desk, item, now, key=None)
    subject = item.placement.member_id or item.placement.speaker_member_id
    if subject is None:
        return outcome, row
    row.proposed_audience_id = row.audience_id
    row.audience_id = ensure_explicit_audience(row.organisation_id, [("member", subject)])
    row.status, row.deposited_by = Status.PENDING_REVIEW, desk.robot.id
    if not item.placement.is_deposit:
        outcome = replace(outcome, status=Status.PENDING_REVIEW)
    return outcome, row


def _remembered(item: Item, id_: UUID, **known: object) -> Remembered:
    placement = item.placement
    return Remembered(
        id=id_,
        status=placement.status,
        audience_kind=placement.audience_kind,
        audience_id=placement.audience_id,
        audience_label=placement.audience_label,
        **known,  # type: ignore[arg-type]
    )


def _fresh(desk: Desk, item: Item, now: datetime, *, key: str | None) -> tuple[Remembered, Memory]:
    draft, placement = item.draft, item.placement
    actor = placement.principal.actor
    importance = draft.importance
    if importance is None:
        importance = default_importance(
            type=draft.type,
            category=draft.category,
            mentions_robot=mentions(desk.robot.name, draft.content),
        )
    row = Memory(
        organisation_id=actor.organisation_id,
        audience_id=placement.audience_id,
        status=placement.status,
        kind=placement.kind,
        type=draft.type,
        category=draft.category,
        tier=draft.tier,
        content=draft.content,
        content_hash=item.hash,
        key=key,
        topic=draft.topic,
        tags=list(draft.tags),
        metadata=draft.metadata,
        source=draft.source,
        robot_id=desk.robot.id,
        group_id=actor.group_id,
        member_id=placement.member_id,
        author_id=actor.member_id if actor.is_person else None,
        speaker=placement.speaker,
        speaker_member_id=placement.speaker_member_id,
        listeners=list(placement.listeners),
        conversation=draft.conversation,
        position=_position(draft, now),
        deposited_by=desk.robot.id if placement.is_deposit else None,
        proposed_audience_id=placement.proposed_audience_id,
        importance=importance,
        confidence=draft.confidence,
        sensitive=draft.sensitive,
        shareable=draft.shareable,
        red_line=draft.red_line,
        occurred_at=draft.occurred_at,
        expires_at=draft.expires_at,
        created_at=now,
        updated_at=now,
    )
    return _remembered(item, row.id), row


def _position(draft: Draft, now: datetime) -> int:
    """Where the turn stands in its conversation: the given number, else its time in µs."""
    if draft.position is not None:
        return draft.position
    at = draft.occurred_at or now
    return int((at - EPOCH).total_seconds() * 1_000_000)
