"""Each of those who can read a memory, and why: a page, and what a badge shows on demand."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.access.audience_summary import format_people_count, format_robot_count
from memories.access.reader_list.reader_list import (
    ReaderList,
    ReaderListSection,
    TargetAudience,
    list_audience_readers,
    list_memory_readers,
    list_new_readers,
)
from memories.curation.review_pages import list_item_readers
from memories.views.forms.search_forms import ReaderListForm
from orgs.languages.page_text import format_number
from orgs.views.page_access import members_only

# So many of each kind on demand, and on the page.
BADGE_SIZE, PAGE_SIZE = 20, 100


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def memory_readers(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Who reads a memory now."""
    found = list_memory_readers(
        request.actor,
        memory_id,
        organisation=request.membership[1].name,
        **_page_arguments(request),
    )
    back = (gettext("Memory"), reverse("memory-page", args=[memory_id]))
    return _render_readers(request, found, reverse("memory-readers", args=[memory_id]), back)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def item_readers(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Who would newly read what waits for a decision; else who reads it."""
    found = list_item_readers(
        request.actor, item_id, organisation=request.membership[1].name, **_page_arguments(request)
    )
    back = (gettext("Review"), reverse("review-item", args=[item_id]))
    return _render_readers(request, found, reverse("review-readers", args=[item_id]), back)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def audience_readers(request: HttpRequest, audience_id: UUID) -> HttpResponse:
    """Who reads an audience now, such as one that an import would write to."""
    found = list_audience_readers(
        request.actor,
        audience_id,
        organisation=request.membership[1].name,
        **_page_arguments(request),
    )
    group = found.audience.group
    back = (gettext("Group"), reverse("group-page", args=[group])) if group else None
    url = reverse("audience-readers", args=[audience_id])
    return _render_readers(request, found, url, back or (gettext("Memories"), reverse("library")))


def _parse_part(request: HttpRequest) -> tuple[str, int]:
    """Which part is looked at alone, and after how many; neither unless both make sense."""
    form = ReaderListForm(request.GET)
    if not form.is_valid() or request.htmx:
        return "", 0
    only = form.cleaned_data["only"]
    return only, (form.cleaned_data["after"] or 0) if only else 0


def _page_arguments(request: HttpRequest) -> dict[str, int]:
    return {"start": _parse_part(request)[1], "most": BADGE_SIZE if request.htmx else PAGE_SIZE}


def _render_readers(
    request: HttpRequest, found: ReaderList, url: str, back: tuple[str, str]
) -> HttpResponse:
    only, _ = _parse_part(request)
    context = {
        "sheet": reader_list_context(found, url, only),
        "back": back,
        "only": only,
        "whole_url": url,
    }
    name = "components/reader_sheet.html" if request.htmx else "memories/memory/readers.html"
    return render(request, name, context)


def reader_list_context(found: ReaderList, url: str = "", only: str = "") -> dict[str, Any]:
    """For components/reader_sheet.html. only: one part alone; url: the page with all of them."""
    return {
        "kind": found.audience.kind,
        "sentence": found.audience.sentence,
        "newly": found.newly,
        "hidden": found.hidden,
        "url": url,
        "parts": [
            _part_context(one, url, found.start)
            for one in found.parts
            if not only or one.name == only
        ],
    }


def new_readers_context(
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
    told = {"organisation": request.membership[1].name, "most": BADGE_SIZE}
    wish = TargetAudience(value, tuple(chosen) if value == "shared" else ())
    if memory_id is not None:
        return reader_list_context(list_memory_readers(request.actor, memory_id, wish=wish, **told))
    return reader_list_context(list_new_readers(request.actor, places, wish, **told))


def _part_context(part: ReaderListSection, url: str, start: int) -> dict[str, Any]:
    after = start + len(part.lines)
    query = urlencode({"only": part.name, "after": after})
    return {
        "title": part_title(part),
        "robots": part.name in ("robots", "helpers", "keyless"),
        "lines": part.lines,
        "more": format_number(part.more) if part.more else "",
        "more_url": f"{url}?{query}" if url and part.lines else url,
        "unnamed": format_number(part.unnamed) if part.unnamed else "",
        "all_unnamed": part.unnamed == part.count,
    }


def part_title(part: ReaderListSection) -> str:
    """How many are in a part, and what they are."""
    match part.name:
        case "people":
            return format_people_count(part.count)
        case "robots":
            return format_robot_count(part.count)
        case "helpers":
            return gettext("%(count)s only for a person") % {
                "count": format_robot_count(part.count)
            }
        case "away":
            return gettext("%(count)s who cannot sign in yet") % {
                "count": format_people_count(part.count)
            }
    return gettext("%(count)s without a key that reads it") % {
        "count": format_robot_count(part.count)
    }
