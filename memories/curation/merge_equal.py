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

from memories.curation.merge import join, shelve
from memories.jobs.organisation_run import OrganisationRun
from memories.language.similarity import contradict, normalised
from memories.lifecycle.llm_checks.pairs import (
    CONTRADICT,
    is_shown,
    note_questions,
    questions_of,
    relation,
)
from memories.lifecycle.policies import policy_of
from memories.llm import client
from memories.llm.questions import Questions
from memories.review.enqueue import withdraw
from memories.review.models import Cause, Proposal, State
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.principals import Actor
from robots.registry.robots import WEB, builtin_robot

WORKER = "worker"
# In an item's details, also after an undo: it was merged automatically.
BY_ITSELF = "merged_by_itself"
AT_ONCE = 100
# Two memories are merged only if these columns are equal.
ALIKE = (
    "audience_id", "kind", "type", "group_id", "member_id", "speaker_member_id", "speaker",
    "listeners", "occurred_at", "expires_at", "sensitive", "shareable", "key",
)  # fmt: skip
_NONE = UUID(int=0)


def run_merge_equal(run: OrganisationRun) -> None:
    """Merge the open near-duplicates with equal texts. Result: merged; nothing without the
    policy."""
    organisation_id = run.organisation_id
    with organisation_scope(organisation_id, using=WORKER):
        if not policy_of(organisation_id, using=WORKER).merge_duplicates:
            return
    run.count(merged=0)
    questions = questions_of(run)
    while items := _waiting(organisation_id, UUID(run.place.get("merged", str(_NONE)))):
        for item in items:
            if not _held_back(item, questions, run.now):
                run.count(merged=merge_pair(item, now=run.now))
            note_questions(run, questions)
            run.place["merged"] = str(item.id)
            if not run.step(run.job.done, run.place["total"]):
                return


def are_equal(one: Memory, other: Memory) -> bool:
    """Whether two memories may be merged without asking anybody."""
    return (
        normalised(one.content) == normalised(other.content)
        and not contradict(one.content, other.content)
        and one.key is None
        and all(getattr(one, name) == getattr(other, name) for name in ALIKE)
    )


def merge_pair(item: Proposal, *, now: datetime) -> bool:
    """Merge the two memories of an item, in a scope of their one audience. Returns whether it was
    done.

    Nothing is done if one of them was changed, is gone or is protected, if the item was decided or
    somebody has it open, or if the newer one waits for another decision.
    """
    organisation_id, audience_id = item.organisation_id, item.audience_id
    with scope(Scope(organisation=organisation_id, audiences=(audience_id,))):
        rows = _locked(item)
        # Memories are locked before their item, as in every decision.
        found = (
            _open(now)
            .select_for_update(of=("self",))
            .filter(organisation_id=organisation_id, id=item.id)
            .first()
        )
        if found is None or len(rows) != 2 or not are_equal(*rows):
            return False
        kept, gone = rows
        if _is_asked_about(gone):
            return False
        outcome = {"shelved": str(gone.id), **join(gone, kept)}
        shelve(gone, now)
        others = [cause for cause in Cause.values if cause != found.cause]
        withdraw(organisation_id, gone.id, now, *others)
        Proposal.objects.filter(organisation_id=organisation_id, id=found.id).update(
            state=State.MERGED,
            outcome=outcome,
            details=found.details | {BY_ITSELF: True},
            decided_at=now,
            locked_by=None,
            locked_until=None,
        )
        robot = builtin_robot(organisation_id, WEB, now)
        audit.record(
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


def _is_asked_about(memory: Memory) -> bool:
    """Whether a report, a correction or another wish about the memory is open; archiving it would
    end that."""
    about = Q(memory_id=memory.id) | Q(other_id=memory.id)
    rows = Proposal.objects.filter(about, organisation_id=memory.organisation_id, state=State.OPEN)
    return rows.exclude(cause__in=(Cause.DUPLICATE, Cause.CAPACITY)).exists()


def _waiting(organisation_id: UUID, after: UUID) -> Sequence[Proposal]:
    with organisation_scope(organisation_id, using=WORKER):
        rows = Proposal.objects.using(WORKER).filter(
            organisation_id=organisation_id,
            cause=Cause.DUPLICATE,
            state=State.OPEN,
            other__isnull=False,
            id__gt=after,
        )
        rows = rows.exclude(details__has_key=BY_ITSELF)
        return list(rows.select_related("memory", "other").order_by("id")[:AT_ONCE])


def _open(now: datetime) -> "QuerySet[Proposal]":
    free = Q(locked_until=None) | Q(locked_until__lte=now)
    return Proposal.objects.filter(free, cause=Cause.DUPLICATE, state=State.OPEN).exclude(
        details__has_key=BY_ITSELF
    )


def _locked(item: Proposal) -> list[Memory]:
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


def _held_back(item: Proposal, questions: Questions, now: datetime) -> bool:
    """Whether a pair is not merged: its texts are not equal, or the language model says that they
    contradict or gives no answer."""
    one, other = item.memory, item.other
    if other is None or not are_equal(one, other):
        return True
    if not client.configured() or not is_shown(item.organisation_id, one.id, other.id):
        return False
    found = relation(item.organisation_id, one.id, other.id, questions, now=now)
    return found is None or found == CONTRADICT
