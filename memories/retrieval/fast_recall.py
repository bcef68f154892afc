"""A robot's plain recall in four messages to the database.

    1  BEGIN; the key, whom it acts for and where, what that reads: the scope; the question's words
    2  the narrow rows
    3  what ranking asks of the candidates
    4  the rows of the answer; its record; COMMIT

If facts of several audiences may say the same, one more message before the last reads their texts.
`recall` gives the same answers to all other askers and questions; a test sends the same calls both
ways.
"""

import time
from datetime import datetime

from memories.retrieval.answer_rows import answer_rows_statement, parse_answer_rows
from memories.retrieval.candidates.query_words import apply_query_words, query_words_statement
from memories.retrieval.candidates.search_conditions import IN_GROUP_SQL
from memories.retrieval.pipeline import RECALL_SECONDS, run_search
from memories.retrieval.recall import (
    Query,
    RecallResult,
    add_vector,
    build_result,
    resolve_query,
)
from memories.retrieval.recall_log import recall_log_statement
from memories.retrieval.search_types import hit_ids
from memories.retrieval.strategies.registry import ALIASES
from orgs.database.prepared_statements import fetch_pipelined
from orgs.database.rls import StatementAndValues, pipelined_scope
from orgs.models.base import new_id
from robots.access.keys import PresentedKey
from robots.access.robot_call_scope import CURRENT_EVERYONE_SQL, CURRENT_GROUP_SQL, KeyRequest

# Strategies that search one table once.
FAST_STRATEGIES = ("keyword", "vector", "hybrid", "triple_tenant")
_IN_GROUP_SQL = IN_GROUP_SQL.replace("%(organisation_audience)s", CURRENT_EVERYONE_SQL).replace(
    "%(context_group)s", CURRENT_GROUP_SQL
)


class _KeyRefusedError(Exception):
    """The key may not ask this; `recall` raises the reason."""


def can_recall_fast(query: Query) -> bool:
    """Whether the query can be answered here."""
    strategy = ALIASES.get(query.strategy, query.strategy)
    return strategy in FAST_STRATEGIES and query == Query(
        text=query.text,
        limit=query.limit,
        group=query.group,
        member=query.member,
        strategy=query.strategy,
        fusion=query.fusion,
        min_similarity=query.min_similarity,
        explain=query.explain,
        working=query.working,
    )


def recall_fast(key: PresentedKey, query: Query, *, now: datetime) -> RecallResult | None:
    """Answer a query that `can_recall_fast` for the holder of the key; None if the key may not ask
    this.

    Raises what the database raises.
    """
    try:
        with pipelined_scope() as (begin, commit):
            return _run_messages(key, query, now, begin, commit)
    except _KeyRefusedError:
        return None


def _run_messages(
    key: PresentedKey,
    query: Query,
    now: datetime,
    begin: list[StatementAndValues],
    commit: list[StatementAndValues],
) -> RecallResult:
    started = time.perf_counter()
    asked = KeyRequest(key=key, group=query.group, member=query.member, now=now)
    conditions = [_IN_GROUP_SQL] if query.group is not None else []
    words = query_words_statement(key.organisation_id, query.text, conditions)
    *_, rows, wording_rows = fetch_pipelined([*begin, *asked.statements(), words])
    opened = asked.opened(rows)
    if opened is None:
        raise _KeyRefusedError
    principal = opened.principal
    question = apply_query_words(resolve_query(principal, query, now), wording_rows)
    question = add_vector(question, principal.reader)
    served = run_search(question)
    took_ms = (time.perf_counter() - started) * 1000
    recall_id = new_id()
    record = recall_log_statement(
        recall_id,
        principal,
        served,
        took_ms=took_ms,
        counts=query.counts,
        now=now,
        working=query.working,
    )
    read = answer_rows_statement(key.organisation_id, hit_ids(served.hits))
    stamp = [asked.stamp(opened.unstamped)] if opened.unstamped else []
    found = parse_answer_rows(fetch_pipelined([read, record, *stamp, *commit])[0])
    RECALL_SECONDS.labels(served.strategy).observe(took_ms / 1000)
    return build_result(query, recall_id, served, found, took_ms)
