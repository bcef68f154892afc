"""Delete the old rows of a table, in transactions of a bounded size."""

from datetime import date, datetime
from uuid import UUID

from memories.jobs.job_queue import WORKER
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope

# Rows in one transaction.
BATCH_SIZE = 5_000


def old_rows_sql(table: str, old: str, key: str = "id") -> str:
    """The statement that deletes one batch. old: the condition by `%(before)s`, and an order.

    key: the column that tells rows apart.
    """
    return f"""
DELETE FROM {table} WHERE {key} = ANY (ARRAY(
    SELECT {key} FROM {table}
    WHERE organisation_id = %(organisation)s AND {old} LIMIT %(most)s))
RETURNING 1
"""


def delete_old_rows(organisation_id: UUID, sql: str, before: date | datetime | UUID) -> int:
    """Run a statement of `old_rows_sql` until nothing old is left; returns how many rows went."""
    values = {"organisation": organisation_id, "before": before, "most": BATCH_SIZE}
    gone = 0
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            rows = len(fetch_all(sql, values, WORKER))
        gone += rows
        if rows < BATCH_SIZE:
            return gone
