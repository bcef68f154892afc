"""Whose name a caller may use: the one place that decides it, for every service that writes.

A person is themselves, and a personal robot is its owner and no more. Any other robot may name the
member for whom it acts, a member for whom it could act (by the scope act_for; in a group only its
members), and a member by their name on a platform. Any other text stays a mere name with no member
behind it; a person and a personal robot use none, and an id is never one.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership
from orgs.names.lookalikes import find_lookalike, is_same
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor
from robots.errors import ImpersonationError
from robots.models.keys import KeyScope
from robots.people.directory import visible_members

OWN_WORDS = "You write in your own name; leave `speaker` out. Nothing was stored."
OWNERS_WORDS = (
    "A personal robot speaks and acts for its own member and names nobody else. Nothing was stored."
)
NOT_THEIRS = (
    "You may not say what this member said: act for them, or name them by an identity that is "
    "confirmed. Nothing was stored."
)
LOOKS_LIKE = (
    "A member has this name or one that looks like it, and you may not speak for them. "
    "Nothing was stored."
)
MADE_OF = (
    "Which message a memory was made of, or of which it is a proposition, is for the service to "
    "say. Nothing was stored."
)
OTHER_ROBOT = "The key says which robot calls: name that one by its id or name, or leave it out."
THEMSELVES = "a person speaks for themselves only"

# A member by id and name.
Person = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class Speaker:
    """name: as shown. member_id: the member behind it; None for a mere name."""

    name: str = ""
    member_id: UUID | None = None


def may_act_for(actor: Actor, member_id: UUID | None) -> bool:
    """Whether the actor may act for this member, as far as its identity goes: a person for
    themselves, a personal robot for its owner, any other robot for anybody. Scopes and groups are
    not looked at."""
    own = actor.own_member_id
    return own is None or own == member_id


def check_acting_for(actor: Actor, member_id: UUID | None) -> None:
    """Raise ImpersonationError where `may_act_for` denies it. None: a reference that means
    nobody."""
    if not may_act_for(actor, member_id):
        raise ImpersonationError(THEMSELVES if actor.is_person else OWNERS_WORDS)


def check_addressed(actor: Actor, member_id: UUID) -> None:
    """Raise ImpersonationError for a personal robot that says of anybody but its owner that they
    listened or took part. Whom a person names and any other robot knows is theirs to say."""
    if not actor.is_person:
        check_acting_for(actor, member_id)


def check_robot_named(actor: Actor, robot_id: UUID) -> None:
    """Raise ImpersonationError for a personal robot that gives words as another robot's."""
    if actor.robot_id is not None and actor.owner_id is not None and robot_id != actor.robot_id:
        raise ImpersonationError(OWNERS_WORDS)


def check_own_robot(actor: Actor, named: str) -> None:
    """Raise ImpersonationError for a name or id that is not the calling robot's."""
    if named not in (str(actor.robot_id), actor.name):
        raise ImpersonationError(OTHER_ROBOT)


def may_speak_for(actor: Actor, member_id: UUID, group_id: UUID | None) -> bool:
    """Whether the actor may give words as this member's; call inside the organisation's scope."""
    if not may_act_for(actor, member_id):
        return False
    if actor.member_id == member_id:
        return True
    if KeyScope.ACT_FOR not in actor.scopes:
        return False
    if group_id is None:
        return True
    return GroupMembership.objects.filter(
        organisation_id=actor.organisation_id, group_id=group_id, member_id=member_id
    ).exists()


def check_speaker(actor: Actor, given: str, found: Person | None, group_id: UUID | None) -> None:
    """Raise ImpersonationError if the actor may not give words as those of whom `given` names.

    found: the member that `given` means as a reference; None where it means none that the caller
    knows. A robot names a member by platform:identifier, and by id only where `may_speak_for`
    allows it. A mere name is no claim, unless it reads as an id or the caller is bound to one
    member.
    """
    if found is not None and not may_act_for(actor, found[0]):
        raise ImpersonationError(OWN_WORDS if actor.is_person else OWNERS_WORDS)
    if found is not None:
        by_platform = not reads_as_id(given) and not actor.is_person
        if not by_platform and not may_speak_for(actor, found[0], group_id):
            raise ImpersonationError(NOT_THEIRS)
        return
    if actor.own_member_id is not None:
        raise ImpersonationError(OWN_WORDS if actor.is_person else OWNERS_WORDS)
    if reads_as_id(given):
        raise ImpersonationError(NOT_THEIRS)


def identify_speaker(
    actor: Actor, given: str, find: Callable[[str], Person | None], group: Group | None
) -> Speaker:
    """The speaker that a call names in `given`; call inside the organisation's scope.

    find: the member that a reference means to this caller, or None. Raises ImpersonationError for
    somebody for whom the actor may not speak.
    """
    if not given.strip():
        return Speaker()
    found = find(given)
    if found is None and (own := _own_name(actor, given)) is not None:
        return own
    check_speaker(actor, given, found, group.id if group else None)
    if found is not None:
        return Speaker(found[1], found[0])
    if KeyScope.ACT_FOR not in actor.scopes:
        # Compared only with members whom the robot knows, so that a refusal reveals no other name.
        names = visible_members(actor).values_list("name", flat=True)
        if find_lookalike(given, names.iterator()):
            raise ImpersonationError(LOOKS_LIKE)
    return Speaker(given)


def _own_name(actor: Actor, given: str) -> Speaker | None:
    """The actor's own member, or the one for whom it acts, where the text is their name."""
    own = actor.member_id
    if own is None and KeyScope.ACT_FOR in actor.scopes:
        own = actor.owner_id
    if own is None or reads_as_id(given):
        return None
    name = Member.objects.values_list("name", flat=True).get(
        organisation_id=actor.organisation_id, id=own
    )
    return Speaker(name, own) if is_same(given, name) else None


def reads_as_id(given: str) -> bool:
    """Whether the text is an id, however it is spelt: with blanks, wide digits or characters that
    nobody sees."""
    plain = unicodedata.normalize("NFKC", given)
    shown = (c for c in plain if not c.isspace() and unicodedata.category(c) not in ("Cf", "Cc"))
    return parse_uuid("".join(shown)) is not None
