"""Saved views of a member; nobody else sees them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.browsing.models import SavedView
from memories.browsing.selection import Selection, select_memories
from orgs.principals import Actor, Principal, resolve_principal

# The count of a view is exact up to this; above it is shown as "1,000+".
MAX_COUNT = 1_000
# The most views of a member; the list of memories counts each of them.
MOST_VIEWS = 50


class TooManyViews(Exception):
    """The member has as many views as there may be."""


def count_each(
    principal: Principal, selections: Mapping[UUID, Selection], *, now: datetime
) -> dict[UUID, int]:
    """How many memories of each selection the asker reads, in one query; COUNTED + 1 means more
    than COUNTED.

    The selections must not name a group that the asker may not know. Call inside the principal's
    scope.
    """
    parts: list[str] = []
    values: list[Any] = []
    for at, one in enumerate(selections.values()):
        rows = select_memories(principal, one, now).order_by().values("id")[: MAX_COUNT + 1]
        statement, its = rows.query.sql_with_params()
        parts.append(f"SELECT {at}, count(*) FROM ({statement}) AS v{at}")
        values.extend(its)
    if not parts:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), values)
        found = dict(cursor.fetchall())
    return {id_: found[at] for at, id_ in enumerate(selections)}


def set_saved_view(actor: Actor, *, name: str, query: str) -> SavedView:
    """Save filters under a name; an existing view of this name is replaced. Raises TooManyViews."""
    principal = resolve_principal(actor)
    assert actor.member_id is not None  # noqa: S101 - for the type checker
    with principal.scope():
        own = SavedView.objects.filter(
            organisation_id=principal.organisation_id, member_id=actor.member_id
        )
        if own.exclude(name=name).count() >= MOST_VIEWS:
            raise TooManyViews(f"You have {MOST_VIEWS} views already; remove one first.")
        view, _ = SavedView.objects.update_or_create(
            organisation_id=principal.organisation_id,
            member_id=actor.member_id,
            name=name,
            defaults={"query": query, "audience_id": principal.own_audience},
        )
    return view


def delete_saved_view(actor: Actor, *, name: str) -> None:
    """Delete one of the asker's views; nothing happens if there is none of this name."""
    assert actor.member_id is not None  # noqa: S101 - for the type checker
    with resolve_principal(actor).scope():
        SavedView.objects.filter(
            organisation_id=actor.organisation_id, member_id=actor.member_id, name=name
        ).delete()
