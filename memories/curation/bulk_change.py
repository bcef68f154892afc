"""One change for many memories: preview, act, undo.

Each memory goes through the service for a single memory, in a transaction of its own, with the
rights that the asker has at that moment.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.access.permissions import (
    ChangeForbiddenError,
    RedLineError,
    is_red_line_exempt,
    may_change,
    may_forget,
    publishes_to,
)
from memories.access.visibility import MemoryRequestError
from memories.browsing.job_pages import get_job
from memories.browsing.selection import load_in_order
from memories.curation.edit_memory import OutdatedVersionError, edit_memory
from memories.curation.share_memory import share_memory
from memories.jobs.job_queue import (
    JobTimeSlice,
    enqueue_job,
    finish_job,
    requeue_job,
    save_progress,
)
from memories.jobs.models import Job, JobState, JobType
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.review.models import Proposal
from memories.safety.gate_refusals import GateRefusedError
from memories.store.dependents import is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.tag_names import InvalidTagError, with_ancestors
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import SHARED_AUDIENCE_TYPES, AudienceType
from orgs.principals import Actor, Principal, resolve_principal

WAITS = "a curator decides about the change"


class Waits(Exception):
    """The change was proposed and waits for a decision; the memory is as it was."""

    def __init__(self) -> None:
        super().__init__(WAITS)


REFUSAL_ERRORS = (
    *(
        NotFoundError,
        ChangeForbiddenError,
        RedLineError,
        AlreadyExistsError,
        MemoryRequestError,
        PermissionError,
        OutdatedVersionError,
    ),
    *(InvalidTagError, GateRefusedError),
)
BULK_ACTIONS = ("archive", "forget", "set", "share", "withdraw")
SAMPLE_SIZE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkChange:
    """action: archive, forget, set (category, importance, tags to add and to remove), share, or
    withdraw (make private what is about the actor or by them). removed_tags: with what is below
    each."""

    action: str
    category: str | None = None
    importance: float | None = None
    tags: tuple[str, ...] = ()
    removed_tags: tuple[str, ...] = ()
    visibility: str = ""
    group: str | None = None

    def as_parameters(self) -> dict[str, Any]:
        return asdict(self)

    def removes(self, tag: str) -> bool:
        """Whether the tag is one that is removed, or below it."""
        return not set(with_ancestors(tag)).isdisjoint(self.removed_tags)

    def told(self) -> dict[str, Any]:
        """What the audit trail says of it: what is done, and to which parts; nothing that is
        typed."""
        given = {"category": self.category is not None, "importance": self.importance is not None}
        given["tags"] = bool(self.tags or self.removed_tags)
        fields = sorted(name for name, is_given in given.items() if is_given)
        return {"act": self.action, "fields": fields if self.action == "set" else []}

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> "BulkChange":
        """The change that `as_parameters` made into a job's parameters."""
        # A job that was written before tags could be removed has no list of them.
        tags = {name: tuple(parameters.get(name, ())) for name in ("tags", "removed_tags")}
        return cls(**{**parameters, **tags})


@dataclass(frozen=True, slots=True)
class BulkPreview:
    """What a change would do. changes: how many memories would change; waiting: of how many of them
    it would be proposed; skipped: [(reason, how many)]; sample: the first SAMPLE that would change;
    audiences: the ids of all their audiences."""

    changes: int
    skipped: list[tuple[str, int]]
    sample: list[Memory]
    audiences: tuple[UUID, ...] = ()
    waiting: int = 0


