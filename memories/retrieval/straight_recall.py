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

from memories.retrieval.answer_rows import read_rows, reading
from memories.retrieval.candidates.filters import HERE
from memories.retrieval.candidates.question_words import with_words, wording
from memories.retrieval.metrics import RECALL_SECONDS
from memories.retrieval.pipeline import search
from memories.retrieval.recall import (
    Query,
    RecallAnswer,
    answer_of,
    question_of,
    with_vector,
)
from memories.retrieval.served import recording
from memories.retrieval.strategies.registry import ALIASES
from memories.retrieval.types import ids_of
from orgs.database.prepared_statements import in_one_message
from orgs.database.rls import Message, message_scope
from orgs.models.base import new_id
from robots.access.keys import PresentedKey
from robots.access.open_scope import EVERYONE, PLACE, Asked

# Strategies that search one table once.
STRATEGIES = ("keyword", "vector", "hybrid", "triple_tenant")
_HERE = HERE.replace("%(organisation_audience)s", EVERYONE).replace("%(context_group)s", PLACE)


class _Refused(Exception):
    """The key may not ask this; `recall` raises the reason."""


def is_straight(query: Query) -> bool:
    """Whether the query can be answered here."""
    strategy = ALIASES.get(query.strategy, query.strategy)
    return strategy in STRATEGIES and query == Query(
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


def straight_recall(key: PresentedKey, query: Query, *, now: datetime) -> RecallAnswer | None:
    """Answer a query that `is_straight` for the holder of the key; None if the key may not ask
    this.

    Raises what the database raises.
    """
    try:
        with message_scope() as (begin, commit):
            return _answered(key, query, now, begin, commit)
    except _Refused:
        return None


def _answered(
    key: PresentedKey, query: Query, now: datetime, begin: list[Message], commit: list[Message]
) -> RecallAnswer:
    started = time.perf_counter()
    asked = Asked(key=key, group=query.group, member=query.member, now=now)
    conditions = [_HERE] if query.group is not None else []
    words = wording(key.organisation_id, query.text, conditions)
    *_, rows, wording_rows = in_one_message([*begin, *asked.statements(), words])
    opened = asked.opened(rows)
    if opened is None:
        raise _Refused
    principal = opened.principal
    question = with_words(question_of(principal, query, now), wording_rows)
    question = with_vector(question, principal.reader)
    served = search(question)
    took_ms = (time.perf_counter() - started) * 1000
    recall_id = new_id()
    record = recording(
        recall_id,
        principal,
        served,
        took_ms=took_ms,
        counts=query.counts,
        now=now,
        working=query.working,
    )
    read = reading(key.organisation_id, ids_of(served.hits))
    stamp = [asked.stamp(opened.unstamped)] if opened.unstamped else []
    found = read_rows(in_one_message([read, record, *stamp, *commit])[0])
    RECALL_SECONDS.labels(served.strategy).observe(took_ms / 1000)
    return answer_of(query, recall_id, served, found, took_ms)
