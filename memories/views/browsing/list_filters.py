"""The filters of the page of memories: from the address, and as they are drawn."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from memories.browsing import memory_pages
from memories.browsing.saved_views import MAX_COUNT
from memories.browsing.selection import (
    MAX_EXACT_COUNT,
    MAX_SORTED_ROWS,
    NEWEST_FIRST,
    FilterOptions,
    Selection,
    is_inactive,
)
from memories.store.models.choices import Category, Kind, Level, Status, Tier, Type
from memories.views.forms.search_forms import ColumnsForm, MemoryFilterForm
from memories.views.memory_presenter import CATEGORY_LABELS, STATUS_BADGES
from orgs.languages.page_text import choice_options, format_number, lazy_text
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor
from orgs.views.page_access import members_only

# The columns of the list of memories: which are shown, and what sorts by them.
# Which are shown is kept by the browser, like the height of the rows.

COOKIE = "columns"
YEAR_SECONDS = 60 * 60 * 24 * 365


@dataclass(frozen=True, slots=True)
class Column:
    """first and then: the orders that its head gives at the first press and at the second."""

    name: str
    label: str
    first: str
    then: str
    always: bool = False
    # Whether "first" is the rising one.
    rises: bool = True


COLUMNS = (
    Column("text", lazy_text("Memory"), "text", "-text", always=True),
    Column("readers", lazy_text("Readers"), "readers", "-readers"),
    Column("by", lazy_text("By"), "", ""),
    Column("category", lazy_text("Category"), "category", "-category"),
    Column("age", lazy_text("Age"), "-age", "age", rises=False),
    Column("use", lazy_text("Used"), "-use", "use", rises=False),
)
OPTIONAL_COLUMNS = tuple(one for one in COLUMNS if not one.always)
NO_COLUMNS = "none"


def selected_columns(request: HttpRequest) -> frozenset[str]:
    """The names of the columns that this browser shows; all where it has chosen none."""
    known = {one.name for one in OPTIONAL_COLUMNS}
    chosen = request.COOKIES.get(COOKIE, "")[:200]
    return frozenset(known & set(chosen.split("."))) if chosen else frozenset(known)


def column_heads(order: str, address: Any, *, sortable: bool) -> list[dict[str, Any]]:
    """For the head of the table. address: from an order to the address of the list."""
    found = []
    for one in COLUMNS:
        sorts = sortable and one.first != one.then
        current = sorts and order in (one.first, one.then)
        rising = one.rises == (order == one.first)
        to = one.then if current and order == one.first else one.first
        found.append(
            {
                "name": one.name,
                "label": one.label,
                "url": address(to) if sorts else "",
                "sorted": ("ascending" if rising else "descending") if current else "",
            }
        )
    return found


def column_choices(request: HttpRequest) -> list[dict[str, Any]]:
    """For the menu of columns."""
    now = selected_columns(request)
    return [{"name": c.name, "label": c.label, "checked": c.name in now} for c in OPTIONAL_COLUMNS]


@require_POST
@members_only()
def choose_columns(request: HttpRequest) -> HttpResponse:
    """Keep which columns this browser shows, and go back to the list."""
    form = ColumnsForm(request.POST, columns=[one.name for one in OPTIONAL_COLUMNS])
    form.is_valid()
    address = MemoryFilterForm(form.address())
    address.is_valid()
    query = address.query()
    response = redirect(f"{reverse('library')}?{query}" if query else "library")
    kept = ".".join(form.cleaned_data.get("column") or [NO_COLUMNS])
    response.set_cookie(
        COOKIE, kept, max_age=YEAR_SECONDS, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
    )
    return response


KIND_LABELS = {
    Kind.DIRECT: lazy_text("Said between two"),
    Kind.GROUP: lazy_text("Said in a group"),
    Kind.USER: lazy_text("About somebody in a group"),
    Kind.INTERACTION: lazy_text("Said to somebody in a group"),
    Kind.ORGANISATION: lazy_text("Shared knowledge"),
}
LEVEL_LABELS = {
    Level.INDIVIDUAL: lazy_text("About one person"),
    Level.GROUP: lazy_text("About a group"),
    Level.CROSS_GROUP: lazy_text("About a person in every group"),
    Level.ORGANISATION: lazy_text("About the organisation"),
}
TIER_LABELS = {
    Tier.FAST: lazy_text("Fast tier"),
    Tier.MEDIUM: lazy_text("Medium tier"),
    Tier.SLOW: lazy_text("Slow tier"),
    Tier.GLACIAL: lazy_text("Glacial tier"),
}


READER_LABELS = {
    "organisation": lazy_text("Read by everyone"),
    "group": lazy_text("Read by a group"),
    "explicit": lazy_text("Read by some people"),
    "profession": lazy_text("Read by a profession"),
    "member": lazy_text("Private to you"),
    "review": lazy_text("Read by reviewers"),
}
# What an address of the list has beside its filters; the group may be there by its name.
NON_FILTER_PARAMETERS = ("q", "before", "group", "sort", "each", "open")
# The filters behind "More filters", and those of them that are no choice from a list.
CHOSEN_FILTERS = ("person", "keyword", "topic", "tag", "since", "until", "came", "as_of")
MORE_FILTERS = ("kind", "level", "tier", "readers", *CHOSEN_FILTERS, "brought")


def parse_selection(actor: Actor, form: MemoryFilterForm) -> Selection:
    """What the address asks for; what makes no sense in it is left out. Raises NotFoundError."""
    data = {k: v for k, v in form.cleaned_data.items() if v and k not in NON_FILTER_PARAMETERS}
    group = form.cleaned_data.get("group")
    if group:
        data["group"] = parse_uuid(group) or memory_pages.get_group_id(actor, group)
    return Selection(**data)


def should_fold(form: MemoryFilterForm, selection: Selection) -> bool:
    """Whether the turns of a chat are one line: in a list that no question made, of what is in use,
    unless each turn is to have a line of its own."""
    data = form.cleaned_data
    return not (data.get("q") or data.get("each") or is_inactive(selection))


def page_context(
    request: HttpRequest,
    form: MemoryFilterForm,
    selection: Selection,
    page: memory_pages.MemoryListPage,
) -> dict[str, Any]:
    """What the whole page has around the results."""
    set_filters = _view_parameters(form, selection)
    chosen = page.options
    if chosen:
        request.waiting = chosen.waiting
        request.saved_views = _saved_view_rows(chosen, urlencode(set_filters))
    return {
        "filters": _main_filters(selection, page),
        "more_filters": _more_filters(selection),
        "more_open": any(getattr(selection, n) for n in MORE_FILTERS),
        "chosen": {name: set_filters.get(name, "") for name in CHOSEN_FILTERS},
        "recall_url": reverse("library"),
        "views": getattr(request, "saved_views", []),
        "opened": _open_memory_context(form),
        **saved_filters_context(form, selection),
        "add_url": reverse("memory-add") if request.actor.role != "viewer" else "",
        "panel": True,
    }


def saved_filters_context(form: MemoryFilterForm, selection: Selection) -> dict[str, Any]:
    """What keeps the list as it is now under a name, and what takes the filters away; nothing where
    none is set."""
    set_filters, q = _view_parameters(form, selection), form.cleaned_data.get("q", "")
    url = reverse("library")
    return {
        "clear_url": (f"{url}?{urlencode({'q': q})}" if q else url) if selection.named() else "",
        "save_view_url": reverse("view-save") if set_filters else "",
        "view_query": urlencode(set_filters),
    }


def _view_parameters(form: MemoryFilterForm, selection: Selection) -> dict[str, str]:
    """What of the address a view keeps: the filters and how the list is shown, no question."""
    data = form.cleaned_data
    shown = {"sort": data.get("sort"), "each": "1" if data.get("each") else ""}
    return selection.named() | {name: value for name, value in shown.items() if value}


def _saved_view_rows(chosen: FilterOptions, current: str) -> list[dict[str, Any]]:
    """The member's saved views with how many memories they hold."""
    url = reverse("library")
    return [
        {
            "name": name,
            "url": f"{url}?{query}",
            "current": query == current,
            "count": _count_label(chosen.held.get(id_)),
        }
        for id_, name, query in chosen.views
    ]


