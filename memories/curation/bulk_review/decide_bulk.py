"""Decide several items with their harmless answer in one act, and undo that act."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.consent import SharingOptOutError
from memories.access.permissions import ChangeForbiddenError
from memories.access.red_lines import RedLineError
from memories.access.visibility import MemoryRequestError
from memories.curation import review_decisions
from memories.curation.bulk_review.preview_bulk import exclusion_reason, list_decidable_items
from memories.curation.edit_memory import OutdatedVersionError
from memories.curation.undo_review_decision import undo_review_decision
from memories.review.item_locks import ItemLockedError
from memories.review.models import PAIR_CAUSES, Proposal
from memories.review.review_queue import AlreadyDecidedError, select_items
from memories.safety.gate_refusals import record_refusals
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve_principal

REFUSAL_ERRORS = (
    *(
        AlreadyExistsError,
        AlreadyDecidedError,
        ItemLockedError,
        MemoryRequestError,
        NotFoundError,
        ChangeForbiddenError,
        RedLineError,
        SharingOptOutError,
    ),
    *(review_decisions.VersionRequiredError, OutdatedVersionError),
)


class BulkReviewError(Exception):
    """One item could not be decided, so none was; `item_id` names it."""

    def __init__(self, item_id: UUID, reason: str) -> None:
        super().__init__(f"{reason} Nothing was decided.")
        self.item_id = item_id


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """The items that were decided together. `id` names the act for undo."""

    id: UUID
    items: list[Proposal]


def decide_in_bulk(actor: Actor, versions: Mapping[UUID, int], *, now: datetime) -> BulkDecision:
    """Approve proposals and keep both memories of pairs; all of it or nothing.

    versions: {item: the version of its memory that was read}. Raises BulkReviewError, NotFoundError
    if the asker may not decide one of them, and GateRefusedError for words that a gate refuses.
    Each decision has its own line in the audit trail.
    """
    principal = resolve_principal(actor)
    act = BulkDecision(new_id(), [])
    with record_refusals(actor, now), principal.scope():
        found = list_decidable_items(principal, versions)
        if len(found) < len(versions):
            raise NotFoundError("not the asker's to decide")
        _lock_memories(principal, found)
        for item in found:
            if reason := exclusion_reason(principal, item, now):
                raise BulkReviewError(item.id, reason)
            answer = review_decisions.ReviewDecision(version=versions[item.id], act=act.id)
            try:
                if item.cause in PAIR_CAUSES:
                    done = review_decisions.reject_item(actor, item.id, answer, now=now)
                else:
                    done = review_decisions.approve_item(actor, item.id, answer, now=now)
                act.items.append(done)
            except OutdatedVersionError as error:
                words = "Somebody changed one of them after you had read it."
                raise BulkReviewError(item.id, words) from error
            except REFUSAL_ERRORS as error:
                raise BulkReviewError(
                    item.id, str(error).removesuffix(" Nothing was decided.")
                ) from error
    return act


def _lock_memories(principal: Principal, found: list[Proposal]) -> None:
    """Lock all memories in the common order, so that two acts never deadlock."""
    ids = {id_ for item in found for id_ in (item.memory_id, item.other_id) if id_}
    rows = Memory.objects.select_for_update(of=("self",)).filter(
        organisation_id=principal.organisation_id, id__in=ids
    )
    list(rows.order_by("id").values_list("id", flat=True))


def undo_bulk_decision(actor: Actor, act: UUID, *, now: datetime) -> int:
    """Reopen all items that the asker decided in this act; returns how many.

    All of it or nothing: raises AlreadyExistsError if something was built on one of them, and
    NotFoundError if the asker has no such act.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        rows = select_items(principal).filter(decided_by_id=actor.member_id, outcome__act=str(act))
        ids = list(rows.order_by("-id").values_list("id", flat=True))
        if not ids:
            raise NotFoundError("no such act")
        for id_ in ids:
            undo_review_decision(actor, id_, now=now)
    return len(ids)
