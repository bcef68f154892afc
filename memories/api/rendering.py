"""Rows as JSON for answers. Plain functions, because an answer of ten memories then costs
microseconds. The serializers describe these answers, and the schema test compares the two."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memories.access.audience_labels import audience_type_label, memory_audience_label
from memories.browsing.memory_queries import MemoryDetails
from memories.ingestion.drafts import RememberResult
from memories.restatement.models import Restatement
from memories.retrieval.answer_rows import AnswerRow
from memories.retrieval.answering.confidence import is_irrelevant
from memories.retrieval.search_types import Hit
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import with_marked_speaker


def render_id_name(thing: Any) -> dict[str, str] | None:
    """{id, name} of a robot, member or group; None for none."""
    if thing is None:
        return None
    return {"id": getattr(thing, "public_id", None) or str(thing.id), "name": thing.name}


def render_audience(memory: Memory) -> dict[str, str]:
    return {"kind": memory.audience.kind, "label": memory_audience_label(memory)}


def _render_row_id_name(id_: Any, name: str | None) -> dict[str, Any] | None:
    return None if id_ is None else {"id": str(id_), "name": name}


def render_row_audience(row: AnswerRow) -> dict[str, str]:
    """The audience of a row, in the words of the API."""
    return {
        "kind": row.audience_kind,
        "label": audience_type_label(row.audience_kind, row.group_name or ""),
    }


def render_hit(
    found: Hit, row: AnswerRow, *, explain: bool, merged: Mapping[UUID, AnswerRow] | None = None
) -> dict[str, Any]:
    """One result of a recall. merged: by id, the rows of memories that say the same as a hit."""
    body = {
        "id": row.id,
        "key": row.key,
        "content": row.content,
        "score": round(found.score, 6),
        "folded": is_irrelevant(found),
        "robot": _render_row_id_name(row.robot_id, row.robot_name),
        "author": _render_row_id_name(row.author_id, row.author_name),
        "speaker": row.speaker,
        "speaker_member": _render_row_id_name(row.speaker_id, row.speaker_name),
        "reworded_by": _render_row_id_name(row.reworded_id, row.reworded_name),
        "member": _render_row_id_name(row.member_id, row.member_name),
        "group": _render_row_id_name(row.group_id, row.group_name),
        "audience": render_row_audience(row),
        "kind": row.kind,
        "type": row.type,
        "category": row.category,
        "tier": row.tier,
        "importance": row.importance,
        "occurred_at": row.occurred_at,
        "created_at": row.created_at,
        "valid_until": row.valid_until,
        "superseded_by": row.superseded_by,
    }
    others = [(merged or {})[id_] for id_ in found.merged if id_ in (merged or {})]
    if others:
        body["confidence"], body["access_count"] = found.confidence, found.access_count
        body["consolidated"] = [
            {"id": one.id, "audience": render_row_audience(one)} for one in others
        ]
    if explain:
        body["scores"] = {
            "relevance": found.relevance,
            "vector": found.vector,
            "keyword": found.keyword,
            "similarity": found.similarity,
            "cues": found.cues,
            "strength": found.strength,
            "answers": found.answers,
        }
        if found.rerank is not None:
            body["scores"]["rerank"] = found.rerank
        if found.unconfirmed:
            body["scores"]["unconfirmed_days"] = found.unconfirmed
    return body


def render_rerank_state(why_not: str | None) -> dict[str, Any]:
    """Whether the hits are in the cross-encoder's order; if not, why."""
    return {"reranked": why_not is None, "not_reranked": why_not}


def render_memory(row: Memory, embedding: str | None = None) -> dict[str, Any]:
    """A memory as everyone who may read it sees it."""
    body = {
        "id": row.id,
        "key": row.key,
        "content": row.content,
        "status": row.status,
        "robot": render_id_name(row.teller),
        "author": render_id_name(row.author),
        "speaker": row.speaker,
        "speaker_member": render_id_name(row.speaker_member),
        "reworded_by": render_id_name(row.reworded_by or row.told(row.reworded_by_robot)),
        "member": render_id_name(row.member),
        "group": render_id_name(row.place),
        "audience": render_audience(row),
        "kind": row.kind,
        "level": row.level,
        "type": row.type,
        "category": row.category,
        "tier": row.tier,
        "topic": row.topic,
        "tags": row.tags,
        "metadata": row.metadata,
        "source": row.source,
        "conversation": row.open_conversation,
        "importance": row.importance,
        "confidence": row.confidence,
        "sensitive": row.sensitive,
        "shareable": row.shareable,
        "red_line": row.red_line,
        "red_line_reason": row.red_line_reason,
        "access_count": row.access_count,
        "last_accessed_at": row.last_accessed_at,
        "remember_count": row.remember_count,
        "occurred_at": row.occurred_at,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "expires_at": row.expires_at,
        "valid_until": row.valid_until,
        "superseded_by": row.holds_now,
    }
    if embedding is not None:
        body["embedding"] = embedding
    return body


def render_restatement(memory: Memory, row: Restatement | None) -> dict[str, Any] | None:
    """The restatement of a memory, None without one."""
    if row is None:
        return None
    names = ("text", "keywords", "persons", "entities", "location", "topic", "source", "made_at")
    body = {name: getattr(row, name) for name in names}
    return body | {"text": with_marked_speaker(memory, row.text)}


def render_memory_details(found: MemoryDetails) -> dict[str, Any]:
    """One memory with the fields that only the call for a single memory gives."""
    body = render_memory(found.memory, found.embedding)
    return body | {"restatement": render_restatement(found.memory, found.restatement)}


def render_remember_result(outcome: RememberResult) -> dict[str, Any]:
    return {
        "id": outcome.id,
        "status": outcome.status,
        "audience": {"kind": outcome.audience_kind, "label": outcome.audience_label},
        "deduplicated": outcome.deduplicated,
        "remember_count": outcome.remember_count,
        "embedding": outcome.embedding,
    }
