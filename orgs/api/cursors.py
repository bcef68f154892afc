"""Cursors: opaque, signed for the asker, stable under inserts (keyset, newest first)."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import astuple
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core import signing
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from orgs.api.converters import written_path
from orgs.database.answer_size import first_ids, rows_of, text_columns
from orgs.principals import Actor


def _salt(actor: Actor) -> str:
    return f"cursor:{actor.organisation_id}:{actor.member_id}:{actor.robot_id}"


Position = TypeVar("Position")


def sign_cursor(actor: Actor, last: str) -> str:
    return signing.dumps(last, salt=_salt(actor), compress=False)


def parse_cursor(actor: Actor, cursor: str, place: Callable[[str], Position] = UUID) -> Position:  # type: ignore[assignment]
    """The position in a cursor, made by `place` from its text; by default an id.

    Raises ValidationError for anything that is not signed for the asker.
    """
    try:
        return place(signing.loads(cursor, salt=_salt(actor)))
    except (signing.BadSignature, ValueError) as error:
        raise ValidationError({"cursor": ["Not a cursor of yours."]}) from error


def format_position(place: Any) -> str:
    """The text of a position that is a dataclass, for a cursor."""
    return json.dumps([str(part) for part in astuple(place)])


def parse_position_parts(text: str) -> list[str]:
    """The parts of `format_position`. Raises ValueError for the cursor of another list."""
    parts = json.loads(text)
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("not a place")
    return parts


def seal_cursor(actor: Actor, position: bytes) -> str:
    """A cursor that nobody else can use and nobody can read."""
    return _cursor_box(actor).encrypt(position).decode()


def open_cursor(actor: Actor, cursor: str, position: Callable[[bytes], Position]) -> Position:
    """The position in a cursor of `seal_cursor`. Raises ValidationError for anything that was not
    sealed for the asker."""
    try:
        return position(_cursor_box(actor).decrypt(cursor.encode()))
    except (InvalidToken, ValueError) as error:
        raise ValidationError({"cursor": ["Not a cursor of yours."]}) from error


def _cursor_box(actor: Actor) -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [sha256(f"{_salt(actor)}\n{key}".encode()).digest() for key in keys]
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])


def next_page_url(request: Request, last: str) -> str:
    """The address of the page after `last`."""
    return page_url(request, sign_cursor(request.user, last))


def page_url(request: Request, cursor: str) -> str:
    """The address of the page of a cursor."""
    query = {k: v for k, v in request.query_params.items() if k != "cursor"}
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{written_path(request.path)}?{urlencode(query)}")


def paginate(
    request: Request,
    rows: "QuerySet[Any]",
    *,
    limit: int,
    cursor: str | None,
    render: Callable[[Any], dict[str, Any]],
    texts: Sequence[str] = (),
) -> dict[str, Any]:
    """One page, newest id first: {"results": [...], "next": url or None}. Evaluates the queryset.

    The page ends early where the texts of its rows fill an answer (`orgs/database/answer_size.py`).
    texts: columns of other tables that count as well. Rows with texts are read by their ids: in a
    single query with joins, the planner expects one row of a rare match and reads everything again
    for each.
    """
    actor = request.user
    if cursor:
        rows = rows.filter(id__lt=parse_cursor(actor, cursor))
    rows = rows.order_by("-id")
    if columns := [*text_columns(rows.model), *texts]:
        ids, more = first_ids(rows, limit, columns)
        found, last = rows_of(rows, ids), ids[-1:]
    else:
        found = list(rows[: limit + 1])
        more = len(found) > limit
        found = found[:limit]
        last = [row.id for row in found[-1:]]
    return {
        "results": [render(row) for row in found],
        "next": next_page_url(request, last[0].hex) if more else None,
    }
