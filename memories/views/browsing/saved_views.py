"""Filters under a name of one's own."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memories.browsing.palette.search import PaletteResult, search_palette
from memories.browsing.saved_views import TooManyViews, delete_saved_view, set_saved_view
from memories.insights.tag_counts import get_tag_tree
from memories.views.forms.memory_forms import SaveViewForm
from orgs.languages.page_text import lazy_text
from orgs.views.page_access import ADMINS, members_only

# What the command palette finds, as JSON for its script.

RESULT_PAGES = {
    "memory": ("memory-page", lazy_text("Memory"), "memories"),
    "person": ("person", lazy_text("Person"), "me"),
    "group": ("group-page", lazy_text("Group"), "people"),
    "robot": ("robot-page", lazy_text("Robot"), "robots"),
    "view": ("library", lazy_text("Saved view"), "filter"),
}


@require_safe
@never_cache
@members_only()
def palette(request: HttpRequest) -> JsonResponse:
    """What has the letters of `q`: {found: [{label, kind, icon, url}]}."""
    found = search_palette(request.actor, request.GET.get("q", ""), now=timezone.now())
    return JsonResponse({"found": [_result_row(one, request.actor.role) for one in found]})


def _result_row(one: PaletteResult, role: str) -> dict[str, str]:
    """A person leads admins to their page, and others to what is remembered about them."""
    name, kind, icon = RESULT_PAGES[one.kind]
    if one.kind == "view":
        url = f"{reverse(name)}?{one.query}"
    elif one.kind == "person" and role not in ADMINS:
        url = f"{reverse('library')}?member={one.id}"
    else:
        url = reverse(name, args=[one.id])
    return {"label": " ".join(one.label.split()), "kind": kind, "icon": icon, "url": url}


# The tags of what somebody may read, as a tree.

MAX_TAGS = 1_000


@require_safe
@members_only()
def tags(request: HttpRequest) -> HttpResponse:
    """Each tag leads to the memories that have it."""
    tree, more = get_tag_tree(request.actor, most=MAX_TAGS, now=timezone.now())
    context = {
        "tree": _with_urls(tree),
        "more": more,
        "most": MAX_TAGS,
        "library_url": reverse("library"),
    }
    return render(request, "memories/browsing/tags.html", context)


def _with_urls(nodes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    url = reverse("library")
    return [
        {
            **node,
            "url": f"{url}?{urlencode({'tag': node['tag']})}",
            "children": _with_urls(node["children"]),
        }
        for node in nodes
    ]


def _list_url(query: str) -> str:
    return f"{reverse('library')}?{query}" if query else reverse("library")


@require_POST
@members_only()
def save_view(request: HttpRequest) -> HttpResponse:
    """Keep the filters of the list; the same name again replaces them."""
    form = SaveViewForm(request.POST)
    form.is_valid()
    query = urlencode(parse_qsl(form.cleaned_data.get("query", "")))
    if form.is_valid():
        try:
            set_saved_view(request.actor, name=form.cleaned_data["name"], query=query)
        except TooManyViews as error:
            messages.error(request, str(error))
        else:
            messages.success(
                request,
                gettext("Kept as “%(name)s”. Only you see it.")
                % {"name": form.cleaned_data["name"]},
            )
    else:
        messages.error(request, gettext("Give it a name of up to 60 characters."))
    return redirect(_list_url(query))


@require_POST
@members_only()
def delete_view(request: HttpRequest) -> HttpResponse:
    """Drop one of one's own; the memories stay."""
    form = SaveViewForm(request.POST)
    if form.is_valid():
        delete_saved_view(request.actor, name=form.cleaned_data["name"])
        messages.success(request, gettext("Removed. The memories stay as they are."))
    return redirect("library")
