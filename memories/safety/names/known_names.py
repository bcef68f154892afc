"""The names that an organisation's gates know: of members, and the terms of curators.

Call inside a scope of the organisation. Nothing is cached between calls, so a new member is known
at once.
"""

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from memories.safety.models import GazetteerTerm, TermType
from memories.safety.personal_data.known_names_type import KnownNames
from orgs.models.audiences import AudienceEntry, ReaderType
from orgs.models.memberships import Member
from orgs.models.organisations import GroupMembership
from orgs.principals import Actor
from robots.people.directory import visible_members


def load_known_names(organisation_id: UUID) -> KnownNames:
    """All names; only for decisions, never for display."""
    people = Member.objects.filter(organisation_id=organisation_id, erased_at=None)
    return _build_known_names(people.values_list("name", flat=True), organisation_id)


def load_names_known_to(actor: Actor) -> KnownNames:
    """The names that the asker may know: of members whom they know, and for curators also the
    terms."""
    people = visible_members(actor).values_list("name", flat=True)
    return _build_known_names(people, actor.organisation_id if actor.moderates else None)


def load_group_names(organisation_id: UUID, place: UUID) -> frozenset[str]:
    """The names of a group's members, who know each other. place: the id of the group."""
    seats = GroupMembership.objects.filter(organisation_id=organisation_id, group_id=place)
    return frozenset(seats.values_list("member__name", flat=True))


def load_reader_list_names(organisation_id: UUID, place: UUID) -> frozenset[str]:
    """The names of the members of an explicit audience, who see each other as readers. place: the
    id of the audience."""
    entries = AudienceEntry.objects.filter(
        organisation_id=organisation_id, audience_id=place, kind=ReaderType.MEMBER
    )
    rows = Member.objects.filter(organisation_id=organisation_id, id__in=entries.values("reader"))
    return frozenset(rows.values_list("name", flat=True))


def _build_known_names(people: Iterable[str], organisation_id: UUID | None) -> KnownNames:
    """Names of people, with the terms of an organisation. organisation_id: None leaves the terms
    out."""
    terms: dict[str, list[str]] = defaultdict(list)
    if organisation_id is not None:
        rows = GazetteerTerm.objects.filter(organisation_id=organisation_id)
        for kind, term in rows.values_list("kind", "term"):
            terms[kind].append(term)
    return KnownNames(
        people=tuple(dict.fromkeys(name for name in people if name.strip())),
        clients=tuple(terms[TermType.CLIENT]),
        brands=tuple(terms[TermType.BRAND]),
        companies=tuple(terms[TermType.COMPANY]),
    )
