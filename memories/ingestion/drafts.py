"""What a caller wants remembered, before anything is decided about it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.readers_named import NamedReaders

MAX_CONTENT_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePlacement:
    """What is settled already for a memory of a message; made by the product, never by a caller.

    subject: whom it is about. listeners: members who were addressed.
    """

    audience_id: UUID
    audience_kind: str
    speaker: str
    speaker_id: UUID | None
    listeners: tuple[UUID, ...] = ()
    subject: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One item of a remember call; references as the caller gave them, ids from inside.

    red_line: it is to be protected; whether it is, is decided by who may. sanitise: where a gate
    finds something personal, it is taken out and the rest is kept at once.
    """

    content: str
    visibility: str | None = None
    readers: NamedReaders = field(default_factory=NamedReaders)
    group: str | UUID | None = None
    member: str | UUID | None = None
    listeners: tuple[str, ...] = ()
    speaker: str = ""
    robot: str | None = None
    occurred_at: datetime | None = None
    key: str | None = None
    kind: str | None = None
    type: str = "fact"
    category: str = ""
    topic: str = ""
    tier: str = "slow"
    importance: float | None = None
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)
    conversation: str | None = None
    position: int | None = None
    expires_at: datetime | None = None
    sensitive: bool = False
    shareable: bool = False
    red_line: bool = False
    red_line_reason: str = ""
    sanitise: bool = False
    heard: MessagePlacement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of a draft. For a deposit it never tells what was there before."""

    id: UUID
    status: str
    audience_kind: str
    audience_id: UUID
    audience_label: str = ""
    deduplicated: bool = False
    remember_count: int = 1
    embedding: str = "pending"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a draft was not taken."""

    error: Exception


Outcome = Remembered | Refused
