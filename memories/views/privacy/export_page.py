"""What a member takes along: lines for programs, and the same as one page to read."""

from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import get_language, gettext, override
from django.views.decorators.http import require_safe

from memories.privacy.export_my_data import iter_export
from memories.store.models.choices import Status
from memories.views import memory_presenter
from orgs.languages.page_text import lazy_text
from orgs.models.audiences import AudienceType
from orgs.views.page_access import members_only
from orgs.views.time_formats import minute

# What a record of each sort is shown by first; what is not a memory names its sort itself.
_TEXT_KEYS = ("content", "text", "title", "name", "said", "persona")
_TIME_KEYS = ("occurred_at", "sent_at", "at", "created_at", "received_at", "discovered_at")
# So many bytes of what waits are kept in memory.
SPOOL_BYTES = 1_000_000
RECORD_TYPE_LABELS = {
    "message": lazy_text("Something you said"),
    "account": lazy_text("From a calendar or mailbox"),
    "decision": lazy_text("Your part in a decision"),
    "persona": lazy_text("What you do, as it is said"),
}


@require_safe
@members_only()
def export_lines(request: HttpRequest) -> HttpResponse:
    """Everything about me and by me, with what I said in chats, as JSON lines, streamed."""
    response = StreamingHttpResponse(iter_export(request.actor), content_type="application/jsonl")
    response["Content-Disposition"] = 'attachment; filename="my-memories.jsonl"'
    return response


@require_safe
@members_only()
def export_html(request: HttpRequest) -> HttpResponse:
    """The same as one page without scripts, to read and to print, streamed."""
    member, organisation = request.membership
    head = {"member": member.name, "organisation": organisation.name, "at": timezone.now()}
    response = StreamingHttpResponse(
        _in_language_of_page(iter_html(iter_export(request.actor), head)),
        content_type="text/html; charset=utf-8",
    )
    response["Content-Disposition"] = 'attachment; filename="my-memories.html"'
    return response


def _in_language_of_page(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces in the language that is active now: they are made when the view is over."""
    language = get_language()
    return _iter_in_language(pieces, language or "en")


def _iter_in_language(pieces: Iterator[bytes], language: str) -> Iterator[bytes]:
    while True:
        with override(language):
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def iter_html(portions: Iterable[bytes], head: dict[str, Any]) -> Iterator[bytes]:
    """The page in pieces, from the same lines that the other file has.

    What says something by itself comes first, what was said in conversations after it: that waits
    in a file, since nobody knows how much it is.
    """
    yield _render("export_head", head)
    with SpooledTemporaryFile(SPOOL_BYTES) as said:
        for portion in portions:
            lines = [orjson.loads(line) for line in portion.splitlines()]
            yield _render_rows(line for line in lines if not _is_turn(line))
            if talk := [line for line in lines if _is_turn(line)]:
                said.write(_render_rows(talk))
        if said.tell():
            yield f"<h2>{gettext('Said in conversations')}</h2>\n".encode()
        said.seek(0)
        while piece := said.read(SPOOL_BYTES):
            yield piece
    yield b"</main></body></html>\n"


def _render_rows(lines: Iterable[dict[str, Any]]) -> bytes:
    return _render("export_rows", {"records": [_record_row(line) for line in lines]})


def _render(template: str, context: dict[str, Any]) -> bytes:
    return render_to_string(f"memories/privacy/{template}.html", context).encode()


def _is_turn(line: dict[str, Any]) -> bool:
    """Whether it is a turn of a conversation."""
    return bool(line.get("conversation")) or "message" in line


def _record_row(line: dict[str, Any]) -> dict[str, Any]:
    """One line: its text, what a person asks of it, and everything else as pairs."""
    text = next((key for key in _TEXT_KEYS if isinstance(line.get(key), str) and line[key]), "")
    time = next((key for key in _TIME_KEYS if line.get(key)), "")
    memory = isinstance(line.get("audience"), dict)
    sort = (
        ""
        if memory
        else next(
            (words for key, words in RECORD_TYPE_LABELS.items() if key in line), gettext("Other")
        )
    )
    rest = [
        (
            key.replace("_", " "),
            _format_time(value) if key.endswith("_at") else _format_value(value),
        )
        for key, value in line.items()
        if key not in (text, time, "id", "audience", "message") and value not in (None, "", [], {})
    ]
    return {
        "id": line.get("id", ""),
        "sort": sort,
        "text": line.get(text, ""),
        "at": parse_datetime(line[time]) or line[time] if time else "",
        "facts": _memory_facts(line) if memory else [],
        "rest": rest,
    }


def _memory_facts(line: dict[str, Any]) -> list[str]:
    """Of a memory who reads it, who wrote it, what sort it is, and whether it is in use."""
    alone = line["audience"]["kind"] == AudienceType.MEMBER
    robot, author = line.get("robot"), line.get("author")
    by = (
        gettext("Written by %(author)s") % {"author": author}
        if author
        else gettext("Noted by %(robot)s") % {"robot": robot}
        if robot
        else ""
    )
    status = memory_presenter.STATUS_BADGES.get(Status(line["status"]))
    return [
        gettext("Only you, and robots with your leave") if alone else line["audience"]["label"],
        *([by] if by else []),
        *([memory_presenter.category_label(line["category"])] if line.get("category") else []),
        *([status[0]] if status else []),
    ]


def _format_time(value: Any) -> str:
    """A time in the form that it has on the pages; as it is where it is none."""
    at = parse_datetime(value) if isinstance(value, str) else None
    return minute(at) if at else _format_value(value)


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return orjson.dumps(value).decode()
