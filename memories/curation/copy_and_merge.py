"""Copy memories to other readers, and merge them; call inside a scope that reads both audiences."""

from collections.abc import Sequence
from copy import copy
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, QuerySet

from memories.access.visibility import MemoryRequestError
from memories.curation.decision_records.record_parts import copy_record, is_decision
from memories.ingestion import memory_writes
from memories.jobs.organisation_run import OrganisationRun
from memories.knowledge_graph.action_item_tasks import copy_tasks
from memories.language.comparison.text_comparison import normalise_text
from memories.lifecycle.ageing_policy import find_policy_or_default
from memories.lifecycle.llm_checks.pair_questions import (
    CONTRADICT,
    ask_relation,
    may_show,
    record_question_counts,
    remaining_questions,
)
from memories.llm import client
from memories.llm.questions import QuestionBudget
from memories.review.models import AUTO_MERGED, Proposal, ProposalCause, ProposalState
from memories.review.propose import close_by_itself
from memories.state.transitions import archive_memories, restore_memories
from memories.store.encryption.texts import content_hashes
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Derivation
from memories.store.speakers.authorship import reword, words_by
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import AlreadyExistsError
from orgs.models.organisations import Organisation
from orgs.principals import Actor
from robots.registry.robots import WEB, ensure_builtin_robot

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
        restore_memories([twin], now)
    elif before != Status.ACTIVE:
        restore_memories([twin], now, status=Status.ACTIVE)
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
    """Whether a copy was changed since that version, remembered again, used as a source, or said to
    replace another memory."""
    if memory.version != version or memory.remember_count != 1:
        return True
    here = {"organisation_id": memory.organisation_id}
    used = Derivation.objects.filter(**here, source_id=memory.id)
    return used.exists() or Memory.objects.filter(**here, superseded_by_id=memory.id).exists()


# Merge pairs of equal texts automatically, if the organisation's policy says so.
# Off by default. Only texts that differ in nothing but blanks, letter case and typographic marks
# are merged: of 20,311 judged pairs the near threshold alone would have merged 4 to 7 of 699
# contradictions. Where a language model is configured, its
# answer that two texts contradict, or no answer, prevents a merge. The older memory keeps its
# words and the newer one is archived, as when a person merges them. The merge can be undone like
# a person's decision, and is then not repeated.

WORKER = "worker"
BATCH_SIZE = 100
# Two memories are merged only if these columns are equal.
EQUAL_COLUMNS = (
    "audience_id", "kind", "type", "group_id", "member_id", "speaker_member_id", "speaker",
    "listeners", "occurred_at", "expires_at", "sensitive", "shareable", "key",
)  # fmt: skip
_NIL_ID = UUID(int=0)


def run_auto_merge(run: OrganisationRun) -> None:
    """Merge the open near-duplicates with equal texts. Result: merged; nothing without the
    policy."""
    organisation_id = run.organisation_id
    with organisation_scope(organisation_id, using=WORKER):
        if not find_policy_or_default(organisation_id, using=WORKER).merge_duplicates:
            return
    run.count(merged=0)
    questions = remaining_questions(run)
    while items := _list_open_pairs(organisation_id, UUID(run.place.get("merged", str(_NIL_ID)))):
        for item in items:
            if not _is_excluded(item, questions, run.now):
                run.count(merged=auto_merge_pair(item, now=run.now))
            record_question_counts(run, questions)
            run.place["merged"] = str(item.id)
            if not run.step(run.job.done, run.place["total"]):
                return


def is_auto_mergeable(one: Memory, other: Memory) -> bool:
    """Whether two memories may be merged without asking anybody."""
    return (
        normalise_text(one.content) == normalise_text(other.content)
        and one.key is None
        and all(getattr(one, name) == getattr(other, name) for name in EQUAL_COLUMNS)
    )


def auto_merge_pair(item: Proposal, *, now: datetime) -> bool:
    """Merge the two memories of an item, in a scope of their one audience. Returns whether it was
    done.

    Nothing is done if one of them was changed, is gone or is protected, if the item was decided or
    somebody holds it, or if the newer one waits for another decision.
    """
    organisation_id, audience_id = item.organisation_id, item.audience_id
    with scope(Scope(organisation=organisation_id, audiences=(audience_id,))):
        rows = _lock_pair(item)
        # Memories are locked before their item, as in every decision.
        found = (
            _open_pairs(now)
            .select_for_update(of=("self",))
            .filter(organisation_id=organisation_id, id=item.id)
            .first()
        )
        if found is None or len(rows) != 2 or not is_auto_mergeable(*rows):
            return False
        kept, gone = rows
        if _has_open_items(gone):
            return False
        outcome = {"shelved": str(gone.id), **merge_contributions(gone, kept)}
        archive_memories([gone], now)
        robot = ensure_builtin_robot(organisation_id, WEB, now)
        service = Actor(organisation_id=organisation_id, robot_id=robot.id, name=robot.name)
        close_by_itself(service, found, ProposalState.MERGED, outcome, {AUTO_MERGED: True}, now)
    return True


def _has_open_items(memory: Memory) -> bool:
    """Whether a report, a correction or another wish about the memory is open; archiving it would
    end that."""
    about = Q(memory_id=memory.id) | Q(other_id=memory.id)
    rows = Proposal.objects.filter(
        about, organisation_id=memory.organisation_id, state=ProposalState.OPEN
    )
    return rows.exclude(cause__in=(ProposalCause.DUPLICATE, ProposalCause.CAPACITY)).exists()


def _list_open_pairs(organisation_id: UUID, after: UUID) -> Sequence[Proposal]:
    with organisation_scope(organisation_id, using=WORKER):
        rows = Proposal.objects.using(WORKER).filter(
            organisation_id=organisation_id,
            cause=ProposalCause.DUPLICATE,
            state=ProposalState.OPEN,
            other__isnull=False,
            id__gt=after,
        )
        rows = rows.exclude(details__has_key=AUTO_MERGED)
        return list(rows.select_related("memory", "other").order_by("id")[:BATCH_SIZE])


def _open_pairs(now: datetime) -> "QuerySet[Proposal]":
    free = Q(locked_until=None) | Q(locked_until__lte=now)
    return Proposal.objects.filter(
        free, cause=ProposalCause.DUPLICATE, state=ProposalState.OPEN
    ).exclude(details__has_key=AUTO_MERGED)


def _lock_pair(item: Proposal) -> list[Memory]:
    """Both memories, locked, the older one first; fewer if one is not active, protected, superseded
    or a turn of a conversation."""
    rows = Memory.objects.select_for_update(of=("self",)).filter(
        organisation_id=item.organisation_id,
        audience_id=item.audience_id,
        id__in=[id_ for id_ in (item.memory_id, item.other_id) if id_],
        status=Status.ACTIVE,
        red_line=False,
        valid_until=None,
        conversation=None,
    )
    return list(rows.order_by("id"))


def _is_excluded(item: Proposal, questions: QuestionBudget, now: datetime) -> bool:
    """Whether a pair is not merged: its texts are not equal, or the language model says that they
    contradict or gives no answer."""
    one, other = item.memory, item.other
    if other is None or not is_auto_mergeable(one, other):
        return True
    if not client.is_configured() or not may_show(item.organisation_id, one.id, other.id):
        return False
    found = ask_relation(item.organisation_id, one.id, other.id, questions, now=now)
    return found is None or found == CONTRADICT
