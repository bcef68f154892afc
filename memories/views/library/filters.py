"""The filters of the page of memories: from the address, and as they are drawn."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from memories.library import browse
from memories.library.selection import Selection
from memories.store.models.choices import Category, Kind, Status, Tier, Type
from memories.views.forms.library import LibraryForm
from memories.views.presenter import CATEGORIES, STATUSES
from orgs.organisations.references import as_uuid
from orgs.principals import Actor

KINDS = {
    Kind.DIRECT: "Said between two",
    Kind.GROUP: "Said in a group",
    Kind.USER: "About somebody in a group",
    Kind.INTERACTION: "Said to somebody in a group",
    Kind.ORGANISATION: "Shared knowledge",
}
TIERS = {
    Tier.FAST: "Fades in days",
    Tier.MEDIUM: "Fades in weeks",
    Tier.SLOW: "Fades in months",
    Tier.GLACIAL: "Hardly fades",
}


# The filters behind "More filters".
MORE = ("kind", "tier", "tag", "since", "until", "brought")


def selection_of(actor: Actor, form: LibraryForm) -> Selection:
    """What the address asks for; what makes no sense in it is left out. Raises NotFound."""
    data = {k: v for k, v in form.cleaned_data.items() if v and k not in ("q", "before", "group")}
    group = form.cleaned_data.get("group")
    if group:
        data["group"] = as_uuid(group) or browse.group_named(actor, group)
    return Selection(**data)


def surroundings(
    request: HttpRequest, selection: Selection, page: browse.MemoryPage, q: str
) -> dict[str, Any]:
    """What the whole page has around the results."""
    set_filters = selection.named()
    chosen = page.options
    if chosen:
        request.waiting = chosen.waiting
    url = reverse("library")
    return {
        "filters": _selects(selection, page),
        "more_filters": _more(selection),
        "more_open": any(getattr(selection, n) for n in MORE),
        "chosen": {name: set_filters.get(name, "") for name in ("tag", "since", "until")},
        "clear_url": f"{url}?{urlencode({'q': q})}" if q else url,
        "recall_url": url,
        "views": [
            {"name": name, "url": f"{url}?{query}", "current": query == urlencode(set_filters)}
            for _, name, query in (chosen.views if chosen else ())
        ],
        "save_view_url": reverse("view-save") if set_filters else "",
        "view_query": urlencode(set_filters),
        "add_url": reverse("memory-add") if request.actor.role != "viewer" else "",
        "panel": True,
    }


def _select(name: str, label: str, options: Any, chosen: object) -> dict[str, Any]:
    return {
        "name": name,
        "label": label,
        "options": [
            {"value": value, "label": words, "selected": str(value) == str(chosen or "")}
            for value, words in options
        ],
    }


def _selects(selection: Selection, page: browse.MemoryPage) -> list[dict[str, Any]]:
    chosen = page.options
    found = []
    if chosen and chosen.groups:
        found.append(_select("group", "Any group", chosen.groups, selection.group))
    if chosen:
        found.append(_select("member", "Anybody", chosen.members, selection.member))
        found.append(_select("robot", "Any robot", chosen.robots, selection.robot))
    categories = [(value, CATEGORIES.get(value) or label) for value, label in Category.choices]
    categories.sort(key=lambda pair: pair[1])
    found.append(_select("category", "Any category", categories, selection.category))
    found.append(_select("type", "Any type", Type.choices, selection.type))
    states = [(status, words) for status, (words, _) in STATUSES.items()]
    found.append(_select("status", "In use", states, selection.status))
    return found


def _more(selection: Selection) -> list[dict[str, Any]]:
    found = [
        _select("kind", "Said anywhere", KINDS.items(), selection.kind),
        _select("tier", "Any tier", TIERS.items(), selection.tier),
    ]
    if selection.brought:
        one = [(str(selection.brought), "From one import")]
        found.append(_select("brought", "From anywhere", one, selection.brought))
    return found


def about(count: tuple[int, bool] | None) -> str:
    """How many match, rounded where exactness helps nobody."""
    if count is None or count[0] == 0:
        return ""
    number, exact = count
    if exact:
        return "1 memory" if number == 1 else f"{number:,} memories"
    return f"About {number:,} memories" if number > 10_000 else "More than 10,000 memories"


def why_empty(request: HttpRequest, selection: Selection, q: str, before: Any) -> dict[str, str]:
    """Nothing yet, no match, or no permission: they are told apart."""
    newest = {"action_url": reverse("library"), "action_label": "See the newest"}
    if before:
        text = "You have reached the end of what you may read."
        return {"title": "Nothing older", "text": text, **newest}
    if q:
        text = "Nothing that you may read answers this. Try other words, or fewer"
        text += ", or clear the filters." if selection else "."
        return {"title": "No match", "text": text, **newest}
    if selection.status in (Status.PENDING_REVIEW, Status.QUARANTINED):
        text = "What waits is seen by its author and by those who curate."
        return {"title": "Nothing that you may see", "text": text, **newest}
    if selection:
        text = "No memory that you may read fits these filters."
        return {"title": "No match", "text": text, **newest, "action_label": "Clear the filters"}
    writes = request.actor.role != "viewer"
    return {
        "title": "Nothing here yet",
        "text": "No memory that you may read has been kept so far. Robots add what they learn"
        + (", and so can you." if writes else "."),
        "action_url": reverse("memory-add") if writes else "",
        "action_label": "Add the first memory",
    }
