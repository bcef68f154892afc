"""Erase memories for good: their rows, what was made of their words, and what undoing had kept.

What an erasure reaches, and what it leaves, is said in docs/concepts.md. Most goes with the
memory's row, because everything that belongs to a memory refers to it (`ON DELETE CASCADE`). The
rest is found here: propositions and summaries, the notes from which a bulk change is undone, and
the message behind it, which stays where it was said and lends its words to nothing any more.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.access.lookup import fetch, note
from memories.access.permissions import NotYours, erasable, is_subject
from memories.access.red_lines import hold_red_line, is_their_own
from memories.indexing import index
from memories.jobs.models import Job, JobKind
from memories.library.browse import ListedMemory, show
from memories.lifecycle.withdraw import take_away
from memories.privacy.erasure.begin import note_erased
from memories.privacy.erasure.models import Erasure
from memories.store.conversation_turns import message_of
from memories.store.dependents import followers, summaries
from memories.store.models.choices import Kind, Status
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, scope
from orgs.errors import NotFound
from orgs.organisations.audiences import every_audience
from orgs.organisations.references import as_uuid
from orgs.principals import Actor, Principal, resolve
from robots.conversations.withdraw_messages import keep_to_itself, unsay
from robots.models.conversations import Message

# Audiences that are opened at once where everything is looked through; ids that are named.
OPENED, NAMED = 1_000, 20


class NotConfirmed(Exception):
    """Nothing was erased: whoever asks has not said that they mean it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """memories: how many went that the asker reads, with what was made of their words.

    messages: those that they were made of, which stay readable where they were said; NAMED at most.
    made_of_it: what the asker reads that somebody made of them, which stays; NAMED ids at most.
    erasure: the act, whose receipt says when nothing is left on the disk.
    """

    memories: int
    messages: list[UUID]
    made_of_it: list[UUID]
    erasure: Erasure


def erase_memory(
    actor: Actor, memory_id: UUID, *, confirm: str, now: datetime, force: str | None = None
) -> Erased:
    """Erase one memory, forgotten or not; nothing brings it back. confirm: its id once more.

    force: an admin's reason to erase what is protected. Raises NotConfirmed, NotFound, NotYours,
    RedLine, and PermissionError for a force that is no admin's.
    """
    if as_uuid(confirm) != memory_id:
        raise NotConfirmed("Repeat the id of the memory as `confirm`. Nothing was erased.")
    principal = resolve(actor)
    with principal.scope():
        memory = _find(principal, memory_id, lock=True)
        if not is_their_own(actor, memory):
            hold_red_line(principal, memory, "erase", now, force=force)
        return erase_rows(principal, [memory], now, force=force)


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """The memory, and what its erasure leaves, as in `Erased`."""

    shown: ListedMemory
    messages: list[UUID]
    made_of_it: list[UUID]


def foresee_erasure(actor: Actor, memory_id: UUID, *, organisation: str) -> Foreseen:
    """What erasing it would leave, for people. organisation: its name. Raises NotFound, also for a
    note of robots, and NotYours."""
    principal = resolve(actor)
    with principal.scope():
        memory = _find(principal, memory_id)
        if memory.kind == Kind.INTERNAL:
            raise NotFound("no such memory")
        [shown] = show(principal, [memory], organisation)
        found = _Reach(actor.organisation_id, every_audience(actor.organisation_id, OPENED))
        gone = set(found.with_derived([memory]).rows)
        said = [id_] if (id_ := message_of(memory)) else []
        return Foreseen(
            shown=shown,
            messages=_left_open(actor.organisation_id, said),
            made_of_it=_made_by_others(actor.organisation_id, [memory], gone),
        )


def _find(principal: Principal, memory_id: UUID, *, lock: bool = False) -> Memory:
    memory = fetch(principal, memory_id, lock=lock)
    if not Memory.objects.filter(erasable(principal.actor), id=memory.id).exists():
        raise NotYours("You may read this memory, but it is not yours to erase for good.")
    return memory


def erase_rows(
    principal: Principal, rows: Sequence[Memory], now: datetime, *, force: str | None = None
) -> Erased:
    """Erase locked memories that the principal may erase; call inside their scope.

    Raises RedLine, before anything is done, where something protected would go with them, and
    PermissionError for a force that is no admin's.
    """
    actor, organisation_id = principal.actor, principal.organisation_id
    reach = _Reach(organisation_id, every_audience(organisation_id, OPENED))
    reached = reach.with_derived(rows)
    for made in _held(actor, rows, reached):
        hold_red_line(principal, made, "erase", now, force=force)
    was = {row.id: row.status for row in rows}
    said = [id_ for row in rows if (id_ := message_of(row))]
    for row in rows:
        if is_subject(actor, row) and (message := message_of(row)):
            unsay(actor, [message], now)
        if row.status != Status.FORGOTTEN:
            take_away(actor, row, by_subject=is_subject(actor, row), now=now)
    found = {id_: row.audience_id for id_, row in reached.rows.items()}
    made_of_it = _made_by_others(organisation_id, rows, set(found))
    for row in rows:
        derived = _named(reached.made_from(row) - was.keys())
        note(principal, "memory.erased", row, now, was=was[row.id], **derived)
    reach.clear_undo_notes(list(found))
    reach.keep_to_themselves(said)
    _delete(organisation_id, found, now)
    erasure = note_erased(principal, found, target=rows[0].id, now=now)
    return Erased(
        erasure=erasure,
        memories=sum(audience_id in principal.audiences for audience_id in found.values()),
        messages=_left_open(organisation_id, said),
        made_of_it=made_of_it,
    )


