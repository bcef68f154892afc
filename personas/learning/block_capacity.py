"""Make room in a shared block before it is full: entries of least weight become one.

If the organisation lets its workers summarise (`AgeingPolicy.evict`), a block longer than FULL of
its limit is shortened to that. Otherwise an item in the review queue proposes it, and a curator
decides. Protected and restored entries stay.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.jobs.job_queue import WORKER
from memories.jobs.worker_hints import notify_embedding_worker
from memories.lifecycle.ageing_policy import find_policy_or_default
from memories.lifecycle.consolidation.archive_selection import PARTITION_COLUMNS, ArchiveSelection
from memories.lifecycle.consolidation.capacity_items import CapacityHandler
from memories.lifecycle.consolidation.capacity_limit import REPROPOSE_GROWTH
from memories.lifecycle.consolidation.summarise import SummaryResult
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.base import new_id
from orgs.principals import Actor
from personas.block_writes.overflow import select_to_summarise, summarise_entries, unprotected_ids
from personas.blocks.entries import BlockEntry, load_audience_entries
from personas.blocks.layers import LAYER_RULES
from personas.blocks.render import render_text
from personas.blocks.versions import ensure_version
from personas.learning.persona_audiences import SharedBlock, list_shared_blocks
from personas.models.blocks import Block, Layer
from robots.registry.robots import WEB, ensure_builtin_robot

# The share of its limit (0-1) above which room is made in a block.
MAX_FILL = 0.75
# The same of all shared blocks.
BLOCK_LIMIT = LAYER_RULES[Layer.SHARED].limit
# The key of the block in the details of a review item.
BLOCK_KEY = "block"

# A line is no longer than its memory, so this finds every full block.
_LONG_BLOCKS_SQL = """
SELECT m.audience_id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.audience_id = ANY(%(audiences)s::uuid[])
    AND m.status = 'active'
