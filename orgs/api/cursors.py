"""Cursors: opaque, signed for the asker, stable under inserts (keyset, newest first)."""

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from django.core import signing
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from orgs.principals import Actor


def _salt(actor: Actor) -> str:
    return f"cursor:{actor.organisation_id}:{actor.member_id}:{actor.robot_id}"


Place = TypeVar("Place")


def sign(actor: Actor, last: str) -> str:
    return signing.dumps(last, salt=_salt(actor), compress=False)


def read(actor: Actor, cursor: str, place: Callable[[str], Place] = UUID) -> Place:  # type: ignore[assignment]
    """The position in a cursor, made by `place` from its text; by default an id.

    Raises ValidationError for anything that is not signed for the asker.
    """
    try:
        return place(signing.loads(cursor, salt=_salt(actor)))
    except (signing.BadSignature, ValueError) as error:
        raise ValidationError({"cursor": ["Not a cursor of yours."]}) from error


def following(request: Request, last: str) -> str:
    """The address of the page after `last`."""
    query = {k: v for k, v in request.query_params.items() if k != "cursor"}
    query["cursor"] = sign(request.user, last)
    return request.build_absolute_uri(f"{request.path}?{urlencode(query)}")


def page(
    request: Request,
    rows: "QuerySet[Any]",
    *,
    limit: int,
    cursor: str | None,
    render: Callable[[Any], dict[str, Any]],
    newest: Callable[[Any, int], list[Any]] = lambda rows, most: list(rows.order_by("-id")[:most]),
) -> dict[str, Any]:
    """One page, newest id first: {"results": [...], "next": url or None}. Evaluates the queryset.

    newest: reads the first so many rows of a queryset.
    """
    actor = request.user
    if cursor:
        rows = rows.filter(id__lt=read(actor, cursor))
    found = newest(rows, limit + 1)
    more = len(found) > limit
    found = found[:limit]
    return {
        "results": [render(row) for row in found],
        "next": following(request, found[-1].id.hex) if more else None,
    }
