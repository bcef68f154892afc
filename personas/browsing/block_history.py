"""What changed in a block from version to version, as far as the asker still reads it.

A version stores only ids of memories and their versions. Texts come from the memories as the asker
reads them now, so a forgotten or erased memory, or one with other readers, is not shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from memories.browsing.word_diff import diff_words
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.principals import Actor, Principal, resolve_principal
from personas.block_writes.block_updates import may_write
from personas.blocks.block_views import BlockView, build_view, get_block
from personas.blocks.entries import normalise_line
from personas.blocks.versions import maker_type
from personas.models.blocks import BlockVersion, Layer

MAX_VERSIONS = 50


@dataclass(frozen=True, slots=True)
class ChangedEntry:
    """An entry that a version added, removed or reworded. text: None if the asker may not read
    it."""

    id: UUID
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChanges:
    """One version beside the one before it.

    made_by: robot, person or other (a decision in review, a report, an erasure, ageing). diff: of
    agent_persona, whose text is its own, word by word.
    """

    number: int
    made_at: datetime
    made_by: str
    entries: int
    characters: int
    added: Sequence[ChangedEntry] = ()
    removed: Sequence[ChangedEntry] = ()
    reworded: Sequence[ChangedEntry] = ()
    diff: Sequence[dict[str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockHistory:
    """The newest versions, the last first; more: whether there are older ones."""

    view: BlockView
    versions: Sequence[VersionChanges]
    more: bool
    writes: bool


def get_block_history(actor: Actor, block_id: UUID, *, now: datetime) -> BlockHistory:
    """The newest MOST versions of a block; none where few taught it. Raises NotFoundError."""
    principal = resolve_principal(actor)
    with principal.scope():
        block = get_block(principal, block_id)
        shown = build_view(principal, block, now)
        if shown.few_teachers:
            writes = may_write(principal, block)
            return BlockHistory(view=shown, versions=(), more=False, writes=writes)
        rows = BlockVersion.objects.filter(organisation_id=block.organisation_id, block_id=block.id)
        found: list[BlockVersion] = list(rows.order_by("-number")[: MAX_VERSIONS + 1])
        before: list[BlockVersion | None] = [*found, None]
        pairs = [(new, old) for new, old in pairwise(before) if new is not None][:MAX_VERSIONS]
        texts = _load_texts(principal, pairs)
    own = block.layer == Layer.AGENT
    return BlockHistory(
        view=shown,
        versions=[_compare(new, old, texts, own=own) for new, old in pairs],
        more=len(found) > MAX_VERSIONS,
        writes=may_write(principal, block),
    )


VersionPairs = Iterable[tuple[BlockVersion, BlockVersion | None]]


def _entry_versions(row: BlockVersion | None) -> dict[UUID, int]:
    """The entries of a version by id, each with its own version."""
    return {UUID(id_): number for id_, number in row.lines} if row else {}


def _load_texts(principal: Principal, pairs: VersionPairs) -> dict[UUID, str]:
    """The texts of what changed that the asker reads, in one query."""
    changed: set[UUID] = set()
    for new, old in pairs:
        changed |= {id_ for id_, _ in _entry_versions(new).items() ^ _entry_versions(old).items()}
    rows = Memory.objects.filter(
        organisation_id=principal.organisation_id,
        id__in=changed,
        status__in=(Status.ACTIVE, Status.ARCHIVED),
        sensitive=False,
    )
    return {id_: normalise_line(text) for id_, text in rows.values_list("id", "content")}


def _compare(
    new: BlockVersion, old: BlockVersion | None, texts: dict[UUID, str], *, own: bool
) -> VersionChanges:
    after, before = _entry_versions(new), _entry_versions(old)
    return VersionChanges(
        number=new.number,
        made_at=new.made_at,
        made_by=maker_type(new),
        entries=len(after),
        characters=new.characters,
        added=[ChangedEntry(id_, texts.get(id_)) for id_ in after if id_ not in before],
        removed=[ChangedEntry(id_, texts.get(id_)) for id_ in before if id_ not in after],
        reworded=[
            ChangedEntry(id_, texts.get(id_))
            for id_, number in after.items()
            if id_ in before and before[id_] != number
        ],
        diff=diff_words(old.own_text if old else "", new.own_text) if own else (),
    )
