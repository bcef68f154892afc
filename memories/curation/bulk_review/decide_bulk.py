"""Decide several items with their harmless answer in one act, and undo that act."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.audience_summary import AudienceSummary
from memories.access.consent import SharingOptOutError
from memories.access.load_audience_summaries import load_new_readers_summary_of_many
from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import MemoryRequestError
from memories.curation import review_decisions
from memories.curation.decision_records.record_parts import is_decision
from memories.curation.edit_memory import OutdatedVersionError
from memories.curation.undo_review_decision import undo_review_decision
from memories.review.changes import MEMORY
from memories.review.deciders import may_decide
from memories.review.item_locks import ItemLockedError, is_locked_by_other
from memories.review.models import PAIR_CAUSES, Proposal, ProposalCause, ProposalState
from memories.review.protect import LIFT
from memories.review.review_queue import FORGOTTEN_Q, AlreadyDecidedError, select_items
from memories.safety.gate_refusals import record_refusals
from memories.state.supersede_wishes import WISHES
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import Audience
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve_principal

# What deciding several items at once would do, and which of them must be decided one by one.

MAX_ITEMS = 50
# The most characters of a text that a page shows in full beside others.
MAX_LISTED_CHARACTERS = 1200
# Causes without a harmless answer that a list can show, each with a sentence.
SINGLE_DECISION_CAUSES = {
    ProposalCause.REPORT: "Whoever reported it is owed a reason.",
    ProposalCause.MENTION: "What is left of it has to be read.",
    ProposalCause.RETURN: "It was forgotten before.",
    ProposalCause.CONTRADICTION: "Two that disagree are read side by side.",
    ProposalCause.CAPACITY: "It is about many memories.",
    ProposalCause.PERSONAL_DATA: "A gate found something personal in it.",
    ProposalCause.POISON: "A gate found words that may steer a robot.",
}


@dataclass(frozen=True, slots=True)
class NewReadersOfAudience:
    """How many items would go to an audience, and which of its readers would newly read at least
    one of them."""

    items: int
    readers: AudienceSummary
    audience: Audience


@dataclass(frozen=True, slots=True)
class BulkReviewPreview:
    """deciding: items that would be decided, the oldest first. apart: items that are left out, each
    with the reason."""

    deciding: list[Proposal]
    apart: list[tuple[Proposal, str]]
    newly: list[NewReadersOfAudience]


def preview_bulk_review(
    actor: Actor, ids: Sequence[UUID], *, organisation: str, now: datetime
) -> BulkReviewPreview:
    """Preview deciding these items. Items that the asker may not decide are ignored.

    ids: only the first MOST count.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        found = list_decidable_items(principal, ids)
        reasons = [(item, exclusion_reason(principal, item, now)) for item in found]
        deciding = [item for item, reason in reasons if not reason]
        apart = [(item, reason) for item, reason in reasons if reason]
        return BulkReviewPreview(
            deciding, apart, _list_new_readers(principal, deciding, organisation)
        )


def list_decidable_items(principal: Principal, ids: Iterable[UUID]) -> list[Proposal]:
    """The items among these that the asker may decide, the oldest first; call inside the
    principal's scope."""
    rows = select_items(principal).filter(id__in=list(ids)[:MAX_ITEMS]).exclude(FORGOTTEN_Q)
    return [item for item in rows.order_by("id") if may_decide(principal, item)]


def exclusion_reason(principal: Principal, item: Proposal, now: datetime) -> str:
    """Why an item must be decided by itself; empty if it can be decided with others."""
    if item.state != ProposalState.OPEN:
        return f"It was {ProposalState(item.state).label.lower()} already."
    if is_locked_by_other(item, principal.actor, now):
        return f"{item.locked_by.name if item.locked_by else 'Somebody'} holds it."
    if item.assignee and item.assignee_id != principal.actor.member_id:
        return f"It is given to {item.assignee.name}."
    return SINGLE_DECISION_CAUSES.get(ProposalCause(item.cause), "") or _needs_reading_reason(
        principal, item
    )


def _needs_reading_reason(principal: Principal, item: Proposal) -> str:
    """Why a list cannot show all that the decision needs; empty if it can."""
    if item.cause == ProposalCause.RED_LINE and not item.reason.strip():
        return "It has to be said why it is protected."
    if item.cause == ProposalCause.RED_LINE and item.changes == LIFT:
        return "A protection would end."
    if item.changes and item.changes != {MEMORY: {"content": item.content}}:
        return "More than its text would change."
    if item.cause == ProposalCause.PUBLISH:
        if item.target_audience_id not in principal.audiences:
            return "You do not read where it would go."
        if is_decision(item.memory):
            return "A decision goes with what was said for and against it."
    return _wordy_reason(item)


def _wordy_reason(item: Proposal) -> str:
    """As `_needs_reading_reason`: of what it would replace, and its length."""
    if WISHES in item.details:
        return "It would replace other memories."
    texts = (item.memory.content, item.content, item.other.content if item.other else "")
    return (
        "It is too long to be read beside others."
        if max(map(len, texts)) > MAX_LISTED_CHARACTERS
        else ""
    )


def _list_new_readers(
    principal: Principal, deciding: list[Proposal], organisation: str
) -> list[NewReadersOfAudience]:
    """The new readers for each target audience; one query each."""
    targets: dict[UUID, list[Proposal]] = {}
    for item in deciding:
        if item.cause == ProposalCause.PUBLISH and item.target_audience_id:
            targets.setdefault(item.target_audience_id, []).append(item)
    return [
        NewReadersOfAudience(
            len(group),
            load_new_readers_summary_of_many(
                principal, place, [item.memory.audience for item in group], organisation
            ),
            place,
        )
        for group in targets.values()
        if (place := group[0].target_audience)
    ]


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
