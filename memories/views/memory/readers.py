"""Each of those who can read a memory, and why: a page, and what a badge shows on demand."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.access.reader_sentences import people, robots
from memories.access.sheet.reader_sheet import (
    ReaderSheet,
    SheetPart,
    Wish,
    newly_of,
    sheet_of,
    sheet_of_audience,
)
from memories.curation.review_item import item_sheet
from memories.views.forms.library import SheetForm
from orgs.views.access import members_only

# So many of each kind on demand, and on the page.
FIRST, PAGE = 20, 100


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def memory_readers(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Who reads a memory now."""
    found = sheet_of(
        request.actor, memory_id, organisation=request.membership[1].name, **_asked(request)
    )
    back = ("Memory", reverse("memory-page", args=[memory_id]))
    return _answer(request, found, reverse("memory-readers", args=[memory_id]), back)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def item_readers(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Who would newly read what waits for a decision; else who reads it."""
    found = item_sheet(
        request.actor, item_id, organisation=request.membership[1].name, **_asked(request)
    )
    back = ("Review", reverse("review-item", args=[item_id]))
    return _answer(request, found, reverse("review-readers", args=[item_id]), back)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def audience_readers(request: HttpRequest, audience_id: UUID) -> HttpResponse:
    """Who reads an audience now, such as one that an import would write to."""
    found = sheet_of_audience(
        request.actor, audience_id, organisation=request.membership[1].name, **_asked(request)
    )
    group = found.audience.group
    back = ("Group", reverse("group-page", args=[group])) if group else None
    url = reverse("audience-readers", args=[audience_id])
    return _answer(request, found, url, back or ("Memories", reverse("library")))


def _part(request: HttpRequest) -> tuple[str, int]:
    """Which part is looked at alone, and after how many; neither unless both make sense."""
    form = SheetForm(request.GET)
    if not form.is_valid() or request.htmx:
        return "", 0
    only = form.cleaned_data["only"]
    return only, (form.cleaned_data["after"] or 0) if only else 0


def _asked(request: HttpRequest) -> dict[str, int]:
    return {"start": _part(request)[1], "most": FIRST if request.htmx else PAGE}


def _answer(
    request: HttpRequest, found: ReaderSheet, url: str, back: tuple[str, str]
) -> HttpResponse:
    only, _ = _part(request)
    context = {"sheet": sheet(found, url, only), "back": back, "only": only, "whole_url": url}
    name = "components/reader_sheet.html" if request.htmx else "memories/memory/readers.html"
    return render(request, name, context)


def sheet(found: ReaderSheet, url: str = "", only: str = "") -> dict[str, Any]:
    """For components/reader_sheet.html. only: one part alone; url: the page with all of them."""
    return {
        "kind": found.audience.kind,
        "sentence": found.audience.sentence,
        "newly": found.newly,
        "hidden": found.hidden,
        "url": url,
        "parts": [
            _words(one, url, found.start) for one in found.parts if not only or one.name == only
        ],
    }


def would_read(
    request: HttpRequest,
    choices: list[dict[str, Any]],
    chosen: Sequence[UUID],
    places: Sequence[UUID],
    memory_id: UUID | None = None,
) -> dict[str, Any] | None:
    """Who would newly read it where the form says, while somebody chooses; None until they have.

    choices: what they can choose; chosen: people whom they ticked; places: where several memories
    lie, or one with `memory_id`.
    """
    asked = request.POST if request.method == "POST" else request.GET
    value = asked.get("audience", "")
    if value not in {one["value"] for one in choices} or not (places or memory_id):
        return None
    told = {"organisation": request.membership[1].name, "most": FIRST}
    wish = Wish(value, tuple(chosen) if value == "shared" else ())
    if memory_id is not None:
        return sheet(sheet_of(request.actor, memory_id, wish=wish, **told))
    return sheet(newly_of(request.actor, places, wish, **told))


def _words(part: SheetPart, url: str, start: int) -> dict[str, Any]:
    after = start + len(part.lines)
    query = urlencode({"only": part.name, "after": after})
    return {
        "title": title(part),
        "robots": part.name in ("robots", "helpers", "keyless"),
        "lines": part.lines,
        "more": f"{part.more:,}" if part.more else "",
        "more_url": f"{url}?{query}" if url and part.lines else url,
        "unnamed": f"{part.unnamed:,}" if part.unnamed else "",
        "all_unnamed": part.unnamed == part.count,
    }


def title(part: SheetPart) -> str:
    """How many are in a part, and what they are."""
    match part.name:
        case "people":
            return people(part.count)
        case "robots":
            return robots(part.count)
        case "helpers":
            return f"{robots(part.count)} only for a person"
        case "away":
            return f"{people(part.count)} who cannot sign in yet"
    return f"{robots(part.count)} without a key to read with"
