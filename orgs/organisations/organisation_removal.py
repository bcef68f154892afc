"""Remove an organisation for good: closed at once, then deleted in batches that commit.

One transaction over half a million memories would hold its locks for minutes and leave all dead
rows at once. So the organisation is first closed to everybody, and then its rows are deleted in
batches. The next run finishes one that broke off. The order of tables comes from the catalogue:
rows that refer to others are deleted before these, and rows with a cascading foreign key together
with them. The application may not delete the audit trail; it is deleted with the organisation's own
row.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from graphlib import TopologicalSorter
from uuid import UUID

from django.db import connection
from psycopg import sql

from orgs.database import erasure_ledger
from orgs.database.driver.servers import current_server, list_servers, server_of
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.organisations.audience_rows import list_audience_batches
from orgs.placement.account_copies import mark_copy_due
from orgs.placement.moving.organisation_rows import HAS_ORGANISATION_SQL
from orgs.placement.placements import release_placement
from orgs.wired_functions import wired

# The most rows of a transaction, and the most audiences of its scope.
BATCH_ROWS, BATCH_AUDIENCES = 2_000, 100
# The kind of this act in the erasure ledger.
LEDGER_ENTRY_TYPE = "organisation"
Reporter = Callable[[str], None]


@wired
def on_organisation_closed(organisation_id: UUID, now: datetime) -> None:
    """Revoke the keys of a closed organisation. Called in the transaction that closes it."""
    raise NotImplementedError


def close_organisation(organisation_id: UUID, *, now: datetime) -> None:
    """Close an organisation: nobody reads or writes in it any more, and its slug is free again."""
    with organisation_scope(organisation_id):
        if not Organisation.objects.filter(id=organisation_id).update(
            removed_at=now, slug=f"removed-{organisation_id.hex}"
        ):
            return
        people = Member.objects.filter(organisation_id=organisation_id, user__isnull=False)
        if current_server():
            for account in people.values_list("user_id", flat=True):
                mark_copy_due(account)
        people.update(user=None, removed_at=now, invite_digest="", invite_expires_at=None)
        on_organisation_closed(organisation_id, now)


def remove_organisation(
    organisation_id: UUID,
    *,
    now: datetime,
    seconds: float | None = None,
    say: Reporter = lambda text: None,
) -> bool:
    """Close an organisation and delete all its rows. False if the time is up; then call it again.

    seconds: for how long new batches are begun; None for no limit.
    say: called every few seconds with a sentence on the progress.
    """
    with server_of(organisation_id):
        is_gone = _remove(organisation_id, now, seconds, say)
    if is_gone and len(list_servers()) > 1:
        release_placement(organisation_id)
    return is_gone


def _remove(organisation_id: UUID, now: datetime, seconds: float | None, say: Reporter) -> bool:
    close_organisation(organisation_id, now=now)
    until = None if seconds is None else time.monotonic() + seconds
    gone, told = 0, time.monotonic()
    for table in _tables_in_delete_order():
        for rows in _delete_rows(organisation_id, table):
            gone += rows
            if time.monotonic() - told > 5:
                told = time.monotonic()
                say(f"{gone:,} rows gone, now {table.name}")
            if until is not None and time.monotonic() > until:
                return False
    with organisation_scope(organisation_id):
        last = Organisation.with_removed.filter(id=organisation_id)
        if last.exists():
            erasure_ledger.append_entry(_ledger_entry(organisation_id, now))
        last.delete()
    return True


def replay_removals(entries: Sequence[erasure_ledger.LedgerEntry], say: Reporter) -> None:
    """After a restore, remove again the organisations that the ledger names."""
    for entry in entries:
        if entry["what"] != LEDGER_ENTRY_TYPE:
            continue
        organisation_id = UUID(entry["target"])
        with organisation_scope(organisation_id):
            is_back = Organisation.with_removed.filter(id=organisation_id).exists()
        if is_back:
            say(f"Removing the organisation {organisation_id} again ...")
            remove_organisation(organisation_id, now=datetime.fromisoformat(entry["at"]), say=say)


def _ledger_entry(organisation_id: UUID, now: datetime) -> dict[str, object]:
    """The line of the erasure ledger. Its id is the organisation's, so a second removal adds no
    act."""
    own = {"id": organisation_id, "organisation": organisation_id, "target": organisation_id}
    return {**own, "what": LEDGER_ENTRY_TYPE, "at": now}


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    by_audience: bool


# Every tenant table, and every foreign key between two of them but those with ON DELETE SET NULL:
# does it cascade, and does it do so for every row, because no column of it may be NULL? Partitions
# belong to their parent.
_TENANT_TABLES_SQL = f"""
SELECT c.oid, c.relname, has_table_privilege(c.oid, 'DELETE') AND c.relkind = 'r', EXISTS (
    SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid
    AND pg_get_expr(p.polqual, p.polrelid) LIKE '%app.audiences%')
