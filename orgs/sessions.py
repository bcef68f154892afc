"""Which member a signed-in person is: people may belong to several organisations."""

from uuid import UUID

from django.http import HttpRequest

from orgs.models import Member, Organisation, User
from orgs.principals import Actor
from orgs.rls import Scope, scope

CHOSEN = "organisation"


def memberships(user: User) -> list[tuple[Member, Organisation]]:
    """The user's memberships with their organisations, by name."""
    with scope(Scope(user=user.pk)):
        members = list(Member.objects.filter(user=user).select_related("organisation"))
    pairs = [(m, m.organisation) for m in members]
    return sorted(pairs, key=lambda pair: pair[1].name.lower())


def choose(request: HttpRequest, organisation_id: UUID) -> bool:
    """Keep the organisation for this session, if the person belongs to it."""
    if any(o.id == organisation_id for _, o in memberships(request.user)):
        request.session[CHOSEN] = str(organisation_id)
        return True
    return False


def current(request: HttpRequest) -> tuple[Member, Organisation] | None:
    """The chosen membership, the only one, or None. Looked up again for each request.

    Who was removed from the chosen one has to choose again: another organisation never takes its
    place unasked.
    """
    cached = getattr(request, "_membership", False)
    if cached is not False:
        return cached
    found = None
    if request.user.is_authenticated:
        pairs = request._memberships = memberships(request.user)
        chosen = request.session.get(CHOSEN)
        found = next((p for p in pairs if str(p[1].id) == chosen), None)
        if found is None and chosen is None and len(pairs) == 1:
            found = pairs[0]
    request._membership = found
    return found


def actor_of(member: Member) -> Actor:
    """The member as the one who asks."""
    return Actor(
        organisation_id=member.organisation_id,
        member_id=member.id,
        role=member.role,
        name=member.name,
        scopes=frozenset({"read"} if member.role == "viewer" else {"read", "write"}),
    )
