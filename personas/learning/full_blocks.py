"""Make room in a persona's block before it is full: entries of least weight become one.

If the organisation lets its workers summarise (`AgeingPolicy.evict`), a block longer than FULL of
its limit is shortened to that. Otherwise an item in the review queue proposes it, and a curator
decides. Protected and restored entries stay.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.jobs.hints import hint_embedding
from memories.jobs.queue import WORKER
from memories.lifecycle.consolidation.capacity_choice import PART, Choice
from memories.lifecycle.consolidation.capacity_items import Relief, relieves
from memories.lifecycle.consolidation.over_capacity import ASKED_AGAIN
from memories.lifecycle.consolidation.summarise import Summarised
from memories.lifecycle.policies import policy_of
from memories.review.models import Cause, Proposal, State
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetched
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.base import new_id
from orgs.principals import Actor
from personas.block_writes.overflow import chosen, condense, free_of
from personas.blocks.entries import Entry, entries_of_audience
from personas.blocks.layers import RULES, label_of
from personas.blocks.render import text_of
from personas.blocks.versions import settled
from personas.learning.places import PersonaPlace, persona_places
from personas.models.blocks import Block, Layer
from robots.registry.robots import WEB, builtin_robot

# The share of its limit (0-1) above which room is made in a block.
FULL = 0.75
LIMIT = RULES[Layer.SHARED].limit
# The key of the block in the details of a review item.
BLOCK = "block"

# A line is no longer than its memory, so this finds every full block.
_LONG = """
SELECT m.audience_id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.audience_id = ANY(%(audiences)s::uuid[])
    AND m.status = 'active'
