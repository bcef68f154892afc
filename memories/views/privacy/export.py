"""What a member takes along: lines for programs, and the same as one page to read."""

from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from memories.privacy.export import everything
from memories.store.models.choices import Status
from memories.views import presenter
from orgs.models.audiences import AudienceKind
from orgs.views.access import members_only
from orgs.views.moments import minute

# What a record of each sort is shown by first; what is not a memory names its sort itself.
_TEXTS = ("content", "text", "title", "name", "said", "persona")
_TIMES = ("occurred_at", "sent_at", "at", "created_at", "received_at", "discovered_at")
# So many bytes of what waits are kept in memory.
IN_MEMORY = 1_000_000
SORTS = {
    "message": "Something you said",
    "account": "From a calendar or mailbox",
    "decision": "Your part in a decision",
    "persona": "What you do, as it is said",
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
    """The page in pieces, from the same lines that the other file has.

    What says something by itself comes first, what was said in conversations after it: that waits
    in a file, since nobody knows how much it is.
    """
    yield _drawn("export_head", head)
    with SpooledTemporaryFile(IN_MEMORY) as said:
        for portion in portions:
            lines = [orjson.loads(line) for line in portion.splitlines()]
            yield _rows(line for line in lines if not _talk(line))
            if talk := [line for line in lines if _talk(line)]:
                said.write(_rows(talk))
        if said.tell():
            yield b"<h2>Said in conversations</h2>\n"
        said.seek(0)
        while piece := said.read(IN_MEMORY):
            yield piece
    yield b"</main></body></html>\n"


def _rows(lines: Iterable[dict[str, Any]]) -> bytes:
    return _drawn("export_rows", {"records": [_record(line) for line in lines]})


def _drawn(template: str, context: dict[str, Any]) -> bytes:
    return render_to_string(f"memories/privacy/{template}.html", context).encode()


def _talk(line: dict[str, Any]) -> bool:
    """Whether it is a turn of a conversation."""
    return bool(line.get("conversation")) or "message" in line


def _record(line: dict[str, Any]) -> dict[str, Any]:
    """One line: its text, what a person asks of it, and everything else as pairs."""
    text = next((key for key in _TEXTS if isinstance(line.get(key), str) and line[key]), "")
    time = next((key for key in _TIMES if line.get(key)), "")
    memory = isinstance(line.get("audience"), dict)
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
        "facts": _facts(line) if memory else [],
        "rest": rest,
    }


def _facts(line: dict[str, Any]) -> list[str]:
    """Of a memory who reads it, who wrote it, what sort it is, and whether it is in use."""
    alone = line["audience"]["kind"] == AudienceKind.MEMBER
    robot, author = line.get("robot"), line.get("author")
    by = f"Written by {author}" if author else f"Noted by {robot}" if robot else ""
    status = presenter.STATUSES.get(Status(line["status"]))
    return [
        "Only you, and robots with your leave" if alone else line["audience"]["label"],
        *([by] if by else []),
        *([presenter.called(line["category"])] if line.get("category") else []),
        *([status[0]] if status else []),
    ]


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
