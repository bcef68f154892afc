"""Who may change, forget, restore and write which memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memories.access.evaluate_condition import ANY_ROW, NO_ROW, matches
from memories.access.visibility import COHORTS, Visibility, WriteAccess, write_access
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet, subject_q
from memories.store.models.version import Contribution
from memories.store.speakers.authorship import two_facts
from orgs import audit
from orgs.cohort_types import GLOBAL_LEVEL, audience_level
from orgs.database.compiled_queries import CompiledQuery
from orgs.errors import ReferenceNotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.models.memberships import Role
from orgs.models.organisations import Group, GroupMembership, Organisation
from orgs.principals import Actor, Principal
from robots.registry.activity import record_activity

COHORT_WRITE_DENIED = "Robots and those who curate write for a persona. Report what is wrong there."
NOT_THEIR_GROUP = "Who reads this group writes in it; a personal robot where its member does."
ROLE_WRITE_DENIED = "Your role reads; ask an admin for a role that writes."
# What a personal robot writes for nobody but its owner and itself.
_THEIRS_ALONE = (Visibility.PRIVATE, Visibility.INTERNAL)
# The visibility that a kind of audience has.
_OF_KIND = {
    AudienceType.ORGANISATION: Visibility.ORGANISATION,
    AudienceType.REVIEW: Visibility.ORGANISATION,
    AudienceType.GROUP: Visibility.GROUP,
    AudienceType.MEMBER: Visibility.PRIVATE,
    AudienceType.ROBOT: Visibility.INTERNAL,
    AudienceType.TEAM: Visibility.TEAM,
    AudienceType.EXPLICIT: Visibility.SHARED,
    AudienceType.PERSONA: Visibility.PERSONA,
    AudienceType.INDUSTRY: Visibility.INDUSTRY,
    AudienceType.ROLE: Visibility.ROLE,
}


class ChangeForbiddenError(Exception):
    """Readable, but not the asker's to change."""


# Each permission is a condition for a list of memories, and `matches` asks it of one memory.


def may_change_q(actor: Actor) -> Q:
    """Which memories the asker may edit, forget or share, of those that they can read.

    A robot changes what it wrote. A person changes what is theirs or about them, what they
    wrote or said, and, as curator or admin, whatever is shared.
    """
    if actor.robot_id:
        return Q(robot_id=actor.robot_id)
    if actor.moderates:
        return ANY_ROW
    return subject_q(actor.member_id) | Q(author_id=actor.member_id)


def may_change(principal: Principal, memory: Memory) -> bool:
    """`may_change_q` for one memory."""
    return matches(may_change_q(principal.actor), memory)


def may_forget_q(actor: Actor) -> Q:
    """Which memories the asker may forget. Viewers forget only what is about them or their words.
    Red lines are not part of it."""
    return _is_subject_q(actor) if _is_viewer(actor) else may_change_q(actor)


def may_forget(principal: Principal, memory: Memory) -> bool:
    """`may_forget_q` for one memory."""
    return matches(may_forget_q(principal.actor), memory)


def may_restore_q(actor: Actor) -> Q:
    """Which memories the asker may restore. What its subject forgot, only they restore; viewers
    restore only what is about them or their words."""
    theirs = _is_subject_q(actor)
    if _is_viewer(actor):
        return theirs
    return theirs | (may_change_q(actor) & _NOT_FORGOTTEN_BY_SUBJECT_Q)


def may_restore(principal: Principal, memory: Memory) -> bool:
    """`may_restore_q` for one memory."""
    return matches(may_restore_q(principal.actor), memory)


def _is_viewer(actor: Actor) -> bool:
    return actor.is_person and actor.role == Role.VIEWER


def _is_subject_q(actor: Actor) -> Q:
    """The condition that the person who asks is the memory's subject; a robot is never."""
    return subject_q(actor.member_id) if actor.is_person else NO_ROW