GROUP BY 1 HAVING sum(length(m.content) + 1) - 1 > %(most)s
"""


@dataclass(frozen=True, slots=True)
class _Crowd:
    """A block that is too long. length: of its text. gone: the entries to summarise. summaries: the
    number of summaries of them."""

    block: Block
    length: int
    gone: Sequence[Entry]
    summaries: int


def relieve_blocks(
    organisation_id: UUID, *, now: datetime, keep_on: Callable[[int, int], bool]
) -> None:
    """Summarise in blocks that are too long, or ask about them, as the policy says.

    keep_on: asked after each block with how many were summarised and proposed so far; False stops.
    """
    with organisation_scope(organisation_id, using=WORKER):
        evict = policy_of(organisation_id, using=WORKER).evict
    long = _long(organisation_id)
    _withdraw(organisation_id, set() if evict else {place.block_id for place in long}, now)
    condensed = proposed = 0
    for place in long:
        with scope(Scope(organisation=organisation_id, audiences=(place.audience_id,))):
            block = _locked(organisation_id, place.block_id)
            crowd = block and _crowd(block, place.audience_id, now)
            if crowd and evict:
                condensed += bool(
                    _relieved(crowd, place.audience_id, _worker(organisation_id, now), now)
                )
            elif crowd:
                proposed += _propose(crowd, place, now)
        if not keep_on(condensed, proposed):
            return


def _long(organisation_id: UUID) -> list[PersonaPlace]:
    places = persona_places(organisation_id)
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "audiences": [place.audience_id for place in places],
        "most": int(FULL * LIMIT),
    }
    with organisation_scope(organisation_id, using=WORKER):
        found = {id_ for (id_,) in fetched(_LONG, values, WORKER)}
    return [place for place in places if place.audience_id in found]


def _worker(organisation_id: UUID, now: datetime) -> Actor:
    robot = builtin_robot(organisation_id, WEB, now)
    return Actor(organisation_id=organisation_id, robot_id=robot.id, name=robot.name)


def _locked(organisation_id: UUID, block_id: UUID) -> Block | None:
    rows = Block.objects.filter(organisation_id=organisation_id, id=block_id)
    return rows.select_for_update(of=("self",)).first()


def _crowd(block: Block, audience_id: UUID, now: datetime) -> _Crowd | None:
    """What to do about a block; None if it is short enough or cannot be shortened."""
    entries = _entries(block, audience_id, now)
    length = len(text_of(entries))
    over = length - int(FULL * LIMIT)
    if over <= 0:
        return None
    free = free_of(block, audience_id, [one.id for one in entries if not one.restored])
    gone = chosen([one for one in entries if one.id in free], over, now)
    if not gone:
        return None
    rows = Memory.objects.filter(
        organisation_id=block.organisation_id, id__in=[one.id for one in gone]
    )
    parts = list(rows.values_list(*PART))
    return _Crowd(block, length, gone, sum(parts.count(part) > 1 for part in set(parts)))


def _entries(block: Block, audience_id: UUID, now: datetime) -> list[Entry]:
    found = entries_of_audience(block.organisation_id, [audience_id], now)
    return found.get(audience_id, [])


def _relieved(
    crowd: _Crowd,
    audience_id: UUID,
    actor: Actor,
    now: datetime,
    may: Callable[[Memory], bool] = lambda row: True,
) -> Summarised:
    done = condense(crowd.block, audience_id, crowd.gone, actor, now, may=may)
    settled(crowd.block, _entries(crowd.block, audience_id, now), now)
    hint_embedding(crowd.block.organisation_id)
    return done


def _propose(crowd: _Crowd, place: PersonaPlace, now: datetime) -> bool:
    """Propose it once; after a rejection again only when the block has grown."""
    block = crowd.block
    items = Proposal.objects.filter(
        organisation_id=block.organisation_id,
        audience_id=place.audience_id,
        cause=Cause.CAPACITY,
        details__block=str(block.id),
    )
    if items.filter(state=State.OPEN).exists():
        return False
    last = items.filter(state=State.REJECTED).order_by("-decided_at").first()
    if last and crowd.length < int(last.details["count"]) + ASKED_AGAIN * LIMIT:
        return False
    memory = Memory.objects.get(organisation_id=block.organisation_id, id=crowd.gone[0].id)
    Proposal.objects.create(
        id=new_id(),
        organisation_id=block.organisation_id,
        memory_id=memory.id,
        audience_id=memory.audience_id,
        kind=memory.kind,
        cause=Cause.CAPACITY,
        details={
            BLOCK: str(block.id),
            "label": label_of(Layer.SHARED, place.handle),
            "capacity": LIMIT,
            "count": crowd.length,
            "chosen": len(crowd.gone),
            "summaries": crowd.summaries,
        },
        created_at=now,
    )
    return True


def _withdraw(organisation_id: UUID, kept: set[UUID], now: datetime) -> None:
    """Withdraw the proposals about all blocks but `kept`."""
    with organisation_scope(organisation_id, using=WORKER):
        items = Proposal.objects.using(WORKER).filter(
            organisation_id=organisation_id,
            cause=Cause.CAPACITY,
            state=State.OPEN,
            details__has_key=BLOCK,
        )
        still = [str(id_) for id_ in kept]
        items.exclude(details__block__in=still).update(state=State.WITHDRAWN, decided_at=now)


def _of(item: Proposal) -> Block | None:
    return _locked(item.organisation_id, UUID(item.details[BLOCK]))


def _hold(item: Proposal, now: datetime) -> None:
    _of(item)


def _foresee(item: Proposal, now: datetime) -> Choice:
    rows = Block.objects.filter(organisation_id=item.organisation_id, id=UUID(item.details[BLOCK]))
    block = rows.first()
    crowd = block and _crowd(block, item.audience_id, now)
    if not crowd:
        return Choice(0, [], 0)
    return Choice(crowd.length, [one.id for one in crowd.gone], crowd.summaries)


def _bring_down(
    item: Proposal, actor: Actor, now: datetime, may: Callable[[Memory], bool]
) -> Summarised:
    block = _of(item)
    crowd = block and _crowd(block, item.audience_id, now)
    return _relieved(crowd, item.audience_id, actor, now, may) if crowd else Summarised()


relieves(BLOCK, Relief(hold=_hold, foresee=_foresee, bring_down=_bring_down))
