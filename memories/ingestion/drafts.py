"""What a caller wants to be remembered, before any decision about it."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.access.references import ReaderReferences
from memories.access.visibility import MemoryRequestError
from orgs.principals import Principal


class ContentTooLongError(MemoryRequestError):
    """The text of a memory has more bytes than one may have. size: of the text."""

    def __init__(self, size: int) -> None:
        super().__init__(
            f"A memory has at most {settings.MEMORY_MAX_BYTES:,} bytes, and this text has "
            f"{size:,}. Divide it into memories about one matter each, with the same "
            "`conversation`, or keep it elsewhere and say where in `source`."
        )


def check_content_size(text: str) -> None:
    """Raise ContentTooLongError for a text of more than MEMORY_MAX_BYTES in UTF-8."""
    # Few texts have so many characters that their bytes have to be counted.
    if 4 * len(text) > settings.MEMORY_MAX_BYTES:
        size = len(text.encode())
        if size > settings.MEMORY_MAX_BYTES:
            raise ContentTooLongError(size)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePlacement:
    """Facts that are already decided for the memory of a message; set by the product, never by a
    caller.

    subject: the member whom it is about. listeners: the members who were addressed. beside: the
    texts that are served with the message (its metadata).
    """

    audience_id: UUID
    audience_kind: str
    speaker: str
    speaker_id: UUID | None
    listeners: tuple[UUID, ...] = ()
    subject: UUID | None = None
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One item of a remember call; references as callers give them, ids from inside the product.

    red_line: the caller wants it protected; if they may not decide that, it is proposed. sanitise:
    personal data that a gate finds is masked, and the memory is stored at once. told: the member
    told it the writing robot, and both read it; for visibility protected, set by the product.
    valid_from, valid_until: when it holds, if that was said. supersedes: the ids of the memories in
    whose place it holds. import_job: the job for which it is a part of a document; set by the
    product, as are then its conversation, its source and its speaker, the document.
    """

    content: str
    visibility: str | None = None
    readers: ReaderReferences = field(default_factory=ReaderReferences)
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
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    supersedes: tuple[UUID, ...] = ()
    sensitive: bool = False
    shareable: bool = False
    red_line: bool = False
    red_line_reason: str = ""
    sanitise: bool = False
    told: bool = False
    heard: MessagePlacement | None = None
    import_job: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberResult:
    """The result of a draft. For a deposit it never reveals whether the memory existed before.

    proposed: it waits for those who curate, because its writer may only propose to its readers.
    replaced: the memory with this key has the new text. superseded: the memories that it replaced;
    waiting: the items of the review queue about those for which somebody decides that.
    """

    id: UUID
    status: str
    audience_kind: str
    audience_id: UUID
    audience_label: str = ""
    deduplicated: bool = False
    remember_count: int = 1
    embedding: str = "pending"
    proposed: bool = False
    replaced: bool = False
    superseded: tuple[UUID, ...] = ()
    waiting: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftRefusal:
    """Why a draft was not taken."""

    error: Exception


RememberOutcome = RememberResult | DraftRefusal


def with_proposal(principal: Principal, made: RememberResult) -> Principal:
    """The principal of a robot, reading also the memory that it has just proposed, to write the
    parts of it: a proposal waits where its member and those who curate read it."""
    if not made.proposed:
        return principal
    return replace(principal, audiences=principal.audiences | {made.audience_id})
