"""The names that an organisation's gates know: of members, and the terms of curators.

Call inside a scope of the organisation. Nothing is cached between calls, so a new member is known
at once.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.safety.models import GazetteerTerm, TermType
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.plain_text import to_plain_text
from orgs import audit
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import AudienceEntry, ReaderType
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.models.organisations import GroupMembership
from orgs.names.unicode_normalisation import normalise_unicode
from orgs.principals import Actor, resolve_principal
from robots.people.directory import visible_members

# Names of clients, brands and companies that no text may show to a wider audience.
# Curators keep the list. The audit trail says who added or removed a name, but never which one.

MAX_TERM_CHARACTERS, MAX_TERMS = 200, 5_000
CURATORS_ONLY_MESSAGE = "Curators and admins keep these names."
ALREADY_LISTED_MESSAGE = "The list has this name already."
LIST_FULL_MESSAGE = f"The list holds {MAX_TERMS:,} names, and no more."


class InvalidTermError(ValueError):
    """The text is no valid name; the message says why."""


def list_terms(actor: Actor, kind: str | None = None) -> list[GazetteerTerm]:
    """The terms of the actor's organisation, in alphabetical order.

    Raises PermissionError for everybody but curators and admins.
    """
    _check_curator(actor)
    with resolve_principal(actor).scope():
        rows = GazetteerTerm.objects.filter(organisation_id=actor.organisation_id)
        if kind:
            rows = rows.filter(kind=kind)
        return list(rows.order_by("folded"))


def add_term(actor: Actor, *, kind: str, term: str, now: datetime) -> GazetteerTerm:
    """Add a name; existing texts are not checked again.

    Raises PermissionError for everybody but curators and admins, InvalidTermError, and
    AlreadyExistsError for a name that is listed in any letter case, or if the list is full.
    """
    _check_curator(actor)
    name = " ".join(normalise_unicode(term).split())
    if kind not in TermType.values:
        raise InvalidTermError(
            f"A name is of a {', '.join(TermType.values[:-1])} or {TermType.values[-1]}."
        )
    if not 2 <= len(name) <= MAX_TERM_CHARACTERS or not any(sign.isalnum() for sign in name):
        raise InvalidTermError(
            f"A name has 2 to {MAX_TERM_CHARACTERS} characters, letters or digits among them."
        )
    with resolve_principal(actor).scope():
        rows = GazetteerTerm.objects.filter(organisation_id=actor.organisation_id)
        if rows[MAX_TERMS - 1 : MAX_TERMS].exists():
            raise AlreadyExistsError(LIST_FULL_MESSAGE)
        row = GazetteerTerm(
            id=new_id(),
            organisation_id=actor.organisation_id,
            kind=kind,
            term=name,
            folded=fold_term(name),
            added_by_id=actor.member_id,
            added_at=now,
        )
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError as error:
            raise AlreadyExistsError(ALREADY_LISTED_MESSAGE) from error
        _record_audit("gate.term_added", actor, row, now)
    return row


def remove_term(actor: Actor, term_id: UUID, *, now: datetime) -> None:
    """Remove a name. Raises PermissionError for everybody but curators and admins, and
    NotFoundError."""
    _check_curator(actor)
    with resolve_principal(actor).scope():
        rows = GazetteerTerm.objects.filter(organisation_id=actor.organisation_id, id=term_id)
        row = rows.first()
        if row is None or not rows.delete()[0]:
            raise NotFoundError("no such name")
        _record_audit("gate.term_removed", actor, row, now)


def fold_term(name: str) -> str:
    """A name in the form for comparing: in its visible form and lower case."""
    return " ".join(to_plain_text(name).text.casefold().split())[: 2 * MAX_TERM_CHARACTERS]


def _record_audit(action: str, actor: Actor, row: GazetteerTerm, now: datetime) -> None:
    audit.record_entry(
        action, actor=actor, now=now, target=row.id, target_type="term", kind=row.kind
    )


def _check_curator(actor: Actor) -> None:
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY_MESSAGE)


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
