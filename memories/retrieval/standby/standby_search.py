"""Search on the standby, in a scope whose audiences the primary has resolved.

What is found there are ids and scores, and the version of each row that was searched. Nothing of it
is an answer before the primary has confirmed it (`confirmed_search`): a standby may show what was
forgotten, archived or given to other readers a moment ago.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import psycopg
from django.db import Error as DatabaseError

from memories.retrieval.candidates.query_words import apply_query_words, query_words_statement
from memories.retrieval.pipeline import run_search
from memories.retrieval.query_vector import add_vector
from memories.retrieval.search_types import SearchRequest, SearchResult
from memories.retrieval.strategies.registry import ProjectionOffError
from orgs.database.driver.pipeline import Rows
from orgs.database.driver.servers import OrganisationMovedError
from orgs.database.driver.standby_reads import STANDBY_ALIAS, reading_from_standby
from orgs.database.prepared_statements import fetch_pipelined
from orgs.database.rls import PipelinedScope, StatementAndValues, pipelined_scope, scope_statement
from orgs.database.standby.monitor import SEARCHES, monitor
from orgs.database.standby.recent_writes import recent_writes
from orgs.database.standby.server_identity import STATE_SQL, parse_state
from orgs.database.time_budget import nearer_end
from orgs.principals import Principal

log = logging.getLogger("commonmind.standby")

# What a standby in trouble may cost one call, without the time for the vector of the question.
SEARCH_SECONDS = 1.0
# All statements of a search see one state of the standby, so that the versions belong to the rows
# that were ranked.
_ONE_SNAPSHOT: StatementAndValues = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    {},
)
# The transactions that wrote the present versions of a memory and of its narrow row; a standby has
# the same numbers. The narrow row has words and meaning of turns around it, which go without a
# change of the memory.
VERSION_SQL = """m.xmin::text || ' ' || coalesce((SELECT v.xmin::text FROM memories_search v
    WHERE v.organisation_id = m.organisation_id AND v.memory_id = m.id), '')"""
_VERSIONS_SQL = f"""
SELECT m.id, {VERSION_SQL} FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(ids)s::uuid[])
"""
# It names people, with numbers of what they know; only the primary may say so.
_PRIMARY_STRATEGIES = ("graph",)
# The standby ended the statement because replay had to go on; nothing is wrong with it.
_REPLAY_SQLSTATES = ("40001", "40P01")


@dataclass(frozen=True, slots=True)
class StandbyHits:
    """What the standby found. question: with its words and its vector. versions: of each memory
    that the result shows, names or rests on, with its narrow row, by id."""

    question: SearchRequest
    served: SearchResult
    versions: Mapping[UUID, str]


class _NotCaughtUpError(Exception):
    """The standby has not replayed enough, or is not one any more."""


def search_standby(principal: Principal, question: SearchRequest) -> StandbyHits | None:
    """What the standby finds for a question without words and vector; None if the primary has to
    answer. Never raises for trouble with the standby."""
    if not monitor.is_ready() or question.strategy in _PRIMARY_STRATEGIES:
        return None
    written = recent_writes.find(principal.actor.caller_ids)
    if written is None:
        SEARCHES.labels("writes unknown").inc()
        return None
    try:
        found = _search(principal, question, written)
    except _NotCaughtUpError:
        SEARCHES.labels("after write" if written else "behind").inc()
        return None
    except (OrganisationMovedError, ProjectionOffError):
        # The primary says so as well, or the projection was switched on a moment ago.
        return None
    except (psycopg.Error, DatabaseError) as error:
        SEARCHES.labels("failed").inc()
        sqlstate = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
        if sqlstate not in _REPLAY_SQLSTATES:
            monitor.report_failure(error)
        return None
    monitor.report_success()
    return found


def _search(principal: Principal, question: SearchRequest, written: int) -> StandbyHits:
    until = time.monotonic() + SEARCH_SECONDS
    with (
        nearer_end(until),
        pipelined_scope(STANDBY_ALIAS, organisation=question.organisation_id) as scope,
    ):
        with reading_from_standby(until):
            question = _open_scope(scope, principal, question, written)
        began = time.monotonic()
        question = add_vector(question, principal.reader)
        with reading_from_standby(until + time.monotonic() - began):
            served = run_search(question)
            values = {"organisation": question.organisation_id, "ids": served.relevant_ids()}
            rows, *_ = fetch_pipelined([(_VERSIONS_SQL, values), *scope.commit])
    return StandbyHits(question, served, dict(rows))


def _open_scope(
    scope: PipelinedScope, principal: Principal, question: SearchRequest, written: int
) -> SearchRequest:
    """The question with its words, by the message that opens the scope and says how far the standby
    is. Raises _NotCaughtUpError."""
    opens = principal.opens()
    opening: list[StatementAndValues] = [_ONE_SNAPSHOT, (STATE_SQL, {}), scope_statement(opens)]
    found: list[Rows] = fetch_pipelined([*opening, query_words_statement(question)])
    scope.note(opens)
    if not monitor.accepts(parse_state(found[1]), written=written):
        raise _NotCaughtUpError
    return apply_query_words(question, found[-1])
