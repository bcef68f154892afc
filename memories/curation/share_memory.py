"""Change who may read a memory. No other act gives a memory more readers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memories.access.consent import check_sharing_allowed
from memories.access.permissions import (
    ChangeForbiddenError,
    WritePermission,
    check_red_line,
    lock_changeable_memory,
    record_memory_audit,
)
from memories.access.references import ReaderReferences, ReferenceLookup
from memories.access.visibility import (
    ALIASES,
    KindInputs,
    MemoryRequestError,
    Visibility,
    WriteAccess,
    check_team_note,
    derive_kind,
    missing_group_text,
    parse_team_visibility,
)
from memories.curation.decision_records.record_parts import list_named_members, words_of_record
from memories.indexing import search_index
from memories.knowledge_graph.action_item_tasks import (
    list_given_action_items,
    reset_moved_tasks,
    searchable_text,
)
from memories.knowledge_graph.models import Entity
from memories.review.models import ProposalCause
from memories.review.propose import withdraw_items
from memories.safety.check_text import Gate
from memories.safety.gate_refusals import record_refusals, require_passing
from memories.safety.memory_submissions import submission_for_audience
from memories.safety.names.known_names import load_group_names
from memories.safety.required_checks import iter_strings
from memories.state.transitions import unindex_with_derived
from memories.store.conversation_turns import source_message_id
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.version_stamp import VERSION_FIELDS, stamp_version
from orgs.errors import AlreadyExistsError
from orgs.models.audiences import AudienceType
from orgs.models.organisations import Group, Organisation
from orgs.organisations.audience_rows import ensure_audience, ensure_explicit_audience
from orgs.principals import Actor, Principal, resolve_principal
from robots.access.acting_for_members import resolve_actor

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
    Raises NotFoundError, ChangeForbiddenError, MemoryRequestError, PermissionError,
    AlreadyExistsError, SharingOptOutError, GateRefusedError for words that a gate does not let
    reach the new readers, and RedLineError for a protected memory.
    """
    principal = resolve_principal(actor)
    with record_refusals(actor, now, target=memory_id), principal.scope():
        memory = lock_changeable_memory(principal, memory_id)
        if memory.status != Status.ACTIVE:
            raise AlreadyExistsError(f"The memory is {memory.status}, not active.")
        if is_summary(memory):
            raise MemoryRequestError(SUMMARY_STAYS)
        target = _resolve_target(principal, visibility, readers, group)
        _check_writes(principal, target)
        _check_may_share(principal, memory, target)
        before, after = memory.audience_id, target.audience_id
        if after == before:
            return memory
        check_red_line(principal, memory, "share", now)
        _check_gates(memory, target, actor)
        # Resolved again: the list may be new, and the sharer must be on it.
        with resolve_principal(actor).scope():
            _check_no_duplicate(memory, after)
            withdraw_items(
                memory.organisation_id,
                memory.id,
                now,
                ProposalCause.DUPLICATE,
                ProposalCause.CAPACITY,
            )
            _move_to_audience(memory, target, actor, now)
            record_memory_audit(
                principal, "memory.shared", memory, now, before=str(before), after=str(after)
            )
    return memory


@dataclass(frozen=True, slots=True)
class _ShareTarget:
    visibility: Visibility
    audience_id: UUID
    group_id: UUID | None = None


