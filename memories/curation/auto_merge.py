"""Merge pairs of equal texts automatically, if the organisation's policy says so.

Off by default. Only texts that are equal but for case, punctuation and spacing are merged: of
20,311 judged pairs the near threshold alone would have merged 4 to 7 of 699 contradictions. Pairs
that contradict by the rules are never merged. Where a language model is configured, its answer that
two texts contradict, or no answer, prevents a merge. The older memory keeps its words and the newer
one is archived, as when a person merges them. The merge can be undone like a person's decision, and
is then not repeated.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memories.curation.copy_and_merge import archive_row, merge_contributions
from memories.jobs.organisation_run import OrganisationRun
from memories.language.text_comparison import may_contradict, normalise_text
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
from memories.review.enqueue import withdraw_items
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.principals import Actor
from robots.registry.robots import WEB, ensure_builtin_robot

WORKER = "worker"
# In an item's details, also after an undo: it was merged automatically.
AUTO_MERGED = "merged_by_itself"
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
        and not may_contradict(one.content, other.content)
        and one.key is None
        and all(getattr(one, name) == getattr(other, name) for name in EQUAL_COLUMNS)
    )


def auto_merge_pair(item: Proposal, *, now: datetime) -> bool:
    """Merge the two memories of an item, in a scope of their one audience. Returns whether it was
    done.

    Nothing is done if one of them was changed, is gone or is protected, if the item was decided or
    somebody has it open, or if the newer one waits for another decision.
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
        archive_row(gone, now)
        others = [cause for cause in ProposalCause.values if cause != found.cause]
        withdraw_items(organisation_id, gone.id, now, *others)
        Proposal.objects.filter(organisation_id=organisation_id, id=found.id).update(
            state=ProposalState.MERGED,
            outcome=outcome,
            details=found.details | {AUTO_MERGED: True},
            decided_at=now,
            locked_by=None,
            locked_until=None,
        )
        robot = ensure_builtin_robot(organisation_id, WEB, now)
        audit.record_entry(
            "proposal.merged",
            actor=Actor(organisation_id=organisation_id, robot_id=robot.id, name=robot.name),
            now=now,
            target=found.id,
            target_type="proposal",
            memory=str(gone.id),
            edited=False,
            by_itself=True,
        )
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
