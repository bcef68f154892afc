"""The audit trail in sentences, for admins of the organisation."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.insights.audit_trail import (
    MOST,
    Trail,
    Wanted,
    member_trail,
    memory_trail,
    read_trail,
)
from memories.views.insights.audit_entry import HEAD, entry_words, row
from memories.views.insights.audit_words import WORDS
from memories.views.insights.csv_file import csv_file
from orgs.models.audit import AuditEntry
from orgs.views.access import ADMINS, members_only

KINDS = {
    "memory": "Memories",
    "proposal": "Review",
    "group": "Groups",
    "member": "Members",
    "robot": "Robots",
    "team": "Teams of robots",
    "key": "Keys",
    "delegation": "Leave for robots",
    "account": "Calendars and mail",
    "erasure": "Erasures",
    "debate": "Debates",
    "policy": "What happens by itself",
    "gate": "Gates",
    "support": "Support staff",
}


class FilterForm(forms.Form):
    """The filters in the address; invalid ones are ignored."""

    kind = forms.ChoiceField(choices=list(KINDS.items()), required=False)
    act = forms.ChoiceField(choices=[(action, action) for action in WORDS], required=False)
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


class PartForm(forms.Form):
    """Where a trail goes on."""

    before = forms.UUIDField(required=False)


@require_safe
@never_cache
@members_only(*ADMINS)
def audit(request: HttpRequest) -> HttpResponse:
    """A page of the trail, filtered by what the address says."""
    chosen = _chosen(request)
    trail = read_trail(request.actor, Wanted(**_moments(chosen)))
    context = {
        "entries": [_entry(entry, trail, chosen) for entry in trail.entries],
        "chosen": chosen,
        "filters": [_kinds(chosen)],
        "acts": _acts(chosen),
        "file_url": _address(chosen, page="audit-file", before=None),
        "clear_url": reverse("audit") if chosen else "",
        "page": _page(trail, chosen),
        "empty": _empty(chosen),
    }
    return render(request, "memories/insights/audit_trail.html", context)


@require_safe
@never_cache
@members_only(*ADMINS)
def audit_file(request: HttpRequest) -> HttpResponse:
    """The same entries for a spreadsheet, the newest MOST of them."""
    trail = read_trail(request.actor, Wanted(**_moments(_chosen(request))), most=MOST)
    rows = (row(entry_words(entry, trail)) for entry in trail.entries)
    return csv_file("audit", [HEAD, *rows])


@require_safe
@never_cache
@members_only(*ADMINS)
def of_memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """What was done to one memory."""
    trail = memory_trail(request.actor, memory_id, before=_before(request))
    back = ("Memory", reverse("memory-page", args=[memory_id]))
    here = ("Trail", reverse("memory-trail", args=[memory_id]))
    return _trail(request, trail, "What was done to this memory", back, here, {"about": memory_id})


@require_safe
@never_cache
@members_only(*ADMINS)
def of_member(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """What one member did, and what was done to them."""
    name, trail = member_trail(request.actor, member_id, before=_before(request))
    title = f"What {name} did, and what was done to them"
    back = ("Audit", reverse("audit"))
    here = (name, reverse("person-trail", args=[member_id]))
    return _trail(request, trail, title, back, here, {"member": member_id})


def _trail(
    request: HttpRequest,
    trail: Trail,
    title: str,
    back: tuple[str, str],
    here: tuple[str, str],
    file: dict[str, Any],
) -> HttpResponse:
    """here: what the crumbs call this page, and its address. file: what all its entries are about,
    so that none of them leads to the trail of that."""
    name, address = here
    first = address if _before(request) else ""
    entries = [_entry(entry, trail, {}) for entry in trail.entries]
    for entry in entries:
        if entry["about"] in file.values():
            entry["about_url"] = ""
    context = {
        "title": title,
        "back": back,
        "here": name,
        "entries": entries,
        "file_url": _address(file, page="audit-file"),
        "page": {"first_url": first, "next_url": f"{address}?before={trail.before}"}
        if trail.before
        else {"first_url": first, "next_url": ""},
        "empty": {"title": "Nothing yet", "text": "Nothing of this is in the audit trail."},
    }
    return render(request, "memories/insights/audit_of.html", context)


def _before(request: HttpRequest) -> UUID | None:
    form = PartForm(request.GET)
    return form.cleaned_data["before"] if form.is_valid() else None


def _chosen(request: HttpRequest) -> dict[str, Any]:
    """The filters that were understood."""
    form = FilterForm(request.GET)
    form.is_valid()
    return {name: value for name, value in form.cleaned_data.items() if value}


def _entry(entry: AuditEntry, trail: Trail, chosen: dict[str, Any]) -> dict[str, Any]:
    """In words, with the addresses of its like under the filters that are set."""
    words = entry_words(entry, trail)
    kept = {name: value for name, value in chosen.items() if name != "before"}
    rest = {name: value for name, value in kept.items() if name not in ("who", "staff", "person")}
    return words | {
        "only_url": _address(rest, **words["only"]) if words["only"] else "",
        "act_url": _address(kept, act=entry.action) if entry.action in WORDS else "",
        "about_url": _address(kept, about=words["about"]) if words["about"] else "",
    }


def _acts(chosen: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """What can be done, by kind, each in words and once."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for action, words in WORDS.items():
        kind = action.partition(".")[0]
        label = words.rstrip(",").replace(",", "")
        same = found.setdefault(KINDS.get(kind, kind.capitalize()), {})
        same.setdefault(label, {"value": action, "label": label[:1].upper() + label[1:]})
        if chosen.get("act") == action:
            same[label]["selected"] = True
    return [(kind, list(acts.values())) for kind, acts in sorted(found.items())]