def without_held(principal: Principal, rows: Sequence[Memory]) -> list[Memory]:
    """Those with which nothing protected would go; call inside the principal's scope."""
    organisation_id = principal.organisation_id
    reached = _Reach(organisation_id, every_audience(organisation_id, OPENED)).with_derived(rows)
    held = {made.id for made in _held(principal.actor, rows, reached)}
    return [row for row in rows if not held & reached.made_from(row)] if held else list(rows)


def _held(actor: Actor, rows: Sequence[Memory], reached: "_Reached") -> list[Memory]:
    """What is protected of what goes with the rows, by id.

    No red line keeps a person from erasing what is their own, and what was made of it goes along.
    """
    own = {row.id for row in rows}
    kept: dict[UUID, Memory] = {}
    if any(made.red_line for id_, made in reached.rows.items() if id_ not in own):
        for row in rows:
            if not is_their_own(actor, row):
                made_from = [reached.rows[id_] for id_ in reached.made_from(row) - own]
                kept |= {made.id: made for made in made_from if made.red_line}
    return [kept[id_] for id_ in sorted(kept) if not is_subject(actor, kept[id_])]


def _named(derived: set[UUID]) -> dict[str, Any]:
    """What the audit trail says of what went along."""
    return {"derived": len(derived), "ids": sorted(map(str, derived))} if derived else {}


def _delete(organisation_id: UUID, found: Mapping[UUID, UUID], now: datetime) -> None:
    with scope(Scope(organisation=organisation_id, audiences=tuple(sorted(set(found.values()))))):
        gone = Memory.objects.filter(organisation_id=organisation_id, id__in=found)
        still = gone.exclude(status=Status.FORGOTTEN).select_for_update(of=("self",))
        # Somebody brought a fact back for its readers of then, and the memory had gone to others.
        index.unindex(list(still.order_by("id")), now)
        gone.delete()


def _left_open(organisation_id: UUID, said: Sequence[UUID]) -> list[UUID]:
    rows = Message.objects.filter(organisation_id=organisation_id, id__in=said, withdrawn_at=None)
    return list(rows.order_by("id").values_list("id", flat=True)[:NAMED])


def _made_by_others(
    organisation_id: UUID, rows: Sequence[Memory], without: set[UUID]
) -> list[UUID]:
    links = Derivation.objects.filter(
        organisation_id=organisation_id, source_id__in=[row.id for row in rows]
    ).exclude(memory_id__in=without)
    made = Memory.objects.filter(
        organisation_id=organisation_id, id__in=links.values("memory_id")
    ).exclude(status=Status.FORGOTTEN)
    return list(made.order_by("id").values_list("id", flat=True)[:NAMED])


@dataclass(frozen=True, slots=True)
class _Reached:
    """rows: by id. made: by id of a memory the ids of what was made of it at once."""

    rows: dict[UUID, Memory]
    made: dict[UUID, set[UUID]] = field(default_factory=dict)

    def made_from(self, row: Memory) -> set[UUID]:
        """What was made of a memory, of that, and so on; not itself."""
        found: set[UUID] = set()
        level = {row.id}
        while level:
            level = {id_ for above in level for id_ in self.made.get(above, ())} - found
            found |= level
        return found - {row.id}

    def add_made_of(self, level: Sequence[Memory], more: dict[UUID, Memory]) -> None:
        """Add to `more` the propositions and summaries of a level that the scope reads."""
        made = {row.id: row for row in [*followers(level), *summaries(level)]}
        more.update({id_: row for id_, row in made.items() if id_ not in self.rows})
        links = Derivation.objects.filter(
            organisation_id=level[0].organisation_id,
            source_id__in=[row.id for row in level],
            memory_id__in=list(made),
        )
        for source_id, id_ in links.values_list("source_id", "memory_id") if made else ():
            self.made.setdefault(source_id, set()).add(id_)


@dataclass(frozen=True, slots=True)
class _Reach:
    """Every audience of an organisation, in portions, also those that the asker does not read.

    What was made of a memory stays with its readers of then when the memory goes to others. It is
    erased all the same, and nothing of it is told.
    """

    organisation_id: UUID
    portions: list[list[UUID]]

    def with_derived(self, rows: Sequence[Memory]) -> _Reached:
        """The memories, their propositions and summaries, and so on."""
        found = _Reached({row.id: row for row in rows})
        level = list(rows)
        while level:
            more: dict[UUID, Memory] = {}
            look = partial(found.add_made_of, level, more)
            self._everywhere(look, {row.audience_id for row in level})
            found.rows.update(more)
            level = list(more.values())
        return found

    def clear_undo_notes(self, ids: Sequence[UUID]) -> None:
        """Take tags and more of these memories out of what undoing a change of many would need."""
        names = {str(id_) for id_ in ids}
        noted = Q()
        for name in names:
            noted |= Q(result__undo__contains=[[name]]) | Q(parameters__undoing__has_key=name)
        jobs = Job.objects.filter(noted, organisation_id=self.organisation_id, kind=JobKind.CHANGE)

        def clear() -> None:
            for job in jobs.all().select_for_update().order_by("id"):
                if undo := job.result.get("undo"):
                    job.result["undo"] = [entry for entry in undo if entry[0] not in names]
                undoing = job.parameters.get("undoing", {})
                undoing.update(dict.fromkeys(names & set(undoing)))
                job.save(update_fields=["result", "parameters"])

        self._everywhere(clear)

    def keep_to_themselves(self, messages: Sequence[UUID]) -> None:
        """Let messages lend nothing to the turns around them any more."""
        if messages:
            self._everywhere(lambda: keep_to_itself(self.organisation_id, messages))

    def _everywhere(self, act: Callable[[], object], also: Iterable[UUID] = ()) -> None:
        for portion in self.portions:
            opened = tuple(sorted({*portion, *also}))
            with scope(Scope(organisation=self.organisation_id, audiences=opened)):
                act()
