"""Idempotency-Key: a call that is sent twice counts once (docs/adr/0044-idempotency.md).

The call and the record of its answer are one transaction: there is both or neither. While it runs
it holds a lock, which ends with its transaction, whatever ends that. Only what succeeded has a
record; what was refused changed nothing and is looked at again.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from io import SEEK_SET
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.form_data import is_form
from orgs.api.json_format import BodyTooLargeError, JSONRenderer
from orgs.api.problems import ProblemError, status_of
from orgs.database.advisory_locks import try_advisory_lock
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, scope
from orgs.errors import NotFoundError
from orgs.models.base import new_id
from orgs.wired_functions import wired

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
# 1 to 255 printable characters of ASCII; none at the ends is a space, which HTTP takes away.
KEY_PATTERN = r"^[!-~]([ -~]{0,253}[!-~])?$"
KEPT_FOR = timedelta(hours=24)
# Of an answer that is kept, and of the ids in it.
MAX_BYTES, MAX_IDS = 1_000_000, 5_000

_KEY = re.compile(KEY_PATTERN.removesuffix("$") + r"\Z")
_ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CHUNK_BYTES = 1024 * 1024

Handler = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class ReadableRows:
    """ids: those of the rows that may be read. has_encrypted: whether one of them is encrypted."""

    ids: frozenset[UUID]
    has_encrypted: bool = False


@wired
def find_readable_rows(caller: Any, given: Mapping[str, Any], ids: frozenset[UUID]) -> ReadableRows:
    """Which of these ids are rows with readers, and the caller is one of them now.

    caller: `request.user`. given: the fields of the call, of which `member` and `group` say for
    whom and where a robot asks.
    """
    raise NotImplementedError


@dataclass(frozen=True, slots=True)
class _Call:
    """A call with a key, by keyed digests; who sent it, and what it may do."""

    organisation_id: UUID
    caller: UUID
    call: bytes
    request: bytes
    standing: bytes

    def scope(self) -> Any:
        """The scope of the records of this caller."""
        return scope(Scope(organisation=self.organisation_id, reader=self.caller))

    def values(self, **more: Any) -> dict[str, Any]:
        """The parameters of the statements."""
        own = {"organisation": self.organisation_id, "caller": self.caller, "call": self.call}
        return own | more


def run_once(
    handler: Handler, request: Request, *args: Any, without_tenant: bool = False, **kwargs: Any
) -> HttpResponse:
    """Run the handler of a call with a key, or repeat what the same call was answered.

    Raises ProblemError for a key that is malformed, was used for another body, whose call still
    runs or whose answer is not repeated, NotFoundError for an answer that the caller may no longer
    read, and what the handler raises.
    """
    key = _require_key(request)
    if without_tenant:
        raise ProblemError(
            400,
            "idempotency-key",
            f"This call belongs to no organisation, in which its answer could be kept. Send it "
            f"without {HEADER}.",
        )
    call = _describe(request, key)
    refused: Exception | None = None
    with transaction.atomic():
        with call.scope():
            free = try_advisory_lock(call.organisation_id, f"{call.caller}:{call.call.hex()}")
            found = fetch_all(_FIND, call.values(since=timezone.now() - KEPT_FOR)) if free else []
        if not free:
            raise ProblemError(
                409, "still-running", "The call with this key still runs. Send it again later."
            )
        if found:
            return _repeat(request, call, *found[0])
        try:
            response = handler(request, *args, **kwargs)
        except Exception as error:
            if status_of(error) >= 500:
                raise
            # What the call left although it was refused, such as a counted attempt, stays.
            refused = error
        else:
            if response.status_code >= 500:
                transaction.set_rollback(True)
            elif response.status_code < 400:
                _store(request, call, response)
    if refused is not None:
        raise refused
    return response


def _require_key(request: Request) -> str:
    key = request.headers[HEADER]
    if not _KEY.match(key):
        raise ProblemError(
            400, "idempotency-key", f"{HEADER} takes 1 to 255 printable characters of ASCII."
        )
    return str(key)


def _describe(request: Request, key: str) -> _Call:
    user, http = request.user, request._request
    standing = [
        getattr(user, "role", None),
        getattr(user, "owner_role", None),
        *sorted(map(str, user.scopes)),
    ]
    return _Call(
        organisation_id=user.organisation_id,
        # A robot by one of its keys, a member by any session.
        caller=user.key_id or user.member_id,
        call=_digest("call", orjson.dumps([http.method, http.path, key])),
        request=_form_digest(request) if is_form(request) else _request_digest(http),
        standing=_digest("standing", orjson.dumps(standing)),
    )


def _digest(kind: str, value: bytes) -> bytes:
    return salted_hmac(f"idempotency.{kind}", value, algorithm="sha256").digest()


def _request_digest(http: HttpRequest) -> bytes:
    """A keyed digest of query and body; the body can be read again. Raises BodyTooLargeError."""
    mac = salted_hmac("idempotency.request", b"", algorithm="sha256")
    mac.update(http.META.get("QUERY_STRING", "").encode("latin1", "replace") + b"\n")
    stream, limit = http._stream, settings.REQUEST_BODY_MAX_BYTES  # type: ignore[attr-defined]
    if not hasattr(http, "_body") and stream.seekable():
        while part := stream.read(_CHUNK_BYTES):
            mac.update(part)
        stream.seek(0, SEEK_SET)
        return mac.digest()
    if not hasattr(http, "_body"):
        http._body = http.read(limit + 1)  # type: ignore[attr-defined]
    if len(http.body) > limit:
        raise BodyTooLargeError(f"The body is over {limit} bytes; send smaller batches.")
    mac.update(http.body)
    return mac.digest()


def _form_digest(request: Request) -> bytes:
    """A keyed digest of query, fields and files of a form. Whatever sends it again chooses another
    boundary; and the check of a session's token may have read the body. Raises what reading the
    form raises."""
    parts = [_digest("query", request._request.META.get("QUERY_STRING", "").encode("latin1"))]
    for name, values in sorted(request.data.lists()):
        for value in values:
            mac = salted_hmac("idempotency.field", b"", algorithm="sha256")
            mac.update(orjson.dumps([name, getattr(value, "name", None)]) + b"\n")
            if isinstance(value, UploadedFile):
                for chunk in value.chunks(_CHUNK_BYTES):
                    mac.update(chunk)
                value.seek(0)
            else:
                mac.update(value.encode())
            parts.append(mac.digest())
    return _digest("request", b"".join(parts))


_FIND = """
SELECT request, standing, status, headers::text, body, shows FROM orgs_idempotencyrecord
WHERE organisation_id = %(organisation)s AND caller = %(caller)s AND call = %(call)s::bytea
AND created_at > %(since)s::timestamptz
"""
# A record that is over and not swept yet makes room.
_DISCARD = """
DELETE FROM orgs_idempotencyrecord
WHERE organisation_id = %(organisation)s AND caller = %(caller)s AND call = %(call)s::bytea
"""
_STORE = """
INSERT INTO orgs_idempotencyrecord (id, organisation_id, caller, call, request, standing, status,
    headers, body, shows, created_at)
