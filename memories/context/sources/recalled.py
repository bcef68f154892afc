"""The memories that answer the query."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from memories.context.sources.asked import Asked
from memories.context.sources.memory_lines import piece
from memories.context.sources.pieces import Piece
from memories.context.token_budget import Item, ordered
from memories.retrieval.pipeline import search
from memories.retrieval.recall import Query, prepare, whole_memories
from memories.retrieval.types import Hit
from memories.store.conversation_turns import MESSAGE_KEY
from memories.store.models.memory import Memory

# The most memories in a context, with those of earlier sections.
MOST = 20
# This many times the wanted hits are fetched: some are too weak, some are in the context already.
WIDER = 3


def recalled(asked: Asked) -> list[Piece]:
    """The best `max_memories` of at least `min_strength`; with those of earlier sections at most
    MOST. Memories of messages that an earlier section quotes are left out."""
    query = asked.query
    room = max(0, min(query.max_memories, MOST - len(asked.memories)))
    served = search(prepare(asked.principal, _query(asked), asked.now))
    strong = [hit for hit in served.hits if hit.strength >= query.min_strength]
    asked.weak = len(served.hits) - len(strong)
    rows = whole_memories(asked.principal.organisation_id, [hit.id for hit in strong])
    asked.served = replace(served, hits=[hit for hit in strong if hit.id in rows])
    new = [hit for hit in asked.served.hits if not _stands(asked, rows[hit.id])]
    chosen = _in_order(asked, new[:room], rows)
    asked.memories.update(hit.id for hit in chosen)
    return [piece(rows[hit.id], score=round(hit.score, 6)) for hit in chosen]


def _query(asked: Asked) -> Query:
    query = asked.query
    return Query(
        text=query.text,
        limit=max(1, WIDER * min(query.max_memories, MOST)),
        include_shared=query.include_shared,
        shared_limit=query.shared_limit,
        prefer_personal=query.prefer_personal,
        filters={"categories": query.categories},
    )


def _stands(asked: Asked, memory: Memory) -> bool:
    """Whether an earlier section has it, or the message that it was made from."""
    said = (memory.key or "").startswith(MESSAGE_KEY)
    return (
        memory.id in asked.memories
        or memory.id in asked.entries
        or (said and (memory.key or "").removeprefix(MESSAGE_KEY) in map(str, asked.messages))
    )


def _in_order(asked: Asked, hits: list[Hit], rows: Mapping[UUID, Memory]) -> list[Hit]:
    """The hits by relevance, or in the wanted order of `token_budget`."""
    if asked.query.order is None:
        return hits
    known = {hit.id: hit for hit in hits}
    items = [_item(rows[hit.id]) for hit in hits]
    return [known[item.id] for item in ordered(items, asked.query.order, now=asked.now)]


def _item(memory: Memory) -> Item:
    return Item(
        id=memory.id,
        tokens=0,
        importance=memory.importance,
        access_count=memory.access_count,
        added_at=memory.created_at,
        last_used_at=memory.last_accessed_at or memory.created_at,
    )