FROM pg_class c
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
AND {HAS_ORGANISATION_SQL}
ORDER BY c.relname
"""
_REFERENCES = """
SELECT c.conrelid, c.confrelid, c.confdeltype = 'c', c.confdeltype = 'c' AND NOT EXISTS (
    SELECT 1 FROM pg_attribute a
    WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND NOT a.attnotnull)
FROM pg_constraint c
WHERE c.contype = 'f' AND c.confdeltype <> 'n' AND c.conrelid <> c.confrelid
AND c.conrelid = ANY (%(tables)s) AND c.confrelid = ANY (%(tables)s)
ORDER BY c.conrelid, c.confrelid
"""


def _tables_in_delete_order() -> list[_Table]:
    """The tables to be emptied, each after the tables that refer to it."""
    with connection.cursor() as cursor:
        cursor.execute(_TENANT_TABLES_SQL)
        found = {oid: (name, deletes, opened) for oid, name, deletes, opened in cursor.fetchall()}
        cursor.execute(_REFERENCES, {"tables": list(found)})
        references = cursor.fetchall()
    owner: dict[int, int] = {}
    for table, named, _, follows in references:
        if follows:
            owner.setdefault(table, named)
    before = TopologicalSorter[int]({oid: () for oid in found if oid not in owner})
    for table, named, cascades, _ in references:
        if cascades and table in owner and owner[table] != named:
            # Its rows are deleted with its owner, and with the other table where they refer to it.
            continue
        first, then = _cascade_root(table, owner), _cascade_root(named, owner)
        if first != then:
            before.add(then, first)
    order = [found[oid] for oid in before.static_order()]
    return [_Table(name, opened) for name, deletes, opened in order if deletes]


def _cascade_root(table: int, owner: dict[int, int]) -> int:
    while table in owner:
        table = owner[table]
    return table


def _delete_rows(organisation_id: UUID, table: _Table) -> Iterator[int]:
    """Delete the table's rows; yields how many after each transaction."""
    statement = sql.SQL(
        "DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} "
        "WHERE organisation_id = %(organisation)s{readable} LIMIT %(at_once)s))"
    ).format(
        table=sql.Identifier(table.name),
        readable=sql.SQL(" AND audience_id = ANY (%(audiences)s)" if table.by_audience else ""),
    )
    for audiences in _audience_batches(organisation_id) if table.by_audience else [()]:
        rows = BATCH_ROWS
        while rows >= BATCH_ROWS:
            rows = _delete_batch(organisation_id, audiences, statement)
            yield rows


def _delete_batch(organisation_id: UUID, audiences: Sequence[UUID], statement: sql.Composed) -> int:
    values = {
        "organisation": organisation_id,
        "audiences": list(audiences),
        "at_once": BATCH_ROWS,
        "lock": organisation_id.int & 0x7FFF_FFFF_FFFF_FFFF,
    }
    new = Scope(organisation=organisation_id, audiences=tuple(audiences))
    with scope(new), connection.cursor() as cursor:
        # Two removals of one organisation take turns, else each would wait for rows of the other.
        cursor.execute("SELECT pg_advisory_xact_lock(%(lock)s)", values)
        cursor.execute(statement, values)
        return int(cursor.rowcount)


def _audience_batches(organisation_id: UUID) -> list[list[UUID]]:
    with organisation_scope(organisation_id):
        return list_audience_batches(organisation_id, BATCH_AUDIENCES)