def preview_bulk_change(
    actor: Actor, ids: Sequence[UUID], action: str, *, sample: int = SAMPLE_SIZE
) -> BulkPreview:
    """Preview a change; nothing is done. Memories that the asker may not read are not counted.
    sample: how many of those that would change are shown."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = load_in_order(principal, list(ids))
        places = {row.audience_id: row.audience for row in rows if action == "set"}
        proposed = {id_ for id_, place in places.items() if not publishes_to(actor, place)}
    skipped: Counter[str] = Counter()
    changing = []
    for row in rows:
        may = may_forget if action == "forget" else may_change
        reason = _skip_reason(row, action, may(principal, row), actor)
        if reason:
            skipped[reason] += 1
        else:
            changing.append(row)
    audiences = tuple({row.audience_id for row in changing})
    waiting = sum(row.audience_id in proposed for row in changing)
    return BulkPreview(len(changing), skipped.most_common(), changing[:sample], audiences, waiting)


def _skip_reason(row: Memory, action: str, may: bool, actor: Actor) -> str:
    if not may:
        return "not yours to change"
    if action == "withdraw" and (stays := _stays_shared_reason(row, actor)):
        return stays
    if action == "forget" and row.status == Status.FORGOTTEN:
        return "forgotten already"
    if action in ("archive", "share", "withdraw") and row.status != Status.ACTIVE:
        return "not in use now"
    if row.red_line and (
        action in ("archive", "share", "withdraw") or _is_red_line_blocked(row, action, actor)
    ):
        return "protected"
    return ""


def _stays_shared_reason(row: Memory, actor: Actor) -> str:
    """Why the actor cannot make a memory private to themselves; empty if they can."""
    if row.audience.kind not in SHARED_AUDIENCE_TYPES:
        return "not shared"
    if row.conversation:
        return "said in a conversation, where all heard it"
    if actor.member_id not in (row.member_id, row.author_id):
        return "neither about you nor by you"
    return "a summary stays with its readers" if is_summary(row) else ""


def _is_red_line_blocked(row: Memory, action: str, actor: Actor) -> bool:
    return action == "forget" and not is_red_line_exempt(actor, row)


def apply_change(
    actor: Actor, memory_id: UUID, change: BulkChange, now: datetime
) -> list[Any] | None:
    """Change one memory. Returns [id, what undoing needs]; None where nothing changed, and for
    sharing, which has no undo. Raises REFUSALS, and Waits where the change was proposed."""
    match change.action:
        case "archive":
            archive_memory(actor, memory_id, now=now)
        case "forget":
            forget_memory(actor, memory_id, now=now)
        case "share":
            readers: dict[str, tuple[str, ...]] = {}
            share_memory(
                actor,
                memory_id,
                visibility=change.visibility,
                readers=readers,
                group=change.group,
                now=now,
            )
            return None
        case "withdraw":
            return _make_private(actor, memory_id, now)
        case "set":
            return _set_fields(actor, memory_id, change, now)
    return [str(memory_id), None]


def _make_private(actor: Actor, memory_id: UUID, now: datetime) -> list[Any]:
    principal = resolve_principal(actor)
    with principal.scope():
        found = load_in_order(principal, [memory_id])
        if not found:
            raise NotFoundError("no such memory")
        if reason := _stays_shared_reason(found[0], actor):
            raise ChangeForbiddenError(reason)
        before = _share_arguments(found[0])
    share_memory(actor, memory_id, visibility="private", readers={}, group=None, now=now)
    return [str(memory_id), {"shared": before}]


def _share_arguments(row: Memory) -> dict[str, Any]:
    """The arguments of `share_memory` that restore the present readers."""
    if row.audience.kind == AudienceType.EXPLICIT:
        entries = row.audience.entries.values_list("kind", "reader")
        readers: dict[str, list[str]] = {}
        for kind, reader in entries:
            readers.setdefault(f"{kind}s", []).append(str(reader))
        return {"visibility": "shared", "readers": readers, "group": None}
    if row.audience.kind == AudienceType.GROUP:
        return {"visibility": "group", "readers": {}, "group": str(row.audience.group_id)}
    return {"visibility": "organisation", "readers": {}, "group": None}


def _set_fields(
    actor: Actor, memory_id: UUID, change: BulkChange, now: datetime
) -> list[Any] | None:
    principal = resolve_principal(actor)
    with principal.scope():
        found = load_in_order(principal, [memory_id])
    if not found:
        raise NotFoundError("no such memory")
    row = found[0]
    changes: dict[str, Any] = {}
    if change.category is not None:
        changes["category"] = change.category
    if change.importance is not None:
        changes["importance"] = change.importance
    if change.tags or change.removed_tags:
        changes["tags"] = [tag for tag in [*row.tags, *change.tags] if not change.removes(tag)]
    before = {name: getattr(row, name) for name in changes}
    after = edit_memory(actor, memory_id, changes, now=now)
    if isinstance(after, Proposal):
        raise Waits
    if after.version == row.version:
        return None
    return [str(memory_id), {"version": after.version, **before}]


def undo_change(
    actor: Actor, memory_id: UUID, before: dict[str, Any] | None, now: datetime
) -> None:
    """Undo one change, unless somebody changed the memory since. Raises REFUSALS, and Waits where
    the change was proposed."""
    if before is None:
        restore_memory(actor, memory_id, now=now)
        return
    if shared := before.get("shared"):
        readers = {name: tuple(ids) for name, ids in shared["readers"].items()}
        share_memory(actor, memory_id, now=now, **{**shared, "readers": readers})
        return
    changes = {name: value for name, value in before.items() if name != "version"}
    changed = edit_memory(actor, memory_id, changes, now=now, version=before["version"])
    if isinstance(changed, Proposal):
        raise Waits


def skip_reason(error: Exception) -> str:
    """Why a memory was skipped, in words that the asker may know."""
    return "not found" if isinstance(error, NotFoundError) else str(error)


# One change for many memories as a job, and its undo.

MAX_SYNCHRONOUS = 50


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The result of a change: how many memories changed, why others did not, and the job that can
    undo it."""

    changed: int
    skipped: int
    job: Job


