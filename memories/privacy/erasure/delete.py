"""Delete what has a tombstone, in batches that commit, with what was lent to others taken back."""

from collections.abc import Callable, Sequence
from uuid import UUID

from memories.indexing import index
from memories.ingestion.file_import.upload_files import UPLOADS
from memories.lifecycle.consolidation.undo_summary import bring_back
from memories.privacy.erasure.models import Gone, SourceKind
from memories.privacy.erasure.run_state import Running
from memories.snapshots.export_job import EXPORTS
from memories.store.dependents import is_summary, sources
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, scope

# Hears after each batch how many rows are gone; False: stop between two batches.
KeepOn = Callable[[int], bool]

# Who reads the memories, and who reads what they were made of, which may come back. Turns lend
# words to those of the same readers alone.
_AUDIENCES = """
SELECT m.audience_id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY (%(ids)s)
UNION
SELECT d.source_audience_id FROM memories_derivation d
WHERE d.organisation_id = %(organisation)s AND d.memory_id = ANY (%(ids)s)
"""
_BURIED = """
SELECT t.target FROM memories_tombstone t
WHERE t.organisation_id = %(organisation)s AND t.target = ANY (%(ids)s)
"""


def delete_memories(running: Running, keep_on: KeepOn) -> dict[str, int] | None:
    """Every memory with a tombstone; counts of what went, and of what came back. None: stopped."""
    gone, back, last = 0, 0, UUID(int=0)
    while ids := running.due(Gone.MEMORY, after=last):
        last = ids[-1]
        audiences = tuple(sorted(id_ for (id_,) in running.rows(_AUDIENCES, {"ids": ids})))
        with scope(Scope(organisation=running.organisation_id, audiences=audiences)):
            back += _delete(running, ids)
        running.mark_gone(ids)
        gone += len(ids)
        if not keep_on(gone):
            return None
    return {"memories": gone, "brought_back": back}


def _delete(running: Running, ids: Sequence[UUID]) -> int:
    """One batch, inside a scope that reads all of it; how much of what it was made of is back."""
    rows = list(
        Memory.objects.filter(organisation_id=running.organisation_id, id__in=ids)
        .select_for_update(of=("self",))
        .order_by("id")
    )
    # What was made of them has a tombstone of its own, and so may the turns around them.
    index.take_out(
        [row for row in rows if row.status == Status.ACTIVE],
        running.now,
        going=lambda near: {id_ for (id_,) in running.rows(_BURIED, {"ids": list(near)})},
    )
    left = _left_behind(running, [row for row in rows if is_summary(row)])
    Memory.objects.filter(organisation_id=running.organisation_id, id__in=ids).delete()
    return len(bring_back(left, running.now))


def _left_behind(running: Running, summaries: Sequence[Memory]) -> list[Memory]:
    """What was archived for a summary and is not erased itself: it stands for itself again."""
    found: dict[UUID, Memory] = {}
    for summary in summaries:
        archived = sources(summary).filter(
            status=Status.ARCHIVED, archived_at=summary.created_at, archived_for=""
        )
        found |= {row.id: row for row in archived.select_for_update(of=("self",)).order_by("id")}
    buried = {id_ for (id_,) in running.rows(_BURIED, {"ids": list(found)})} if found else set()
    return [found[id_] for id_ in sorted(found) if id_ not in buried]


_MESSAGES = (
    "DELETE FROM robots_message WHERE organisation_id = %(organisation)s AND id = ANY (%(ids)s)"
)
_CONVERSATIONS = (
    "DELETE FROM robots_conversation WHERE organisation_id = %(organisation)s "
    "AND id = ANY (%(ids)s)"
)
_SAID = (
    (Gone.MESSAGE, "messages", _MESSAGES),
    (Gone.CONVERSATION, "conversations", _CONVERSATIONS),
)


def delete_messages(running: Running, keep_on: KeepOn) -> dict[str, int] | None:
    """Messages, then the conversations that held nothing else."""
    counts = {}
    for kind, name, statement in _SAID:
        gone, last = 0, UUID(int=0)
        while ids := running.due(kind, after=last):
            last = ids[-1]
            gone += running.change(statement, {"ids": ids})
            running.mark_gone(ids)
            if not keep_on(gone):
                return None
        counts[name] = gone
    return counts


