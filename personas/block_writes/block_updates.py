"""Write to a block: its whole text, or one entry.

Every line goes through `remember`, so deduplication, gates, review, audit and log are those of
every memory. A line that a gate holds back is not in the text until somebody has decided; the line
that it replaces stays until then.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.consent import lock_sharing_opt_out
from memories.access.permissions import check_red_line
from memories.browsing.word_diff import diff_words
from memories.ingestion.drafts import Draft, DraftRefusal, RememberResult
from memories.ingestion.memory_writes import confirm_repeat
from memories.ingestion.remember import remember_many
from memories.state.supersede_memory import supersede_memory
from memories.state.transitions import archive_memories
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.cohort_types import EVERY_INDUSTRY
from orgs.errors import NotFoundError
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal, resolve_principal
from personas.block_writes.line_changes import LineChange, compute_line_changes
from personas.block_writes.overflow import CONSOLIDATE, REFUSE, consolidate
from personas.block_writes.personal_data_check import REVIEW, record_refusal, require_clean_line
from personas.blocks.block_views import BlockView, build_view, get_block
from personas.blocks.entries import BlockEntry, is_shared_block
from personas.blocks.layers import initial_text, normalise_line
from personas.errors import (
    BlockOutdatedError,
    BlockReadOnlyError,
    BlockTooLongError,
    MissingAssociationError,
    PersonalDataError,
)
from personas.models.blocks import Block, BlockLine, Layer
from personas.models.personas import Association
from robots.registry.robots import WEB, ensure_builtin_robot

log = logging.getLogger("commonmind.personas")

ADMINS_WRITE = "Only an admin writes agent_persona; robots read it."
ROBOTS_ADD = "Robots add and confirm lines of this block; those who curate write its text."
ROBOTS_WRITE = "The robots of this persona write this block, and those who curate."
TOLD_ROBOT_WRITES = "The robot that was told this writes it; correct or forget its lines."
READS_ONLY = "Your role reads; ask an admin for a role that writes."


_REFUSALS = (
    BlockOutdatedError, BlockReadOnlyError, BlockTooLongError, MissingAssociationError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Options of a write.

    on_overflow: refuse or consolidate, if the text would be too long. on_personal_data: stop or
    sanitise, if the gate finds personal data. source: the source of new lines.
    """

    on_overflow: str = REFUSE
    on_personal_data: str = REVIEW
    source: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """view: the block afterwards. held: lines that wait for a decision. entry: for a write of one
    line, what became of it."""

    view: BlockView
    held: Sequence[RememberResult] = ()
    entry: RememberResult | None = None


@dataclass(slots=True)
class _BlockWrite:
    """One write to a locked block."""

    principal: Principal
    block: Block
    before: BlockView
    wanted: WriteOptions
    now: datetime

    @property
    def actor(self) -> Actor:
        return self.principal.actor

    @property
    def may_remove(self) -> bool:
        """Whether the actor may take out lines of others; of what everybody reads only those who
        curate do."""
        return self.block.layer != Layer.GLOBAL or self.actor.moderates

    def clear(self, line: str) -> str:
        return require_clean_line(
            self.principal, self.before, line, self.wanted.on_personal_data, self.now
        )


def add_entry(
    actor: Actor, block_id: UUID, text: str, *, wanted: WriteOptions, now: datetime
) -> WriteResult:
    """Add a line; a line that is there already is confirmed.

    Raises NotFoundError, BlockReadOnlyError, MissingAssociationError, BlockTooLongError,
    PersonalDataError and what `remember` raises.
    """

    def write(act: _BlockWrite) -> WriteResult:
        line = act.clear(normalise_line(text))
        there = {one.text: one for one in act.before.entries}
        if line in there:
            made = _confirm(act, there[line])
        else:
            _ensure_fits(act, [*there, line])
            made = _remember_lines(act, [line])[line]
        held = [made] if made.status != Status.ACTIVE else []
        return WriteResult(view=_finish(act, added=1), held=held, entry=made)

    return _run_write(actor, block_id, wanted, now, write)


def confirm_entry(actor: Actor, block_id: UUID, entry_id: UUID, *, now: datetime) -> WriteResult:
    """Confirm an entry: it counts in full again. Raises what `add_entry` raises."""

    def write(act: _BlockWrite) -> WriteResult:
        entry = next((one for one in act.before.entries if one.id == entry_id), None)
        if entry is None:
            raise NotFoundError("no such entry")
        return WriteResult(entry=_confirm(act, entry), view=_finish(act, confirmed=1))

    return _run_write(actor, block_id, WriteOptions(), now, write)


