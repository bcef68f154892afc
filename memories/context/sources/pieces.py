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
    as a memory. more: further fields of its citation. said: the words of a memory or a message.
    key, audience: the key and the audience kind of a memory. of_block: it comes from a block, which
    every context has. message: the message that a memory was made of, or the memory that was made
    of a mail; of the two a context has one. dates: what its relative times mean, which stand in the
    head if the budget is not small. place: where it stands among the pieces of its section that are
    in the text, the lowest first. before, after: the turn that it answers, and the one that answers
    it, which stand beside it if there is room. score: how well it answers, 0-1, or any number that
    falls in the wanted order; weak: whether others that answer as well come first.
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
    message: UUID | None = None
    dates: tuple[str, ...] = ()
    place: int = 0
    before: "ContextPiece | None" = None
    after: "ContextPiece | None" = None
    score: float = 0.0
    weak: bool = False

    @property
    def origins(self) -> frozenset[UUID]:
        """What its words come from: two pieces with a common origin say the same."""
        return frozenset(filter(None, (self.id, self.message))) if self.said else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSection:
    """The pieces of one source, best first.

    share: the part of the budget (0-1) that the section may fill before the section that fills the
    context. fills: whether it is that one, which gets what all others leave. most: how many pieces
    it may have at most.
    """

    name: str
    title: str
    share: float
    status: str
    pieces: Sequence[ContextPiece] = ()
    fills: bool = False
    most: int | None = None
