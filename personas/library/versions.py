"""What changed in a block from version to version, as far as the asker still reads it.

A version stores only ids of memories and their versions. Texts come from the memories as the asker
reads them now, so a forgotten or erased memory, or one with other readers, is not shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from memories.library.word_diff import differences
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.principals import Actor, Principal, resolve
from personas.block_writes.write import may_write
from personas.blocks.blocks import BlockView, find_block, view
from personas.blocks.entries import one_line
from personas.blocks.versions import made_by
from personas.models.blocks import BlockVersion, Layer

MOST = 50


@dataclass(frozen=True, slots=True)
class Line:
    """An entry that a version added, removed or reworded. text: None if the asker may not read
    it."""

    id: UUID
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVersion:
    """One version beside the one before it.

    made_by: robot, person or other (a decision in review, a report, an erasure, ageing). diff: of
    agent_persona, whose text is its own, word by word.
    """

    number: int
    made_at: datetime
    made_by: str
    entries: int
    characters: int
    added: Sequence[Line] = ()
    removed: Sequence[Line] = ()
    reworded: Sequence[Line] = ()
    diff: Sequence[dict[str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockHistory:
    """The newest versions, the last first; more: whether there are older ones."""

    view: BlockView
    versions: Sequence[ShownVersion]
    more: bool
    writes: bool


def block_history(actor: Actor, block_id: UUID, *, now: datetime) -> BlockHistory:
    """The newest MOST versions of a block; none where few taught it. Raises NotFound."""
    principal = resolve(actor)
    with principal.scope():
        block = find_block(principal, block_id)
        shown = view(principal, block, now)
        if shown.few_teachers:
            writes = may_write(principal, block)
            return BlockHistory(view=shown, versions=(), more=False, writes=writes)
        rows = BlockVersion.objects.filter(organisation_id=block.organisation_id, block_id=block.id)
        found: list[BlockVersion] = list(rows.order_by("-number")[: MOST + 1])
        before: list[BlockVersion | None] = [*found, None]
        pairs = [(new, old) for new, old in pairwise(before) if new is not None][:MOST]
        texts = _texts(principal, pairs)
    own = block.layer == Layer.AGENT
    return BlockHistory(
        view=shown,
        versions=[_beside(new, old, texts, own=own) for new, old in pairs],
        more=len(found) > MOST,
        writes=may_write(principal, block),
    )


Pairs = Iterable[tuple[BlockVersion, BlockVersion | None]]


def _lines(row: BlockVersion | None) -> dict[UUID, int]:
    """The entries of a version by id, each with its own version."""
    return {UUID(id_): number for id_, number in row.lines} if row else {}


def _texts(principal: Principal, pairs: Pairs) -> dict[UUID, str]:
    """The texts of what changed that the asker reads, in one query."""
    changed: set[UUID] = set()
    for new, old in pairs:
        changed |= {id_ for id_, _ in _lines(new).items() ^ _lines(old).items()}
    rows = Memory.objects.filter(
        organisation_id=principal.organisation_id,
        id__in=changed,
        status__in=(Status.ACTIVE, Status.ARCHIVED),
        sensitive=False,
    )
    return {id_: one_line(text) for id_, text in rows.values_list("id", "content")}


def _beside(
    new: BlockVersion, old: BlockVersion | None, texts: dict[UUID, str], *, own: bool
) -> ShownVersion:
    after, before = _lines(new), _lines(old)
    return ShownVersion(
        number=new.number,
        made_at=new.made_at,
        made_by=made_by(new),
        entries=len(after),
        characters=new.characters,
        added=[Line(id_, texts.get(id_)) for id_ in after if id_ not in before],
        removed=[Line(id_, texts.get(id_)) for id_ in before if id_ not in after],
        reworded=[
            Line(id_, texts.get(id_))
            for id_, number in after.items()
            if id_ in before and before[id_] != number
        ],
        diff=differences(old.own_text if old else "", new.own_text) if own else (),
    )
