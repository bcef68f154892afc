"""The number of readable rows decides how to search, independently of the planner.

Up to EXACT rows every readable one is scored, and the answer is exact. Above, the organisation's
own partial indexes choose the candidates (see memories.indexing.organisation_indexes). Up to EXACT
rows are counted. Of a larger scope only the order of magnitude matters, for how rare a word is: it
is estimated from a sample of pages, in which row-level security hides what it hides elsewhere.
"""

import threading
import time
from uuid import UUID

from memories.indexing import exact_scan
from memories.retrieval.types import Question
from orgs.database.prepared_statements import fetched

REMEMBERED_SECONDS = 60.0
MOST_REMEMBERED = 10_000

# Pages of a sample. The weight of a word takes the logarithm of the size: an estimate that is a
# tenth off moves it by less than .1, about the same for every word.
SAMPLED_PAGES = 1_000
_MINE = "organisation_id = %(organisation)s AND model = %(model)s::int"
_PAGES = "(pg_relation_size('memories_search') / current_setting('block_size')::float8)"
_SHARE = f"least(1, %(pages)s::float8 / greatest(1, {_PAGES}))"
# For one value of a larger statement; `limits` has its parameters.
COUNT = f"""
SELECT CASE WHEN few.counted <= %(exact)s::bigint THEN few.counted ELSE greatest(few.counted, (
        SELECT round(count(*) / {_SHARE}) FROM memories_search
        TABLESAMPLE SYSTEM (100 * {_SHARE}) REPEATABLE (0) WHERE {_MINE})::bigint) END
FROM (SELECT count(*) AS counted FROM (
    SELECT FROM memories_search WHERE {_MINE} LIMIT %(exact)s::bigint + 1) AS first) AS few
"""
_Key = tuple[UUID, int, frozenset[UUID]]
_known: dict[_Key, tuple[float, int]] = {}
_lock = threading.Lock()


def is_large(question: Question) -> bool:
    """Whether the asker may read more than EXACT rows."""
    return readable(question) > exact_scan.EXACT


def readable(question: Question) -> int:
    """How many rows the asker may read: counted up to EXACT, estimated above; kept for a minute.

    The cached number grants no right: it chooses between two ways to search the same rows, and says
    how rare a word is among them.
    """
    kept = known(question)
    if kept is None:
        values = {"organisation": question.organisation_id, "model": question.model}
        [(kept,)] = fetched(COUNT, values | limits())
        note(question, kept)
    return kept


def limits() -> dict[str, object]:
    """The parameters of COUNT beside the organisation and the model."""
    return {"exact": exact_scan.EXACT, "pages": SAMPLED_PAGES}


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
