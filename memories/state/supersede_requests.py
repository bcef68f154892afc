"""Say of a memory that it holds in the place of older ones: at once by whoever may decide that, and
by anybody else as a proposal.

Of memories with the same readers the proposal is an item about two that disagree, which approving
decides as if the worker had found it. Where the readers differ, an item would tell those of the one
about the other: there it is proposed of the older one that it holds no more, without the newer one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memories.access.permissions import (
    ROLE_WRITE_DENIED,
    ChangeForbiddenError,
    RedLineError,
    may_change,
    may_publish,
)
from memories.review.changes import MEMORY, propose_change
from memories.review.contradictions import withdraw_contradictions
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.review.propose import create_proposal
from memories.state.supersede_memory import (
    SUPERSEDES,
    InvalidValidityError,
    check_no_cycle,
    supersede_memory,
)
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.errors import ReferenceNotFoundError
from orgs.principals import Principal

NOBODY_DECIDES = "Nobody decides about another robot's notes, so these are not superseded."
# In the details of an item about a memory that waits: what it supersedes once it is published.
WISHES = "supersedes"


@dataclass(frozen=True, slots=True)
class SupersedeResult:
    """superseded: the older memories that are replaced. waiting: the items about those for which
    somebody decides. undo: what undoing each needs."""

    superseded: tuple[UUID, ...] = ()
    waiting: tuple[Proposal, ...] = ()
    undo: tuple[dict[str, object], ...] = ()


def lock_older_memories(principal: Principal, ids: Iterable[UUID]) -> dict[UUID, Memory]:
    """Those of the memories that the asker reads, by id, locked in the order of their ids; no
    forgotten ones. Call inside the principal's scope."""
    wanted = set(ids)
    if not wanted:
        return {}
    rows = Memory.objects.select_for_update(of=("self",), no_key=True).filter(
        organisation_id=principal.organisation_id, id__in=wanted
    )
    return {
        row.id: row for row in rows.exclude(status=Status.FORGOTTEN).with_names().order_by("id")
    }


def check_supersedes(
    principal: Principal, wanted: Sequence[UUID], older: Mapping[UUID, Memory]
) -> None:
    """Raise what speaks against superseding these: ReferenceNotFoundError for one that the asker
    does not read, InvalidValidityError for one that is not active, RedLineError, and
    ChangeForbiddenError or PermissionError where the asker may not even propose it.

    older: the locked ones, by id.
    """
    for id_ in wanted:
        memory = older.get(id_)
        if memory is None:
            raise ReferenceNotFoundError("memory", id_)
        if memory.status != Status.ACTIVE:
            raise InvalidValidityError(
                SUPERSEDES, f"The memory {id_} is {memory.status}, not active. Bring it back first."
            )
        if _decides(principal, memory):
            if memory.red_line:
                raise RedLineError
        elif principal.actor.only_reads:
            raise PermissionError(ROLE_WRITE_DENIED)
        elif memory.kind == Kind.INTERNAL:
            raise ChangeForbiddenError(NOBODY_DECIDES)


def supersede_memories(
    principal: Principal,
    newer: Memory,
    wanted: Sequence[UUID],
    older: Mapping[UUID, Memory],
    now: datetime,
) -> SupersedeResult:
    """Supersede the older memories by a stored one, or propose that. They were checked
    (`check_supersedes`). What another one superseded before keeps its end and that successor.

    Raises InvalidValidityError for a newer one that is not active or a successor of one of these.
    """
    if not wanted:
        return SupersedeResult()
    if newer.status != Status.ACTIVE:
        raise InvalidValidityError(SUPERSEDES, f"This memory is {newer.status}, not active.")
    check_no_cycle(newer.organisation_id, newer.id, wanted)
    done = SupersedeResult()
    for id_ in dict.fromkeys(wanted):
        memory = older[id_]
        if memory.superseded_by_id == newer.id:
            continue
        if _is_over_by_then(memory, newer):
            done = replace(done, superseded=(*done.superseded, id_))
            continue
        if _decides(principal, memory):
            undo = supersede_memory(principal, memory, newer, now)
            withdraw_contradictions(memory.organisation_id, memory.id, newer.id, now)
            done = replace(done, superseded=(*done.superseded, id_), undo=(*done.undo, undo))
        else:
            item = _propose(principal, newer, memory, now)
            done = replace(done, waiting=(*done.waiting, item))
    return done


def supersede_as_wished(
    principal: Principal, item: Proposal, newer_id: UUID, now: datetime
) -> SupersedeResult:
    """Supersede what the memory of an approved item asked for when it was written, by its published
    copy: as its decider may, and leaving out what they do not read and what speaks against it."""
    found = lock_older_memories(principal, map(UUID, item.details.get(WISHES, ())))
    newer = Memory.objects.get(organisation_id=item.organisation_id, id=newer_id)
    possible = [id_ for id_ in found if _is_possible(principal, newer, id_, found)]
    return supersede_memories(principal, newer, possible, found, now)


def _is_possible(
    principal: Principal, newer: Memory, id_: UUID, older: Mapping[UUID, Memory]
) -> bool:
    try:
        check_supersedes(principal, [id_], older)
        check_no_cycle(newer.organisation_id, newer.id, [id_])
    except (InvalidValidityError, RedLineError, ChangeForbiddenError):
        return False
    return True


def _decides(principal: Principal, older: Memory) -> bool:
    """Whether the asker says of the memory at once that it holds no more: it is theirs to change,
    and they publish to its readers."""
    return may_change(principal, older) and may_publish(principal.actor, older)


def _is_over_by_then(older: Memory, newer: Memory) -> bool:
    """Whether the older one was superseded before the newer one began: it keeps its end."""
    end = older.valid_until if older.superseded_by_id else None
    return end is not None and end <= newer.holds_since


def _propose(principal: Principal, newer: Memory, older: Memory, now: datetime) -> Proposal:
    if newer.audience_id != older.audience_id:
        end = max(newer.holds_since, older.holds_since)
        return propose_change(principal, older, MEMORY, {"valid_until": end}, now)
    known = Proposal.objects.filter(
        organisation_id=newer.organisation_id,
        memory_id=newer.id,
        other_id=older.id,
        cause=ProposalCause.CONTRADICTION,
        state=ProposalState.OPEN,
    ).first()
    return known or create_proposal(
        principal, newer, ProposalCause.CONTRADICTION, "", now, other=older
    )
