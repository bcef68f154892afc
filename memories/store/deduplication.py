"""When two items are the same memory."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from orgs.names.unicode_normalisation import normalise_unicode


class Identifiable(Protocol):
    """What is compared: an item's explicit key, conversation and time."""

    @property
    def key(self) -> str | None: ...
    @property
    def conversation(self) -> str | None: ...
    @property
    def occurred_at(self) -> datetime | None: ...


Row = TypeVar("Row", bound=Identifiable)


def content_hash(content: str, *, speaker: str, subject: UUID | None) -> bytes:
    """32 bytes over text, speaker and subject; spelling variants of one text are one."""
    text = normalise_unicode(content).strip()
    return hashlib.sha256(
        "\x1f".join([text, speaker.strip(), str(subject or "")]).encode()
    ).digest()


def is_repeat(item: Identifiable, earlier: Identifiable) -> bool:
    """Whether an item of equal hash says nothing that sets it apart from the earlier one."""
    return all(
        mine is None or mine == theirs
        for mine, theirs in (
            (item.key, earlier.key),
            (item.conversation, earlier.conversation),
            (item.occurred_at, earlier.occurred_at),
        )
    )


def find_repeat(item: Identifiable, earlier: Iterable[Row]) -> Row | None:
    """The first of the earlier rows that the item repeats."""
    return next((row for row in earlier if is_repeat(item, row)), None)
