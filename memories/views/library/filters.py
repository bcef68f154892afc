"""The filters of the page of memories: from the address, and as they are drawn."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from memories.library import browse
from memories.library.saved_views import COUNTED
from memories.library.selection import (
    AS_THEY_CAME,
    EXACT_COUNT,
    SORTED,
    Options,
    Selection,
    is_archive,
)
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


READ_BY = {
    "organisation": "Read by everyone",
    "group": "Read by a group",
    "explicit": "Read by some people",
    "profession": "Read by a profession",
    "member": "Read by you alone",
    "review": "Read by reviewers",
}
# What an address of the list has beside its filters; the group may be there by its name.
NO_FILTERS = ("q", "before", "group", "sort", "each", "open")
# The filters behind "More filters".
MORE = ("kind", "tier", "readers", "tag", "since", "until", "came", "brought")


def selection_of(actor: Actor, form: LibraryForm) -> Selection:
    """What the address asks for; what makes no sense in it is left out. Raises NotFound."""
    data = {k: v for k, v in form.cleaned_data.items() if v and k not in NO_FILTERS}
    group = form.cleaned_data.get("group")
    if group:
        data["group"] = as_uuid(group) or browse.group_named(actor, group)
    return Selection(**data)


def folds(form: LibraryForm, selection: Selection) -> bool:
    """Whether the turns of a chat are one line: in a list that no question made, of what is in use,
    unless each turn is to have a line of its own."""
    data = form.cleaned_data
    return not (data.get("q") or data.get("each") or is_archive(selection))


def surroundings(
    request: HttpRequest, form: LibraryForm, selection: Selection, page: browse.MemoryPage
) -> dict[str, Any]:
    """What the whole page has around the results."""
    set_filters = _set(form, selection)
    chosen = page.options
    if chosen:
        request.waiting = chosen.waiting
        request.saved_views = _views(chosen, urlencode(set_filters))
    return {
        "filters": _selects(selection, page),
        "more_filters": _more(selection),
        "more_open": any(getattr(selection, n) for n in MORE),
        "chosen": {name: set_filters.get(name, "") for name in ("tag", "since", "until", "came")},
        "recall_url": reverse("library"),
        "views": getattr(request, "saved_views", []),
        "opened": _opened(form),
        **kept(form, selection),
        "add_url": reverse("memory-add") if request.actor.role != "viewer" else "",
        "panel": True,
    }


def kept(form: LibraryForm, selection: Selection) -> dict[str, Any]:
    """What keeps the list as it is now under a name, and what takes the filters away; nothing where
    none is set."""
    set_filters, q = _set(form, selection), form.cleaned_data.get("q", "")
    url = reverse("library")
    return {
        "clear_url": (f"{url}?{urlencode({'q': q})}" if q else url) if selection.named() else "",
        "save_view_url": reverse("view-save") if set_filters else "",
        "view_query": urlencode(set_filters),
    }


def _set(form: LibraryForm, selection: Selection) -> dict[str, str]:
    """What of the address a view keeps: the filters and how the list is shown, no question."""
    data = form.cleaned_data
    shown = {"sort": data.get("sort"), "each": "1" if data.get("each") else ""}
    return selection.named() | {name: value for name, value in shown.items() if value}


def _views(chosen: Options, current: str) -> list[dict[str, Any]]:
    """The member's saved views with how many memories they hold."""
    url = reverse("library")
    return [
        {
            "name": name,
            "url": f"{url}?{query}",
            "current": query == current,
            "count": _bounded(chosen.held.get(id_)),
        }
        for id_, name, query in chosen.views
    ]


def read_view(query: str) -> Selection | None:
    """The filters that a view keeps; None where they make no sense or need a recall."""
    form = LibraryForm(QueryDict(query))
    group = form.data.get("group")
    if not form.is_valid() or form.cleaned_data.get("q") or (group and not as_uuid(group)):
        return None
    data = {k: v for k, v in form.cleaned_data.items() if v and k not in NO_FILTERS}
    return Selection(**data, group=as_uuid(group) if group else None)


def _bounded(count: int | None) -> str:
    if count is None:
        return ""
    return f"{COUNTED:,}+" if count > COUNTED else f"{count:,}"


def _opened(form: LibraryForm) -> dict[str, str] | None:
    """The memory that the address opens in the panel, and the list without it."""
    memory_id, query = form.cleaned_data.get("open"), form.query()
    if not memory_id:
        return None
    back = f"?{query}" if query else ""
    return {
        "url": reverse("memory-page", args=[memory_id]) + back,
        "close_url": reverse("library") + back,
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
        _select("readers", "Read by anybody", READ_BY.items(), selection.readers),
    ]
    if selection.brought:
        one = [(str(selection.brought), "From one import")]
        found.append(_select("brought", "From anywhere", one, selection.brought))
    return found


ORDERS = {
    AS_THEY_CAME: "the last that came first",
    "-age": "the newest first",
    "age": "the oldest first",
    "text": "from A to Z",
    "-text": "from Z to A",
    "readers": "what everyone reads first",
    "-readers": "what everyone reads last",
    "category": "by category",
    "-category": "by category from the end",
    "use": "the least used first",
    "-use": "the most used first",
}


def summary(
    page: browse.MemoryPage, selection: Selection, order: str, *, best: bool, further: bool
) -> dict[str, str]:
    """How many there are, and in which order. further: not the first page."""
    if best or page.count is None:
        count = len(page.rows) - len(page.folded)
        number = "1 memory" if count == 1 else f"{count:,} memories"
        return {"total": number, "order": "best first"}
    number, one = _number(page.count)
    total = f"{number} that you can read"
    if selection:
        total += " fits these filters" if one else " fit these filters"
    if page.lines and page.lines.conversations:
        total += f", in {'1 line' if page.lines.lines == 1 else f'{page.lines.lines:,} lines'}"
    words = ORDERS[order]
    if order and page.count[0] >= SORTED and not page.count[1]:
        words += f", among the last {SORTED:,} that came"
    return {"total": total, "order": f"further ones, {words}" if further else words}


def _number(count: tuple[int, bool]) -> tuple[str, bool]:
    """How many match, rounded where exactness helps nobody; whether it is one."""
    number, exact = count
    if exact:
        return ("1 memory", True) if number == 1 else (f"{number:,} memories", False)
    words = f"About {number:,} memories" if number > EXACT_COUNT else "More than 10,000 memories"
    return words, False


def why_empty(request: HttpRequest, selection: Selection, q: str, before: Any) -> dict[str, str]:
    """Words for an empty list: nothing yet, no match, or no permission."""
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