def _alike(action: str) -> tuple[str, ...]:
    """The actions that are called the same, of one kind."""
    kind = action.partition(".")[0]
    return tuple(
        one for one in WORDS if WORDS[one] == WORDS[action] and one.partition(".")[0] == kind
    )


def _moments(chosen: dict[str, Any]) -> dict[str, Any]:
    """Days become moments: from the first minute of one to the last of the other, in UTC."""
    found = dict(chosen)
    if act := found.pop("act", None):
        found["acts"] = _alike(act)
    if since := chosen.get("since"):
        found["since"] = datetime.combine(since, time.min, UTC)
    # After the last day of the calendar there is none to begin with, and nothing to leave out.
    if (until := found.pop("until", None)) and until < date.max:
        found["until"] = datetime.combine(until + timedelta(days=1), time.min, UTC)
    return found


def _address(chosen: dict[str, Any], page: str = "audit", **more: Any) -> str:
    query = {name: value for name, value in (chosen | more).items() if value}
    return f"{reverse(page)}?{urlencode(query)}" if query else reverse(page)


def _kinds(chosen: dict[str, Any]) -> dict[str, Any]:
    options = [
        {"value": value, "label": label, "selected": chosen.get("kind") == value}
        for value, label in KINDS.items()
    ]
    return {"name": "kind", "label": "Everything", "options": options}


def _page(trail: Trail, chosen: dict[str, Any]) -> dict[str, str]:
    rest = {name: value for name, value in chosen.items() if name != "before"}
    return {
        "first_url": _address(rest) if "before" in chosen else "",
        "next_url": _address(rest, before=trail.before) if trail.before else "",
    }


def _empty(chosen: dict[str, Any]) -> dict[str, str]:
    if chosen:
        return {
            "title": "No match",
            "text": "Nothing that you may know of was done like that.",
            "action_url": reverse("audit"),
            "action_label": "Show everything",
        }
    return {
        "title": "Nothing yet",
        "text": "Here stands who changed what, as soon as somebody does.",
    }
