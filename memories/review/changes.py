"""Changes that wait for a decision: proposed by who may not publish to a memory's readers.

A change is an act with what was given to it, as JSON: the fields of an edit, a date of a task, the
sentences of a split. It is an item of the cause `correction`. Approving calls the act again, as the
decider (`ACTS` in memories/curation/review_decisions.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.permissions import ROLE_WRITE_DENIED
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.review.propose import create_proposals
from memories.store.encryption.texts import check_not_sensitive
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.speakers.authorship import Words
from orgs.errors import AlreadyExistsError
from orgs.principals import Actor, Principal

# The acts: an edit, whose fields are those of the memory; a split into propositions; a task's
# assignee and due date; an entity given by hand; the answer to a dissent.
MEMORY, SPLIT, TASK, ENTITY, DISSENT = "memory", "split", "task", "entity", "dissent"
# Fields of a memory that are times.
TIMES = ("expires_at", "valid_from", "valid_until")
# What holds no words, and may so be stored in plain for a sensitive memory too.
WITHOUT_WORDS = frozenset({"category", "importance", "shareable", "tier", "sensitive"}).union(TIMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """An approved change. given: what was proposed for the act. words_of: whose words they are."""

    decider: Actor
    memory: Memory
    given: dict[str, Any]
    words_of: Words
    now: datetime


def propose_change(
    principal: Principal, memory: Memory, act: str, given: Mapping[str, Any], now: datetime
) -> Proposal:
    """Put a change of a memory into the queue; the memory stays as it is until somebody decides.

    A newer change of the same act by the same asker takes the place of the one that waits; the same
    again is the item that waits already. Raises PermissionError for viewers, AlreadyExistsError for
    a memory that is not active, and EncryptedTextError for words about a sensitive one.
    """
    return propose_changes(principal, act, {memory: given}, now)[0]


def propose_changes(
    principal: Principal,
    act: str,
    wishes: Mapping[Memory, Mapping[str, Any]],
    now: datetime,
) -> list[Proposal]:
    """`propose_change` of one act for several memories, in their order. wishes: what was given to
    the act, by memory. Statements do not grow with their number."""
    actor = principal.actor
    if actor.only_reads:
        raise PermissionError(ROLE_WRITE_DENIED)
    for memory, given in wishes.items():
        if memory.status != Status.ACTIVE:
            raise AlreadyExistsError(
                f"The memory is {memory.status}, not active. Bring it back first."
            )
        if act != MEMORY or not set(given) <= WITHOUT_WORDS:
            check_not_sensitive(memory)
    waiting = _load_waiting(actor, wishes)
    fresh: list[tuple[Memory, Mapping[str, Any]]] = []
    same: dict[UUID, Proposal] = {}
    for memory, given in wishes.items():
        known = waiting.get(memory.id)
        wished = {**(known.changes if known else {}), act: as_json(given)}
        if known and known.changes == wished and known.seen_version == memory.version:
            same[memory.id] = known
        else:
            content = wished.get(MEMORY, {}).get("content", "")
            fresh.append((memory, {"content": content, "changes": wished}))
    outdated = [waiting[row.id].id for row, _ in fresh if row.id in waiting]
    if outdated:
        Proposal.objects.filter(organisation_id=principal.organisation_id, id__in=outdated).update(
            state=ProposalState.WITHDRAWN, decided_at=now, locked_by=None, locked_until=None
        )
    made = create_proposals(principal, fresh, ProposalCause.CORRECTION, "", now)
    found = same | {item.memory_id: item for item in made}
    return [found[memory.id] for memory in wishes]


def _load_waiting(actor: Actor, memories: Iterable[Memory]) -> dict[UUID, Proposal]:
    """The corrections of these memories by the asker that wait, locked, by the memory's id."""
    rows = Proposal.objects.select_for_update(of=("self",)).filter(
        organisation_id=actor.organisation_id,
        memory_id__in=[memory.id for memory in memories],
        cause=ProposalCause.CORRECTION,
        state=ProposalState.OPEN,
        proposed_by_id=actor.member_id if actor.is_person else None,
        robot_id=actor.robot_id,  # type: ignore[misc]  # a person has none
    )
    return {row.memory_id: row for row in rows.order_by("id")}


def as_json(given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a memory's fields as JSON: times as text."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in given.items()
    }


def from_json(given: Mapping[str, Any]) -> dict[str, Any]:
    """The opposite of `as_json`."""
    return {
        name: datetime.fromisoformat(value) if value and name in TIMES else value
        for name, value in given.items()
    }
