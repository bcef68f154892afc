"""Who may read and decide about memories held by a gate."""

from uuid import UUID

from orgs.models.audiences import Audience, AudienceEntry, AudienceType
from orgs.models.memberships import Role
from orgs.models.organisations import Group, GroupMembership
from orgs.principals import MODERATOR_ROLES

# Kinds of audiences that curators read anyway; a group only if it is not confidential.
CURATOR_READABLE_AUDIENCE_TYPES = (
    *(AudienceType.ORGANISATION, AudienceType.PERSONA),
    *(AudienceType.INDUSTRY, AudienceType.ROLE),
)


def load_gate_reviewers(
    organisation_id: UUID, audience_id: UUID, kind: str, owner_id: UUID | None
) -> frozenset[UUID] | None:
    """The members who alone decide about a text for this audience; None means all curators.

    A text for few readers is shown to no curator: the member for whom it was written decides.
    Without one: for a confidential group its owner, else its curators, else all who write in it;
    for a list the named members. Nobody reads or decides about texts for robots only.
    """
    if kind in CURATOR_READABLE_AUDIENCE_TYPES:
        return None
    if kind == AudienceType.GROUP:
        group = Group.objects.get(
            organisation_id=organisation_id, id__in=_group_ids(organisation_id, audience_id)
        )
        if not group.confidential:
            return None
        return frozenset({owner_id} if owner_id else _group_reviewers(group))
    if owner_id:
        return frozenset({owner_id})
    if kind != AudienceType.EXPLICIT:
        return frozenset()
    named = AudienceEntry.objects.filter(
        organisation_id=organisation_id, audience_id=audience_id, kind="member"
    )
    return frozenset(named.values_list("reader", flat=True))


def _group_ids(organisation_id: UUID, audience_id: UUID) -> list[UUID]:
    rows = Audience.objects.filter(organisation_id=organisation_id, id=audience_id)
    return [UUID(key) for key in rows.values_list("key", flat=True)]


def _group_reviewers(group: Group) -> set[UUID]:
    """The members who decide for a group, for a text without a member."""
    if group.owner_id:
        return {group.owner_id}
    seats = GroupMembership.objects.filter(
        organisation_id=group.organisation_id, group_id=group.id, member__removed_at=None
    )
    roles = dict(seats.values_list("member_id", "member__role"))
    moderating = {id_ for id_, role in roles.items() if role in MODERATOR_ROLES}
    return moderating or {id_ for id_, role in roles.items() if role != Role.VIEWER}
