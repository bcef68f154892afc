"""Say of a memory that it holds in the place of older ones: at once by whoever may decide that, and
by anybody else as a proposal.

Of memories with the same readers the proposal is an item about two that disagree, which approving
decides as if the worker had found it. Where the readers differ, an item would tell those of the one
about the other: there it is proposed of the older one that it holds no more, without the newer one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memories.access.permissions import (
    ROLE_WRITE_DENIED,
    ChangeForbiddenError,
    RedLineError,
    may_change,
    publishes_to,
)
from memories.review.changes import MEMORY, propose_changes
from memories.review.contradictions import (
    DISPUTES,
    find_open_contradictions,
    mark_disputed,
    withdraw_contradictions,
)
from memories.review.models import Proposal, ProposalCause
from memories.review.propose import create_proposals
from memories.state.supersede_memory import (
    SUPERSEDES,
    InvalidValidityError,
    check_no_cycle,
    supersede_each,
)
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.errors import ReferenceNotFoundError
from orgs.principals import Actor, Principal

NOBODY_DECIDES = "Nobody decides about another robot's notes, so these are not superseded."


@dataclass(frozen=True, slots=True)
class SupersedeResult:
    """superseded: the older memories that are replaced. waiting: the items about those for which
    somebody decides. undo: what undoing each needs."""

    superseded: tuple[UUID, ...] = ()
    waiting: tuple[Proposal, ...] = ()
    undo: tuple[dict[str, object], ...] = ()


@dataclass(slots=True)
class OlderMemories:
    """Memories that somebody says are over. rows: those that the asker reads, by id; no forgotten
    ones. decided: of those the ids of which the asker says so at once: theirs to change, and for
    readers for whom they publish. These are locked, and no other."""

    rows: dict[UUID, Memory]
    decided: frozenset[UUID] = frozenset()


def load_older_memories(
    principal: Principal, ids: Iterable[UUID], *, newer: UUID | None = None, lock: bool = True
) -> OlderMemories:
    """The memories that somebody says are over, for the asker. Call inside the principal's scope.

    What the asker decides is locked, in the order of the ids; together with the newer one, where
    that is theirs to change. Nobody waits for whoever only reads their memories.
    """
    wanted = {*ids}
    if not wanted:
        return OlderMemories({})
    here = Memory.objects.filter(organisation_id=principal.organisation_id).exclude(
        status=Status.FORGOTTEN
    )
    asked = wanted | ({newer} if newer else set())
    rows = {row.id: row for row in here.filter(id__in=asked).with_names()}
    decides = _DecisionRights(principal)
    theirs = {
        id_
        for id_, row in rows.items()
        if decides.of(row) or (id_ == newer and may_change(principal, row))
    }
    if theirs and lock:
        locked = here.select_for_update(of=("self",), no_key=True).filter(id__in=theirs)
        again = {row.id: row for row in locked.with_names().order_by("id")}
        # What was forgotten or moved in between is gone.
        rows = {id_: row for id_, row in rows.items() if id_ not in theirs} | again
    return OlderMemories(
        rows, frozenset(id_ for id_ in wanted & rows.keys() if decides.of(rows[id_]))
    )


@dataclass(slots=True)
class _DecisionRights:
    """Whether the asker says of memories at once that they hold no more: they are theirs to change,
    and they publish to their readers. Readers of one kind and group are looked up once."""

    principal: Principal
    _publishes: dict[tuple[str, UUID | None], bool] = field(default_factory=dict)

    def of(self, memory: Memory) -> bool:
        if not may_change(self.principal, memory):
            return False
        audience = memory.audience
        of = (audience.kind, audience.group_id)
        if of not in self._publishes:
            self._publishes[of] = publishes_to(self.principal.actor, audience)
        return self._publishes[of]


def check_supersedes(principal: Principal, wanted: Sequence[UUID], older: OlderMemories) -> None:
    """Raise what speaks against superseding these: ReferenceNotFoundError for one that the asker
    does not read, InvalidValidityError for one that is not active, RedLineError, and
    ChangeForbiddenError or PermissionError where the asker may not even propose it.
    """
    for id_ in wanted:
        memory = older.rows.get(id_)
        if memory is None:
            raise ReferenceNotFoundError("memory", id_)
        if memory.status != Status.ACTIVE:
            raise InvalidValidityError(
                SUPERSEDES, f"The memory {id_} is {memory.status}, not active. Bring it back first."
            )
        if id_ in older.decided:
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
    older: OlderMemories,
    now: datetime,
    *,
    wisher: Actor | None = None,
) -> SupersedeResult:
    """Supersede the older memories by a stored one, or propose that. They were checked
    (`check_supersedes`). What another one superseded before keeps its end and that successor.
    Statements do not grow with the number of memories.

    wisher: whose wish it is, if not the asker's: it came with a text that the asker has published.
    What is not decided is proposed in their name.

    Raises InvalidValidityError for a newer one that is not active or a successor of one of these.
    """
    if not wanted:
        return SupersedeResult()
    if newer.status != Status.ACTIVE:
        raise InvalidValidityError(SUPERSEDES, f"This memory is {newer.status}, not active.")
    check_no_cycle(newer.organisation_id, newer.id, wanted)
    rows = [older.rows[id_] for id_ in dict.fromkeys(wanted)]
    rows = [row for row in rows if row.superseded_by_id != newer.id]
    open_ = [row for row in rows if not _is_over_by_then(row, newer)]
    theirs = [row for row in open_ if row.id in older.decided]
    others = [row for row in open_ if row.id not in older.decided]
    undo = supersede_each(principal, theirs, newer, now) if theirs else []
    withdraw_contradictions(newer.organisation_id, newer.id, [row.id for row in theirs], now)
    # Whoever may only propose to these readers, and whoever changes neither, tells them nothing
    # by a wish; of the older ones none is theirs.
    disputes = bool(others) and wisher is None and _DecisionRights(principal).of(newer)
    proposer = replace(principal, actor=wisher) if wisher else principal
    waiting = _propose(proposer, newer, others, now, disputes=disputes)
    asked = {row.id for row in others}
    done = tuple(row.id for row in rows if row.id not in asked)
    return SupersedeResult(done, tuple(waiting), tuple(undo))


def _is_over_by_then(older: Memory, newer: Memory) -> bool:
    """Whether the older one was superseded before the newer one began: it keeps its end."""
    end = older.valid_until if older.superseded_by_id else None
    return end is not None and end <= newer.holds_since


def _propose(
    principal: Principal, newer: Memory, older: Sequence[Memory], now: datetime, *, disputes: bool
) -> list[Proposal]:
    """Propose that each of these is over since the newer one holds. disputes: whether readers are
    told of it before it is decided."""
    pairs = [row for row in older if row.audience_id == newer.audience_id]
    ends = {
        row: {"valid_until": max(newer.holds_since, row.holds_since)}
        for row in older
        if row.audience_id != newer.audience_id
    }
    waiting = find_open_contradictions(newer.organisation_id, newer.id, [row.id for row in pairs])
    if disputes:
        mark_disputed(waiting.values())
    details = {DISPUTES: disputes}
    fresh = [(newer, {"other": row, "details": details}) for row in pairs if row.id not in waiting]
    made = create_proposals(principal, fresh, ProposalCause.CONTRADICTION, "", now)
    changes = propose_changes(principal, MEMORY, ends, now) if ends else []
    by_older = waiting | {item.other_id: item for item in made}
    by_older |= {item.memory_id: item for item in changes}
    return [by_older[row.id] for row in older]