def parse_saved_view(query: str) -> Selection | None:
    """The filters that a view keeps; None where they make no sense or need a recall."""
    form = MemoryFilterForm(QueryDict(query))
    group = form.data.get("group")
    if not form.is_valid() or form.cleaned_data.get("q") or (group and not parse_uuid(group)):
        return None
    data = {k: v for k, v in form.cleaned_data.items() if v and k not in NON_FILTER_PARAMETERS}
    return Selection(**data, group=parse_uuid(group) if group else None)


def _count_label(count: int | None) -> str:
    if count is None:
        return ""
    return f"{format_number(MAX_COUNT)}+" if count > MAX_COUNT else format_number(count)


def _open_memory_context(form: MemoryFilterForm) -> dict[str, str] | None:
    """The memory that the address opens in the panel, and the list without it."""
    memory_id, query = form.cleaned_data.get("open"), form.query()
    if not memory_id:
        return None
    back = f"?{query}" if query else ""
    return {
        "url": reverse("memory-page", args=[memory_id]) + back,
        "close_url": reverse("library") + back,
    }


def _select_filter(name: str, label: str, options: Any, chosen: object) -> dict[str, Any]:
    return {
        "name": name,
        "label": label,
        "options": [
            {"value": value, "label": words, "selected": str(value) == str(chosen or "")}
            for value, words in options
        ],
    }


