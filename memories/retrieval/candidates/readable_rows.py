"""The number of readable rows decides how to search, independently of the planner.

Up to EXACT rows every readable one is scored, and the answer is exact. Above that the
organisation's own partial indexes choose the candidates (see
memories.indexing.organisation_indexes).
"""

import threading
import time
from uuid import UUID

from memories.indexing import exact_scan
from memories.retrieval.types import Question
from orgs.database.prepared_statements import fetched

REMEMBERED_SECONDS = 60.0
MOST_REMEMBERED = 10_000

COUNT = """
SELECT count(*) FROM memories_search
WHERE organisation_id = %(organisation)s AND model = %(model)s::int
"""
_Key = tuple[UUID, int, frozenset[UUID]]
_known: dict[_Key, tuple[float, int]] = {}
_lock = threading.Lock()


def is_large(question: Question) -> bool:
    """Whether the asker may read more than EXACT rows."""
    return readable(question) > exact_scan.EXACT


def readable(question: Question) -> int:
    """How many rows the asker may read; cached for a minute.

    The cached number grants no right: it chooses between two ways to search the same rows, and says
    how rare a word is among them.
    """
    kept = known(question)
    if kept is None:
        values = {"organisation": question.organisation_id, "model": question.model}
        [(kept,)] = fetched(COUNT, values)
        note(question, kept)
    return kept


def known(question: Question) -> int | None:
    """The number that was counted within the last minute, or None."""
    kept = _known.get(_key(question))
    return kept[1] if kept and kept[0] > time.monotonic() else None


def note(question: Question, rows: int) -> None:
    """Cache the number that was counted just now."""
    with _lock:
        if len(_known) >= MOST_REMEMBERED:
            _known.clear()
        _known[_key(question)] = (time.monotonic() + REMEMBERED_SECONDS, rows)


def _key(question: Question) -> _Key:
    return question.organisation_id, question.model, question.audiences
