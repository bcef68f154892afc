"""Erase memories for good: their rows, what was made from their words, and data kept for undo.

docs/erasure.md says what an erasure reaches and what it leaves. Most rows are deleted with the
memory, because everything that belongs to a memory refers to it (`ON DELETE CASCADE`). This module
handles the rest: propositions and summaries, the undo data of bulk changes, and the message behind
a memory, which stays where it was said and no longer contributes to other turns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from memories.access.permissions import (
    ChangeForbiddenError,
    check_red_line,
    get_readable_memory,
    is_red_line_exempt,
    is_subject,
    may_erase_q,
    record_memory_audit,
)
from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.privacy.erasure.begin_erasure import record_erased_memories
from memories.privacy.erasure.delete_rows import SCOPE_BATCH_SIZE, clear_undo_notes
from memories.privacy.erasure.erasure_run import Erasure
from memories.state.supersede_memory import clear_superseded_by
from memories.state.transitions import forget_memories, unindex_with_derived
from memories.store.conversation_turns import source_message_id
from memories.store.dependents import propositions_of, summaries_of
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from memories.store.models.version import Derivation
from orgs.database.rls import Scope, scope
from orgs.errors import ConfirmationError, NotFoundError
from orgs.organisations.audience_rows import list_audience_batches
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor, Principal, resolve_principal
from robots.conversations.message_withdrawal import exclude_from_context, withdraw_messages
from robots.models.conversations import Message

# How many ids are named.
MAX_IDS_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseResult:
    """memories: how many memories that the asker reads were erased, with derived ones.

    messages: ids of the messages that they were made from, which stay where they were said; at most
    NAMED. made_of_it: ids of memories that somebody made from them and that stay, as far as the
    asker reads them; at most NAMED. erasure: the act; its receipt says when nothing is left on the
    disk.
    """

    memories: int
    messages: list[UUID]
    made_of_it: list[UUID]
    erasure: Erasure


def erase_memory(
    actor: Actor, memory_id: UUID, *, confirm: str, now: datetime, force: str | None = None
) -> EraseResult:
    """Erase one memory for good, forgotten or not. confirm: its id once more.

    force: an admin's reason to erase a protected memory. Raises ConfirmationError, NotFoundError,
    ChangeForbiddenError, RedLineError, and PermissionError if `force` comes from anybody but an
    admin.
    """
    if parse_uuid(confirm) != memory_id:
        raise ConfirmationError("Repeat the id of the memory as `confirm`. Nothing was erased.")
    principal = resolve_principal(actor.naming_a_row())
    with principal.scope():
        memory = _get_erasable(principal, memory_id, lock=True)
        if not is_red_line_exempt(actor, memory):
            check_red_line(principal, memory, "erase", now, force=force)
        return erase_rows(principal, [memory], now, force=force)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasePreview:
    """A memory, and what its erasure would leave, as in `Erased`."""

    shown: ListedMemory
    messages: list[UUID]
    made_of_it: list[UUID]


def preview_erase(actor: Actor, memory_id: UUID, *, organisation: str) -> ErasePreview:
    """What erasing a memory would leave, for people. organisation: its name.

    Raises NotFoundError, also for robots' notes, and ChangeForbiddenError.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        memory = _get_erasable(principal, memory_id)
        if memory.kind == Kind.INTERNAL:
            raise NotFoundError("no such memory")
        [shown] = to_listed_memories(principal, [memory], organisation)
        found = _OrganisationWideScope.of(actor.organisation_id)
        gone = set(found.with_derived([memory]).rows)
        said = [id_] if (id_ := source_message_id(memory)) else []
        return ErasePreview(
            shown=shown,
            messages=_remaining_message_ids(actor.organisation_id, said),
            made_of_it=_remaining_derived_ids(actor.organisation_id, [memory], gone),
        )


def _get_erasable(principal: Principal, memory_id: UUID, *, lock: bool = False) -> Memory:
    memory = get_readable_memory(principal, memory_id, lock=lock)
    if not Memory.objects.filter(may_erase_q(principal.actor), id=memory.id).exists():
        raise ChangeForbiddenError(
            "You may read this memory, but it is not yours to erase for good."
        )
    return memory


