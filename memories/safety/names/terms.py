"""Names of clients, brands and companies that no text may show to a wider audience.

Curators keep the list. The audit trail says who added or removed a name, but never which one.
"""

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.safety.models import GazetteerTerm, TermKind
from memories.safety.plain_text import plain
from orgs import audit
from orgs.errors import AlreadyExists, NotFound
from orgs.models.base import new_id
from orgs.names.normal_form import normal
from orgs.principals import Actor, resolve

LONGEST, MOST = 200, 5_000
CURATORS_ONLY = "Curators and admins keep these names."
THERE = "The list has this name already."
FULL = f"The list holds {MOST:,} names, and no more."


class BadTerm(ValueError):
    """The text is no valid name; the message says why."""


def terms_of(actor: Actor, kind: str | None = None) -> list[GazetteerTerm]:
    """The terms of the actor's organisation, in alphabetical order.

    Raises PermissionError for everybody but curators and admins.
    """
    _hold_curator(actor)
    with resolve(actor).scope():
        rows = GazetteerTerm.objects.filter(organisation_id=actor.organisation_id)
        if kind:
            rows = rows.filter(kind=kind)
        return list(rows.order_by("folded"))


def add_term(actor: Actor, *, kind: str, term: str, now: datetime) -> GazetteerTerm:
    """Add a name; existing texts are not checked again.

    Raises PermissionError for everybody but curators and admins, BadTerm, and AlreadyExists for a
    name that is listed in any letter case, or if the list is full.
    """
    _hold_curator(actor)
    name = " ".join(normal(term).split())
    if kind not in TermKind.values:
        raise BadTerm(f"A name is of a {', '.join(TermKind.values[:-1])} or {TermKind.values[-1]}.")
    if not 2 <= len(name) <= LONGEST or not any(sign.isalnum() for sign in name):
        raise BadTerm(f"A name has 2 to {LONGEST} characters, letters or digits among them.")
    with resolve(actor).scope():
        rows = GazetteerTerm.objects.filter(organisation_id=actor.organisation_id)
        if rows[MOST - 1 : MOST].exists():
            raise AlreadyExists(FULL)
        row = GazetteerTerm(
            id=new_id(),
            organisation_id=actor.organisation_id,
            kind=kind,
            term=name,
            folded=folded(name),
            added_by_id=actor.member_id,
            added_at=now,
        )
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError as error:
            raise AlreadyExists(THERE) from error
        _note("gate.term_added", actor, row, now)
    return row


def remove_term(actor: Actor, term_id: UUID, *, now: datetime) -> None:
    """Remove a name. Raises PermissionError for everybody but curators and admins, and NotFound."""
    _hold_curator(actor)
    with resolve(actor).scope():
        rows = GazetteerTerm.objects.filter(organisation_id=actor.organisation_id, id=term_id)
        row = rows.first()
        if row is None or not rows.delete()[0]:
            raise NotFound("no such name")
        _note("gate.term_removed", actor, row, now)


def folded(name: str) -> str:
    """A name in the form for comparing: in its visible form and lower case."""
    return " ".join(plain(name).text.casefold().split())[: 2 * LONGEST]


def _note(action: str, actor: Actor, row: GazetteerTerm, now: datetime) -> None:
    audit.record(action, actor=actor, now=now, target=row.id, target_type="term", kind=row.kind)


def _hold_curator(actor: Actor) -> None:
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY)
