"""What a member takes along: lines for programs, and the same as one page to read."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from memories.privacy.export import everything
from orgs.views.access import members_only
from orgs.views.moments import minute

# What a record of each sort is shown by first; what is not a memory names its sort itself.
_TEXTS = ("content", "text", "title", "name", "said")
_TIMES = ("occurred_at", "sent_at", "at", "created_at", "received_at")
SORTS = {
    "message": "Something you said",
    "account": "From a calendar or mailbox",
    "decision": "Your part in a decision",
}


@require_safe
@members_only()
def export(request: HttpRequest) -> HttpResponse:
    """Everything about me and by me, with what I said in chats, as JSON lines, streamed."""
    response = StreamingHttpResponse(everything(request.actor), content_type="application/jsonl")
    response["Content-Disposition"] = 'attachment; filename="my-memories.jsonl"'
    return response


@require_safe
@members_only()
def page(request: HttpRequest) -> HttpResponse:
    """The same as one page without scripts, to read and to print, streamed."""
    member, organisation = request.membership
    head = {"member": member.name, "organisation": organisation.name, "at": timezone.now()}
    response = StreamingHttpResponse(
        pages(everything(request.actor), head), content_type="text/html; charset=utf-8"
    )
    response["Content-Disposition"] = 'attachment; filename="my-memories.html"'
    return response


def pages(portions: Iterable[bytes], head: dict[str, Any]) -> Iterator[bytes]:
    """The page in pieces, from the same lines that the other file has."""
    yield render_to_string("memories/privacy/export_head.html", head).encode()
    for portion in portions:
        records = [_record(orjson.loads(line)) for line in portion.splitlines()]
        yield render_to_string("memories/privacy/export_rows.html", {"records": records}).encode()
    yield b"</main></body></html>\n"


def _record(line: dict[str, Any]) -> dict[str, Any]:
    """One line: its text, when, and everything else as pairs."""
    text = next((key for key in _TEXTS if isinstance(line.get(key), str) and line[key]), "")
    time = next((key for key in _TIMES if line.get(key)), "")
    audience = line.get("audience")
    memory = isinstance(audience, dict)
    sort = "" if memory else next((words for key, words in SORTS.items() if key in line), "Other")
    rest = [
        (key.replace("_", " "), _moment(value) if key.endswith("_at") else _words(value))
        for key, value in line.items()
        if key not in (text, time, "id", "audience", "message") and value not in (None, "", [], {})
    ]
    return {
        "id": line.get("id", ""),
        "sort": sort,
        "text": line.get(text, ""),
        "at": parse_datetime(line[time]) or line[time] if time else "",
        "readers": audience["label"] if memory else "",
        "rest": rest,
    }


def _moment(value: Any) -> str:
    """A time in the form that it has on the pages; as it is where it is none."""
    at = parse_datetime(value) if isinstance(value, str) else None
    return minute(at) if at else _words(value)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return orjson.dumps(value).decode()
