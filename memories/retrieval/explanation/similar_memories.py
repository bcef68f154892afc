"""Known memories that are similar to a text."""

from datetime import datetime
from uuid import UUID

from memories.retrieval.answering.confidence import is_irrelevant
from memories.retrieval.pipeline import run_search
from memories.retrieval.recall import Query, build_request, load_memories
from memories.store.models.memory import Memory
from orgs.principals import Principal

# The characters of a text that are compared.
MAX_CHARACTERS = 500


def find_similar(
    principal: Principal, text: str, audience_id: UUID, *, now: datetime, limit: int = 3
) -> list[tuple[Memory, bool]]:
    """(memory, folded) of one audience's memories that are similar to a text, best first. folded:
    whether it has little to do with the text.

    It does not count as access and is not recorded, because a reviewer does not ask a question.
    """
    alone = principal.narrowed(frozenset({audience_id}))
    query = Query(text=text[:MAX_CHARACTERS], limit=limit, counts=False)
    with alone.scope():
        hits = run_search(build_request(alone, query, now)).hits
        rows = load_memories(principal.organisation_id, [hit.id for hit in hits])
    return [(rows[hit.id], is_irrelevant(hit)) for hit in hits if hit.id in rows]
