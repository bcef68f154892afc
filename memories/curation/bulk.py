"""One change for many memories: what it would do, do it, undo it.

Each memory goes through the same service as by itself, in a transaction of its own, with the
rights that the asker has at that moment.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.permissions import NotYours, may_change
from memories.access.red_lines import RedLine, is_their_own
from memories.access.visibility import Misplaced
from memories.curation.edit import Outdated, edit_memory
from memories.curation.share import share_memory
from memories.library.selection import memories_of
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.safety.refusals import HeldBack
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.tag_names import BadTag
from orgs.errors import AlreadyExists, NotFound
from orgs.principals import Actor, resolve

REFUSALS = (
    *(NotFound, NotYours, RedLine, AlreadyExists, Misplaced, PermissionError, Outdated),
    *(BadTag, HeldBack),
)
ACTIONS = ("archive", "forget", "set", "share")
SAMPLE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """action: archive, forget, set (category, importance, tags to add) or share."""

    action: str
    category: str | None = None
    importance: float | None = None
    tags: tuple[str, ...] = ()
    visibility: str = ""
    group: str | None = None

    def as_parameters(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> "Change":
        """Back from a job's parameters."""
        return cls(**{**parameters, "tags": tuple(parameters["tags"])})


@dataclass(frozen=True, slots=True)
class BulkPlan:
    """What a change would do. skipped: [(reason, how many)]; sample: a few that would change;
    audiences: where those lie that would."""

    changes: int
    skipped: list[tuple[str, int]]
    sample: list[Memory]
    audiences: tuple[UUID, ...] = ()


def plan(actor: Actor, ids: Sequence[UUID], action: str) -> BulkPlan:
    """Look before anything is done; what the asker may not read is not counted at all."""
    principal = resolve(actor)
    with principal.scope():
        rows = memories_of(principal, list(ids))
    skipped: Counter[str] = Counter()
    changing = []
    for row in rows:
        reason = _refusal(row, action, may_change(principal, row), actor)
        if reason:
            skipped[reason] += 1
        else:
            changing.append(row)
    audiences = tuple({row.audience_id for row in changing})
    return BulkPlan(len(changing), skipped.most_common(), changing[:SAMPLE], audiences)


def _refusal(row: Memory, action: str, may: bool, actor: Actor) -> str:
    if not may:
        return "not yours to change"
    if action == "forget" and row.status == Status.FORGOTTEN:
        return "forgotten already"
    if action in ("archive", "share") and row.status != Status.ACTIVE:
        return "not in use now"
    if row.red_line and (action in ("archive", "share") or _is_held(row, action, actor)):
        return "protected"
    return ""


def _is_held(row: Memory, action: str, actor: Actor) -> bool:
    return action == "forget" and not is_their_own(actor, row)


def change_one(actor: Actor, memory_id: UUID, change: Change, now: datetime) -> list[Any] | None:
    """Do it; returns [id, what undoing needs], or None where nothing changed. Raises REFUSALS."""
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
        case "set":
            return _set(actor, memory_id, change, now)
    return [str(memory_id), None]


def _set(actor: Actor, memory_id: UUID, change: Change, now: datetime) -> list[Any] | None:
    principal = resolve(actor)
    with principal.scope():
        found = memories_of(principal, [memory_id])
    if not found:
        raise NotFound("no such memory")
    row = found[0]
    changes: dict[str, Any] = {}
    if change.category is not None:
        changes["category"] = change.category
    if change.importance is not None:
        changes["importance"] = change.importance
    if change.tags:
        changes["tags"] = [*row.tags, *change.tags]
    before = {name: getattr(row, name) for name in changes}
    after = edit_memory(actor, memory_id, changes, now=now)
    if after.version == row.version:
        return None
    return [str(memory_id), {"version": after.version, **before}]


def undo_one(actor: Actor, memory_id: UUID, before: dict[str, Any] | None, now: datetime) -> None:
    """Take one change back; what somebody changed since stays. Raises REFUSALS."""
    if before is None:
        restore_memory(actor, memory_id, now=now)
        return
    changes = {name: value for name, value in before.items() if name != "version"}
    edit_memory(actor, memory_id, changes, now=now, version=before["version"])


def reason_of(error: Exception) -> str:
    """Why one was passed over; never more than its asker may know."""
    return "not found" if isinstance(error, NotFound) else str(error)
