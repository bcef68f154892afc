"""Decide several items with their harmless answer in one act, and undo that act."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.consent import SharingOff
from memories.access.permissions import NotYours
from memories.access.red_lines import RedLine
from memories.access.visibility import Misplaced
from memories.curation import decide
from memories.curation.edit import Outdated
from memories.curation.several.plan import apart_because, chosen
from memories.curation.undo import undo
from memories.review.holds import Held
from memories.review.models import PAIRS, Proposal
from memories.review.queue import Decided, items
from memories.safety.refusals import noting_refusals
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExists, NotFound
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve

REFUSALS = (
    *(AlreadyExists, Decided, Held, Misplaced, NotFound, NotYours, RedLine, SharingOff),
    *(decide.Unread, Outdated),
)


class Stopped(Exception):
    """One item could not be decided, so none was; `item_id` names it."""

    def __init__(self, item_id: UUID, reason: str) -> None:
        super().__init__(f"{reason} Nothing was decided.")
        self.item_id = item_id


@dataclass(frozen=True, slots=True)
class Act:
    """The items that were decided together. `id` names the act for undo."""

    id: UUID
    items: list[Proposal]


def decide_several(actor: Actor, versions: Mapping[UUID, int], *, now: datetime) -> Act:
    """Approve proposals and keep both memories of pairs; all of it or nothing.

    versions: {item: the version of its memory that was read}. Raises Stopped, NotFound if the asker
    may not decide one of them, and HeldBack for words that a gate refuses. Each decision has its
    own line in the audit trail.
    """
    principal = resolve(actor)
    act = Act(new_id(), [])
    with noting_refusals(actor, now), principal.scope():
        found = chosen(principal, versions)
        if len(found) < len(versions):
            raise NotFound("not the asker's to decide")
        _lock(principal, found)
        for item in found:
            if reason := apart_because(principal, item, now):
                raise Stopped(item.id, reason)
            answer = decide.ReviewAnswer(version=versions[item.id], act=act.id)
            try:
                if item.cause in PAIRS:
                    done = decide.reject(actor, item.id, answer, now=now)
                else:
                    done = decide.approve(actor, item.id, answer, now=now)
                act.items.append(done)
            except Outdated as error:
                words = "Somebody changed one of them after you had read it."
                raise Stopped(item.id, words) from error
            except REFUSALS as error:
                raise Stopped(item.id, str(error).removesuffix(" Nothing was decided.")) from error
    return act


def _lock(principal: Principal, found: list[Proposal]) -> None:
    """Lock all memories in the common order, so that two acts never deadlock."""
    ids = {id_ for item in found for id_ in (item.memory_id, item.other_id) if id_}
    rows = Memory.objects.select_for_update(of=("self",)).filter(
        organisation_id=principal.organisation_id, id__in=ids
    )
    list(rows.order_by("id").values_list("id", flat=True))


def undo_several(actor: Actor, act: UUID, *, now: datetime) -> int:
    """Reopen all items that the asker decided in this act; returns how many.

    All of it or nothing: raises AlreadyExists if something was built on one of them, and NotFound
    if the asker has no such act.
    """
    principal = resolve(actor)
    with principal.scope():
        rows = items(principal).filter(decided_by_id=actor.member_id, outcome__act=str(act))
        ids = list(rows.order_by("-id").values_list("id", flat=True))
        if not ids:
            raise NotFound("no such act")
        for id_ in ids:
            undo(actor, id_, now=now)
    return len(ids)