def is_subject(actor: Actor, memory: Memory) -> bool:
    """Whether the person who asks is the memory's subject."""
    return matches(_is_subject_q(actor), memory)


def may_erase_q(actor: Actor) -> Q:
    """Which memories the asker may erase for good; fewer than they may forget.

    A person erases what is about them or gives their words, and what they alone wrote about nobody;
    a viewer only the first. An admin erases whatever is readable. A robot erases what it alone
    wrote and is no member's words. A memory that somebody else reworded was not written by one
    alone. What its subject forgot, only they erase.
    """
    if actor.robot_id:
        own = Q(robot_id=actor.robot_id, author=None, speaker_member=None, reworded_by=None)
        own &= Q(reworded_by_robot=None) | Q(reworded_by_robot_id=actor.robot_id)
        return (
            own
            & sole_contributor_q(robot_id=actor.robot_id, member=None)
            & _NOT_FORGOTTEN_BY_SUBJECT_Q
        )
    theirs = subject_q(actor.member_id)
    if actor.role == Role.VIEWER:
        return theirs
    if actor.role == Role.ADMIN:
        return theirs | _NOT_FORGOTTEN_BY_SUBJECT_Q
    own = Q(author_id=actor.member_id, member=None, speaker_member=None, reworded_by_robot=None)
    own &= Q(reworded_by=None) | Q(reworded_by_id=actor.member_id)
    return theirs | (
        own & sole_contributor_q(member_id=actor.member_id) & _NOT_FORGOTTEN_BY_SUBJECT_Q
    )


_NOT_FORGOTTEN_BY_SUBJECT_Q = Q(forgotten_by_subject=False)


def sole_contributor_q(**who: object) -> Q:
    """The condition that nobody else contributed the memory."""
    said = Contribution.objects.filter(
        organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("id")
    )
    return ~Q(Exists(said.exclude(**who)))


@dataclass(slots=True)
class WritePermission:
    """What an actor may write for whom: `write_access` with the facts of the actor.

    organisation: with `members_publish`. Each group membership is looked up once; call inside the
    organisation's scope.
    """

    organisation: Organisation
    _seats: dict[UUID, bool] = field(default_factory=dict)

    def of(
        self, actor: Actor, visibility: Visibility, group: Group | None, cohort: str = ""
    ) -> WriteAccess:
        """What the actor may do for the readers that this visibility means: YES, PROPOSE if a
        curator has to agree, or NO. cohort: which persona, industry or role, as an audience or a
        writer names it.

        A personal robot may do what its owner may, by their role and groups. Beyond that it writes
        what is private to them and its own notes, also a viewer's, and for the profession of an
        owner who is no viewer: it is by their robots that people teach one. All industries are no
        profession: everybody reads that, so it takes the way of what everybody reads. A robot
        without an owner may write wherever a group or a leave lets it.
        """
        if actor.own_member_id is None:
            return WriteAccess.YES
        if not actor.is_person:
            if visibility in _THEIRS_ALONE:
                return WriteAccess.YES
            if audience_level(visibility, cohort) == GLOBAL_LEVEL:
                visibility = Visibility.ORGANISATION
            elif visibility in COHORTS:
                return WriteAccess.NO if actor.only_reads else WriteAccess.YES
        return write_access(
            actor.writing_role or "",
            visibility,
            in_group=group is not None and self._seated(actor, group),
            confidential=group.confidential if group else True,
            members_publish=self.organisation.members_publish,
        )

    def of_audience(
        self, actor: Actor, kind: str, group: Group | None, key: str = ""
    ) -> WriteAccess:
        """The same for an audience that exists, by its kind, group and key. What waits for a review
        is meant for everyone; a list of readers counts as one that somebody chose."""
        return self.of(actor, _OF_KIND[AudienceType(kind)], group, key)

    def ask(
        self, actor: Actor, visibility: Visibility, group: Group | None, cohort: str = ""
    ) -> WriteAccess:
        """YES or PROPOSE, as `of` says. Raises PermissionError for NO."""
        allowed = self.of(actor, visibility, group, cohort)
        if allowed is WriteAccess.NO and visibility in COHORTS and not actor.only_reads:
            raise PermissionError(COHORT_WRITE_DENIED)
        if allowed is WriteAccess.NO and visibility is Visibility.GROUP and not actor.only_reads:
            raise PermissionError(NOT_THEIR_GROUP)
        if allowed is WriteAccess.NO:
            raise PermissionError(ROLE_WRITE_DENIED)
        return allowed

    def _seated(self, actor: Actor, group: Group) -> bool:
        if group.id not in self._seats:
            self._seats[group.id] = GroupMembership.objects.filter(
                organisation_id=actor.organisation_id,
                group_id=group.id,
                member_id=actor.own_member_id,  # type: ignore[misc]  # else it is not asked
            ).exists()
        return self._seats[group.id]


