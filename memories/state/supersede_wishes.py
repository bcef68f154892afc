"""What a text that waits for a decision wishes to replace: told to whoever decides it, and done
when it is published.

Approving the text ends what its writer may change themself, as far as the decider may as well. What
is another's is proposed then in the writer's name, about that memory, and decided by itself. What
the decider does not read stays.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from memories.access.evaluate_condition import matches
from memories.access.permissions import may_change_q
from memories.review.deciders import may_decide
from memories.review.models import Proposal, ProposalState
from memories.state.supersede_memory import list_successor_ids
from memories.state.supersede_requests import (
    OlderMemories,
    SupersedeResult,
    load_older_memories,
    supersede_memories,
)
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.accounts.sessions import actor_of
from orgs.principals import Actor, Principal
from robots.access.personal_robot_actor import actor_of_robot

# In the details of an item about a memory that waits: the ids of what it supersedes.
WISHES = "supersedes"


class WishEffect(StrEnum):
    """What becomes of an older memory when the text is approved.

    SUPERSEDED: it ends. PROPOSED: it stays, and its end is an item of its own. KEPT: it stays.
    """

    SUPERSEDED = "superseded"
    PROPOSED = "proposed"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class SupersedeWish:
    """One older memory that the asker reads, and what approving would do to it."""

    memory: Memory
    effect: WishEffect


@dataclass(frozen=True, slots=True)
class SupersedeWishes:
    """known: the older memories that the asker reads. unread: how many more are named; they stay,
    or are gone."""

    known: tuple[SupersedeWish, ...] = ()
    unread: int = 0


NO_WISHES = SupersedeWishes()


def list_wished_ids(item: Proposal) -> list[UUID]:
    """The ids of what the text of an item wishes to replace."""
    return [UUID(id_) for id_ in item.details.get(WISHES, ())]


def add_wishes(
    details: dict[UUID, dict[str, Any]], memory_id: UUID, wanted: Iterable[UUID]
) -> None:
    """Note in the details of items, by memory id, what the text of one wishes to replace."""
    wishes = [str(id_) for id_ in wanted]
    details[memory_id] = {**details.get(memory_id, {}), WISHES: wishes}


def load_wishes(principal: Principal, item: Proposal) -> SupersedeWishes:
    """What approving an open item would do to older memories: by the asker, if they decide it, else
    by whoever may change these. Call inside the asker's scope."""
    wanted = list_wished_ids(item)
    if not wanted or item.state != ProposalState.OPEN:
        return NO_WISHES
    older = load_older_memories(principal, wanted, lock=False)
    decided = older.decided if may_decide(principal, item) else frozenset(older.rows)
    effects = _find_effects(_writer_of(item), OlderMemories(older.rows, decided))
    known = [SupersedeWish(older.rows[id_], effects[id_]) for id_ in wanted if id_ in effects]
    return SupersedeWishes(tuple(known), len(wanted) - len(known))


def fulfil_wishes(
    principal: Principal, item: Proposal, newer_id: UUID, now: datetime
) -> SupersedeResult:
    """Do for a text that was published as a memory what it wishes: supersede what is its writer's
    and the decider's to change, and propose the rest in the writer's name."""
    wanted = list_wished_ids(item)
    newer = Memory.objects.get(organisation_id=item.organisation_id, id=newer_id)
    writer = _writer_of(item)
    if not wanted or writer is None or newer.status != Status.ACTIVE:
        return SupersedeResult()
    older = load_older_memories(principal, wanted)
    circle = list_successor_ids(newer.organisation_id, newer.id)
    effects = _find_effects(writer, older)
    possible = [
        id_
        for id_ in wanted
        if effects.get(id_, WishEffect.KEPT) is not WishEffect.KEPT and id_ not in circle
    ]
    ended = frozenset(id_ for id_ in possible if effects[id_] is WishEffect.SUPERSEDED)
    whose = OlderMemories(older.rows, ended)
    return supersede_memories(principal, newer, possible, whose, now, wisher=writer)


def _find_effects(writer: Actor | None, older: OlderMemories) -> dict[UUID, WishEffect]:
    """By id what becomes of each. writer: whose wish it is; None if they are gone."""
    return {id_: _find_effect(writer, row, older) for id_, row in older.rows.items()}


def _find_effect(writer: Actor | None, row: Memory, older: OlderMemories) -> WishEffect:
    if writer is None or row.status != Status.ACTIVE:
        return WishEffect.KEPT
    if matches(may_change_q(writer), row):
        ends = row.id in older.decided and not row.red_line
        return WishEffect.SUPERSEDED if ends else WishEffect.KEPT
    if writer.only_reads or row.kind == Kind.INTERNAL:
        return WishEffect.KEPT
    return WishEffect.PROPOSED


def _writer_of(item: Proposal) -> Actor | None:
    """Who wrote the text, with the rights of now; None for a member who was removed."""
    if item.proposed_by is not None:
        return actor_of(item.proposed_by) if item.proposed_by.removed_at is None else None
    return actor_of_robot(item.robot) if item.robot is not None else None