def _main_filters(selection: Selection, page: memory_pages.MemoryListPage) -> list[dict[str, Any]]:
    chosen = page.options
    found = []
    if chosen and chosen.groups:
        found.append(_select_filter("group", gettext("Any group"), chosen.groups, selection.group))
    if chosen:
        found.append(_select_filter("member", gettext("Anybody"), chosen.members, selection.member))
        found.append(_select_filter("robot", gettext("Any robot"), chosen.robots, selection.robot))
    categories = [
        (value, CATEGORY_LABELS.get(value) or label)
        for value, label in choice_options(Category.choices)
    ]
    categories.sort(key=lambda pair: pair[1])
    found.append(
        _select_filter("category", gettext("Any category"), categories, selection.category)
    )
    found.append(
        _select_filter("type", gettext("Any type"), choice_options(Type.choices), selection.type)
    )
    states = [(status, words) for status, (words, _) in STATUS_BADGES.items()]
    found.append(_select_filter("status", gettext("In use"), states, selection.status))
    return found


def _more_filters(selection: Selection) -> list[dict[str, Any]]:
    found = [
        _select_filter("kind", gettext("Said anywhere"), KIND_LABELS.items(), selection.kind),
        _select_filter("level", gettext("Any reach"), LEVEL_LABELS.items(), selection.level),
        _select_filter("tier", gettext("Any tier"), TIER_LABELS.items(), selection.tier),
        _select_filter(
            "readers", gettext("Read by anybody"), READER_LABELS.items(), selection.readers
        ),
    ]
    if selection.brought:
        one = [(str(selection.brought), gettext("From one import"))]
        found.append(_select_filter("brought", gettext("From anywhere"), one, selection.brought))
    return found


ORDER_LABELS = {
    NEWEST_FIRST: lazy_text("the last that came first"),
    "-age": lazy_text("the newest first"),
    "age": lazy_text("the oldest first"),
    "text": lazy_text("from A to Z"),
    "-text": lazy_text("from Z to A"),
    "readers": lazy_text("what everyone reads first"),
    "-readers": lazy_text("what everyone reads last"),
    "category": lazy_text("by category"),
    "-category": lazy_text("by category from the end"),
    "use": lazy_text("the least used first"),
    "-use": lazy_text("the most used first"),
}


def summary_labels(
    page: memory_pages.MemoryListPage,
    selection: Selection,
    order: str,
    *,
    best: bool,
    further: bool,
) -> dict[str, str]:
    """How many there are, and in which order. further: not the first page."""
    if best or page.count is None:
        count = len(page.rows) - len(page.folded)
        number = (
            gettext("1 memory")
            if count == 1
            else gettext("%(count)s memories") % {"count": format_number(count)}
        )
        return {"total": number, "order": gettext("best first")}
    number, one = _count_sentence(page.count)
    total = gettext("%(number)s that you can read") % {"number": number}
    if selection:
        total += gettext(" fits these filters") if one else gettext(" fit these filters")
    if page.lines and page.lines.conversations:
        total += ngettext(", in %(count)s line", ", in %(count)s lines", int(page.lines.lines)) % {
            "count": format_number(page.lines.lines)
        }
    words = ORDER_LABELS[order]
    if order and page.count[0] >= MAX_SORTED_ROWS and not page.count[1]:
        words += gettext(", among the last %(max_sorted_rows)s that came") % {
            "max_sorted_rows": format_number(MAX_SORTED_ROWS)
        }
    return {
        "total": total,
        "order": gettext("further ones, %(words)s") % {"words": words} if further else words,
    }


def _count_sentence(count: tuple[int, bool]) -> tuple[str, bool]:
    """How many match, rounded where exactness helps nobody; whether it is one."""
    number, exact = count
    if exact:
        return (
            (gettext("1 memory"), True)
            if number == 1
            else (gettext("%(number)s memories") % {"number": format_number(number)}, False)
        )
    words = (
        gettext("About %(number)s memories") % {"number": format_number(number)}
        if number > MAX_EXACT_COUNT
        else gettext("More than 10,000 memories")
    )
    return words, False


def empty_state(request: HttpRequest, selection: Selection, q: str, before: Any) -> dict[str, str]:
    """Words for an empty list: nothing yet, no match, or no permission."""
    newest = {"action_url": reverse("library"), "action_label": gettext("See the newest")}
    if before:
        text = gettext("You have reached the end of what you may read.")
        return {"title": gettext("Nothing older"), "text": text, **newest}
    if q:
        text = gettext("Nothing that you may read answers this. Try other words, or fewer")
        text += gettext(", or clear the filters.") if selection else "."
        return {"title": gettext("No match"), "text": text, **newest}
    if selection.status in (Status.PENDING_REVIEW, Status.QUARANTINED):
        text = gettext("What waits is seen by its author and by those who curate.")
        return {"title": gettext("Nothing that you may see"), "text": text, **newest}
    if selection:
        text = gettext("No memory that you may read fits these filters.")
        return {
            "title": gettext("No match"),
            "text": text,
            **newest,
            "action_label": gettext("Clear the filters"),
        }
    writes = request.actor.role != "viewer"
    return {
        "title": gettext("Nothing here yet"),
        "text": gettext(
            "No memory that you may read has been kept so far. Robots add what they learn"
        )
        + (gettext(", and so can you.") if writes else "."),
        "action_url": reverse("memory-add") if writes else "",
        "action_label": gettext("Add the first memory"),
    }