# The visibility that a person's right to publish is asked by. What waits for a review is not
# published yet: who wrote it still changes it.
_PUBLISHED = {
    AudienceType.ORGANISATION: Visibility.ORGANISATION,
    AudienceType.GROUP: Visibility.GROUP,
    AudienceType.EXPLICIT: Visibility.SHARED,
    AudienceType.REVIEW: Visibility.PRIVATE,
    AudienceType.PERSONA: Visibility.PERSONA,
    AudienceType.INDUSTRY: Visibility.INDUSTRY,
    AudienceType.ROLE: Visibility.ROLE,
}


def _kinds(role: str | None, *, members_publish: bool) -> frozenset[str]:
    """The kinds of audiences for which a person of this role publishes. What is private to them
    has no other readers."""
    found = {
        kind.value
        for kind, visibility in _PUBLISHED.items()
        if write_access(
            role or "viewer", visibility, in_group=True, members_publish=members_publish
        )
        is WriteAccess.YES
    }
    return frozenset({AudienceType.MEMBER.value, *found})


def may_publish(actor: Actor, memory: Memory) -> bool:
    """Whether the actor, who may change this memory, changes it for its readers at once; anybody
    else proposes it.

    One rule for new memories and for changes. Call inside a scope that reads it.
    """
    return publishes_to(actor, memory.audience)


def publishes_to(actor: Actor, audience: Audience) -> bool:
    """Whether the actor publishes to an audience that they read. Call inside the organisation's
    scope.

    For persons it is asked by the kind alone: who reads a memory of a group sits in it, or curates
    it.
    """
    if actor.own_member_id is None:
        return True
    if not actor.is_person:
        return _robot_publishes(actor, audience)
    if audience.kind in _kinds(actor.role, members_publish=False):
        return True
    if audience.kind not in _kinds(actor.role, members_publish=True):
        return False
    organisations = Organisation.objects.filter(id=actor.organisation_id, members_publish=True)
    return organisations.exists()


def _robot_publishes(actor: Actor, audience: Audience) -> bool:
    """The same for a personal robot, which publishes where its owner does."""
    if audience.kind == AudienceType.REVIEW:
        return not actor.only_reads
    organisation = Organisation.objects.get(id=actor.organisation_id)
    permission = WritePermission(organisation)
    allowed = permission.of_audience(actor, audience.kind, audience.group, audience.key)
    return allowed is WriteAccess.YES


def published_by(actor: Actor) -> Q:
    """`may_publish` as a condition for rows with an `audience`; for persons, and rows that they
    read."""
    always = _kinds(actor.role, members_publish=False)
    found = Q(audience__kind__in=sorted(always))
    if more := _kinds(actor.role, members_publish=True) - always:
        open_ = Organisation.objects.filter(id=OuterRef("organisation_id"), members_publish=True)
        found |= Q(Exists(open_), audience__kind__in=sorted(more))
    return found


# A memory by its id for who may read or change it, and the audit line of a change.


