"""A call from its first attempt to its answer, without IO: requests, waits and what they become.

`exchange` is a generator. It yields a Request or a Wait; the client does that and sends back a
Response or a Failure (of a Wait nothing). So what is tried again, and when, is written once.
"""

from __future__ import annotations

import email.utils
import hashlib
import json
import random
import time
import uuid
import warnings
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypedDict
from urllib.parse import urlencode

from commonmind.calls import Call, Form
from commonmind.errors import (
    CommonmindError,
    DeprecatedCallWarning,
    RefusedError,
    UnavailableError,
    UnexpectedAnswerError,
    refusal,
)

API = "/api/v1/"
# A proxy may answer 502 to 504 itself; 408 and 503 are the server's own, with Retry-After.
RETRIED_STATUSES = frozenset({408, 429, 502, 503, 504})
# A 503 that a repeat does not change, and a 409 that one does.
OUT_OF_TIME, STILL_RUNNING = "out-of-time", "still-running"
FIRST_WAIT_SECONDS, MOST_WAIT_SECONDS = 0.5, 8.0


@dataclass(frozen=True)
class Settings:
    """How calls are made.

    timeout: seconds for one attempt, from connecting to the last byte of the answer. retries:
    further attempts after the first. longest_wait: a Retry-After above it, in seconds, is not
    waited for. idempotency_key: of the next call that changes something, in place of a random one.
    """

    timeout: float = 45.0
    retries: int = 3
    longest_wait: float = 60.0
    idempotency_key: str | None = None


class SettingsChanges(TypedDict, total=False):
    """Other settings; what is left out stays."""

    timeout: float
    retries: int
    longest_wait: float
    idempotency_key: str | None


@dataclass(frozen=True)
class Request:
    """What is sent. target: path and query below the server's address. save: see Call."""

    method: str
    target: str
    headers: Mapping[str, str]
    content: bytes | None
    timeout: float
    save: Path | None = None


@dataclass(frozen=True)
class Wait:
    """A pause, in seconds."""

    seconds: float


@dataclass(frozen=True)
class Response:
    """An answer that arrived whole. Names of headers are in lower case. saved: how many bytes of it
    went into a file; None if it stands in `content`."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    saved: int | None = None


@dataclass(frozen=True)
class Failure:
    """No answer. final: a repeat would fail in the same way."""

    reason: str
    final: bool = False
    timed_out: bool = False


class Answer(dict[str, Any]):
    """An answer with what its headers say.

    etag: for a later change with `if_match`; None if it has none. replayed: whether the server had
    done this call before.
    """

    etag: str | None = None
    replayed: bool = False


Exchange = Generator[Request | Wait, Response | Failure | None, Any]


def exchange(call: Call[Any], settings: Settings, headers: Mapping[str, str]) -> Exchange:
    """Send a call until it is answered.

    Returns the JSON of the answer, an object as an Answer; None for an empty one. Raises
    RefusedError, UnavailableError and UnexpectedAnswerError, and ValueError for what is no JSON.
    """
    request = build_request(call, settings, headers)
    timeouts = 0
    for attempt in range(settings.retries + 1):
        outcome = yield request
        if isinstance(outcome, Response):
            found = read(outcome) if call.save is None else read_saved(outcome)
            if not isinstance(found, CommonmindError):
                warn_of_end(call, outcome.headers)
                return found
            error, wait = found, wait_after(outcome, found, attempt)
        else:
            assert outcome is not None  # noqa: S101
            error, wait = UnavailableError(outcome.reason), backoff(attempt)
            timeouts += outcome.timed_out
            # A server that hangs is asked once more, and not for minutes.
            if outcome.final or timeouts > 1:
                raise error
        if wait is None or wait > settings.longest_wait or attempt == settings.retries:
            raise error
        yield Wait(wait)
    raise UnavailableError("No attempt was allowed.")


def warn_of_end(call: Call[Any], headers: Mapping[str, str]) -> None:
    """Say that a call uses what goes away, if its answer says so (RFC 9745, RFC 8594)."""
    if "deprecation" in headers:
        when = headers.get("sunset", "a day that is not said")
        used = ", ".join(sorted(name for name, value in call.query.items() if value is not None))
        warnings.warn(
            f"{call.method} {call.path} uses what may be gone from {when} on"
            f"{f' (one of {used})' if used else ''}.",
            DeprecatedCallWarning,
            stacklevel=4,
        )


def build_request(call: Call[Any], settings: Settings, headers: Mapping[str, str]) -> Request:
    """The request of a call; all its attempts send the same bytes."""
    named = {"Accept": "application/json", **headers, **call.headers}
    content = None
    if isinstance(call.body, Form):
        named["Content-Type"], content = to_form(call.body)
    elif call.body is not None:
        content = to_json(call.body)
        named["Content-Type"] = "application/json"
    if call.changes and "Idempotency-Key" not in named:
        named["Idempotency-Key"] = settings.idempotency_key or uuid.uuid4().hex
    return Request(call.method, target(call), named, content, settings.timeout, call.save)


def target(call: Call[Any]) -> str:
    """Path and query."""
    pairs = list(_query_pairs(call.query))
    return API + call.path.lstrip("/") + (f"?{urlencode(pairs)}" if pairs else "")


def _query_pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        if isinstance(value, Mapping):
            # Such as metadata.channel=announcements.
            yield from _query_pairs({f"{name}.{part}": one for part, one in value.items()})
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif value is not None:
            yield name, str(_encode(value) if isinstance(value, datetime | date) else value)


def to_json(value: Any) -> bytes:
    """A body in UTF-8. Raises ValueError for a time without a zone, NaN and half characters."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_encode).encode()


