"""Remove what is left of texts outside the rows: in log files, caches, exports, and dead rows on
the disk."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, ProgrammingError, connections
from psycopg import sql

from memories.embedding.query_cache import invalidate_query_caches
from memories.indexing.organisation_indexes import list_indexes
from memories.privacy.erasure.column_rules import tables_with_words
from memories.privacy.erasure.erasure_run import ErasureRun
from memories.privacy.erasure.name_terms import NameTerms
from memories.snapshots.export_job import EXPORTS
from memories.snapshots.snapshot_format import read_line_id

OWNER_DATABASE = "owner"
# An HNSW index that lost this share is rebuilt, because vacuuming it takes longer than building it.
REBUILD_SHARE = 0.05
# How long to wait for the lock of a table; afterwards its old pages stay.
LOCK_TIMEOUT_SECONDS = 3
_STATISTICS = sql.Identifier("pg_catalog", "pg_statistic")
_CHUNK_BYTES = 1 << 20
_OVERLAP_BYTES = 4_096
# Tables from which the step of the member deletes rows.
MEMBER_TABLES = (
    "orgs_member", "orgs_externalidentity", "orgs_user", "account_emailaddress", "orgs_signin",
    "orgs_supportact",
    "django_session", "mfa_authenticator", "socialaccount_socialaccount", "robots_identitylink",
    "memories_account", "memories_accountentry", "memories_savedview", "memories_job",
    "django_admin_log",
)  # fmt: skip


# The tables whose rows are deleted by cascade with rows of a table.
_CASCADE_TABLES_SQL = """
WITH RECURSIVE going AS (
    SELECT to_regclass(%(root)s)::oid AS id
    UNION
    SELECT c.conrelid FROM pg_constraint c JOIN going g ON c.confrelid = g.id
    WHERE c.contype = 'f' AND c.confdeltype = 'c'
)
SELECT p.relname FROM going g JOIN pg_class p ON p.oid = g.id
"""


@cache
def cascade_tables(root: str) -> frozenset[str]:
    """A table and those whose rows are deleted with its rows, without tables that hold no words."""
    with connections[OWNER_DATABASE].cursor() as cursor:
        cursor.execute(_CASCADE_TABLES_SQL, {"root": root})
        found = {name for (name,) in cursor.fetchall()}
    return frozenset(found & tables_with_words())


def clear_query_caches() -> None:
    """Make all processes drop their cached query vectors."""
    invalidate_query_caches()


def discard_exports(running: ErasureRun) -> int:
    """Delete every export file of the organisation, since any may contain erased data; it can be
    made again. Returns how many."""
    there = _list_exports(running)
    for id_ in there:
        EXPORTS.discard(id_)
    return len(there)


def discard_exports_with(running: ErasureRun, ids: Iterable[UUID]) -> None:
    """Delete the export files of the organisation that hold one of these memories. Others stay: who
    erases notes of their own must not keep others from an export."""
    gone = frozenset(str(id_).encode() for id_ in ids)
    for id_ in _list_exports(running):
        if _has_line_of(EXPORTS.path_of(id_), gone):
            EXPORTS.discard(id_)


def _list_exports(running: ErasureRun) -> list[UUID]:
    """The export jobs of the organisation that have a file."""
    rows = running.rows(
        "SELECT id FROM memories_job WHERE organisation_id = %(organisation)s AND kind = 'export'"
    )
    return [id_ for (id_,) in rows if EXPORTS.path_of(id_).exists()]


def _has_line_of(path: Path, ids: frozenset[bytes]) -> bool:
    """Whether an export file has the line of one of these memories; a line begins with its id."""
    try:
        with path.open("rb") as file:
            return any(read_line_id(line) in ids for line in file)
    except FileNotFoundError:
        return False


def overwrite_in_logs(terms: NameTerms) -> int:
    """Overwrite the terms in the log files of DATA_DIR, in place and with the same length, because
    servers append to these files. Returns the number of places."""
    folder = Path(settings.DATA_DIR) / "log"
    if not terms or not folder.is_dir():
        return 0
    patterns = [
        re.compile(pattern.encode(), 0 if exact else re.IGNORECASE)
        for pattern, exact in terms.patterns
    ]
    return sum(
        _overwrite_in_file(path, patterns) for path in sorted(folder.iterdir()) if path.is_file()
    )


def _overwrite_in_file(path: Path, patterns: Sequence[re.Pattern[bytes]]) -> int:
    """Overwrite the terms in one file, in portions that overlap by a name's length."""
    found = 0
    with path.open("r+b") as file:
        start = 0
        while True:
            file.seek(start)
            portion = file.read(_CHUNK_BYTES)
            if not portion:
                return found
            for pattern in patterns:
                for match in pattern.finditer(portion):
                    file.seek(start + match.start())
                    file.write(b"*" * (match.end() - match.start()))
                    found += 1
            if len(portion) < _CHUNK_BYTES:
                return found
            start += _CHUNK_BYTES - _OVERLAP_BYTES