def _memory_query(lock: bool, organisation_id: UUID, memory_id: UUID) -> MemoryQuerySet:
    rows = Memory.objects.filter(organisation_id=organisation_id, id=memory_id)
    if lock:
        # FOR NO KEY UPDATE: rows that refer to the memory may be written meanwhile.
        rows = rows.select_for_update(of=("self",), no_key=True)
    return rows.with_names()


_MEMORY_BY_ID = CompiledQuery(_memory_query)


def get_readable_memory(principal: Principal, memory_id: UUID, *, lock: bool = False) -> Memory:
    """One readable memory; call inside the principal's scope. Raises NotFoundError.

    A forgotten memory is found only for those who may restore it.
    """
    wanted = {"organisation_id": principal.organisation_id, "memory_id": memory_id}
    memory: Memory | None = next(_MEMORY_BY_ID.rows(lock, **wanted), None)
    if memory is None or (memory.status == Status.FORGOTTEN and not may_restore(principal, memory)):
        raise ReferenceNotFoundError("memory", memory_id)
    return memory


def lock_changeable_memory(principal: Principal, memory_id: UUID) -> Memory:
    """The memory, locked. Raises NotFoundError, and ChangeForbiddenError for one that is only
    readable."""
    memory = get_readable_memory(principal, memory_id, lock=True)
    if not may_change(principal, memory):
        raise ChangeForbiddenError("You may read this memory, but it is not yours to change.")
    return memory


def record_memory_audit(
    principal: Principal, action: str, memory: Memory, now: datetime, **detail: Any
) -> None:
    """Record an act on a memory in the audit trail. If the writer is not the speaker, both are
    noted."""
    record_memory_audits(principal, action, {memory: detail}, now)


def record_memory_audits(
    principal: Principal, action: str, details: Mapping[Memory, Mapping[str, Any]], now: datetime
) -> None:
    """`record_memory_audit` for several memories, each with its detail."""
    audit.record_entries(
        action,
        actor=principal.actor,
        now=now,
        target_type="memory",
        targets={row.id: {**two_facts(row), **detail} for row, detail in details.items()},
    )
    if principal.actor.robot_id and details:
        record_activity(
            organisation_id=principal.organisation_id, robot_id=principal.actor.robot_id, now=now
        )


# Which acts a red line refuses, and how an admin forces one.


class RedLineError(Exception):
    """The memory is protected, so the act was refused."""

    def __init__(self) -> None:
        super().__init__(
            "This memory is protected (red line): it is neither forgotten nor archived, its words, "
            "readers and time to live stay. Take the protection off first. Nothing was changed."
        )


def _exempt_q(actor: Actor) -> Q:
    """What a person may always take away: it is about them, their words, or theirs alone."""
    if not actor.is_person:
        return NO_ROW
    own = Q(audience__kind=AudienceType.MEMBER, audience__key=str(actor.member_id))
    return subject_q(actor.member_id) | own


def is_red_line_exempt(actor: Actor, memory: Memory) -> bool:
    """Whether a red line keeps this memory from everybody but the person who asks."""
    return matches(_exempt_q(actor), memory)


def red_line_allows_q(actor: Actor) -> Q:
    """The memories that no red line keeps from the actor, as a condition."""
    return Q(red_line=False) | _exempt_q(actor)


def check_red_line(
    principal: Principal,
    memory: Memory,
    act: str,
    now: datetime,
    *,
    force: str | None = None,
    **detail: Any,
) -> None:
    """Refuse an act on a protected memory, unless an admin forces it with a reason, which is
    recorded.

    act: its name in the audit trail. force: the admin's reason. Raises RedLineError without
    `force`, and PermissionError if `force` comes from anybody but an admin.
    """
    if not memory.red_line:
        return
    if force is None:
        raise RedLineError
    actor = principal.actor
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise PermissionError("Only an admin forces a change of what is protected.")
    audit.record_entry(
        "memory.forced",
        actor=actor,
        now=now,
        target=memory.id,
        target_type="memory",
        act=act,
        reason=force,
        **detail,
    )
