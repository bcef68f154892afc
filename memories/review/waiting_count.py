"""How much waits for somebody's decision, as the frame of every page says it."""

from typing import Any

from django.db.models import QuerySet

from memories.review.deciders import decidable
from memories.review.models import Proposal, State
from memories.review.queue import GONE, ids_of, standing
from orgs.database.kept_statements import Kept
from orgs.principals import Actor, asked_at_once

MOST = 100


def waiting(actor: Actor) -> int:
    """Items that the asker may decide, about memories that they may read; MOST or more is MOST.

    One statement in one round trip, whatever there is.
    """
    return len(asked_at_once(actor, *_open(actor)))


def among(actor: Actor) -> tuple[str, dict[str, Any]]:
    """The same rows as a subquery with named parameters, for a page that asks something anyway."""
    statement, values = _open(actor)
    named = {f"waiting_{n}": value for n, value in enumerate(values)}
    return statement % tuple(f"%({name})s" for name in named), named


def _open(actor: Actor) -> tuple[str, tuple[Any, ...]]:
    return _WAITING.text(actor.role, **ids_of(actor))


def _waiting(role: str | None, **ids: Any) -> "QuerySet[Proposal, Any]":
    actor = Actor(role=role, **ids)
    rows = standing(actor).filter(decidable(actor), state=State.OPEN)
    return rows.exclude(GONE).order_by().values("id")[:MOST]


_WAITING = Kept(_waiting)
