"""Whose words a memory gives: nobody names another as speaker without a recorded right.

A person speaks for themselves. A robot may name the member for whom it acts, a member for whom it
could act (by the scope act_for; in a group only its members), and a member by their name on a
platform. Any other text stays a mere name, with no member behind it.
"""

from dataclasses import dataclass
from uuid import UUID

from memories.access.references import References
from orgs.errors import NotFound
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership
from orgs.names.lookalikes import alike
from orgs.organisations.references import as_uuid
from orgs.principals import Actor
from robots.errors import IdentityClaim
from robots.models.keys import KeyScope
from robots.people.directory import known_members

OWN_WORDS = "You write in your own name; leave `speaker` out. Nothing was stored."
NOT_THEIRS = (
    "You may not say what this member said: act for them, or name them by an identity that is "
    "confirmed. Nothing was stored."
)
LOOKS_LIKE = (
    "A member has this name or one that looks like it, and you may not speak for them. "
    "Nothing was stored."
)
MADE_OF = "Which message a memory was made of is for the service to say. Nothing was stored."


@dataclass(frozen=True, slots=True)
class Speaker:
    """name: as shown. member_id: the member behind it; None for a mere name."""

    name: str = ""
    member_id: UUID | None = None


def may_speak_for(actor: Actor, member_id: UUID, group_id: UUID | None) -> bool:
    """Whether the actor may give words as this member's; call inside the organisation's scope."""
    if actor.is_person or actor.member_id == member_id:
        return actor.member_id == member_id
    if KeyScope.ACT_FOR not in actor.scopes:
        return False
    if group_id is None:
        return True
    return GroupMembership.objects.filter(
        organisation_id=actor.organisation_id, group_id=group_id, member_id=member_id
    ).exists()


def speaker_of(actor: Actor, given: str, references: References, group: Group | None) -> Speaker:
    """The speaker that a call names in `given`; call inside the organisation's scope.

    Raises IdentityClaim for somebody for whom the actor may not speak.
    """
    if not given.strip():
        return Speaker()
    named = _member(given, references, group)
    if named is None:
        return _by_name(actor, given)
    by_platform = as_uuid(given) is None and not actor.is_person
    if not by_platform and not may_speak_for(actor, named.id, group.id if group else None):
        raise IdentityClaim(OWN_WORDS if actor.is_person else NOT_THEIRS)
    return Speaker(named.name, named.id)


def _member(given: str, references: References, group: Group | None) -> Member | None:
    try:
        return references.member(given, group)
    except NotFound:
        return None


def _by_name(actor: Actor, given: str) -> Speaker:
    """A text that is no reference: the actor's own member, or a mere name."""
    members = Member.objects.filter(organisation_id=actor.organisation_id)
    if actor.member_id:
        own = members.get(id=actor.member_id)
        if alike(given, [own.name]):
            return Speaker(own.name, own.id)
    if actor.is_person:
        raise IdentityClaim(OWN_WORDS)
    if KeyScope.ACT_FOR not in actor.scopes:
        # Compared only with members whom the robot knows, so that a refusal reveals no other name.
        names = known_members(actor).values_list("name", flat=True)
        if alike(given, names.iterator()):
            raise IdentityClaim(LOOKS_LIKE)
    return Speaker(given)