# What is left of a source in memories that others have said as well, and of a member.
_CONTRIBUTIONS = """
WITH gone AS (
    DELETE FROM memories_contribution c WHERE c.organisation_id = %(organisation)s
        AND c.{column} = %(target)s AND EXISTS (
            SELECT 1 FROM memories_contribution other
            WHERE other.organisation_id = c.organisation_id AND other.memory_id = c.memory_id
                AND other.{column} IS DISTINCT FROM c.{column})
    RETURNING c.memory_id, c.count
)
UPDATE memories_memory m SET remember_count = greatest(1, m.remember_count - g.count)
FROM (SELECT memory_id, sum(count)::int AS count FROM gone GROUP BY memory_id) g
WHERE m.organisation_id = %(organisation)s AND m.id = g.memory_id
"""
_COLUMN_OF = {
    SourceKind.ROBOT: "robot_id",
    SourceKind.KEY: "key_id",
    SourceKind.IMPORT: "import_job",
}


def recount(running: Running) -> dict[str, int]:
    """Take a source out of the numbers of memories that stay; how many were counted anew."""
    columns = [column for kind, column in _COLUMN_OF.items() if running.is_source(kind)]
    if running.member_id:
        columns.append("member_id")
    statements = (_CONTRIBUTIONS.format(column=column) for column in columns)
    return {"recounted": sum(running.change(one) for one in statements)}


_THEIRS = "member_id = %(target)s"
_A_ROBOTS = "robot_id = %(target)s"
# The rest of what is a member's own, and what else came from a robot and from a group: the name of
# the count, the table, which rows. What follows another row goes with it.
_OF_MEMBER = (
    ("accounts", "memories_account", _THEIRS),
    ("saved_views", "memories_savedview", _THEIRS),
    ("recalls", "memories_recall", _THEIRS),
    ("proposals", "memories_proposal", "proposed_by_id = %(target)s"),
    ("delegations", "robots_delegation", _THEIRS),
    ("debates", "memories_debate", _THEIRS),
    ("edges", "memories_edge", "(source = %(target)s OR target = %(target)s)"),
    ("entities", "memories_entity", "(member_id = %(target)s OR node = %(target)s)"),
    # A part in the decisions of others.
    ("participants", "memories_participant", _THEIRS),
    ("claims", "memories_claim", _THEIRS),
    ("dissents", "memories_dissent", _THEIRS),
)
_OF_ROBOT = (
    # What waits to be published is about a memory, and stays with it where others said it too.
    (
        "proposals",
        "memories_proposal",
        f"{_A_ROBOTS} AND proposed_by_id IS NULL AND cause IN ('correction', 'report')",
    ),
    ("debates", "memories_debate", _A_ROBOTS),
    ("identity_links", "robots_identitylink", _A_ROBOTS),
    ("participants", "memories_participant", _A_ROBOTS),
    ("claims", "memories_claim", _A_ROBOTS),
    ("dissents", "memories_dissent", _A_ROBOTS),
)
_OF_GROUP = (("debates", "memories_debate", "group_id = %(target)s"),)
# By the name of a count the table that it counts.
TABLES = {
    **{name: table for name, table, _ in (*_OF_MEMBER, *_OF_ROBOT, *_OF_GROUP)},
    "jobs": "memories_job",
}


def delete_belongings(running: Running) -> dict[str, int]:
    """What a member has beside memories: calendars, views, what they asked, proposed and allowed;
    their jobs, with what they uploaded and took out."""
    belongings: tuple[tuple[str, str, str], ...] = ()
    if running.member_id:
        belongings = _OF_MEMBER
    elif running.is_source(SourceKind.ROBOT):
        belongings = _OF_ROBOT
    elif running.is_source(SourceKind.GROUP):
        belongings = _OF_GROUP
    counts = {
        name: running.change(
            f"DELETE FROM {table} WHERE organisation_id = %(organisation)s AND {rows}"
        )
        for name, table, rows in belongings
    }
    counts["jobs"] = 0
    while jobs := running.due(Gone.JOB):
        counts["jobs"] += _delete_jobs(running, jobs)
    return counts


def _delete_jobs(running: Running, jobs: Sequence[UUID]) -> int:
    for job_id in jobs:
        UPLOADS.discard(job_id)
        EXPORTS.discard(job_id)
    gone = running.change(
        "DELETE FROM memories_job WHERE organisation_id = %(organisation)s AND id = ANY (%(ids)s)",
        {"ids": list(jobs)},
    )
    running.mark_gone(jobs)
    return gone
