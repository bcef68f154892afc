"""Confirm on the primary what the standby found; where a hit is not confirmed, the primary answers.

A hit is confirmed if the primary, in the asker's scope, has the same version of the row, active and
not expired, and the row still meets the conditions of the question. So the answer is made of rows
that this asker reads now, in the words in which they were ranked. One hit that fails is enough to
search on the primary, so that an answer is never shorter than it should be.
"""

from functools import lru_cache

from memories.retrieval.candidates.query_words import add_query_words
from memories.retrieval.candidates.search_conditions import build_conditions
from memories.retrieval.pipeline import run_search
from memories.retrieval.query_vector import add_vector
from memories.retrieval.search_types import SearchRequest, SearchResult
from memories.retrieval.standby.standby_search import VERSION_SQL, StandbyHits, search_standby
from orgs.database.driver.pipeline import Rows
from orgs.database.prepared_statements import fetch_all, fetch_pipelined
from orgs.database.rls import PipelinedScope, Scope, StatementAndValues, scope_statement
from orgs.database.standby.monitor import SEARCHES
from orgs.expiry import not_expired_sql
from orgs.principals import Principal

_CONFIRM_SQL = f"""
SELECT m.id, {VERSION_SQL} FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
    AND m.status = 'active' AND (%(include_expired)s OR {not_expired_sql()}) {{narrowed}}
"""
_NARROWED_SQL = """AND EXISTS (SELECT 1 FROM memories_search n
    WHERE n.organisation_id = m.organisation_id AND n.memory_id = m.id AND {conditions})"""


def search_confirmed(
    principal: Principal, question: SearchRequest
) -> tuple[SearchRequest, SearchResult]:
    """(the question with words and vector, what is found for it): by the standby if that can and
    all of it is confirmed, else by the primary. Call it inside the principal's scope."""
    found = search_standby(principal, question)
    if found is not None and is_confirmed(found, fetch_all(*confirm_statement(found))):
        return found.question, found.served
    return search_primary(principal, question)


def open_confirmed(
    scope: PipelinedScope,
    opens: Scope,
    principal: Principal,
    question: SearchRequest,
    hits: StandbyHits | None,
) -> tuple[SearchRequest, SearchResult]:
    """Open a scope on the primary; in it the same for what the standby found already. hits: None if
    the primary has to search."""
    confirming = [confirm_statement(hits)] if hits is not None else []
    found = fetch_pipelined([scope_statement(opens), *confirming])
    scope.note(opens)
    if hits is not None and is_confirmed(hits, found[-1]):
        return hits.question, hits.served
    return search_primary(principal, question)


def search_primary(
    principal: Principal, question: SearchRequest
) -> tuple[SearchRequest, SearchResult]:
    """The same by the primary alone."""
    question = add_vector(add_query_words(question), principal.reader)
    return question, run_search(question)


def confirm_statement(found: StandbyHits) -> StatementAndValues:
    """The statement that finds on the primary what may still be served; in the asker's scope."""
    conditions, values = build_conditions(found.question)
    values |= {
        "ids": list(found.versions),
        "now": found.question.now,
        "include_expired": found.question.include_expired,
    }
    return _statement(tuple(conditions)), values


def is_confirmed(found: StandbyHits, rows: Rows) -> bool:
    """Whether the primary has every row of the result as the standby had it. rows: of
    `confirm_statement`."""
    wanted = set(found.served.relevant_ids())
    confirmed = wanted <= found.versions.keys() and dict(rows) == found.versions
    SEARCHES.labels("standby" if confirmed else "unconfirmed").inc()
    return confirmed


@lru_cache(maxsize=512)
def _statement(conditions: tuple[str, ...]) -> str:
    narrowed = _NARROWED_SQL.format(conditions=" AND ".join(conditions)) if conditions else ""
    return _CONFIRM_SQL.format(narrowed=narrowed)