def to_form(form: Form) -> tuple[str, bytes]:
    """(media type, body) of multipart/form-data; of equal forms the same bytes."""
    parts = []
    for name, value in form.fields.items():
        if value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            parts.append((f'name="{name}"', text.encode()))
    # A name in a header ends with its quotation mark; browsers write these three so.
    file = form.name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    parts.append((f'name="file"; filename="{file}"', form.content))
    digest = hashlib.sha256()
    for head, content in parts:
        digest.update(head.encode() + content)
    # What no file holds that was made before its digest was known.
    boundary = digest.hexdigest()
    body = bytearray()
    for head, content in parts:
        body += f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode()
        body += content + b"\r\n"
    body += f"--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", bytes(body)


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"The time {value.isoformat()} has no time zone.")
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"A {type(value).__name__} is no JSON.")


def read(response: Response) -> Any:
    """The value of an answer, or the error that it is."""
    status, headers = response.status, response.headers
    media = headers.get("content-type", "").partition(";")[0].strip().lower()
    if 300 <= status < 400:
        return UnexpectedAnswerError(
            f"The server redirects to {headers.get('location', 'nowhere')!r}. The key is not sent "
            "there; if that is the right address, use it from the beginning.",
            status,
        )
    succeeded = 200 <= status < 300
    if succeeded and not response.content:
        return None
    is_json = media == "application/json" or media.endswith("+json")
    try:
        value = json.loads(response.content) if is_json else None
    except (ValueError, RecursionError):
        is_json = False
    if succeeded and is_json:
        return _with_headers(value, headers)
    if status >= 400 and is_json and isinstance(value, dict):
        return refusal(status, value, retry_after(headers))
    if status in RETRIED_STATUSES:
        return UnavailableError(f"The server is not available: {status} without a reason.")
    said = f"{media or 'something without a type'}" + ("" if is_json else ", which is no JSON")
    return UnexpectedAnswerError(
        f"This is no answer of Commonmind: {status} with {said}. Is the address right?", status
    )


def read_saved(response: Response) -> Any:
    """The number of bytes that were saved, or the error that the answer is."""
    if response.saved is not None:
        return response.saved
    found = read(response)
    if isinstance(found, CommonmindError):
        return found
    return UnexpectedAnswerError("The answer is no file.", response.status)


def _with_headers(value: Any, headers: Mapping[str, str]) -> Any:
    if not isinstance(value, dict):
        return value
    answer = Answer(value)
    answer.etag = headers.get("etag")
    answer.replayed = headers.get("idempotency-replayed") == "true"
    return answer


def wait_after(response: Response, error: CommonmindError, attempt: int) -> float | None:
    """How long to wait before the next attempt, in seconds; None if there should be none."""
    code = error.code if isinstance(error, RefusedError) else ""
    if code == OUT_OF_TIME:
        return None
    if response.status not in RETRIED_STATUSES and code != STILL_RUNNING:
        return None
    asked = retry_after(response.headers)
    # A little more than asked, so that many clients do not come back together.
    return backoff(attempt) if asked is None else asked + random.uniform(0, 0.25)  # noqa: S311


def backoff(attempt: int) -> float:
    """Seconds before a repeat: twice as long each time, with a part by chance."""
    most: float = min(MOST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2**attempt)
    return most * random.uniform(0.5, 1)  # noqa: S311


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After, a number or a date; None without one that can be read."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        at = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    return max(0.0, at.timestamp() - time.time())


def etag_of(answer: Any) -> str | None:
    """The ETag with which an answer came, for `if_match` of a later change."""
    return getattr(answer, "etag", None)
