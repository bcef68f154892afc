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
from memories.retrieval.search_types import SearchRequest
from orgs.database.prepared_statements import fetch_all

CACHE_SECONDS = 60.0
MAX_CACHED = 10_000

# Pages of a sample. The weight of a word takes the logarithm of the size: an estimate that is a
# tenth off moves it by less than .1, about the same for every word.
SAMPLE_PAGES = 1_000
_SCOPE_SQL = "organisation_id = %(organisation)s AND model = ANY(%(models)s::int[])"
_PAGES_SQL = "(pg_relation_size('memories_search') / current_setting('block_size')::float8)"
_SAMPLE_SHARE_SQL = f"least(1, %(pages)s::float8 / greatest(1, {_PAGES_SQL}))"
# For one value of a larger statement; `limits` has its parameters.
COUNT_SQL = f"""
SELECT CASE WHEN few.counted <= %(exact)s::bigint THEN few.counted ELSE greatest(few.counted, (
        SELECT round(count(*) / {_SAMPLE_SHARE_SQL}) FROM memories_search
        TABLESAMPLE SYSTEM (100 * {_SAMPLE_SHARE_SQL}) REPEATABLE (0)
        WHERE {_SCOPE_SQL})::bigint) END
FROM (SELECT count(*) AS counted FROM (
    SELECT FROM memories_search WHERE {_SCOPE_SQL} LIMIT %(exact)s::bigint + 1) AS first) AS few
"""
_CacheKey = tuple[UUID, int, frozenset[UUID]]
_cache: dict[_CacheKey, tuple[float, int]] = {}
_lock = threading.Lock()


def is_large_scope(question: SearchRequest) -> bool:
    """Whether the asker may read more than EXACT rows."""
    return count_readable_rows(question) > exact_scan.EXACT_SCAN_LIMIT


def count_readable_rows(question: SearchRequest) -> int:
    """How many rows the asker may read: counted up to EXACT, estimated above; kept for a minute.

    The cached number grants no right: it chooses between two ways to search the same rows, and says
    how rare a word is among them.
    """
    kept = cached_count(question)
    if kept is None:
        values = {"organisation": question.organisation_id}
        [(kept,)] = fetch_all(COUNT_SQL, values | count_values(question))
        cache_count(question, kept)
    return kept


def count_values(question: SearchRequest | None = None) -> dict[str, object]:
    """The parameters of COUNT beside the organisation; nothing is counted without a question."""
    models = list(question.row_models) if question else None
    return {"exact": exact_scan.EXACT_SCAN_LIMIT, "pages": SAMPLE_PAGES, "models": models}


def cached_count(question: SearchRequest) -> int | None:
    """The number that was counted within the last minute, or None."""
    kept = _cache.get(_cache_key(question))
    return kept[1] if kept and kept[0] > time.monotonic() else None


def cache_count(question: SearchRequest, rows: int) -> None:
    """Cache the number that was counted just now."""
    with _lock:
        if len(_cache) >= MAX_CACHED:
            _cache.clear()
        _cache[_cache_key(question)] = (time.monotonic() + CACHE_SECONDS, rows)


def _cache_key(question: SearchRequest) -> _CacheKey:
    return question.organisation_id, question.model, question.audiences
