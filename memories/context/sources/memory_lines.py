"""A memory as a line of a context."""

from datetime import date
from typing import Any

from memories.access.audience_labels import audience_label
from memories.context.sources.pieces import Piece
from memories.store.models.memory import Memory

MEMORY = "memory"


def piece(memory: Memory, **more: Any) -> Piece:
    """The piece of a memory that came `with_names`: when, who said it, what, and until when it was
    true.

    more: further fields of the citation.
    """
    day = memory.occurred_at or memory.created_at
    said_by = memory.speaker_member.name if memory.speaker_member else memory.speaker
    about = ", ".join(one for one in (_day(day.date()), plain(said_by)) if one)
    over = f" (was true until {_day(memory.valid_until.date())})" if memory.valid_until else ""
    return Piece(
        text=f"({about}) {memory.content}{over}",
        type=MEMORY,
        id=memory.id,
        more={
            "audience": {"kind": memory.audience.kind, "label": audience_label(memory)},
            **more,
        },
        said=memory.content,
        key=memory.key,
        audience=memory.audience.kind,
    )


def plain(name: str) -> str:
    """A name on one line."""
    return " ".join(name.split())


def _day(day: date) -> str:
    return day.isoformat()
