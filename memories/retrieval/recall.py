"""Recall: answer a question from what the asker may read, and record what was served.

A plain recall sends four messages to the database, whoever asks:

    1  BEGIN; the scope; the question's words. By a key the scope is what the statement finds that
       looks at the key (`robots.access.robot_call_scope`); everybody else is looked up before.
    2  the narrow rows; 3  what ranking asks of the candidates
    4  the rows of the answer; its record; COMMIT

If facts of several audiences may say the same, one more message before the last reads their texts.

Where a standby may be asked, the primary says who asks, the standby searches, and the primary
confirms what was found before it answers (docs/adr/0066-reads-from-a-standby.md).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.questions.record_question import AskedQuestion, record_question_later
from memories.retrieval import disclosure, recall_log
from memories.retrieval.answer_rows import (
    answer_rows_statement,
    fetch_answer_rows,
    parse_answer_rows,
)
from memories.retrieval.answering.confidence import classify_confidence
from memories.retrieval.candidates.query_words import (
    add_query_words,
    apply_query_words,
    caller_words_statement,
    query_words_statement,
)
from memories.retrieval.candidates.search_conditions import in_group_sql
from memories.retrieval.pipeline import RECALL_SECONDS, run_search
from memories.retrieval.query_vector import add_vector
from memories.retrieval.ranking.current_facts import current_first
from memories.retrieval.reranking.rerank import fetch_passages, rerank
from memories.retrieval.resolve_filters import Query, resolve_query
from memories.retrieval.search_types import (
    Expert,
    Hit,
    SearchRequest,
    SearchResult,
    hit_ids,
)
from memories.retrieval.standby.confirmed_search import open_confirmed
from memories.retrieval.standby.standby_search import StandbyHits, search_standby
from memories.retrieval.timeframes.parse_timeframe import (
    end_of_day,
    extract_timeframe,
    parse_timeframes,
)
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.database.answer_size import has_id_of
from orgs.database.compiled_queries import CompiledQuery
from orgs.database.driver.pipeline import Rows
from orgs.database.driver.servers import (
    OrganisationMovedError,
    OrganisationMovingError,
    server_of,
)
from orgs.database.prepared_statements import fetch_all, fetch_last, fetch_pipelined
from orgs.database.rls import (
    PipelinedScope,
    Scope,
    StatementAndValues,
    pipelined_scope,
    scope_statement,
)
from orgs.database.standby.monitor import monitor
from orgs.models.base import new_id
from orgs.models.memberships import load_member_zone
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.keys import PresentedKey
from robots.access.robot_call_scope import (
    CURRENT_EVERYONE_SQL,
    CURRENT_GROUP_SQL,
    KeyRequest,
    OpenedScope,
)

FUSIONS = ("minmax", "rrf", "weighted_rrf")
# The value of `timeframe` for the time that the question names.
AUTO_TIMEFRAME = ("auto",)


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The answer: hits, best first, each with its row from `load`.

    confidence: that one of them answers, in 0-1. merged: the rows, by id, of memories that say the
    same as a hit. query: as it was understood. people: see `SearchResult`. not_reranked: why the
    order is the plain one although reranking was requested. agreed: whose question it is, if
    everybody agreed that curators see it.
    """

    query: Query
    recall_id: UUID
    hits: list[tuple[Hit, Any]]
    strategy: str
    took_ms: float
    not_reranked: str | None = None
    merged: Mapping[UUID, Any] = field(default_factory=dict)
    confidence: float = 0.0
    people: tuple[Expert, ...] = ()
    agreed: Principal | None = None

    @property
    def answered(self) -> str:
        """Whether the answer answers: yes, unsure or no."""
        return classify_confidence(self.confidence)


# The rows that may come up in the group that a key's call names, which the same message looks up.
_IN_CALLERS_GROUP_SQL = in_group_sql(
    organisation_audience=CURRENT_EVERYONE_SQL, context_group=CURRENT_GROUP_SQL
)
LoadRows = Callable[[UUID, Sequence[UUID]], Mapping[UUID, Any]]


def _named_query(organisation_id: UUID, ids: list[UUID]) -> MemoryQuerySet:
    return Memory.objects.filter(has_id_of(ids), organisation_id=organisation_id).with_names()


_NAMED_MEMORIES = CompiledQuery(_named_query)


def load_memories(organisation_id: UUID, ids: Sequence[UUID]) -> Mapping[UUID, Memory]:
    """The memories, by id, with all names, for pages and contexts."""
    if not ids:
        return {}
    rows = _NAMED_MEMORIES.rows(organisation_id=organisation_id, ids=list(ids))
    return {row.id: row for row in rows}


def recall(
    actor: Actor, query: Query, *, now: datetime, load: LoadRows = load_memories
) -> RecallResult:
    """Answer a question. Raises NotFoundError for a group or member that the asker may not know,
    and TimeframeError for a time in words.

    load: how the rows of the hits are read, inside the asker's scope.
    """
    started = time.perf_counter()
    principal = resolve_asker(actor, query)
    query = resolve_timeframe(principal, query, now)
    return recall_as_principal(principal, query, now=now, load=load, started=started)


