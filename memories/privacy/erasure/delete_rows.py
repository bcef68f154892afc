"""Delete rows with a tombstone, in batches that commit, and remove their contributions to other
turns."""

from collections.abc import Callable, Sequence
from uuid import UUID

from django.db.models import Q

from memories.indexing import search_index
from memories.ingestion.file_import.import_job import UPLOADS
from memories.ingestion.file_import.plan_import import delete_member_previews
from memories.jobs.models import Job, JobType
from memories.privacy.erasure.erasure_run import ErasureRun, ErasureSource, TombstoneType
from memories.snapshots.export_job import EXPORTS
from memories.state.transitions import restore_memories
from memories.store.dependents import is_summary, sources_of
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, scope
from orgs.organisations.audience_rows import list_audience_batches
from orgs.principals import Actor

# How many audiences a scope opens at once to search everything.
SCOPE_BATCH_SIZE = 1_000
# Called after each batch with the number of deleted rows; False stops the run.
ShouldContinue = Callable[[int], bool]

# The audiences of the memories, and of the sources of summaries, which may become active again.
# Neighbouring turns have the same audience.
_AUDIENCES_SQL = """
SELECT m.audience_id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY (%(ids)s)
UNION
SELECT d.source_audience_id FROM memories_derivation d
WHERE d.organisation_id = %(organisation)s AND d.memory_id = ANY (%(ids)s)
"""
_TOMBSTONED_SQL = """
SELECT t.target FROM memories_tombstone t
WHERE t.organisation_id = %(organisation)s AND t.target = ANY (%(ids)s)
"""


def delete_memories(running: ErasureRun, keep_on: ShouldContinue) -> dict[str, int] | None:
    """Delete every memory with a tombstone. Returns counts of deleted and of restored memories;
    None if it was stopped."""
    gone, back, last = 0, 0, UUID(int=0)
    while ids := running.due(TombstoneType.MEMORY, after=last):
        last = ids[-1]
        audiences = tuple(sorted(id_ for (id_,) in running.rows(_AUDIENCES_SQL, {"ids": ids})))
        with scope(Scope(organisation=running.organisation_id, audiences=audiences)):
            back += _delete_batch(running, ids)
        running.mark_gone(ids)
        gone += len(ids)
        if not keep_on(gone):
            return None
    return {"memories": gone, "brought_back": back}


def clear_undo_notes(organisation_id: UUID, ids: Sequence[UUID]) -> None:
    """Remove these memories from the undo data of everybody's bulk changes."""
    names = {str(id_) for id_ in ids}
    noted = Q()
    for name in names:
        noted |= Q(result__undo__contains=[[name]]) | Q(parameters__undoing__has_key=name)
    jobs = Job.objects.filter(noted, organisation_id=organisation_id, kind=JobType.CHANGE)
    for portion in list_audience_batches(organisation_id, SCOPE_BATCH_SIZE):
        with scope(Scope(organisation=organisation_id, audiences=tuple(sorted(portion)))):
            for job in jobs.all().select_for_update().order_by("id"):
                if undo := job.result.get("undo"):
                    job.result["undo"] = [entry for entry in undo if entry[0] not in names]
                undoing = job.parameters.get("undoing", {})
                undoing.update(dict.fromkeys(names & set(undoing)))
                job.save(update_fields=["result", "parameters"])


def _delete_batch(running: ErasureRun, ids: Sequence[UUID]) -> int:
    """Delete one batch, in a scope that reads all of it. Returns how many sources of summaries were
    restored."""
    rows = list(
        Memory.objects.filter(organisation_id=running.organisation_id, id__in=ids)
        .select_for_update(of=("self",))
        .order_by("id")
    )
    # Derived memories have their own tombstones, and neighbouring turns may have one.
    search_index.unindex_rows(
        [row for row in rows if row.status == Status.ACTIVE],
        running.now,
        going=lambda near: {id_ for (id_,) in running.rows(_TOMBSTONED_SQL, {"ids": list(near)})},
    )
    left = _restorable_sources(running, [row for row in rows if is_summary(row)])
    clear_undo_notes(running.organisation_id, ids)
    Memory.objects.filter(organisation_id=running.organisation_id, id__in=ids).delete()
    restore_memories(left, running.now, status=Status.ACTIVE)
    return len(left)


