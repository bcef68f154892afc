"""What is left of texts outside the rows: log files, caches, exports, dead rows on the disk."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import OperationalError, ProgrammingError, connections
from psycopg import sql

from memories.embedding.query_cache import forget_queries
from memories.indexing.organisation_indexes import indexes_of
from memories.privacy.erasure.columns import with_words
from memories.privacy.erasure.names import NameTerms
from memories.privacy.erasure.run_state import Running
from memories.snapshots.export_job import EXPORTS

OWNER = "owner"
# An HNSW that lost so large a part is made anew: vacuuming one takes longer than building it.
REBUILT_FROM = 0.05
# For so long a table is waited for that somebody reads, before its old pages are left as they are.
LOCK_SECONDS = 3
_STATISTICS = sql.Identifier("pg_catalog", "pg_statistic")
_CHUNK = 1 << 20
_MARGIN = 4_096
# Tables whose rows go with a member by a step of their own.
OF_MEMBERS = (
    "orgs_member", "orgs_externalidentity", "orgs_user", "account_emailaddress", "orgs_signin",
    "orgs_supportact",
    "django_session", "mfa_authenticator", "socialaccount_socialaccount", "robots_identitylink",
    "memories_account", "memories_accountentry", "memories_savedview", "memories_job",
    "django_admin_log",
)  # fmt: skip


# What the database deletes along with rows of a table.
_GOING = """
WITH RECURSIVE going AS (
    SELECT to_regclass(%(root)s)::oid AS id
    UNION
    SELECT c.conrelid FROM pg_constraint c JOIN going g ON c.confrelid = g.id
    WHERE c.contype = 'f' AND c.confdeltype = 'c'
)
SELECT p.relname FROM going g JOIN pg_class p ON p.oid = g.id
"""


@cache
def going_with(root: str) -> frozenset[str]:
    """A table with those whose rows go with its rows, as far as they hold words."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(_GOING, {"root": root})
        found = {name for (name,) in cursor.fetchall()}
    return frozenset(found & with_words())


def clear_caches() -> None:
    """No process keeps the vector of a question that anybody asked before now."""
    forget_queries()


def discard_exports(running: Running) -> int:
    """Remove every file that was taken out of the organisation: any may hold what is erased, and
    who needs one asks again. How many."""
    rows = running.rows(
        "SELECT id FROM memories_job WHERE organisation_id = %(organisation)s AND kind = 'export'"
    )
    there = [id_ for (id_,) in rows if EXPORTS.path_of(id_).exists()]
    for id_ in there:
        EXPORTS.discard(id_)
    return len(there)


def blank_logs(terms: NameTerms) -> int:
    """Overwrite the terms in the log files of DATA_DIR, in place and in their own length, for a
    server goes on writing behind them. How many places."""
    folder = Path(settings.DATA_DIR) / "log"
    if not terms or not folder.is_dir():
        return 0
    patterns = [
        re.compile(pattern.encode(), 0 if exact else re.IGNORECASE)
        for pattern, exact in terms.patterns
    ]
    return sum(_blank(path, patterns) for path in sorted(folder.iterdir()) if path.is_file())


def _blank(path: Path, patterns: Sequence[re.Pattern[bytes]]) -> int:
    """One file, a portion at a time with a margin in which a name may lie across the border."""
    found = 0
    with path.open("r+b") as file:
        start = 0
        while True:
            file.seek(start)
            portion = file.read(_CHUNK)
            if not portion:
                return found
            for pattern in patterns:
                for match in pattern.finditer(portion):
                    file.seek(start + match.start())
                    file.write(b"*" * (match.end() - match.start()))
                    found += 1
            if len(portion) < _CHUNK:
                return found
            start += _CHUNK - _MARGIN


def analyse(table: str) -> None:
    """Tell the planner how much is in a table now."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))


def lost_much(erased: int, left: int) -> bool:
    """Whether the rows that went are at least a twentieth of those that were there."""
    return erased > 0 and erased >= REBUILT_FROM * (erased + left)


def rebuild_indexes(running: Running, erased: int) -> int:
    """Make the organisation's graph of vectors anew where it lost a twentieth; 1 if it was."""
    [(left,)] = running.rows(
        "SELECT count(*) FROM memories_search WHERE organisation_id = %(organisation)s"
    )
    if not lost_much(erased, left):
        return 0
    hnsw = next(i for i in indexes_of(running.organisation_id) if i.using.startswith("hnsw"))
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_class WHERE relname = %s", [hnsw.name])
        if cursor.fetchone() is None:
            return 0
        cursor.execute(sql.SQL("REINDEX INDEX CONCURRENTLY {}").format(sql.Identifier(hnsw.name)))
    return 1


def vacuum(tables: Iterable[str], *, rewrite: bool = True) -> dict[str, int]:
    """Take the dead rows of these tables off the disk. rewrite: and the bytes that they leave.

    VACUUM frees them, and what is left in the free space of a page is no row any more, but bytes.
    So a table of at most ERASURE_REWRITE_MB megabytes is written anew, which holds it up for as
    long as that takes. The planner's statistics quote frequent values, so they are made anew first.
    Returns `vacuumed`, `rewritten`, and `not_rewritten`: too large, or in use.
    """
    counts = {"vacuumed": 0, "rewritten": 0, "not_rewritten": 0}
    with connections[OWNER].cursor() as cursor:
        for table in sorted(set(tables)):
            name = sql.Identifier(table)
            cursor.execute("SELECT pg_total_relation_size(to_regclass(%s))", [table])
            size = cursor.fetchone()[0]
            if size is None:
                continue
            cursor.execute(sql.SQL("VACUUM (ANALYZE) {}").format(name))
            counts["vacuumed"] += 1
            small = rewrite and size <= settings.ERASURE_REWRITE_MB * 1024 * 1024
            rewritten = small and _rewrite(cursor, name)
            counts["rewritten" if rewritten else "not_rewritten"] += 1
        if rewrite and not _rewrite(cursor, _STATISTICS):
            counts["not_rewritten"] += 1
    return counts


def _rewrite(cursor: Any, name: sql.Identifier) -> bool:
    """Whether the table could be had for that; tried twice: most who are in the way are short."""
    cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_SECONDS}s"])
    try:
        return any(_rewritten(cursor, name) for _ in range(2))
    finally:
        cursor.execute("SELECT set_config('lock_timeout', '0', false)")


def _rewritten(cursor: Any, name: sql.Identifier) -> bool:
    try:
        cursor.execute(sql.SQL("VACUUM (FULL) {}").format(name))
    except (OperationalError, ProgrammingError):
        return False
    return True


# Who is in a transaction in this database now, and in which.
_OPEN = """
SELECT l.pid, coalesce(l.transactionid::text, l.virtualxid) FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = %(kind)s AND l.granted AND a.datname = current_database()
    AND l.pid <> pg_backend_pid()
"""
# Those that have written have a number of their own; the others see what was there before.
WRITERS, ALL = "transactionid", "virtualxid"


def transactions(running: Running, kind: str) -> set[tuple[int, str]]:
    """The transactions that are not at their end: WRITERS or ALL, also those that only read."""
    rows = running.rows(_OPEN, {"kind": kind})
    return {(int(pid), str(number)) for pid, number in rows}