def resolve_timeframe(principal: Principal, query: Query, now: datetime) -> Query:
    """The query with its times as ranges and its day as a time, in the time zone of the member who
    asks or for whom a robot asks. Raises TimeframeError."""
    if not query.timeframe and query.as_of is None:
        return query
    with principal.scope():
        zone = load_member_zone(principal.organisation_id, principal.actor.member_id)
    query = replace(query, as_of=end_of_day(query.as_of, zone))
    if not query.timeframe:
        return query
    if query.timeframe != AUTO_TIMEFRAME:
        return replace(
            query, ranges=parse_timeframes(query.timeframe, now=now, zone=zone), timeframe=()
        )
    text, found = extract_timeframe(query.text, now=now, zone=zone)
    return replace(query, text=text, ranges=(found,) if found else (), timeframe=())


def recall_by_key(
    key: PresentedKey, query: Query, *, now: datetime, load: LoadRows
) -> RecallResult | None:
    """`recall` for the holder of a key. None if the key may not ask this, or if more than the key
    has to be looked up first: `recall` for its robot gives the answer or the reason."""
    if query.timeframe or query.as_of or query.shareable_with is not None or query.include_direct:
        return None
    asker = KeyRequest(key=key, group=query.group, member=query.member, now=now)
    try:
        return _search_and_record(asker, _RecallCall(query, now, load, time.perf_counter()))
    except _KeyRefusedError:
        return None


def recall_as_principal(
    principal: Principal,
    query: Query,
    *,
    now: datetime,
    load: LoadRows = load_memories,
    started: float | None = None,
    recorded: bool = True,
) -> RecallResult:
    """`recall` for a known principal. recorded: False for a look, which changes nothing."""
    call = _RecallCall(query, now, load, started or time.perf_counter(), recorded)
    return _search_and_record(_KnownAsker(principal), call)


class _KeyRefusedError(Exception):
    """The key may not ask this."""


@dataclass(frozen=True, slots=True)
class _KnownAsker:
    """A principal, who opens a scope as a `KeyRequest` does."""

    principal: Principal

    @property
    def organisation_id(self) -> UUID:
        return self.principal.organisation_id

    def statements(self) -> list[StatementAndValues]:
        return [scope_statement(_recall_scope(self.principal))]

    def opened(self, rows: Rows) -> OpenedScope:
        return OpenedScope(principal=self.principal)


def _recall_scope(principal: Principal) -> Scope:
    # Losing the record of an answer in a crash is worth less than a flush for each answer.
    return principal.opens((principal.own_audience,), relaxed=True)


@dataclass(frozen=True, slots=True)
class _RecallCall:
    """started: time.perf_counter() at the start. recorded: whether the answer is written down."""

    query: Query
    now: datetime
    load: LoadRows
    started: float
    recorded: bool = True


def _search_and_record(asker: KeyRequest | _KnownAsker, call: _RecallCall) -> RecallResult:
    """Raises _KeyRefusedError."""
    try:
        return _search_until_recorded(asker, call)
    except OrganisationMovedError:
        # Its server said so before anything was done there; now it is looked up anew.
        return _search_until_recorded(asker, call)


def _search_until_recorded(asker: KeyRequest | _KnownAsker, call: _RecallCall) -> RecallResult:
    with suppress(OrganisationMovingError):
        for _ in range(recall_log.MAX_SEARCHES):
            with recall_log.unless_unrecordable():
                answer = _search(asker, call)
                if answer.agreed is not None and call.query.asks_everywhere:
                    asked = AskedQuestion(call.query.text, answer.answered)
                    record_question_later(answer.agreed, answer.recall_id, asked, call.now)
                return answer
    return _search(asker, replace(call, recorded=False))


def _search(asker: KeyRequest | _KnownAsker, call: _RecallCall) -> RecallResult:
    query = call.query
    with server_of(asker.organisation_id):
        ahead = _search_ahead(asker, call) if monitor.is_ready() else None
    with pipelined_scope(organisation=asker.organisation_id) as scope:
        if ahead is None:
            opened, question = _open_scope(scope, asker, query, call.now)
            question = add_vector(question, opened.principal.reader)
            served = run_search(question)
        else:
            opened, principal = ahead.opened, ahead.opened.principal
            question, served = open_confirmed(
                scope, _recall_scope(principal), principal, ahead.question, ahead.hits
            )
        principal = opened.principal
        if principal.sayable is not None:
            # A second check, besides the filters of every strategy.
            served = disclosure.filter_disclosable(principal, served)
        if not query.rerank:
            return _record_and_load(scope, opened, served, call)
        read = fetch_passages(question, served.hits)
        for stamp in opened.stamp if call.recorded else ():
            fetch_all(*stamp)
    # Outside any transaction, because the model takes longer than everything else together.
    better = rerank(query.text, served.hits, read, seconds=settings.RERANK_SECONDS)
    asker = _KnownAsker(principal)
    with pipelined_scope(organisation=asker.organisation_id) as scope:
        fetch_pipelined(asker.statements())
        scope.note(_recall_scope(principal))
        served = replace(served, hits=current_first(question, better.hits))
        served = disclosure.select_still_active(
            principal, served, call.now, include_expired=query.include_expired
        )
        served = replace(served, hits=served.hits[: query.limit])
        answer = _record_and_load(scope, asker.opened([]), served, call)
    return replace(answer, not_reranked=better.why_not)


