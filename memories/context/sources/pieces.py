"""The values that pass from the sources to the text of a context. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

# What became of a source.
OK, EMPTY, OFF, FAILED, TIMED_OUT = STATUSES = ("ok", "empty", "off", "failed", "timed_out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One thing that a context may say.

    type, id: what it cites, such as a memory. more: what else its citation tells. said, key,
    audience: of a memory its words, its key and the kind of its audience. of_block: it stands in a
    block, and so in every context.
    """

    text: str
    type: str
    id: UUID
    more: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    key: str | None = None
    audience: str = ""
    of_block: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What one source gave, best first. share: of the budget, 0-1, that the others leave to it."""

    name: str
    title: str
    share: float
    status: str
    pieces: Sequence[Piece] = ()
