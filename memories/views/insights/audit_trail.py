"""The audit trail in sentences, for admins of the organisation."""

import csv
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.insights.audit_trail import (
    MAX_EXPORTED,
    AuditFilter,
    AuditPage,
    get_audit_page,
    get_member_audit_page,
    get_memory_audit_page,
)
from memories.views.insights.audit_entry_presenter import CSV_HEADER, csv_row, present_entry
from memories.views.insights.audit_labels import ACTION_LABELS, find_edited_fields
from memories.views.insights.audit_runs import group_by_day
from orgs.languages.page_text import lazy_text
from orgs.models.audit import AuditEntry
from orgs.views.page_access import ADMINS, members_only

# Numbers as a file for a spreadsheet.

# A cell that begins like this is a formula to a spreadsheet, and names are chosen by people. Where
# numbers have a comma, spreadsheets part cells at semicolons, so a cell may begin inside another.
FORMULA_SIGNS = "=+@＝＋－＠-"  # noqa: RUF001 - full width
_CELL_BEGINS = re.compile(rf"""(^|[;\t\r\n])([ "]*)(?=[\t\r{FORMULA_SIGNS}])""")


def csv_response(name: str, rows: Iterable[Iterable[object]]) -> HttpResponse:
    """An answer that is saved under the name; no text in it is read as a formula."""
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    csv.writer(answer).writerows([_cell(value) for value in row] for row in rows)
    return answer


def _cell(value: object) -> object:
    return _CELL_BEGINS.sub(r"\1\2'", value) if isinstance(value, str) else value


TARGET_LABELS = {
    "memory": lazy_text("Memories"),
    "proposal": lazy_text("Review"),
    "group": lazy_text("Groups"),
    "member": lazy_text("Members"),
    "robot": lazy_text("Robots"),
    "team": lazy_text("Teams of robots"),
    "key": lazy_text("Keys"),
    "webhook": lazy_text("Webhooks"),
    "delegation": lazy_text("Leave for robots"),
    "account": lazy_text("Calendars, mail and feeds"),
    "erasure": lazy_text("Erasures"),
    "debate": lazy_text("Debates"),
    "policy": lazy_text("What happens by itself"),
    "gate": lazy_text("Gates"),
    "support": lazy_text("Support staff"),
}