@dataclass(frozen=True, slots=True)
class _SearchAhead:
    """What was done before the transaction of the answer. hits: of the standby, None if the primary
    has to search."""

    opened: OpenedScope
    question: SearchRequest
    hits: StandbyHits | None


def _search_ahead(asker: KeyRequest | _KnownAsker, call: _RecallCall) -> _SearchAhead:
    """Who asks, by the primary, and what the standby finds. Raises _KeyRefusedError."""
    # Outside a transaction the message of a key is one; its scope ends with it.
    opened = asker.opened(fetch_last(asker.statements()) if isinstance(asker, KeyRequest) else [])
    if opened is None:
        raise _KeyRefusedError
    principal = opened.principal
    with principal.scope() if call.query.filters else nullcontext():
        question = resolve_query(principal, call.query, call.now)
    return _SearchAhead(opened, question, search_standby(principal, question))


def _open_scope(
    scope: PipelinedScope, asker: KeyRequest | _KnownAsker, query: Query, now: datetime
) -> tuple[OpenedScope, SearchRequest]:
    """(who asks, what is asked, with the question's words), by one message, unless the filters need
    the scope to be understood. Raises _KeyRefusedError."""
    question: SearchRequest | None = None
    words: list[StatementAndValues] = []
    if not query.filters and isinstance(asker, _KnownAsker):
        question = resolve_query(asker.principal, query, now)
        words = [query_words_statement(question)]
    elif isinstance(asker, KeyRequest) and not query.is_narrowed:
        conditions = [_IN_CALLERS_GROUP_SQL] if query.group is not None else []
        words = [caller_words_statement(asker.key.organisation_id, query.text, conditions)]
    opening = asker.statements()
    found = fetch_pipelined([*opening, *words])
    opened = asker.opened(found[len(opening) - 1])
    if opened is None:
        raise _KeyRefusedError
    scope.note(_recall_scope(opened.principal))
    question = question or resolve_query(opened.principal, query, now)
    return opened, apply_query_words(question, found[-1]) if words else add_query_words(question)


def _record_and_load(
    scope: PipelinedScope, opened: OpenedScope, served: SearchResult, call: _RecallCall
) -> RecallResult:
    """Load the rows of the hits and record what was served; ends the transaction."""
    principal, ids, query = opened.principal, hit_ids(served.hits), call.query
    rows = None if call.load is fetch_answer_rows else call.load(principal.organisation_id, ids)
    took_ms = (time.perf_counter() - call.started) * 1000
    RECALL_SECONDS.labels(served.strategy).observe(took_ms / 1000)
    recall_id = new_id()
    record = recall_log.recall_log_statement(
        recall_id,
        principal,
        served,
        took_ms=took_ms,
        counts=query.counts,
        now=call.now,
        working=query.working,
    )
    last = [*([record, *opened.stamp] if call.recorded else ()), *scope.commit]
    if rows is None:
        read = answer_rows_statement(principal.organisation_id, ids)
        answer_rows, *recorded = fetch_pipelined([read, *last])
        rows = parse_answer_rows(answer_rows)
    else:
        recorded = fetch_pipelined(last) if last else []
    answer = build_result(query, recall_id, served, rows, took_ms)
    agreed = call.recorded and recall_log.is_agreed(recorded[0])
    return replace(answer, agreed=principal) if agreed else answer


def build_result(
    query: Query, recall_id: UUID, served: SearchResult, rows: Mapping[UUID, Any], took_ms: float
) -> RecallResult:
    """The answer of hits with their rows; a hit whose row the asker cannot read is left out."""
    hits = [(hit, rows[hit.id]) for hit in served.hits if hit.id in rows]
    merged = {id_: rows[id_] for hit, _ in hits for id_ in hit.merged if id_ in rows}
    return RecallResult(
        query,
        recall_id,
        hits,
        served.strategy,
        took_ms,
        merged=merged,
        confidence=served.confidence or 0.0,
        people=served.people,
    )


def resolve_asker(actor: Actor, query: Query) -> Principal:
    """Who asks, for whom, in which group. Raises NotFoundError for what the asker may not know."""
    acting = resolve_actor(
        actor,
        member=query.member,
        group=query.group,
        include_direct=query.include_direct,
        told=query.include_direct and query.shareable_with is None,
    )
    principal = resolve_principal(acting)
    if query.shareable_with is not None:
        return disclosure.restrict_to_shareable(principal, query.shareable_with)
    return principal


def build_request(principal: Principal, query: Query, now: datetime) -> SearchRequest:
    """The question with all references resolved and its vector; call inside the principal's
    scope."""
    return add_vector(add_query_words(resolve_query(principal, query, now)), principal.reader)
