"""Make a row from a draft and its placement."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from memories.ingestion.drafts import Draft
from memories.ingestion.gates import Gated
from memories.ingestion.importance import default_importance, mentions
from memories.ingestion.placement import DraftPlacer, Placement
from memories.store.models.memory import Memory
from orgs.database.bulk import new_row
from orgs.models.base import new_id

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Item:
    """A draft with its placement.

    hash: by which equal texts are recognised. older_hashes: of the same text with older keys, if it
    is sensitive. gated: the verdict of the gates, if they looked at it.
    """

    index: int
    draft: Draft
    placement: Placement
    hash: bytes
    older_hashes: tuple[bytes, ...] = ()
    gated: Gated | None = None

    @property
    def hashes(self) -> tuple[bytes, ...]:
        return (self.hash, *self.older_hashes)

    def without_key(self) -> "Item":
        return replace(self, draft=replace(self.draft, key=None))

    @property
    def key(self) -> str | None:
        return self.draft.key

    @property
    def conversation(self) -> str | None:
        return self.draft.conversation

    @property
    def occurred_at(self) -> datetime | None:
        return self.draft.occurred_at


def compose(placer: DraftPlacer, item: Item, now: datetime) -> Memory:
    """The row of an item, not stored yet."""
    draft, placement = item.draft, item.placement
    actor = placement.principal.actor
    importance = draft.importance
    if importance is None:
        importance = default_importance(
            type=draft.type,
            category=draft.category,
            mentions_robot=mentions(placer.robot.name, draft.content),
        )
    return new_row(
        Memory,
        id=placer.lesson_id(placement) if placement.teaches else new_id(),
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
        position=_position(draft, now),
        deposited_by=placer.robot.id if placement.is_deposit else None,
        proposed_audience_id=placement.proposed_audience_id,
        held_for=placement.held_for,
        importance=importance,
        confidence=draft.confidence,
        sensitive=draft.sensitive,
        shareable=draft.shareable,
        occurred_at=draft.occurred_at,
        expires_at=draft.expires_at,
        created_at=now,
        updated_at=now,
    )


def _position(draft: Draft, now: datetime) -> int:
    """The position of a turn in its conversation: the given number, else its time in µs."""
    if draft.position is not None:
        return draft.position
    at = draft.occurred_at or now
    return int((at - EPOCH).total_seconds() * 1_000_000)
