"""Names of clients, brands and companies that no text may show to a wider audience.

Curators keep the list. The audit trail says who added or removed a name, but never which one.
"""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.safety.models import GazetteerTerm, TermType
from memories.safety.plain_text import to_plain_text
from orgs import audit
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.base import new_id
from orgs.names.unicode_normalisation import normalise_unicode
from orgs.principals import Actor, resolve_principal

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