def change_memories(
    actor: Actor,
    ids: Sequence[UUID],
    change: BulkChange,
    *,
    now: datetime,
    always_job: bool = False,
) -> BulkResult:
    """Change many memories: a few at once, more by a job. The job stores what undoing needs.
    always_job: no matter how few. Raises PermissionError for a robot that acts for a member."""
    principal = resolve_principal(actor)
    parameters = {"ids": [str(id_) for id_ in ids], "change": change.as_parameters()}
    return _start(principal, parameters, now, always_job=always_job)


def _start(
    principal: Principal,
    parameters: dict[str, Any],
    now: datetime,
    *,
    always_job: bool = False,
) -> BulkResult:
    count = len(parameters["ids"])
    at_once = not always_job and count <= MAX_SYNCHRONOUS
    told = BulkChange.of(parameters["change"]).told() | {"undo": "undoing" in parameters}
    with principal.scope():
        job = enqueue_job(
            principal, JobType.CHANGE, parameters, total=count, now=now, at_once=at_once, told=told
        )
    if not at_once:
        return BulkResult(0, 0, job)
    _apply_changes(principal.actor, job)
    return BulkResult(count - len(job.problems), len(job.problems), job)


def _apply_changes(actor: Actor, job: Job, turn: JobTimeSlice | None = None) -> None:
    """Continue the job at its place, memory by memory. turn: how long; None means to the end."""
    change = BulkChange.of(job.parameters["change"])
    undo = job.result.setdefault("undo", [])
    ids = [UUID(id_) for id_ in job.parameters["ids"]]
    undoing = job.parameters.get("undoing", {})
    for position in range(job.done, len(ids)):
        id_ = ids[position]
        try:
            if undoing:
                undo_change(actor, id_, undoing[str(id_)], timezone.now())
            elif entry := apply_change(actor, id_, change, timezone.now()):
                undo.append(entry)
        except (*REFUSAL_ERRORS, Waits) as error:
            job.problems.append({"id": str(id_), "reason": skip_reason(error)})
        job.done = position + 1
        stops = turn and (turn.over() or (turn.to_note() and not save_progress(actor, job)))
        if stops and job.done < len(ids):
            requeue_job(actor, job)
            return
    finish_job(actor, job)


def run_bulk_change(actor: Actor, job: Job) -> None:
    """One turn of a change or of its undo, in a worker process."""
    _apply_changes(actor, job, JobTimeSlice())


def undo_bulk_change(actor: Actor, job_id: UUID, *, now: datetime) -> BulkResult:
    """Undo a finished change, memory by memory. Raises NotFoundError and AlreadyExistsError."""
    job = get_job(actor, job_id)
    entries = job.result.get("undo", [])
    if job.kind != JobType.CHANGE or job.state != JobState.DONE or not entries:
        raise AlreadyExistsError("There is nothing to undo.")
    principal = resolve_principal(actor)
    parameters = {
        "ids": [id_ for id_, _ in entries],
        "change": job.parameters["change"],
        "undoing": dict(entries),
    }
    with principal.scope():
        Job.objects.filter(id=job.id).update(result={})
    return _start(principal, parameters, now)
