"""Make a row from a draft and its placement."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from memories.ingestion.draft_gates import GateResult
from memories.ingestion.drafts import Draft
from memories.ingestion.importance import default_importance, mentions_name
from memories.ingestion.placement import Placement, PlacementResolver
from memories.store.models.memory import Memory
from orgs.database.bulk_insert import build_row
from orgs.models.base import day_id, first_of_day, new_id

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ResolvedDraft:
    """A draft with its placement.

    hash: by which equal texts are recognised. older_hashes: of the same text with older keys, if it
    is sensitive. gated: the verdict of the gates, if they looked at it. teaches: a persona, an
    industry or a role reads it or shall.
    """

    index: int
    draft: Draft
    placement: Placement
    hash: bytes
    older_hashes: tuple[bytes, ...] = ()
    gated: GateResult | None = None
    teaches: bool = False

    @property
    def hashes(self) -> tuple[bytes, ...]:
        return (self.hash, *self.older_hashes)

    def without_key(self) -> "ResolvedDraft":
        return replace(self, draft=replace(self.draft, key=None))

    @property
    def key(self) -> str | None:
        return self.draft.key

    @property
    def supersedes(self) -> tuple[UUID, ...]:
        return self.draft.supersedes

    @property
    def conversation(self) -> str | None:
        return self.draft.conversation

    @property
    def occurred_at(self) -> datetime | None:
        return self.draft.occurred_at


def build_memory(placer: PlacementResolver, item: ResolvedDraft, now: datetime) -> Memory:
    """The row of an item, not stored yet."""
    draft, placement = item.draft, item.placement
    actor = placement.principal.actor
    importance = draft.importance
    if importance is None:
        importance = default_importance(
            type=draft.type,
            category=draft.category,
            mentions_robot=mentions_name(placer.robot.name, draft.content),
        )
    return build_row(
        Memory,
        id=_lesson_id(placer, placement) if item.teaches else new_id(),
        organisation_id=actor.organisation_id,
        audience_id=placement.audience_id,
        status=placement.status,
        kind=placement.kind,
        type=draft.type,
        category=draft.category,
        first_tier=draft.tier,
        content=draft.content,
        content_hash=item.hash,
        key=item.key,
        topic=draft.topic,
        tags=list(draft.tags),
        metadata=draft.metadata,
        source=draft.source,
        robot_id=placer.robot.id,
        group_id=actor.group_id,
        member_id=placement.member_id,
        author_id=actor.member_id if actor.is_person else None,
        speaker=placement.speaker,
        speaker_member_id=placement.speaker_member_id,
        listeners=list(placement.listeners),
        conversation=draft.conversation,
        position=_turn_position(draft, now),
        deposited_by=placer.robot.id if placement.is_deposit else None,
        proposed_audience_id=placement.proposed_audience_id,
        held_for=placement.held_for,
        importance=importance,
        confidence=draft.confidence,
        sensitive=draft.sensitive,
        shareable=draft.shareable,
        occurred_at=draft.occurred_at,
        expires_at=draft.expires_at,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        created_at=now,
        updated_at=now,
    )


def _lesson_id(placer: PlacementResolver, placement: Placement) -> UUID:
    """An id for what a profession reads or shall read."""
    where = placement.audience_id
    if where not in placer.latest:
        placer.latest[where] = latest_of_day(placer.organisation.id, where, placer.now)
    return day_id(placer.now, after=placer.latest[where])


def latest_of_day(organisation_id: UUID, audience_id: UUID, now: datetime) -> UUID | None:
    """The highest id that this audience reads of those that tell this day alone; call in a scope
    that reads it."""
    first = first_of_day(now)
    rows = Memory.objects.filter(
        organisation_id=organisation_id,
        audience_id=audience_id,
        id__gte=first,
        id__lt=UUID(int=first.int + (1 << 80)),
    )
    return rows.order_by("-id").values_list("id", flat=True).first()


def _turn_position(draft: Draft, now: datetime) -> int:
    """The position of a turn in its conversation: the given number, else its time in µs."""
    if draft.position is not None:
        return draft.position
    at = draft.occurred_at or now
    return int((at - EPOCH).total_seconds() * 1_000_000)