def _restorable_sources(running: ErasureRun, summaries: Sequence[Memory]) -> list[Memory]:
    """The sources that were archived for these summaries and are not erased themselves."""
    found: dict[UUID, Memory] = {}
    for summary in summaries:
        archived = sources_of(summary).filter(
            status=Status.ARCHIVED, archived_at=summary.created_at, archived_for=""
        )
        found |= {row.id: row for row in archived.select_for_update(of=("self",)).order_by("id")}
    buried = (
        {id_ for (id_,) in running.rows(_TOMBSTONED_SQL, {"ids": list(found)})} if found else set()
    )
    return [found[id_] for id_ in sorted(found) if id_ not in buried]


_DELETE_MESSAGES_SQL = (
    "DELETE FROM robots_message WHERE organisation_id = %(organisation)s AND id = ANY (%(ids)s)"
)
_DELETE_CONVERSATIONS_SQL = (
    "DELETE FROM robots_conversation WHERE organisation_id = %(organisation)s "
    "AND id = ANY (%(ids)s)"
)
_MESSAGE_STEPS = (
    (TombstoneType.MESSAGE, "messages", _DELETE_MESSAGES_SQL),
    (TombstoneType.CONVERSATION, "conversations", _DELETE_CONVERSATIONS_SQL),
)


def delete_messages(running: ErasureRun, keep_on: ShouldContinue) -> dict[str, int] | None:
    """Delete messages, then the conversations without any other message. None if it was stopped."""
    counts = {}
    for kind, name, statement in _MESSAGE_STEPS:
        gone, last = 0, UUID(int=0)
        while ids := running.due(kind, after=last):
            last = ids[-1]
            gone += running.change(statement, {"ids": ids})
            running.mark_gone(ids)
            if not keep_on(gone):
                return None
        counts[name] = gone
    return counts