VALUES (%(id)s, %(organisation)s, %(caller)s, %(call)s::bytea, %(request)s::bytea,
    %(standing)s::bytea, %(status)s::int, %(headers)s::jsonb, %(body)s::bytea, %(shows)s::uuid[],
    %(now)s::timestamptz)
"""


def _repeat(
    request: Request,
    call: _Call,
    sent: bytes,
    standing: bytes,
    status: int,
    headers: str,
    body: bytes | None,
    shows: list[UUID],
) -> HttpResponse:
    if bytes(sent) != call.request:
        raise ProblemError(
            422,
            "key-reused",
            f"This {HEADER} belongs to a call with another query or body. Choose another key.",
        )
    if body is None:
        raise ProblemError(
            409,
            "not-repeated",
            "The call with this key has run, and what it was answered is not kept: it held a "
            "secret or an encrypted text, was very long, or something was erased since. Nothing "
            "was done again.",
        )
    needed = frozenset(shows)
    if bytes(standing) != call.standing or (
        needed and find_readable_rows(request.user, _given(request), needed).ids != needed
    ):
        raise NotFoundError("no longer readable")
    again = HttpResponse(bytes(body), status=status, headers=orjson.loads(headers))
    if not body:
        del again["Content-Type"]
    again[REPLAYED] = "true"
    return again


def _store(request: Request, call: _Call, response: HttpResponse) -> None:
    """Keep the answer; without its body if that must not be repeated."""
    own = ("Content-Length", "Content-Type")
    headers = {name: value for name, value in response.headers.items() if name not in own}
    body: bytes | None = None
    shown: frozenset[UUID] = frozenset()
    if isinstance(response, Response) and headers.get("Cache-Control") != "no-store":
        body = JSONRenderer().render(response.data)
        if body:
            headers["Content-Type"] = JSONRenderer.media_type
        named = frozenset(UUID(one.decode()) for one in _ID.findall(_with_path(request, body)))
        if len(body) > MAX_BYTES or len(named) > MAX_IDS:
            body = None
        elif named:
            readable = find_readable_rows(request.user, _given(request), named)
            body, shown = None if readable.has_encrypted else body, readable.ids
    values = call.values(
        id=new_id(),
        request=call.request,
        standing=call.standing,
        status=response.status_code,
        headers=orjson.dumps(headers if body is not None else {}).decode(),
        body=body,
        shows=sorted(shown) if body is not None else [],
        now=timezone.now(),
    )
    with call.scope():
        fetch_all(_DISCARD, call.values())
        fetch_all(_STORE, values)


def _with_path(request: Request, body: bytes) -> bytes:
    return request._request.path.encode() + b"\n" + body


def _given(request: Request) -> dict[str, Any]:
    body = request.data
    return {**request.query_params.dict(), **(body if isinstance(body, Mapping) else {})}