def update_block_text(
    actor: Actor, block_id: UUID, text: str, *, version: int, wanted: WriteOptions, now: datetime
) -> WriteResult:
    """Give the block another text, a line for each entry.

    Lines that stay are not touched. New lines are remembered, removed ones archived, and a line
    that replaces another is valid from now on. Raises what `add_entry` raises, BlockOutdatedError
    if the block changed since `version`, and RedLineError if a protected line would be removed.
    """

    def write(act: _BlockWrite) -> WriteResult:
        before = act.before
        if version != before.version:
            raise BlockOutdatedError(before.text, before.version, diff_words(before.text, text))
        if act.block.layer == Layer.AGENT:
            return _write_agent_text(act, text)
        if not act.may_remove:
            raise BlockReadOnlyError(ROBOTS_ADD)
        there = {one.text for one in before.entries}
        given = list(dict.fromkeys(filter(None, map(normalise_line, text.splitlines()))))
        lines = [
            one if one in there else act.clear(one)
            for one in _without_placeholder(act.block, given)
        ]
        gone = _ensure_fits(act, lines)
        wished = [
            one
            for one in compute_line_changes(before.entries, lines)
            if not _is_archived(one, gone)
        ]
        brought = _remember_lines(act, [one.line for one in wished if one.line is not None])
        for one in wished:
            _apply_change(act, one, brought)
        held = [made for made in brought.values() if made.status != Status.ACTIVE]
        if not is_shared_block(act.block):
            _set_positions(act.block, lines)
        return WriteResult(view=_finish(act, changed=len(wished)), held=held)

    return _run_write(actor, block_id, wanted, now, write)


def _run_write(
    actor: Actor,
    block_id: UUID,
    wanted: WriteOptions,
    now: datetime,
    write: Callable[[_BlockWrite], WriteResult],
) -> WriteResult:
    """Run a write with the block locked; a refusal of the gate is recorded after the roll-back."""
    principal = resolve_principal(actor)
    before: BlockView | None = None
    block: Block | None = None
    try:
        with principal.scope():
            block = get_block(principal, block_id, lock=True)
            _check_writer(principal, block)
            before = build_view(principal, block, now)
            return write(_BlockWrite(principal, block, before, wanted, now))
    except PersonalDataError as refused:
        with principal.scope():
            if before is not None:
                record_refusal(principal, before, refused.verdict, now)
        _log_refusal(block, refused)
        raise
    except _REFUSALS as refused:
        _log_refusal(block, refused)
        raise


def _log_refusal(block: Block | None, refused: Exception) -> None:
    """A line of the log: which block, and why, without a word of the text and of whom."""
    if block is not None:
        log.info(
            "block write refused",
            extra={
                "organisation": str(block.organisation_id),
                "layer": block.layer,
                "reason": type(refused).__name__.removesuffix("Error"),
            },
        )


def may_write(principal: Principal, block: Block) -> bool:
    """Whether the asker may write a block that they read, apart from `MissingAssociationError`."""
    return _refusal_reason(principal.actor, block) is None


def _refusal_reason(actor: Actor, block: Block) -> str | None:
    """Why the asker may not write the block, as a sentence; None if they may."""
    if actor.only_reads:
        return READS_ONLY
    if block.layer == Layer.AGENT and not (actor.is_person and actor.role == Role.ADMIN):
        return ADMINS_WRITE
    if block.robot_id is not None and block.robot_id != actor.robot_id:
        return TOLD_ROBOT_WRITES
    if is_shared_block(block) and actor.is_person and not actor.moderates:
        return ROBOTS_ADD if block.layer == Layer.GLOBAL else ROBOTS_WRITE
    return None


def _check_writer(principal: Principal, block: Block) -> None:
    """Raises BlockReadOnlyError, and MissingAssociationError for a profile without a confirmed
    association."""
    if refusal := _refusal_reason(principal.actor, block):
        raise BlockReadOnlyError(refusal)
    if block.layer == Layer.PROFILE:
        known = Association.objects.filter(
            organisation_id=block.organisation_id, confirmed_at__isnull=False
        )
        if not known.filter(member=block.member).exists():
            raise MissingAssociationError


def _without_placeholder(block: Block, lines: Sequence[str]) -> list[str]:
    """The lines without the initial text of an empty block."""
    name = block.member.name if block.member else ""
    handle = block.persona.handle if block.persona else ""
    first = set(
        map(normalise_line, initial_text(block.layer, handle=handle, name=name).splitlines())
    )
    return [line for line in lines if line not in first]


def _ensure_fits(act: _BlockWrite, lines: Sequence[str]) -> set[UUID]:
    """Make the lines fit. Returns ids of entries that were archived for it. Raises
    BlockTooLongError."""
    before = act.before
    length = len("\n".join(lines))
    if length <= before.limit:
        return set()
    wished = set(lines)
    kept = [one for one in before.entries if one.text in wished]
    over = length - before.limit
    if (
        act.wanted.on_overflow == CONSOLIDATE
        and act.may_remove
        and (gone := consolidate(act.principal, before, kept, over, act.now))
    ):
        return {one.id for one in gone}
    raise BlockTooLongError(before.label, before.limit, length)


def _is_archived(change: LineChange, gone: set[UUID]) -> bool:
    return change.line is None and change.gone is not None and change.gone.id in gone