# Contributions of the source or the member to memories that others have contributed to as well.
_DELETE_CONTRIBUTIONS_SQL = """
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
_CONTRIBUTION_COLUMN = {
    ErasureSource.ROBOT: "robot_id",
    ErasureSource.KEY: "key_id",
    ErasureSource.IMPORT: "import_job",
}


def delete_contributions(running: ErasureRun) -> dict[str, int]:
    """Remove a source from the counts of memories that stay. Returns how many were recounted."""
    columns = [column for kind, column in _CONTRIBUTION_COLUMN.items() if running.is_source(kind)]
    if running.member_id:
        columns.append("member_id")
    statements = (_DELETE_CONTRIBUTIONS_SQL.format(column=column) for column in columns)
    return {"recounted": sum(running.change(one) for one in statements)}


_BY_MEMBER_SQL = "member_id = %(target)s"
_BY_ROBOT_SQL = "robot_id = %(target)s"
_OWN_ROBOTS_SQL = (
    "SELECT r.id FROM robots_robot r "
    "WHERE r.organisation_id = %(organisation)s AND r.owner_id = %(target)s"
)
# Further rows of a member, a robot or a group: the name of the count, the table, the condition.
# Rows that refer to these are deleted with them.
_MEMBER_TABLES = (
    ("accounts", "memories_account", _BY_MEMBER_SQL),
    ("saved_views", "memories_savedview", _BY_MEMBER_SQL),
    ("recalls", "memories_recall", _BY_MEMBER_SQL),
    ("uses", "memories_readeruse", _BY_MEMBER_SQL),
    # What is kept by it goes with it.
    ("question_consents", "memories_questionconsent", _BY_MEMBER_SQL),
    ("proposals", "memories_proposal", "proposed_by_id = %(target)s"),
    ("delegations", "robots_delegation", _BY_MEMBER_SQL),
    ("assistants", "robots_oauthgrant", _BY_MEMBER_SQL),
    (
        "webhooks",
        "memories_webhookendpoint",
        f"({_BY_MEMBER_SQL} OR robot_id IN ({_OWN_ROBOTS_SQL}))",
    ),
    ("import_subscriptions", "memories_importsubscription", _BY_MEMBER_SQL),
    ("debates", "memories_debate", _BY_MEMBER_SQL),
    ("edges", "memories_edge", "(source = %(target)s OR target = %(target)s)"),
    (
        "relationships",
        "memories_statedrelation",
        "(subject = %(target)s OR object = %(target)s)",
    ),
    ("entities", "memories_entity", "(member_id = %(target)s OR node = %(target)s)"),
    # Rows in the records of others' decisions.
    ("participants", "memories_participant", _BY_MEMBER_SQL),
    ("claims", "memories_claim", _BY_MEMBER_SQL),
    ("dissents", "memories_dissent", _BY_MEMBER_SQL),
)
_ROBOT_TABLES = (
    # Items to publish a memory stay with it, if others said it too.
    (
        "proposals",
        "memories_proposal",
        f"{_BY_ROBOT_SQL} AND proposed_by_id IS NULL AND cause IN ('correction', 'report')",
    ),
    ("debates", "memories_debate", _BY_ROBOT_SQL),
    ("identity_links", "robots_identitylink", _BY_ROBOT_SQL),
    ("webhooks", "memories_webhookendpoint", _BY_ROBOT_SQL),
    ("import_subscriptions", "memories_importsubscription", _BY_ROBOT_SQL),
    ("question_consents", "memories_questionconsent", _BY_ROBOT_SQL),
    ("participants", "memories_participant", _BY_ROBOT_SQL),
    ("claims", "memories_claim", _BY_ROBOT_SQL),
    ("dissents", "memories_dissent", _BY_ROBOT_SQL),
)
_GROUP_TABLES = (("debates", "memories_debate", "group_id = %(target)s"),)
# The table of each count.
TABLE_BY_COUNT = {
    **{name: table for name, table, _ in (*_MEMBER_TABLES, *_ROBOT_TABLES, *_GROUP_TABLES)},
    "jobs": "memories_job",
}


# What a member typed into rows that stay: the table, what becomes of it, the condition.
_MEMBER_WORDS = (
    (
        "robots_robot",
        "purpose = '', personality = '', metadata = '{}'",
        f"id IN ({_OWN_ROBOTS_SQL})",
    ),
    ("robots_key", "label = ''", f"robot_id IN ({_OWN_ROBOTS_SQL})"),
    ("memories_dissent", "rebuttal = ''", "answered_by_id = %(target)s"),
    ("memories_proposal", "decision = ''", "decided_by_id = %(target)s"),
)


def delete_other_rows(running: ErasureRun) -> dict[str, int]:
    """Delete the other data of a member: calendars, saved views, recalls, proposals, delegations,
    and their jobs with uploaded and exported files. Returns counts."""
    belongings: tuple[tuple[str, str, str], ...] = ()
    if running.member_id:
        belongings = _MEMBER_TABLES
    elif running.is_source(ErasureSource.ROBOT):
        belongings = _ROBOT_TABLES
    elif running.is_source(ErasureSource.GROUP):
        belongings = _GROUP_TABLES
    counts = {
        name: running.change(
            f"DELETE FROM {table} WHERE organisation_id = %(organisation)s AND {rows}"
        )
        for name, table, rows in belongings
    }
    for table, emptied, rows in _MEMBER_WORDS if running.member_id else ():
        running.change(
            f"UPDATE {table} SET {emptied} WHERE organisation_id = %(organisation)s AND {rows}"
        )
    if running.member_id:
        # Files that they uploaded and only looked at, which belong to no job.
        delete_member_previews(
            Actor(organisation_id=running.organisation_id, member_id=running.member_id)
        )
    counts["jobs"] = 0
    while jobs := running.due(TombstoneType.JOB):
        counts["jobs"] += _delete_jobs(running, jobs)
    return counts


def _delete_jobs(running: ErasureRun, jobs: Sequence[UUID]) -> int:
    for job_id in jobs:
        UPLOADS.discard(job_id)
        EXPORTS.discard(job_id)
    gone = running.change(
        "DELETE FROM memories_job WHERE organisation_id = %(organisation)s AND id = ANY (%(ids)s)",
        {"ids": list(jobs)},
    )
    running.mark_gone(jobs)
    return gone