def analyse_table(table: str) -> None:
    """ANALYZE a table, so that the planner knows its size."""
    with connections[OWNER_DATABASE].cursor() as cursor:
        cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))


def needs_rebuild(erased: int, left: int) -> bool:
    """Whether at least a twentieth of the former rows were erased."""
    return erased > 0 and erased >= REBUILD_SHARE * (erased + left)


def rebuild_vector_index(running: ErasureRun, erased: int) -> int:
    """Rebuild the organisation's HNSW indexes if they lost a twentieth of their rows. Returns 1 if
    any was rebuilt, else 0."""
    [(left,)] = running.rows(
        "SELECT count(*) FROM memories_search WHERE organisation_id = %(organisation)s"
    )
    if not needs_rebuild(erased, left):
        return 0
    names = [i.name for i in list_indexes(running.organisation_id) if i.using.startswith("hnsw")]
    with connections[OWNER_DATABASE].cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relname = ANY(%s)", [names])
        built = [name for (name,) in cursor.fetchall()]
        for name in built:
            cursor.execute(sql.SQL("REINDEX INDEX CONCURRENTLY {}").format(sql.Identifier(name)))
    return int(bool(built))


def vacuum_tables(tables: Iterable[str], *, rewrite: bool = True) -> dict[str, int]:
    """Remove the dead rows of these tables from the disk. rewrite: also their bytes.

    VACUUM frees dead rows, but their bytes stay in the free space of pages. So a table of at most
    ERASURE_REWRITE_MB megabytes is rewritten, which locks it for that time. The planner's
    statistics contain frequent values, so they are computed again first. Returns the counts
    `vacuumed`, `rewritten`, and `not_rewritten` (too large, or in use).
    """
    counts = {"vacuumed": 0, "rewritten": 0, "not_rewritten": 0}
    with connections[OWNER_DATABASE].cursor() as cursor:
        for table in sorted(set(tables)):
            name = sql.Identifier(table)
            cursor.execute("SELECT pg_total_relation_size(to_regclass(%s))", [table])
            size = cursor.fetchone()[0]
            if size is None:
                continue
            cursor.execute(sql.SQL("VACUUM (ANALYZE) {}").format(name))
            counts["vacuumed"] += 1
            small = rewrite and size <= settings.ERASURE_REWRITE_MB * 1024 * 1024
            rewritten = small and _rewrite_table(cursor, name)
            counts["rewritten" if rewritten else "not_rewritten"] += 1
        if rewrite and not _rewrite_table(cursor, _STATISTICS):
            counts["not_rewritten"] += 1
    return counts


def _rewrite_table(cursor: Any, name: sql.Identifier) -> bool:
    """Rewrite a table. Returns whether its lock was free; tried twice, because most transactions
    are short."""
    cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_TIMEOUT_SECONDS}s"])
    try:
        return any(_try_rewrite(cursor, name) for _ in range(2))
    finally:
        cursor.execute("SELECT set_config('lock_timeout', '0', false)")


def _try_rewrite(cursor: Any, name: sql.Identifier) -> bool:
    try:
        cursor.execute(sql.SQL("VACUUM (FULL) {}").format(name))
    except (OperationalError, ProgrammingError):
        return False
    return True


# The open transactions of this database.
_OPEN_TRANSACTIONS_SQL = """
SELECT l.pid, coalesce(l.transactionid::text, l.virtualxid) FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = %(kind)s AND l.granted AND a.datname = current_database()
    AND l.pid <> pg_backend_pid()
"""
# Transactions that have written have an id; the others only read older rows.
WRITING_TRANSACTIONS, ALL_TRANSACTIONS = "transactionid", "virtualxid"


def list_open_transactions(running: ErasureRun, kind: str) -> set[tuple[int, str]]:
    """The open transactions. kind: WRITERS, or ALL for those that only read as well."""
    rows = running.rows(_OPEN_TRANSACTIONS_SQL, {"kind": kind})
    return {(int(pid), str(number)) for pid, number in rows}
