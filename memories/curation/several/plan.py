"""What deciding several items at once would do, and which of them must be decided one by one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.reader_sentences import AudienceSentence
from memories.access.readers import newly_in_from
from memories.review.changes import MEMORY
from memories.review.deciders import may_decide
from memories.review.holds import taken_by_others
from memories.review.models import Cause, Proposal, State
from memories.review.queue import GONE, items
from memories.review.red_line import LIFT
from orgs.models.audiences import Audience
from orgs.principals import Actor, Principal, resolve

MOST = 50
# The most characters of a text that a page shows in full beside others.
READ = 1200
# Causes without a harmless answer that a list can show, each with a sentence.
ALONE = {
    Cause.REPORT: "Whoever reported it is owed a reason.",
    Cause.MENTION: "What is left of it has to be read.",
    Cause.RETURN: "It was forgotten before.",
    Cause.CONTRADICTION: "Two that disagree are read side by side.",
    Cause.CAPACITY: "It is about many memories.",
    Cause.PERSONAL_DATA: "A gate found something personal in it.",
    Cause.POISON: "A gate found words that may steer a robot.",
}


@dataclass(frozen=True, slots=True)
class NewReaders:
    """How many items would go to an audience, and which of its readers would newly read at least
    one of them."""

    items: int
    readers: AudienceSentence
    audience: Audience


@dataclass(frozen=True, slots=True)
class SeveralPlan:
    """deciding: items that would be decided, the oldest first. apart: items that are left out, each
    with the reason."""

    deciding: list[Proposal]
    apart: list[tuple[Proposal, str]]
    newly: list[NewReaders]


def plan_several(
    actor: Actor, ids: Sequence[UUID], *, organisation: str, now: datetime
) -> SeveralPlan:
    """Preview deciding these items. Items that the asker may not decide are ignored.

    ids: only the first MOST count.
    """
    principal = resolve(actor)
    with principal.scope():
        found = chosen(principal, ids)
        reasons = [(item, apart_because(principal, item, now)) for item in found]
        deciding = [item for item, reason in reasons if not reason]
        apart = [(item, reason) for item, reason in reasons if reason]
        return SeveralPlan(deciding, apart, _newly(principal, deciding, organisation))


def chosen(principal: Principal, ids: Iterable[UUID]) -> list[Proposal]:
    """The items among these that the asker may decide, the oldest first; call inside the
    principal's scope."""
    rows = items(principal).filter(id__in=list(ids)[:MOST]).exclude(GONE)
    return [item for item in rows.order_by("id") if may_decide(principal, item)]


def apart_because(principal: Principal, item: Proposal, now: datetime) -> str:
    """Why an item must be decided by itself; empty if it can be decided with others."""
    if item.state != State.OPEN:
        return f"It was {State(item.state).label.lower()} already."
    if taken_by_others(item, principal.actor, now):
        return f"{item.locked_by.name if item.locked_by else 'Somebody'} has it open."
    if item.assignee and item.assignee_id != principal.actor.member_id:
        return f"It is given to {item.assignee.name}."
    return ALONE.get(Cause(item.cause), "") or _unread(principal, item)


def _unread(principal: Principal, item: Proposal) -> str:
    """Why a list cannot show all that the decision needs; empty if it can."""
    if item.cause == Cause.RED_LINE and not item.reason.strip():
        return "It has to be said why it is protected."
    if item.cause == Cause.RED_LINE and item.changes == LIFT:
        return "A protection would end."
    if item.changes and item.changes != {MEMORY: {"content": item.content}}:
        return "More than its text would change."
    if item.cause == Cause.PUBLISH and item.target_audience_id not in principal.audiences:
        return "You do not read where it would go."
    texts = (item.memory.content, item.content, item.other.content if item.other else "")
    return "It is too long to be read beside others." if max(map(len, texts)) > READ else ""


def _newly(principal: Principal, deciding: list[Proposal], organisation: str) -> list[NewReaders]:
    """The new readers for each target audience; one query each."""
    targets: dict[UUID, list[Proposal]] = {}
    for item in deciding:
        if item.cause == Cause.PUBLISH and item.target_audience_id:
            targets.setdefault(item.target_audience_id, []).append(item)
    return [
        NewReaders(
            len(group),
            newly_in_from(principal, place, [item.memory.audience for item in group], organisation),
            place,
        )
        for group in targets.values()
        if (place := group[0].target_audience)
    ]