def _check_may_share(principal: Principal, memory: Memory, target: _ShareTarget) -> None:
    """Raise ChangeForbiddenError, MemoryRequestError or SharingOptOutError if the actor may not
    move a memory to this audience.

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
        case AudienceType.MEMBER:
            if not (actor.is_person and memory.audience.key == str(actor.member_id)):
                raise ChangeForbiddenError("Only the member to whom it is private shares it.")
        case AudienceType.EXPLICIT:
            if not concerned and (actor.is_person or memory.member_id):
                raise ChangeForbiddenError("It was said in confidence; those it concerns share it.")
    if target.visibility is not Visibility.PRIVATE:
        named = list_named_members(memory)
        if not concerned:
            named |= {id_ for id_ in (memory.member_id, memory.speaker_member_id) if id_}
        # The same protects members who are named in the record of a decision.
        mine = {actor.member_id} if actor.is_person else set()
        check_sharing_allowed(memory.organisation_id, named - mine)
    if target.visibility is Visibility.PRIVATE and actor.is_person and not concerned:
        raise ChangeForbiddenError("Others said it; it cannot become yours alone.")


# The audience kind of each visibility.
_AUDIENCE_TYPES = {
    Visibility.GROUP: AudienceType.GROUP,
    Visibility.ORGANISATION: AudienceType.ORGANISATION,
    Visibility.SHARED: AudienceType.EXPLICIT,
    Visibility.TEAM: AudienceType.TEAM,
}


def _check_gates(memory: Memory, target: _ShareTarget, actor: Actor) -> None:
    """Raise GateRefusedError for words that may not reach the new readers. A memory that everybody
    reads already has no new readers."""
    kind = _AUDIENCE_TYPES.get(target.visibility)
    if kind is None or memory.audience.kind == AudienceType.ORGANISATION:
        return
    gate = Gate(memory.organisation_id)
    given = submission_for_audience(memory, kind, by_choice=actor.is_person)

    def familiar() -> Iterable[str]:
        return load_group_names(memory.organisation_id, target.group_id) if target.group_id else ()

    require_passing(
        gate,
        memory.content,
        given,
        beside=[memory.topic, *memory.tags, *iter_strings(memory.metadata), *_source_texts(memory)],
        called=[memory.speaker, memory.key or "", memory.conversation or ""],
        familiar=familiar,
    )
    # A person may choose new readers for what people said beside it; nobody chose what a robot did.
    texts, names = words_of_record(memory, of_robots=actor.is_person)
    about = given.about_somebody or not actor.is_person
    given = replace(given, by_robot=True, about_somebody=about)
    require_passing(gate, "", given, beside=texts, called=names, familiar=familiar)


def _source_texts(memory: Memory) -> Iterable[str]:
    """The texts that the writer gave as the source, without ids that the product set."""
    made = source_message_id(memory) is not None or is_proposition(memory)
    return () if made else iter_strings(memory.source)


def _check_no_duplicate(memory: Memory, audience_id: UUID) -> None:
    same = Q(content_hash=memory.content_hash)
    if memory.key is not None:
        same |= Q(key=memory.key)
    twins = Memory.objects.filter(
        same, organisation_id=memory.organisation_id, audience_id=audience_id
    )
    if twin := twins.values_list("id", "status").first():
        raise AlreadyExistsError(
            "These readers have a memory with this text or key already.",
            existing=None if twin[1] == Status.FORGOTTEN else twin[0],
        )


def _resolve_target(
    principal: Principal, visibility: str, readers: Mapping[str, tuple[str, ...]], group: str | None
) -> _ShareTarget:
    actor, organisation_id = principal.actor, principal.organisation_id
    if team := parse_team_visibility(visibility):
        return _resolve_team_target(actor, team)
    match ALIASES.get(visibility, visibility):
        case Visibility.GROUP:
            if not group:
                raise MemoryRequestError(missing_group_text(visibility))
            where = resolve_actor(actor, group=group).group_id
            assert where is not None  # noqa: S101 - for the type checker
            audience_id = ensure_audience(organisation_id, AudienceType.GROUP, str(where), where)
            return _ShareTarget(Visibility.GROUP, audience_id, where)
        case Visibility.ORGANISATION:
            return _ShareTarget(Visibility.ORGANISATION, principal.organisation_audience)
        case Visibility.SHARED:
            chosen = ReferenceLookup(actor).readers(ReaderReferences(**readers))
            if not chosen:
                raise MemoryRequestError("Visibility shared needs readers.")
            chosen.add(
                ("robot", actor.robot_id) if actor.robot_id else ("member", actor.member_id)  # type: ignore[arg-type]
            )
            return _ShareTarget(
                Visibility.SHARED, ensure_explicit_audience(organisation_id, chosen)
            )
        case Visibility.PRIVATE:
            chosen_word = Visibility.PRIVATE if actor.is_person else Visibility.INTERNAL
            return _ShareTarget(chosen_word, principal.own_audience)
    raise MemoryRequestError("Share with group, organisation, shared, team:<id> or private.")


def _resolve_team_target(actor: Actor, reference: str) -> _ShareTarget:
    """The audience of a team's notes. Raises MemoryRequestError for a person and NotFoundError for
    a robot outside the team."""
    if actor.is_person:
        raise MemoryRequestError("Notes of a team belong to its robots; name the team as a reader.")
    team = ReferenceLookup(actor).own_team(reference)
    audience_id = ensure_audience(actor.organisation_id, AudienceType.TEAM, str(team.id))
    return _ShareTarget(Visibility.TEAM, audience_id)


def _check_writes(principal: Principal, target: _ShareTarget) -> None:
    """Raise PermissionError where the actor may not publish to the target's readers at once."""
    if target.visibility is Visibility.PRIVATE:
        return
    tenant = {"organisation_id": principal.organisation_id}
    group = Group.objects.get(**tenant, id=target.group_id) if target.group_id else None
    permission = WritePermission(Organisation.objects.get(id=principal.organisation_id))
    if permission.ask(principal.actor, target.visibility, group) is WriteAccess.PROPOSE:
        raise PermissionError("Members propose to the organisation; a curator publishes.")


def _move_to_audience(memory: Memory, target: _ShareTarget, actor: Actor, now: datetime) -> None:
    """Give a memory another audience; the database moves its parts with it.

    It is indexed anew: the words of its old neighbours are not for the new readers, and its own
    words not for the old ones.
    """
    unindex_with_derived([memory], now)
    # Entities given by hand were meant for the old readers. Only action items that the text itself
    # names are kept.
    said = searchable_text(memory)
    kept = [one.id for one in list_given_action_items(memory) if one.name.casefold() in said]
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
    memory.save(update_fields=["audience", "group", "kind", "deposited_by", *VERSION_FIELDS])
    reset_moved_tasks(memory)
    search_index.reindex_memory(memory, now)
