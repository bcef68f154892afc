"""A memory as a line of a context."""

from datetime import date
from typing import Any

from memories.access.audience_labels import memory_audience_label
from memories.context.sources.pieces import ContextPiece
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import attribution_of

MEMORY = "memory"


def build_memory_piece(memory: Memory, **more: Any) -> ContextPiece:
    """The piece of a memory that came `with_names`: when, whose words, until when it was true, and
    what.

    more: further fields of the citation.
    """
    day = memory.occurred_at or memory.created_at
    said = attribution_of(memory)
    over = f"was true until {_format_day(memory.valid_until.date())}" if memory.valid_until else ""
    return ContextPiece(
        head=(_format_day(day.date()), *said.head, over),
        text=memory.content,
        type=MEMORY,
        id=memory.id,
        more={
            "audience": {"kind": memory.audience.kind, "label": memory_audience_label(memory)},
            **said.citation,
            **more,
        },
        said=memory.content,
        key=memory.key,
        audience=memory.audience.kind,
    )


def _format_day(day: date) -> str:
    return day.isoformat()
