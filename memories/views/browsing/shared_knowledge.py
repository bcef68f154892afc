"""Shared knowledge: what everyone in the organisation can read, by category."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from memories.access.visibility import proposes_to_everyone
from memories.browsing.shared_knowledge import SharedKnowledgePage, list_shared_knowledge
from memories.store.models.choices import Category
from memories.views import memory_presenter
from memories.views.forms import search_forms
from orgs.languages.page_text import choice_label, format_number
from orgs.views.page_access import WRITERS, members_only

NO_CATEGORY = "none"


@require_safe
@members_only()
def shared_knowledge(request: HttpRequest) -> HttpResponse:
    """The newest of a category; those who may write also add, edit and forget."""
    form = search_forms.SharedKnowledgeForm(request.GET)
    form.is_valid()
    chosen = form.cleaned_data.get("category") or None
    found = list_shared_knowledge(
        request.actor,
        organisation=request.membership[1].name,
        category="" if chosen == NO_CATEGORY else chosen,
        before=form.cleaned_data.get("before"),
        now=timezone.now(),
    )
    return render(
        request, "memories/browsing/shared_knowledge.html", _page_context(request, found, chosen)
    )


def _page_context(
    request: HttpRequest, found: SharedKnowledgePage, chosen: str | None
) -> dict[str, Any]:
    me, now, url = request.actor.member_id, timezone.now(), reverse("knowledge")
    writes = request.actor.role in WRITERS
    proposes = proposes_to_everyone(
        request.actor.role, members_publish=request.membership[1].members_publish
    )
    older = urlencode({**({"category": chosen} if chosen else {}), "before": found.before})
    rows = [
        memory_presenter.memory_row(shown, me=me, now=now, wanted=frozenset())
        for shown in found.rows
    ]
    if writes:
        for row in rows:
            if not row["edit_url"]:
                row["suggest_url"] = reverse("memory-suggest", args=[row["id"]])
    return {
        "memories": rows,
        "categories": _category_tabs(found, chosen, url),
        "page": {"next_url": f"{url}?{older}" if found.before else ""},
        "add_url": f"{reverse('memory-add')}?audience=organisation" if writes else "",
        "add_label": gettext("Suggest something") if proposes else gettext("Add something"),
        "lead": _lead_sentence(request.actor.role, proposes),
        "empty": _empty_state(chosen, writes),
        "panel": True,
    }


def _category_tabs(
    found: SharedKnowledgePage, chosen: str | None, url: str
) -> list[dict[str, Any]]:
    """All of them together, each that is used, and those without."""
    named = [
        (
            value,
            memory_presenter.CATEGORY_LABELS.get(Category(value))
            or str(choice_label(Category(value))),
        )
        for value in found.counts
        if value
    ]
    total = sum(found.counts.values())
    tabs = [
        {
            "label": gettext("All"),
            "url": url,
            "current": chosen is None,
            "count": format_number(total),
        }
    ]
    for value, label in [
        *sorted(named, key=lambda pair: pair[1]),
        ("", gettext("Without a category")),
    ]:
        if count := found.counts.get(value):
            name = value or NO_CATEGORY
            link = f"{url}?{urlencode({'category': name})}"
            current = chosen == name
            tabs.append(
                {"label": label, "url": link, "current": current, "count": format_number(count)}
            )
    return tabs


def _lead_sentence(role: str, proposes: bool) -> str:
    if role == "viewer":
        return gettext("What everyone here can read, people and robots. Your role reads.")
    if proposes:
        return gettext(
            "What everyone here can read, people and robots. A curator looks at what you add."
        )
    return gettext(
        "What everyone here can read, people and robots. What you add they read at once."
    )


def _empty_state(chosen: str | None, writes: bool) -> dict[str, str]:
    if chosen:
        text = gettext("Nothing that everyone can read has this category.")
        return {
            "title": gettext("No match"),
            "text": text,
            "action_url": reverse("knowledge"),
            "action_label": gettext("See all of it"),
        }
    end = (
        gettext("Add the first thing worth knowing.")
        if writes
        else gettext("Robots and curators add to it.")
    )
    return {
        "title": gettext("Nothing here yet"),
        "text": gettext("Nobody has told everyone anything yet. %(end)s") % {"end": end},
    }
