"""The memories that answer the query."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from memories.context.sources.context_query import ContextBuildState
from memories.context.sources.memory_pieces import build_memory_piece
from memories.context.sources.pieces import ContextPiece
from memories.context.token_budget import WorkingMemoryItem, sort_items
from memories.retrieval.pipeline import run_search
from memories.retrieval.recall import Query, build_request, load_memories
from memories.retrieval.search_types import Hit
from memories.store.conversation_turns import MESSAGE_KEY_PREFIX
from memories.store.models.memory import Memory

# The most memories in a context, with those of earlier sections.
MAX_MEMORIES = 20
# This many times the wanted hits are fetched: some are too weak, some are in the context already.
OVERFETCH_FACTOR = 3


def load_recalled_memories(asked: ContextBuildState) -> list[ContextPiece]:
    """The best `max_memories` of at least `min_strength`; with those of earlier sections at most
    MOST. Memories of messages that an earlier section quotes are left out."""
    query = asked.query
    room = max(0, min(query.max_memories, MAX_MEMORIES - len(asked.memories)))
    served = run_search(build_request(asked.principal, _build_query(asked), asked.now))
    strong = [hit for hit in served.hits if hit.strength >= query.min_strength]
    asked.weak = len(served.hits) - len(strong)
    rows = load_memories(asked.principal.organisation_id, [hit.id for hit in strong])
    asked.served = replace(served, hits=[hit for hit in strong if hit.id in rows])
    new = [hit for hit in asked.served.hits if not _is_used(asked, rows[hit.id])]
    chosen = _sort_hits(asked, new[:room], rows)
    asked.memories.update(hit.id for hit in chosen)
    return [build_memory_piece(rows[hit.id], score=round(hit.score, 6)) for hit in chosen]


def _build_query(asked: ContextBuildState) -> Query:
    query = asked.query
    return Query(
        text=query.text,
        limit=max(1, OVERFETCH_FACTOR * min(query.max_memories, MAX_MEMORIES)),
        include_shared=query.include_shared,
        shared_limit=query.shared_limit,
        prefer_personal=query.prefer_personal,
        filters={"categories": query.categories},
    )


def _is_used(asked: ContextBuildState, memory: Memory) -> bool:
    """Whether an earlier section has it, or the message that it was made from."""
    said = (memory.key or "").startswith(MESSAGE_KEY_PREFIX)
    return (
        memory.id in asked.memories
        or memory.id in asked.entries
        or (
            said and (memory.key or "").removeprefix(MESSAGE_KEY_PREFIX) in map(str, asked.messages)
        )
    )


def _sort_hits(asked: ContextBuildState, hits: list[Hit], rows: Mapping[UUID, Memory]) -> list[Hit]:
    """The hits by relevance, or in the wanted order of `token_budget`."""
    if asked.query.order is None:
        return hits
    known = {hit.id: hit for hit in hits}
    items = [_to_item(rows[hit.id]) for hit in hits]
    return [known[item.id] for item in sort_items(items, asked.query.order, now=asked.now)]


def _to_item(memory: Memory) -> WorkingMemoryItem:
    return WorkingMemoryItem(
        id=memory.id,
        tokens=0,
        importance=memory.importance,
        access_count=memory.access_count,
        added_at=memory.created_at,
        last_used_at=memory.last_accessed_at or memory.created_at,
    )
