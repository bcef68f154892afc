"""Copy memories to other readers, and merge them; call inside a scope that reads both audiences."""

from copy import copy
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from memories.access.visibility import MemoryRequestError
from memories.curation.decision_records.record_parts import copy_record, is_decision
from memories.indexing import search_index
from memories.ingestion import memory_writes
from memories.knowledge_graph.action_item_tasks import copy_tasks
from memories.review.enqueue import reenqueue
from memories.store.encryption.texts import content_hashes
from memories.store.models.choices import Status
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory
from memories.store.restore_status import RESTORED_FIELDS, mark_restored, restored_status
from memories.store.speakers.authorship import reword, words_by
from orgs.errors import AlreadyExistsError
from orgs.models.organisations import Organisation
from orgs.principals import Actor

_MERGE_CONTRIBUTIONS_SQL = """
INSERT INTO memories_contribution AS c (id, organisation_id, memory_id, audience_id, kind,
                                        robot_id, member_id, first_at, last_at, count, key_id,
                                        import_job)
SELECT gen_random_uuid(), m.organisation_id, m.id, m.audience_id, m.kind, said.robot_id,
       said.member_id, said.first_at, said.last_at, said.count, said.key_id, said.import_job
FROM memories_contribution said
JOIN memories_memory m ON m.organisation_id = said.organisation_id AND m.id = %(into)s
WHERE said.organisation_id = %(organisation)s AND said.memory_id = %(source)s
ON CONFLICT (organisation_id, memory_id, robot_id, member_id) DO UPDATE
SET count = c.count + excluded.count, last_at = greatest(c.last_at, excluded.last_at)
"""


def copy_to_audience(
    memory: Memory,
    audience_id: UUID,
    *,
    content: str,
    editor: Actor,
    by_subject: bool,
    now: datetime,
    id_: UUID | None = None,
) -> dict[str, Any]:
    """Copy a memory to other readers. A memory with the same text there counts once more instead.

    Returns {made: id}, and for an existing memory also its former status and the values of `join`.
    editor: who reworded it, if `content` is another text; author and speaker stay. by_subject: its
    subject wants it back, so a memory that they forgot may return. id_: the id of a copy that was
    made before and undone, so that links work again. Raises MemoryRequestError for a memory that
    its subject forgot, and AlreadyExistsError for a decision whose words the readers already have.
    """
    digests = content_hashes(
        content,
        speaker=memory.speaker,
        subject=memory.member_id,
        organisation_id=memory.organisation_id,
        sensitive=memory.sensitive,
    )
    there = Memory.objects.filter(
        organisation_id=memory.organisation_id, audience_id=audience_id, content_hash__in=digests
    )
    twin = there.select_for_update().order_by("forgotten_by_subject", "id").first()
    if twin is None:
        row = _reworded_copy(memory, content, editor)
        row.pk = id_ or memory_writes.id_for(memory.organisation_id, audience_id, now)
        row.audience_id, row.content_hash = audience_id, digests[0]
        made = _insert_copy(row, now)
        copy_tasks(memory, made)
        copy_record(memory, made)
        return {"made": str(made)}
    if twin.forgotten_by_subject and not by_subject:
        raise MemoryRequestError("Whom this is about has forgotten it; only they bring it back.")
    if is_decision(memory):
        raise AlreadyExistsError(
            "The same words are there already, and a record of who said what is not put into "
            "another. Change the words, or dissent from the one that is there."
        )
    before = twin.status
    joined = merge_contributions(memory, twin)
    if before == Status.FORGOTTEN and twin.held_for:
        # A memory held by a gate waits for that decision again.
        restore_row(twin, now, restored_status(twin))
        reenqueue(twin, now)
    elif before != Status.ACTIVE:
        restore_row(twin, now)
    return {"made": str(twin.id), "was": before, **joined}


def _reworded_copy(memory: Memory, content: str, editor: Actor) -> Memory:
    row = copy(memory)
    if content != memory.content:
        reword(row, words_by(editor))
    row.content = content
    return row


def _insert_copy(row: Memory, now: datetime) -> UUID:
    """Write a copy that has its id, audience and text as a memory of its own."""
    row.status, row.proposed_audience_id, row.deposited_by = Status.ACTIVE, None, None
    row.version, row.remember_count, row.held_for = 1, 1, ""
    # valid_until is copied; the successor is not, since it may have other readers.
    row.superseded_by_id = None
    row.editor_id = row.editor_robot_id = None
    row.created_at = row.updated_at = now
    taken = Memory.objects.filter(
        organisation_id=row.organisation_id, audience_id=row.audience_id, key=row.key
    )
    if row.key is not None and taken.exists():
        row.key = None
    organisation = Organisation.objects.get(id=row.organisation_id)
    memory_writes.insert_memories([row], organisation=organisation, now=now)
    return row.id


def joined_text(kept: Memory, gone: Memory) -> str:
    """Both texts one after the other, as a draft for a merged text."""
    return f"{kept.content}\n\n{gone.content}"


def merge_contributions(source: Memory, into: Memory) -> dict[str, Any]:
    """Add the contributions of `source` to `into`. Returns {into, times}, which undo needs."""
    with connection.cursor() as cursor:
        values = {"organisation": into.organisation_id, "source": source.id, "into": into.id}
        cursor.execute(_MERGE_CONTRIBUTIONS_SQL, values)
    add_remember_count(into, source.remember_count)
    return {"into": str(into.id), "times": source.remember_count}


def add_remember_count(memory: Memory, times: int) -> None:
    """Raise the remember_count by `times`."""
    Memory.objects.filter(organisation_id=memory.organisation_id, id=memory.id).update(
        remember_count=F("remember_count") + times
    )


def is_changed_or_used(memory: Memory, *, version: int = 1) -> bool:
    """Whether a copy was changed since that version, remembered again, or used as a source."""
    used = Derivation.objects.filter(organisation_id=memory.organisation_id, source_id=memory.id)
    return memory.version != version or memory.remember_count != 1 or used.exists()


def delete_copy(memory: Memory, now: datetime) -> None:
    """Delete a copy without a trace in the trash."""
    search_index.unindex_memories([memory], now)
    Memory.objects.filter(organisation_id=memory.organisation_id, id=memory.id).delete()


def archive_row(memory: Memory, now: datetime) -> None:
    """Archive a memory after a decision; it can be restored."""
    if memory.status == Status.ACTIVE:
        search_index.unindex_memories([memory], now, archived=True)
    memory.status, memory.archived_at, memory.updated_at = Status.ARCHIVED, now, now
    memory.save(update_fields=["status", "archived_at", "updated_at"])


def restore_row(memory: Memory, now: datetime, status: str = Status.ACTIVE) -> None:
    """Give a forgotten or archived memory this status again, and index it if it is active."""
    mark_restored(memory, status, now)
    memory.save(update_fields=RESTORED_FIELDS)
    if status == Status.ACTIVE:
        search_index.reindex_memory(memory, now)
