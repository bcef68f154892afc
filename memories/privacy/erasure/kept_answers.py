"""Answers that are kept for calls with an Idempotency-Key: who may still read them, and when their
texts go (docs/adr/0044-idempotency.md). With an erasure go questions for curators, too."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memories.privacy.erasure.erasure_run import WORKER, ErasureRun
from orgs.api.idempotency import KEPT_FOR, ReadableRows
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFoundError
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.errors import ImpersonationError, MissingScopeError

# Tables whose rows have an id of their own and readers. Other rows of a memory are shown with it.
TABLES = (
    *("memories_account", "memories_accountentry", "memories_claim", "memories_contribution"),
    *("memories_debate", "memories_dissent", "memories_entity", "memories_erasure", "memories_job"),
    *("memories_participant", "memories_proposal", "memories_recall", "memories_savedview"),
    *("memories_statedrelation", "memories_task", "memories_transition", "memories_version"),
    *("memories_webhookdelivery", "memories_webhookendpoint"),
    *("personas_suggestion", "robots_conversation", "robots_message"),
)
_ROWS = " UNION ALL ".join(
    f"SELECT id FROM {table} WHERE organisation_id = %(organisation)s AND id = ANY (%(ids)s)"
    for table in TABLES
)
# A group, team, persona, member or robot is read by whoever reads its audience.
_READABLE_SQL = f"""
SELECT id, sealed IS NOT NULL FROM memories_memory
WHERE organisation_id = %(organisation)s AND id = ANY (%(ids)s) AND status <> 'forgotten'
UNION ALL
SELECT named.id, false FROM unnest(%(ids)s) AS named (id)
JOIN orgs_audience a ON a.organisation_id = %(organisation)s AND a.key = named.id::text
WHERE a.id = ANY (%(audiences)s)
UNION ALL
SELECT id, false FROM ({_ROWS}) AS others
"""


def find_readable_rows(caller: Any, given: Mapping[str, Any], ids: frozenset[UUID]) -> ReadableRows:
    """Which of these ids are rows with readers, and the caller is one of them now; alone, or as the
    `member` and in the `group` that the call names."""
    if not isinstance(caller, Actor):
        return ReadableRows(frozenset())
    audiences: frozenset[UUID] = frozenset()
    for actor in {caller, _acting(caller, given)}:
        audiences |= resolve_principal(actor.naming_a_row()).audiences
    values = {
        "organisation": caller.organisation_id,
        "ids": sorted(ids),
        "audiences": sorted(audiences),
    }
    with scope(Scope(organisation=caller.organisation_id, audiences=tuple(sorted(audiences)))):
        rows = fetch_all(_READABLE_SQL, values)
    return ReadableRows(
        ids=frozenset(id_ for id_, _ in rows), has_encrypted=any(sealed for _, sealed in rows)
    )


def _acting(caller: Actor, given: Mapping[str, Any]) -> Actor:
    """The caller for whom and where the call asks; the caller alone if that is over."""
    names = {name: given[name] for name in ("member", "group") if isinstance(given.get(name), str)}
    with suppress(NotFoundError, MissingScopeError, ImpersonationError, PermissionError):
        return resolve_actor(caller, include_direct=True, **names)
    return caller


# How far back the hourly sweep looks for what was forgotten.
_LOOK_BACK = timedelta(hours=3)
BATCH_SIZE = 5_000
_DELETE_OLD_SQL = """
DELETE FROM orgs_idempotencyrecord WHERE organisation_id = %(organisation)s AND id = ANY (ARRAY(
    SELECT id FROM orgs_idempotencyrecord
    WHERE organisation_id = %(organisation)s AND created_at <= %(before)s
    ORDER BY created_at LIMIT %(most)s))
RETURNING 1
"""
_EMPTY_FORGOTTEN_SQL = """
UPDATE orgs_idempotencyrecord SET body = NULL, headers = '{}', shows = '{}'
WHERE organisation_id = %(organisation)s AND id IN (
    SELECT r.id FROM orgs_idempotencyrecord r, unnest(r.shows) AS shown (id)
    JOIN memories_memory m ON m.organisation_id = %(organisation)s AND m.id = shown.id
    WHERE r.organisation_id = %(organisation)s AND m.status = 'forgotten'
    AND m.forgotten_at > %(since)s)
RETURNING 1
"""
_EMPTY_ALL_SQL = """
UPDATE orgs_idempotencyrecord SET body = NULL, headers = '{}', shows = '{}'
WHERE organisation_id = %(organisation)s
"""


def sweep_kept_answers(organisation_id: UUID, *, now: datetime) -> int:
    """Delete records older than a day, and the answers that show what was forgotten since the last
    sweeps, which are repeated to nobody from then on. Returns how many records are deleted."""
    values: dict[str, Any] = {"organisation": organisation_id}
    gone, more = 0, BATCH_SIZE
    while more == BATCH_SIZE:
        with organisation_scope(organisation_id, using=WORKER):
            old = values | {"before": now - KEPT_FOR, "most": BATCH_SIZE}
            more = len(fetch_all(_DELETE_OLD_SQL, old, WORKER))
        gone += more
    with organisation_scope(organisation_id, using=WORKER):
        fetch_all(_EMPTY_FORGOTTEN_SQL, values | {"since": now - _LOOK_BACK}, WORKER)
    return gone


def empty_kept_answers(running: ErasureRun) -> frozenset[str]:
    """Delete every answer that the organisation keeps, since any may hold what is erased. That its
    call has run stays known, so it does not run again. Returns the table, if it changed."""
    return frozenset({"orgs_idempotencyrecord"} if running.change(_EMPTY_ALL_SQL) else ())


# With an asker goes the question.
_DELETE_QUESTIONS_SQL = (
    "DELETE FROM memories_questionasker WHERE organisation_id = %(organisation)s"
)


def delete_kept_questions(running: ErasureRun) -> frozenset[str]:
    """Delete every question that the organisation keeps for its curators, since any may name what
    is erased. Returns the tables, if they changed."""
    tables = ("memories_questionasker", "memories_question")
    return frozenset(tables if running.change(_DELETE_QUESTIONS_SQL) else ())
