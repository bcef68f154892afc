"""Change who may read a memory. No other act gives a memory more readers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.access.consent import refuse_where_opted_out
from memories.access.lookup import changeable, note
from memories.access.permissions import NotYours, WritePermission
from memories.access.readers_named import NamedReaders
from memories.access.red_lines import hold_red_line
from memories.access.references import References
from memories.access.visibility import (
    ALIASES,
    KindInputs,
    Misplaced,
    Visibility,
    Write,
    check_team_note,
    derive_kind,
    team_named,
)
from memories.curation.decisions.parts import members_named, words_of_record
from memories.indexing import index
from memories.knowledge_graph.models import Entity
from memories.knowledge_graph.tasks import given_action_items, move_tasks, said_in
from memories.review.enqueue import withdraw
from memories.review.models import Cause
from memories.safety.gate import Gate
from memories.safety.names.known_names import names_in_group
from memories.safety.refusals import noting_refusals, refuse
from memories.safety.rules import strings_in
from memories.safety.stored import other_readers
from memories.store.conversation_turns import message_of
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.version_stamp import STAMPS, stamp_version
from orgs.errors import AlreadyExists
from orgs.models.audiences import AudienceKind
from orgs.models.organisations import Group, Organisation
from orgs.organisations.audiences import ensure_audience, ensure_explicit_audience
from orgs.principals import Actor, Principal, resolve
from robots.access.act_for import act

SUMMARY_STAYS = (
    "A summary stays with the readers of what it was made of. Bring the originals back and share "
    "those."
)


def share_memory(
    actor: Actor,
    memory_id: UUID,
    *,
    visibility: str,
    readers: Mapping[str, tuple[str, ...]],
    group: str | None,
    now: datetime,
) -> Memory:
    """Give a memory another audience, and record it in the audit trail.

    visibility: group (with `group`), organisation, shared (with `readers`), team:<id> or private.
    Raises NotFound, NotYours, Misplaced, PermissionError, AlreadyExists, SharingOff, HeldBack for
    words that a gate does not let reach the new readers, and RedLine for a protected memory.
    """
    principal = resolve(actor)
    with noting_refusals(actor, now, target=memory_id), principal.scope():
        memory = changeable(principal, memory_id)
        if memory.status != Status.ACTIVE:
            raise AlreadyExists(f"The memory is {memory.status}, not active.")
        if is_summary(memory):
            raise Misplaced(SUMMARY_STAYS)
        target = _target(principal, visibility, readers, group)
        _check_writes(principal, target)
        _may_share(principal, memory, target)
        before, after = memory.audience_id, target.audience_id
        if after == before:
            return memory
        hold_red_line(principal, memory, "share", now)
        _pass_gates(memory, target, actor)
        # Resolved again: the list may be new, and the sharer must be on it.
        with resolve(actor).scope():
            _refuse_twin(memory, after)
            withdraw(memory.organisation_id, memory.id, now, Cause.DUPLICATE, Cause.CAPACITY)
            _move(memory, target, actor, now)
            note(principal, "memory.shared", memory, now, before=str(before), after=str(after))
    return memory


@dataclass(frozen=True, slots=True)
class _Target:
    visibility: Visibility
    audience_id: UUID
    group_id: UUID | None = None


def _may_share(principal: Principal, memory: Memory, target: _Target) -> None:
    """Raise NotYours, Misplaced or SharingOff if the actor may not move a memory to this audience.

    A private or confidential memory is shared only by those whom it concerns. Nobody makes the
    words of others private to themselves. No team gets a memory about a member.
    """
    about = memory.member_id or memory.speaker_member_id
    check_team_note(target.visibility, member=about is not None)
    actor = principal.actor
    concerned = actor.is_person and actor.member_id in (
        memory.member_id,
        memory.author_id,
        memory.speaker_member_id,
    )
    match memory.audience.kind:
        case AudienceKind.MEMBER:
            if not (actor.is_person and memory.audience.key == str(actor.member_id)):
                raise NotYours("Only the member to whom it is private shares it.")
        case AudienceKind.EXPLICIT:
            if not concerned and (actor.is_person or memory.member_id):
                raise NotYours("It was said in confidence; those it concerns share it.")
    if target.visibility is not Visibility.PRIVATE:
        named = members_named(memory)
        if not concerned:
            named |= {id_ for id_ in (memory.member_id, memory.speaker_member_id) if id_}
        # The same protects members who are named in the record of a decision.
        mine = {actor.member_id} if actor.is_person else set()
        refuse_where_opted_out(memory.organisation_id, named - mine)
    if target.visibility is Visibility.PRIVATE and actor.is_person and not concerned:
        raise NotYours("Others said it; it cannot become yours alone.")


# The audience kind of each visibility.
_KIND = {
    Visibility.GROUP: AudienceKind.GROUP,
    Visibility.ORGANISATION: AudienceKind.ORGANISATION,
    Visibility.SHARED: AudienceKind.EXPLICIT,
    Visibility.TEAM: AudienceKind.TEAM,
}


def _pass_gates(memory: Memory, target: _Target, actor: Actor) -> None:
    """Raise HeldBack for words that may not reach the new readers. A memory that everybody reads
    already has no new readers."""
    kind = _KIND.get(target.visibility)
    if kind is None or memory.audience.kind == AudienceKind.ORGANISATION:
        return
    gate = Gate(memory.organisation_id)
    given = other_readers(memory, kind, by_choice=actor.is_person)

    def familiar() -> Iterable[str]:
        return names_in_group(memory.organisation_id, target.group_id) if target.group_id else ()

    refuse(
        gate,
        memory.content,
        given,
        beside=[memory.topic, *memory.tags, *strings_in(memory.metadata), *_told_source(memory)],
        called=[memory.speaker, memory.key or "", memory.conversation or ""],
        familiar=familiar,
    )
    # A person may choose new readers for what people said beside it; nobody chose what a robot did.
    texts, names = words_of_record(memory, of_robots=actor.is_person)
    about = given.about_somebody or not actor.is_person
    given = replace(given, by_robot=True, about_somebody=about)
    refuse(gate, "", given, beside=texts, called=names, familiar=familiar)


def _told_source(memory: Memory) -> Iterable[str]:
    """The texts that the writer gave as the source, without ids that the product set."""
    made = message_of(memory) is not None or is_proposition(memory)
    return () if made else strings_in(memory.source)


def _refuse_twin(memory: Memory, audience_id: UUID) -> None:
    same = Q(content_hash=memory.content_hash)
    if memory.key is not None:
        same |= Q(key=memory.key)
    twins = Memory.objects.filter(
        same, organisation_id=memory.organisation_id, audience_id=audience_id
    )
    if twins.exists():
        raise AlreadyExists("These readers have a memory with this text or key already.")


def _target(
    principal: Principal, visibility: str, readers: Mapping[str, tuple[str, ...]], group: str | None
) -> _Target:
    actor, organisation_id = principal.actor, principal.organisation_id
    if team := team_named(visibility):
        return _team(actor, team)
    match ALIASES.get(visibility, visibility):
        case Visibility.GROUP:
            if not group:
                raise Misplaced("Visibility group needs a group.")
            where = act(actor, group=group).group_id
            assert where is not None  # noqa: S101 - for the type checker
            audience_id = ensure_audience(organisation_id, AudienceKind.GROUP, str(where), where)
            return _Target(Visibility.GROUP, audience_id, where)
        case Visibility.ORGANISATION:
            return _Target(Visibility.ORGANISATION, principal.organisation_audience)
        case Visibility.SHARED:
            chosen = References(actor).readers(NamedReaders(**readers))
            if not chosen:
                raise Misplaced("Visibility shared needs readers.")
            chosen.add(
                ("robot", actor.robot_id) if actor.robot_id else ("member", actor.member_id)  # type: ignore[arg-type]
            )
            return _Target(Visibility.SHARED, ensure_explicit_audience(organisation_id, chosen))
        case Visibility.PRIVATE:
            chosen_word = Visibility.PRIVATE if actor.is_person else Visibility.INTERNAL
            return _Target(chosen_word, principal.own_audience)
    raise Misplaced("Share with group, organisation, shared, team:<id> or private.")


def _team(actor: Actor, reference: str) -> _Target:
    """The audience of a team's notes. Raises Misplaced for a person and NotFound for a robot
    outside the team."""
    if actor.is_person:
        raise Misplaced("Notes of a team belong to its robots; name the team as a reader.")
    team = References(actor).own_team(reference)
    audience_id = ensure_audience(actor.organisation_id, AudienceKind.TEAM, str(team.id))
    return _Target(Visibility.TEAM, audience_id)


def _check_writes(principal: Principal, target: _Target) -> None:
    """Raise PermissionError where the actor may not publish to the target's readers at once."""
    if target.visibility is Visibility.PRIVATE:
        return
    tenant = {"organisation_id": principal.organisation_id}
    group = Group.objects.get(**tenant, id=target.group_id) if target.group_id else None
    permission = WritePermission(Organisation.objects.get(id=principal.organisation_id))
    if permission.ask(principal.actor, target.visibility, group) is Write.PROPOSE:
        raise PermissionError("Members propose to the organisation; a curator publishes.")


def _move(memory: Memory, target: _Target, actor: Actor, now: datetime) -> None:
    """Give a memory another audience; the database moves its parts with it.

    It is indexed anew: the words of its old neighbours are not for the new readers, and its own
    words not for the old ones.
    """
    index.unindex([memory], now)
    # Entities given by hand were meant for the old readers. Only action items that the text itself
    # names are kept.
    said = said_in(memory)
    kept = [one.id for one in given_action_items(memory) if one.name.casefold() in said]
    named = Entity.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id)
    named.exclude(id__in=kept).delete()
    memory.audience_id, memory.deposited_by = target.audience_id, None
    stamp_version(memory, actor, now)
    memory.group_id = target.group_id or memory.group_id
    memory.kind = derive_kind(
        KindInputs(
            target.visibility,
            group=memory.group_id is not None,
            member=memory.member_id is not None,
            listeners=bool(memory.listeners),
        )
    )
    memory.save(update_fields=["audience", "group", "kind", "deposited_by", *STAMPS])
    move_tasks(memory)
    index.reindex(memory, now)