class AuditFilterForm(forms.Form):
    """The filters in the address; invalid ones are ignored."""

    kind = forms.ChoiceField(choices=list(TARGET_LABELS.items()), required=False)
    doing = forms.CharField(required=False, max_length=100)
    act = forms.ChoiceField(choices=[(action, action) for action in ACTION_LABELS], required=False)
    person = forms.CharField(required=False, max_length=100)
    robot = forms.CharField(required=False, max_length=100)
    who = forms.UUIDField(required=False)
    about = forms.UUIDField(required=False)
    staff = forms.BooleanField(required=False)
    memory = forms.UUIDField(required=False)
    member = forms.UUIDField(required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    before = forms.UUIDField(required=False)


class CursorForm(forms.Form):
    """Where a trail goes on."""

    before = forms.UUIDField(required=False)


@require_safe
@never_cache
@members_only(*ADMINS)
def audit_trail(request: HttpRequest) -> HttpResponse:
    """A page of the trail, filtered by what the address says."""
    chosen = _parse_filters(request)
    trail = get_audit_page(request.actor, AuditFilter(**_days_to_datetimes(chosen)))
    entries = [_present_entry(entry, trail, chosen) for entry in trail.entries]
    context = {
        "entries": entries,
        "days": group_by_day(entries),
        "chosen": chosen,
        "filters": [_target_filter(chosen)],
        "acts": _action_labels(),
        "act": _capitalised(ACTION_LABELS[chosen["act"]]) if "act" in chosen else "",
        "act_clear_url": _page_url(
            {name: value for name, value in chosen.items() if name not in ("act", "before")}
        ),
        "file_url": _page_url(chosen, page="audit-file", before=None),
        "clear_url": reverse("audit") if chosen else "",
        "page": _page_urls(trail, chosen),
        "empty": _empty_state(chosen),
    }
    return render(request, "memories/insights/audit_trail.html", context)


@require_safe
@never_cache
@members_only(*ADMINS)
def audit_file(request: HttpRequest) -> HttpResponse:
    """The same entries for a spreadsheet, the newest MOST of them."""
    trail = get_audit_page(
        request.actor, AuditFilter(**_days_to_datetimes(_parse_filters(request))), most=MAX_EXPORTED
    )
    rows = (csv_row(present_entry(entry, trail)) for entry in trail.entries)
    return csv_response("audit", [CSV_HEADER, *rows])


@require_safe
@never_cache
@members_only(*ADMINS)
def memory_audit_trail(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """What was done to one memory."""
    trail = get_memory_audit_page(request.actor, memory_id, before=_parse_cursor(request))
    back = (gettext("Memory"), reverse("memory-page", args=[memory_id]))
    here = (gettext("Trail"), reverse("memory-trail", args=[memory_id]))
    return _render_trail(
        request, trail, gettext("What was done to this memory"), back, here, {"about": memory_id}
    )


@require_safe
@never_cache
@members_only(*ADMINS)
def member_audit_trail(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """What one member did, and what was done to them."""
    name, trail = get_member_audit_page(request.actor, member_id, before=_parse_cursor(request))
    title = gettext("What %(name)s did, and what was done to them") % {"name": name}
    back = (gettext("Audit"), reverse("audit"))
    here = (name, reverse("person-trail", args=[member_id]))
    return _render_trail(request, trail, title, back, here, {"member": member_id})


def _render_trail(
    request: HttpRequest,
    trail: AuditPage,
    title: str,
    back: tuple[str, str],
    here: tuple[str, str],
    file: dict[str, Any],
) -> HttpResponse:
    """here: what the crumbs call this page, and its address. file: what all its entries are about,
    so that none of them leads to the trail of that."""
    name, address = here
    first = address if _parse_cursor(request) else ""
    entries = [_present_entry(entry, trail, {}) for entry in trail.entries]
    for entry in entries:
        if entry["about"] in file.values():
            entry["about_url"] = ""
    context = {
        "title": title,
        "back": back,
        "here": name,
        "entries": entries,
        "days": group_by_day(entries),
        "file_url": _page_url(file, page="audit-file"),
        "page": {"first_url": first, "next_url": f"{address}?before={trail.before}"}
        if trail.before
        else {"first_url": first, "next_url": ""},
        "empty": {
            "title": gettext("Nothing yet"),
            "text": gettext("Nothing of this is in the audit trail."),
        },
    }
    return render(request, "memories/insights/audit_of.html", context)


def _parse_cursor(request: HttpRequest) -> UUID | None:
    form = CursorForm(request.GET)
    return form.cleaned_data["before"] if form.is_valid() else None


def _parse_filters(request: HttpRequest) -> dict[str, Any]:
    """The filters that were understood."""
    form = AuditFilterForm(request.GET)
    form.is_valid()
    return {name: value for name, value in form.cleaned_data.items() if value}


def _present_entry(entry: AuditEntry, trail: AuditPage, chosen: dict[str, Any]) -> dict[str, Any]:
    """In words, with the addresses of its like under the filters that are set."""
    words = present_entry(entry, trail)
    kept = {name: value for name, value in chosen.items() if name != "before"}
    rest = {name: value for name, value in kept.items() if name not in ("who", "staff", "person")}
    return words | {
        "only_url": _page_url(rest, **words["only"]) if words["only"] else "",
        "act_url": _page_url(kept, act=entry.action) if entry.action in ACTION_LABELS else "",
        "about_url": _page_url(kept, about=words["about"]) if words["about"] else "",
    }


def _action_labels() -> list[str]:
    """What can be done, in words, each once, for the search to complete."""
    return sorted({_capitalised(words) for words in ACTION_LABELS.values()})


def _capitalised(words: str) -> str:
    """The words of an act without what leads on to its object."""
    label = str(words).rstrip(",").replace(",", "")
    return label[:1].upper() + label[1:]


def _find_actions(words: str) -> tuple[str, ...]:
    """The actions whose words on the page, or own name, have each of these words in them; one that
    nothing is called, if there is none, so that nothing is found."""
    wanted = words.casefold().split()
    found = tuple(
        action
        for action, label in ACTION_LABELS.items()
        if all(word in f"{_capitalised(label)} {action}".casefold() for word in wanted)
    )
    return found or ("",)


def _same_label_actions(action: str) -> tuple[str, ...]:
    """The actions that are called the same, of one kind."""
    kind = action.partition(".")[0]
    return tuple(
        one
        for one in ACTION_LABELS
        if ACTION_LABELS[one] == ACTION_LABELS[action] and one.partition(".")[0] == kind
    )


def _days_to_datetimes(chosen: dict[str, Any]) -> dict[str, Any]:
    """Days become moments: from the first minute of one to the last of the other, in UTC."""
    found = dict(chosen)
    if act := found.pop("act", None):
        found["acts"] = _same_label_actions(act)
    if doing := found.pop("doing", None):
        acts = _find_actions(doing)
        found["fields"] = find_edited_fields(doing) if "act" not in chosen else ()
        both = [one for one in found.get("acts", acts) if one in acts]
        found["acts"] = tuple(both) or ("",)
    if since := chosen.get("since"):
        found["since"] = datetime.combine(since, time.min, UTC)
    # After the last day of the calendar there is none to begin with, and nothing to leave out.
    if (until := found.pop("until", None)) and until < date.max:
        found["until"] = datetime.combine(until + timedelta(days=1), time.min, UTC)
    return found


def _page_url(chosen: dict[str, Any], page: str = "audit", **more: Any) -> str:
    query = {name: value for name, value in (chosen | more).items() if value}
    return f"{reverse(page)}?{urlencode(query)}" if query else reverse(page)


def _target_filter(chosen: dict[str, Any]) -> dict[str, Any]:
    options = [
        {"value": value, "label": label, "selected": chosen.get("kind") == value}
        for value, label in TARGET_LABELS.items()
    ]
    return {"name": "kind", "label": gettext("Everything"), "options": options}


def _page_urls(trail: AuditPage, chosen: dict[str, Any]) -> dict[str, str]:
    rest = {name: value for name, value in chosen.items() if name != "before"}
    return {
        "first_url": _page_url(rest) if "before" in chosen else "",
        "next_url": _page_url(rest, before=trail.before) if trail.before else "",
    }


def _empty_state(chosen: dict[str, Any]) -> dict[str, str]:
    if chosen:
        return {
            "title": gettext("No match"),
            "text": gettext("Nothing that you may know of was done like that."),
            "action_url": reverse("audit"),
            "action_label": gettext("Show everything"),
        }
    return {
        "title": gettext("Nothing yet"),
        "text": gettext("Here stands who changed what, as soon as somebody does."),
    }
