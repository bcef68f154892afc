"""The values that pass from the sources to the text of a context. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

# The states of a source.
OK, EMPTY, OFF, FAILED, TIMED_OUT = STATUSES = ("ok", "empty", "off", "failed", "timed_out")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPiece:
    """One thing that a context may say.

    head: what stands before the text in brackets, such as when and whose words; text: in the words
    of who wrote it. Both are rendered when the context is laid out. type, id: what it cites, such
    as a memory. more: further fields of its citation. said, key, audience: the words, the key and
    the audience kind of a memory. of_block: it comes from a block, which every context has.
    """

    text: str
    type: str
    id: UUID
    head: tuple[str, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    key: str | None = None
    audience: str = ""
    of_block: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSection:
    """The pieces of one source, best first. share: the part of the budget (0-1) reserved for it."""

    name: str
    title: str
    share: float
    status: str
    pieces: Sequence[ContextPiece] = ()