def erase_rows(
    principal: Principal, rows: Sequence[Memory], now: datetime, *, force: str | None = None
) -> EraseResult:
    """Erase locked memories that the principal may erase; call inside their scope.

    Raises RedLineError, before anything is done, if something protected would be erased with them,
    and PermissionError if `force` comes from anybody but an admin.
    """
    actor, organisation_id = principal.actor, principal.organisation_id
    reach = _OrganisationWideScope.of(organisation_id)
    reached = reach.with_derived(rows)
    for made in _protected_derived(actor, rows, reached):
        check_red_line(principal, made, "erase", now, force=force)
    was = {row.id: row.status for row in rows}
    said = [id_ for row in rows if (id_ := source_message_id(row))]
    own = [row for row in rows if is_subject(actor, row)]
    withdraw_messages(actor, [id_ for row in own if (id_ := source_message_id(row))], now)
    still = [row for row in rows if row.status != Status.FORGOTTEN]
    forget_memories([row for row in still if row in own], now, by_subject=True, actor=actor)
    forget_memories([row for row in still if row not in own], now, by_subject=False, actor=actor)
    found = {id_: row.audience_id for id_, row in reached.rows.items()}
    made_of_it = _remaining_derived_ids(organisation_id, rows, set(found))
    for row in rows:
        derived = _derived_audit_detail(reached.made_from(row) - was.keys())
        record_memory_audit(principal, "memory.erased", row, now, was=was[row.id], **derived)
    clear_undo_notes(organisation_id, list(found))
    reach.exclude_from_context_of_others(said)
    reach.clear_superseded_by(list(found))
    _delete_memories(organisation_id, found, now)
    erasure = record_erased_memories(principal, found, target=rows[0].id, now=now)
    return EraseResult(
        erasure=erasure,
        memories=sum(audience_id in principal.audiences for audience_id in found.values()),
        messages=_remaining_message_ids(organisation_id, said),
        made_of_it=made_of_it,
    )


def without_protected_derived(principal: Principal, rows: Sequence[Memory]) -> list[Memory]:
    """The memories whose erasure would erase nothing protected; call inside the principal's
    scope."""
    organisation_id = principal.organisation_id
    reached = _OrganisationWideScope.of(organisation_id).with_derived(rows)
    held = {made.id for made in _protected_derived(principal.actor, rows, reached)}
    return [row for row in rows if not held & reached.made_from(row)] if held else list(rows)


def _protected_derived(
    actor: Actor, rows: Sequence[Memory], reached: "_ErasureSet"
) -> list[Memory]:
    """The protected memories that would be erased with the rows, by id.

    A person may always erase what is their own, with everything made from it.
    """
    own = {row.id for row in rows}
    kept: dict[UUID, Memory] = {}
    if any(made.red_line for id_, made in reached.rows.items() if id_ not in own):
        for row in rows:
            if not is_red_line_exempt(actor, row):
                made_from = [reached.rows[id_] for id_ in reached.made_from(row) - own]
                kept |= {made.id: made for made in made_from if made.red_line}
    return [kept[id_] for id_ in sorted(kept) if not is_subject(actor, kept[id_])]


def _derived_audit_detail(derived: set[UUID]) -> dict[str, Any]:
    """The detail of the audit entry about derived memories."""
    return {"derived": len(derived), "ids": sorted(map(str, derived))} if derived else {}


def _delete_memories(organisation_id: UUID, found: Mapping[UUID, UUID], now: datetime) -> None:
    with scope(Scope(organisation=organisation_id, audiences=tuple(sorted(set(found.values()))))):
        gone = Memory.objects.filter(organisation_id=organisation_id, id__in=found)
        still = gone.exclude(status=Status.FORGOTTEN).select_for_update(of=("self",))
        # A proposition may be active again for its old readers although its memory has new readers.
        unindex_with_derived(list(still.order_by("id")), now)
        gone.delete()