def _remember_lines(act: _BlockWrite, lines: Sequence[str]) -> dict[str, RememberResult]:
    """Remember new lines, all at once. Returns the outcome by line. Raises what stopped one."""
    drafts = [
        Draft(
            content=line,
            visibility=_visibility(act),
            told=act.block.robot_id is not None,
            source=act.wanted.source,
        )
        for line in lines
    ]
    found: dict[str, RememberResult] = {}
    for line, made in zip(lines, remember_many(act.actor, drafts, now=act.now), strict=True):
        if isinstance(made, DraftRefusal):
            raise made.error
        found[line] = made
    if not is_shared_block(act.block):
        _add_lines(act.block, [made.id for made in found.values()])
    return found


def _visibility(act: _BlockWrite) -> str:
    if act.block.layer == Layer.GLOBAL:
        return f"industry:{EVERY_INDUSTRY}"
    if act.block.layer == Layer.SHARED:
        return f"persona:{act.before.handle}"
    return "private" if act.block.robot_id is None else "protected"


def _confirm(act: _BlockWrite, entry: BlockEntry) -> RememberResult:
    """Say an entry once more, whoever said it first and however it was made."""
    if is_shared_block(act.block):
        lock_sharing_opt_out(act.principal)
    actor, row = act.actor, _lock_memory(act, entry.id)
    organisation_id = act.principal.organisation_id
    confirm_repeat(
        row,
        robot_id=actor.robot_id or ensure_builtin_robot(organisation_id, WEB, act.now).id,
        author_id=actor.member_id if actor.is_person else None,
        key_id=actor.key_id,
        now=act.now,
    )
    return RememberResult(
        id=row.id,
        status=row.status,
        audience_kind=row.audience.kind,
        audience_id=row.audience_id,
        deduplicated=True,
        remember_count=row.remember_count + 1,
    )


def _apply_change(
    act: _BlockWrite, change: LineChange, brought: Mapping[str, RememberResult]
) -> None:
    """Archive what the change removes; a line that a gate holds replaces nothing yet."""
    made = brought[change.line] if change.line is not None else None
    if change.gone is None or (made is not None and made.status != Status.ACTIVE):
        return
    older = _lock_memory(act, change.gone.id)
    if made is None:
        _archive_entry(act, older)
    elif made.id != older.id:
        supersede_memory(act.principal, older, _lock_memory(act, made.id), act.now)


def _lock_memory(act: _BlockWrite, memory_id: UUID) -> Memory:
    rows = Memory.objects.filter(organisation_id=act.principal.organisation_id, id=memory_id)
    return rows.with_names().select_for_update(of=("self",), no_key=True).get()


def _archive_entry(act: _BlockWrite, memory: Memory) -> None:
    check_red_line(act.principal, memory, "archive", act.now)
    archive_memories([memory], act.now)
    audit.record_entry(
        "block.entry_archived",
        actor=act.actor,
        now=act.now,
        target=memory.id,
        target_type="memory",
        block=str(act.block.id),
    )


def _add_lines(block: Block, ids: Sequence[UUID]) -> None:
    """Make memories lines of a member's block; new ones come last."""
    rows = Memory.objects.filter(organisation_id=block.organisation_id).in_bulk(list(ids))
    lines = BlockLine.objects.filter(organisation_id=block.organisation_id, block_id=block.id)
    first = lines.count()
    BlockLine.objects.bulk_create(
        [
            BlockLine(
                organisation_id=block.organisation_id,
                block_id=block.id,
                memory_id=id_,
                audience_id=rows[id_].audience_id,
                kind=rows[id_].kind,
                position=first + number,
            )
            for number, id_ in enumerate(dict.fromkeys(ids))
        ],
        ignore_conflicts=True,
    )


def _set_positions(block: Block, lines: Sequence[str]) -> None:
    """Put the lines of a member's block into the order in which they were given."""
    order = {line: number for number, line in enumerate(lines)}
    rows = BlockLine.objects.filter(organisation_id=block.organisation_id, block_id=block.id)
    for row in rows.select_related("memory"):
        place = order.get(normalise_line(row.memory.content))
        if place is not None and place != row.position:
            rows.filter(id=row.id).update(position=place)


def _write_agent_text(act: _BlockWrite, text: str) -> WriteResult:
    """Write agent_persona, which is no memory but an admin's instructions for every robot."""
    text = text.strip()
    if len(text) > act.before.limit:
        raise BlockTooLongError(act.before.label, act.before.limit, len(text))
    act.block.own_text = text
    act.block.save(update_fields=["own_text"])
    return WriteResult(view=_finish(act, characters=len(text)))


def _finish(act: _BlockWrite, **detail: Any) -> BlockView:
    """The block as it is now, after adding its version and an audit entry."""
    after = build_view(act.principal, act.block, act.now, by=act.actor)
    audit.record_entry(
        "block.written",
        actor=act.actor,
        now=act.now,
        target=act.block.id,
        target_type="block",
        layer=act.block.layer,
        before=act.before.version,
        after=after.version,
        **detail,
    )
    return after
