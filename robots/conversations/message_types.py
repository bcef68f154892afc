"""What a poster sends, and what became of it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from orgs.database.answer_size import LONGEST_TEXT_BYTES
from orgs.errors import existing_members

MAX_CONTENT_BYTES = LONGEST_TEXT_BYTES


class MessageConflictError(Exception):
    """The external id names another text in this conversation; both stay as they were."""

    def __init__(self, existing: UUID) -> None:
        super().__init__(
            "This external id already names a message with another text here. Choose another."
        )
        self.more = existing_members(existing)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """One message as it was posted; names and references as the poster gave them.

    speaker: the stable reference of who said it (an id, platform:identifier or a bare name);
    speaker_name: how they were shown at the time. Without a speaker the poster itself speaks.
    valid_from, valid_until, supersedes: of the memory that is made of it.
    """

    content: str
    external_id: str | None = None
    role: str | None = None
    speaker: str = ""
    speaker_name: str = ""
    mentions: tuple[str, ...] = ()
    reply_to: str | None = None
    sent_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    supersedes: tuple[UUID, ...] = ()

    @property
    def states_validity(self) -> bool:
        """Whether it says when it holds or what it replaces."""
        return bool(self.valid_from or self.valid_until or self.supersedes)


@dataclass(frozen=True, slots=True)
class MessageMemory:
    """The memory that was made from a message, or why there is none. notes: see
    `PostMessageResult`."""

    memory: UUID | None
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PostMessageResult:
    """What became of a message. notes: sentences on what was stored differently from what was
    sent."""

    id: UUID
    known: bool
    promoted: MessageMemory
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RejectedMessage:
    """Why a message was not taken."""

    error: Exception


Outcome = PostMessageResult | RejectedMessage