def _remaining_message_ids(organisation_id: UUID, said: Sequence[UUID]) -> list[UUID]:
    rows = Message.objects.filter(organisation_id=organisation_id, id__in=said, withdrawn_at=None)
    return list(rows.order_by("id").values_list("id", flat=True)[:MAX_IDS_LISTED])


def _remaining_derived_ids(
    organisation_id: UUID, rows: Sequence[Memory], without: set[UUID]
) -> list[UUID]:
    links = Derivation.objects.filter(
        organisation_id=organisation_id, source_id__in=[row.id for row in rows]
    ).exclude(memory_id__in=without)
    made = Memory.objects.filter(
        organisation_id=organisation_id, id__in=links.values("memory_id")
    ).exclude(status=Status.FORGOTTEN)
    return list(made.order_by("id").values_list("id", flat=True)[:MAX_IDS_LISTED])


@dataclass(frozen=True, slots=True)
class _ErasureSet:
    """The memories of an erasure. rows: by id. made: by the id of a memory, the ids directly made
    from it."""

    rows: dict[UUID, Memory]
    made: dict[UUID, set[UUID]] = field(default_factory=dict)

    def made_from(self, row: Memory) -> set[UUID]:
        """The ids of all memories made from a memory, directly or indirectly, without itself."""
        found: set[UUID] = set()
        level = {row.id}
        while level:
            level = {id_ for above in level for id_ in self.made.get(above, ())} - found
            found |= level
        return found - {row.id}

    def add_made_of(self, level: Sequence[Memory], more: dict[UUID, Memory]) -> None:
        """Add to `more` the propositions and summaries of a level that the scope reads."""
        made = {row.id: row for row in [*propositions_of(level), *summaries_of(level)]}
        more.update({id_: row for id_, row in made.items() if id_ not in self.rows})
        links = Derivation.objects.filter(
            organisation_id=level[0].organisation_id,
            source_id__in=[row.id for row in level],
            memory_id__in=list(made),
        )
        for source_id, id_ in links.values_list("source_id", "memory_id") if made else ():
            self.made.setdefault(source_id, set()).add(id_)


@dataclass(frozen=True, slots=True)
class _OrganisationWideScope:
    """All audiences of an organisation, in portions, also those that the asker does not read.

    Derived memories stay with their readers when the memory gets other readers. They are erased all
    the same, without telling the asker.
    """

    organisation_id: UUID
    portions: list[list[UUID]]

    @classmethod
    def of(cls, organisation_id: UUID) -> "_OrganisationWideScope":
        """All audiences that an organisation has now."""
        return cls(organisation_id, list_audience_batches(organisation_id, SCOPE_BATCH_SIZE))

    def with_derived(self, rows: Sequence[Memory]) -> _ErasureSet:
        """The memories with their propositions and summaries, at every level."""
        found = _ErasureSet({row.id: row for row in rows})
        level = list(rows)
        while level:
            more: dict[UUID, Memory] = {}
            look = partial(found.add_made_of, level, more)
            self._everywhere(look, {row.audience_id for row in level})
            found.rows.update(more)
            level = list(more.values())
        return found

    def clear_superseded_by(self, ids: Sequence[UUID]) -> None:
        """What these memories had replaced names them no more.

        The foreign key would do it, but for the rows of the open scope alone: the feed of changes
        refuses a line for other readers.
        """
        self._everywhere(lambda: clear_superseded_by(self.organisation_id, ids))

    def exclude_from_context_of_others(self, messages: Sequence[UUID]) -> None:
        """Stop messages from contributing to the turns around them."""
        if messages:
            self._everywhere(lambda: exclude_from_context(self.organisation_id, messages))

    def _everywhere(self, act: Callable[[], object], also: Iterable[UUID] = ()) -> None:
        for portion in self.portions:
            opened = tuple(sorted({*portion, *also}))
            with scope(Scope(organisation=self.organisation_id, audiences=opened)):
                act()
