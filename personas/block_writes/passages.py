"""A member's archive: private memories without a limit, found by meaning.

It holds what their blocks have no room for. Only the member and robots to which they delegate read
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.ingestion.drafts import Draft, RememberResult
from memories.ingestion.remember import remember
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.principals import Actor

PRIVATE_ACCESS_ONLY = (
    "Passages are a member's own: for the member, and for robots with their leave."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """score: relevance, 0-1, comparable only within one answer."""

    id: UUID
    text: str
    score: float
    created_at: datetime


def add_passage(
    actor: Actor, text: str, *, source: dict[str, Any] | None = None, now: datetime
) -> RememberResult:
    """Keep a text for the member alone. Raises PermissionError and what `remember` raises."""
    _check_private_access(actor)
    return remember(actor, Draft(content=text, visibility="private", source=source or {}), now=now)


def search_passages(actor: Actor, query: str, *, limit: int, now: datetime) -> Sequence[Passage]:
    """The `limit` nearest of the member's own, best first. Raises PermissionError."""
    _check_private_access(actor)
    asked = Query(
        text=query, limit=limit, include_direct=True, filters={"visibilities": ("private",)}
    )
    return [
        Passage(id=hit.id, text=row.content, score=round(hit.score, 6), created_at=row.created_at)
        for hit, row in recall(actor, asked, now=now).hits
    ]


def _check_private_access(actor: Actor) -> None:
    if actor.member_id is None or not actor.sees_own:
        raise PermissionError(PRIVATE_ACCESS_ONLY)
