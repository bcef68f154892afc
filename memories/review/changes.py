"""Changes that wait for a decision: proposed by who may not publish to a memory's readers.

A change is an act with what was given to it, as JSON: the fields of an edit, a date of a task, the
sentences of a split. It is an item of the cause `correction`. Approving calls the act again, as the
decider (`ACTS` in memories/curation/review_decisions.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.access.permissions import ROLE_WRITE_DENIED
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.review.propose import create_proposal
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
    """Put a change of a locked memory into the queue; the memory stays as it is until somebody
    decides.

    A newer change of the same act by the same asker takes the place of the one that waits; the same
    again is the item that waits already. Raises PermissionError for viewers, AlreadyExistsError for
    a memory that is not active, and EncryptedTextError for words about a sensitive one.
    """
    actor = principal.actor
    if actor.only_reads:
        raise PermissionError(ROLE_WRITE_DENIED)
    if memory.status != Status.ACTIVE:
        raise AlreadyExistsError(f"The memory is {memory.status}, not active. Bring it back first.")
    if act != MEMORY or not set(given) <= WITHOUT_WORDS:
        check_not_sensitive(memory)
    waiting = _waiting(actor, memory)
    wished = {**(waiting.changes if waiting else {}), act: as_json(given)}
    if waiting and waiting.changes == wished and waiting.seen_version == memory.version:
        return waiting
    if waiting:
        waiting.state, waiting.decided_at = ProposalState.WITHDRAWN, now
        waiting.locked_by_id = waiting.locked_until = None
        waiting.save(update_fields=["state", "decided_at", "locked_by", "locked_until"])
    content = wished.get(MEMORY, {}).get("content", "")
    return create_proposal(
        principal, memory, ProposalCause.CORRECTION, "", now, content=content, changes=wished
    )


def _waiting(actor: Actor, memory: Memory) -> Proposal | None:
    """The correction of the memory by the asker that waits, locked."""
    rows = Proposal.objects.select_for_update(of=("self",)).filter(
        organisation_id=memory.organisation_id,
        memory_id=memory.id,
        cause=ProposalCause.CORRECTION,
        state=ProposalState.OPEN,
        proposed_by_id=actor.member_id if actor.is_person else None,
        robot_id=actor.robot_id,  # type: ignore[misc]  # a person has none
    )
    return rows.first()


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
