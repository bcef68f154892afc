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

from memories.insights.audit_trail import Trail, Wanted, read_trail
from memories.views.insights.audit_words import WORDS
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

POLICY = {
    "max_age_days": "days by type",
    "past_half_life": "twice the half-life",
    "keep_most": "number kept",
    "capacities": "room in the tiers",
    "evict": "summaries",
    "merge_duplicates": "merging",
}
# What a thing is called that has no name, or none that the reader may know.
UNNAMED = {
    "group": "a group that you are not in",
    "member": "somebody who is gone",
    "robot": "a robot that is gone",
    "team": "a team that is gone",
    "key": "a key that is gone",
    "groupmembership": "who sits in a group",
    "contribution": "who said a memory",
    "pending": "work that waits",
    "recall": "a question’s figures",
    "auditentry": "this trail",
}
LISTS = {
    "memory": "memories",
    "member": "members",
    "group": "groups",
    "robot": "robots",
    "key": "keys",
    "groupmembership": "who sits in which group",
    "contribution": "who said which memory",
    "pending": "work that waits",
    "recall": "questions’ figures",
    "auditentry": "this trail",
}


class FilterForm(forms.Form):
    """The filters in the address; what is not understood is not filtered by."""

    kind = forms.ChoiceField(choices=list(KINDS.items()), required=False)
    who = forms.UUIDField(required=False)
    staff = forms.BooleanField(required=False)
    memory = forms.UUIDField(required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    before = forms.UUIDField(required=False)


@require_safe
@never_cache
@members_only(*ADMINS)
def audit(request: HttpRequest) -> HttpResponse:
    """A page of the trail, filtered by what the address says."""
    form = FilterForm(request.GET)
    form.is_valid()
    chosen = {name: value for name, value in form.cleaned_data.items() if value}
    trail = read_trail(request.actor, Wanted(**_moments(chosen)))
    context = {
        "entries": [_entry(entry, trail, chosen) for entry in trail.entries],
        "chosen": chosen,
        "filters": [_kinds(chosen)],
        "clear_url": reverse("audit") if chosen else "",
        "page": _page(trail, chosen),
        "empty": _empty(chosen),
    }
    return render(request, "memories/insights/audit_trail.html", context)


def _moments(chosen: dict[str, Any]) -> dict[str, Any]:
    """Days become moments: from the first minute of one to the last of the other, in UTC."""
    found = dict(chosen)
    if since := chosen.get("since"):
        found["since"] = datetime.combine(since, time.min, UTC)
    # After the last day of the calendar there is none to begin with, and nothing to leave out.
    if (until := found.pop("until", None)) and until < date.max:
        found["until"] = datetime.combine(until + timedelta(days=1), time.min, UTC)
    return found


def _address(chosen: dict[str, Any], **more: Any) -> str:
    query = {name: value for name, value in (chosen | more).items() if value}
    return f"{reverse('audit')}?{urlencode(query)}" if query else reverse("audit")


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


def _entry(entry: AuditEntry, trail: Trail, chosen: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in chosen.items() if name not in ("before", "who", "staff")}
    who, only = _who(entry, trail)
    return {
        "at": entry.at,
        "who": who,
        "robot": trail.robots.get(entry.robot, "") if entry.robot and entry.member else "",
        "only_url": _address(rest, **only) if only else "",
        "did": WORDS.get(entry.action, entry.action.replace(".", ": ").replace("_", " ")),
        "action": entry.action,
        **_what(entry, trail),
        "detail": _detail(entry, trail),
    }


def _who(entry: AuditEntry, trail: Trail) -> tuple[str, dict[str, Any]]:
    if entry.staff:
        return f"{trail.staff.get(entry.staff, 'Somebody')} (support)", {"staff": "on"}
    if entry.member:
        return trail.people.get(entry.member, "Somebody who is gone"), {"who": entry.member}
    if entry.robot:
        return trail.robots.get(entry.robot, "A robot that is gone"), {"who": entry.robot}
    return "Commonmind itself", {}


def _what(entry: AuditEntry, trail: Trail) -> dict[str, str]:
    """The thing in words, with its address where the reader may open it."""
    target: UUID | None = entry.target
    if entry.action == "support.listed":
        return {"what": LISTS.get(entry.target_type, "entries")}
    if target is None or (entry.target_type == "member" and target == entry.member):
        return {"what": ""}
    if entry.target_type == "memory":
        if target in trail.memories:
            return {"what": "a memory", "what_url": reverse("memory-page", args=[target])}
        return {"what": "a memory that is gone or not yours to read"}
    known: dict[str, dict[UUID, str]] = {
        "member": trail.people,
        "robot": trail.robots,
        "group": trail.groups,
        "team": trail.teams,
        "key": trail.keys,
    }
    named = known.get(entry.target_type, {}).get(target)
    return {"what": named or UNNAMED.get(entry.target_type, "")}


def _detail(entry: AuditEntry, trail: Trail) -> str:
    """Words of the trade beside it: a role, a number, a reason that support gave."""
    told = entry.detail
    if entry.action.startswith("support."):
        return f"“{told['reason']}”" if told.get("reason") else ""
    if entry.action.startswith("gate.") and "found" in told:
        return _of_gate(told)
    if entry.target_type == "memory":
        return _of_memory(entry, trail)
    if entry.target_type == "team" and told.get("robot"):
        return trail.robots.get(UUID(told["robot"]), UNNAMED["robot"])
    if entry.target_type == "policy":
        return _of_policy(entry.action, told)
    return _of_registry(entry.action, told)


def _of_gate(told: dict[str, Any]) -> str:
    """For whom it was, and what was found how often."""
    found = ", ".join(
        f"{times:,} {kind.replace('_', ' ')}" for kind, times in told["found"].items()
    )
    broke = "the check failed" if told.get("failed") else ""
    return "; ".join(filter(None, [f"for {told.get('audience', '')}", found, broke]))


def _of_policy(action: str, told: dict[str, Any]) -> str:
    """Which parts changed, or how many memories a run archived."""
    if action == "policy.archived":
        number = told.get("memories", 0)
        return f"{number:,} memor{'y' if number == 1 else 'ies'}"
    if action == "gate.policy_changed":
        return f"{told.get('before')} → {told.get('after')}".replace("_", " ")
    return ", ".join(words for name, words in POLICY.items() if name in told)


def _of_registry(action: str, told: dict[str, Any]) -> str:
    """What became of a member or a group."""
    match action:
        case "member.role" if told:
            return f"{told.get('before')} → {told.get('after')}"
        case "member.invited" if told:
            return f"as {told.get('role')}"
        case "group.confidential":
            return "confidential" if told.get("confidential") else "open to curators"
        case "group.members":
            return f"{len(told.get('added', []))} in, {len(told.get('removed', []))} out"
    return ""


def _of_memory(entry: AuditEntry, trail: Trail) -> str:
    """Who wrote it and whose words it gives, where these are two; why an admin forced something."""
    told, parts = entry.detail, []
    if entry.target not in trail.memories:
        return ""
    if entry.action == "memory.summarised":
        parts.append(
            f"{told.get('archived', 0):,} archived, {told.get('summaries', 0):,} summaries"
        )
    if entry.action == "memory.forced":
        parts += [": ".join(str(told[word]) for word in ("act", "reason") if told.get(word))]
    if "speaker" in told:
        parts.append(
            f"{_called(told['speaker'], trail)}’s words, written by {_writer(told, trail)}"
        )
    return "; ".join(filter(None, parts))


def _called(id_: str, trail: Trail) -> str:
    return trail.people.get(UUID(id_), "somebody who is gone")


def _writer(told: dict[str, Any], trail: Trail) -> str:
    if robot := told.get("written_by_robot"):
        return trail.robots.get(UUID(robot), "a robot that is gone")
    return _called(told["author"], trail)