GROUP BY 1 HAVING sum(length(m.content) + 1) - 1 > %(most)s
"""


@dataclass(frozen=True, slots=True)
class _OverfullBlock:
    """A block that is too long. length: of its text. gone: the entries to summarise. summaries: the
    number of summaries of them."""

    block: Block
    length: int
    gone: Sequence[BlockEntry]
    summaries: int


def enforce_block_capacity(
    organisation_id: UUID, *, now: datetime, keep_on: Callable[[int, int], bool]
) -> None:
    """Summarise in blocks that are too long, or ask about them, as the policy says.

    keep_on: asked after each block with how many were summarised and proposed so far; False stops.
    """
    with organisation_scope(organisation_id, using=WORKER):
        evict = find_policy_or_default(organisation_id, using=WORKER).evict
    long = _list_long_blocks(organisation_id)
    _withdraw_proposals(
        organisation_id, set() if evict else {place.block_id for place in long}, now
    )
    condensed = proposed = 0
    for place in long:
        with scope(Scope(organisation=organisation_id, audiences=(place.audience_id,))):
            block = _lock_block(organisation_id, place.block_id)
            crowd = block and _find_overfull(block, place.audience_id, now)
            if crowd and evict:
                condensed += bool(
                    _shorten(crowd, place.audience_id, _worker_actor(organisation_id, now), now)
                )
            elif crowd:
                proposed += _create_proposal(crowd, place, now)
        if not keep_on(condensed, proposed):
            return


def _list_long_blocks(organisation_id: UUID) -> list[SharedBlock]:
    places = list_shared_blocks(organisation_id)
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "audiences": [place.audience_id for place in places],
        "most": int(MAX_FILL * BLOCK_LIMIT),
    }
    with organisation_scope(organisation_id, using=WORKER):
        found = {id_ for (id_,) in fetch_all(_LONG_BLOCKS_SQL, values, WORKER)}
    return [place for place in places if place.audience_id in found]


def _worker_actor(organisation_id: UUID, now: datetime) -> Actor:
    robot = ensure_builtin_robot(organisation_id, WEB, now)
    return Actor(organisation_id=organisation_id, robot_id=robot.id, name=robot.name)


def _lock_block(organisation_id: UUID, block_id: UUID) -> Block | None:
    rows = Block.objects.filter(organisation_id=organisation_id, id=block_id)
    return rows.select_for_update(of=("self",)).first()


def _find_overfull(block: Block, audience_id: UUID, now: datetime) -> _OverfullBlock | None:
    """What to do about a block; None if it is short enough or cannot be shortened."""
    entries = _load_entries(block, audience_id, now)
    length = len(render_text(entries))
    over = length - int(MAX_FILL * BLOCK_LIMIT)
    if over <= 0:
        return None
    free = unprotected_ids(block, audience_id, [one.id for one in entries if not one.restored])
    gone = select_to_summarise([one for one in entries if one.id in free], over, now)
    if not gone:
        return None
    rows = Memory.objects.filter(
        organisation_id=block.organisation_id, id__in=[one.id for one in gone]
    )
    parts = list(rows.values_list(*PARTITION_COLUMNS))
    return _OverfullBlock(block, length, gone, sum(parts.count(part) > 1 for part in set(parts)))


def _load_entries(block: Block, audience_id: UUID, now: datetime) -> list[BlockEntry]:
    found = load_audience_entries(block.organisation_id, [audience_id], now)
    return found.get(audience_id, [])


def _shorten(
    crowd: _OverfullBlock,
    audience_id: UUID,
    actor: Actor,
    now: datetime,
    may: Callable[[Memory], bool] = lambda row: True,
) -> SummaryResult:
    done = summarise_entries(crowd.block, audience_id, crowd.gone, actor, now, may=may)
    ensure_version(crowd.block, _load_entries(crowd.block, audience_id, now), now)
    notify_embedding_worker(crowd.block.organisation_id)
    return done


def _create_proposal(crowd: _OverfullBlock, place: SharedBlock, now: datetime) -> bool:
    """Propose it once; after a rejection again only when the block has grown."""
    block = crowd.block
    items = Proposal.objects.filter(
        organisation_id=block.organisation_id,
        audience_id=place.audience_id,
        cause=ProposalCause.CAPACITY,
        details__block=str(block.id),
    )
    if items.filter(state=ProposalState.OPEN).exists():
        return False
    last = items.filter(state=ProposalState.REJECTED).order_by("-decided_at").first()
    if last and crowd.length < int(last.details["count"]) + REPROPOSE_GROWTH * BLOCK_LIMIT:
        return False
    memory = Memory.objects.get(organisation_id=block.organisation_id, id=crowd.gone[0].id)
    Proposal.objects.create(
        id=new_id(),
        organisation_id=block.organisation_id,
        memory_id=memory.id,
        audience_id=memory.audience_id,
        kind=memory.kind,
        cause=ProposalCause.CAPACITY,
        details={
            BLOCK_KEY: str(block.id),
            "label": place.label,
            "capacity": BLOCK_LIMIT,
            "count": crowd.length,
            "chosen": len(crowd.gone),
            "summaries": crowd.summaries,
        },
        created_at=now,
    )
    return True


def _withdraw_proposals(organisation_id: UUID, kept: set[UUID], now: datetime) -> None:
    """Withdraw the proposals about all blocks but `kept`."""
    with organisation_scope(organisation_id, using=WORKER):
        items = Proposal.objects.using(WORKER).filter(
            organisation_id=organisation_id,
            cause=ProposalCause.CAPACITY,
            state=ProposalState.OPEN,
            details__has_key=BLOCK_KEY,
        )
        still = [str(id_) for id_ in kept]
        items.exclude(details__block__in=still).update(
            state=ProposalState.WITHDRAWN, decided_at=now
        )


def _lock_item_block(item: Proposal) -> Block | None:
    return _lock_block(item.organisation_id, UUID(item.details[BLOCK_KEY]))


def _lock_item(item: Proposal, now: datetime) -> None:
    _lock_item_block(item)


def _preview(item: Proposal, now: datetime) -> ArchiveSelection:
    rows = Block.objects.filter(
        organisation_id=item.organisation_id, id=UUID(item.details[BLOCK_KEY])
    )
    block = rows.first()
    crowd = block and _find_overfull(block, item.audience_id, now)
    if not crowd:
        return ArchiveSelection(0, [], 0)
    return ArchiveSelection(crowd.length, [one.id for one in crowd.gone], crowd.summaries)


def _apply(
    item: Proposal, actor: Actor, now: datetime, may: Callable[[Memory], bool]
) -> SummaryResult:
    block = _lock_item_block(item)
    crowd = block and _find_overfull(block, item.audience_id, now)
    return _shorten(crowd, item.audience_id, actor, now, may) if crowd else SummaryResult()


_HANDLER = CapacityHandler(hold=_lock_item, foresee=_preview, bring_down=_apply)


def find_block_handler(item: Proposal) -> CapacityHandler | None:
    """The functions for an item about a block; None for other items."""
    return _HANDLER if BLOCK_KEY in item.details else None
