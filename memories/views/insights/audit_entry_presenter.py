"""One entry of the audit trail in words: who did what to which thing, and what became of it."""

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext

from memories.insights.audit_trail import AuditPage
from memories.views.insights.audit_labels import (
    ACTION_LABELS,
    BY_ITSELF,
    POLICY_LABELS,
    bulk_change_label,
    edit_label,
)
from orgs.languages.page_text import format_number, lazy_text
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from orgs.organisations.references import parse_uuid
from orgs.views.excerpts import truncatechars
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME

POLICY_FIELD_LABELS = {
    "max_age_days": lazy_text("days by type"),
    "past_half_life": lazy_text("twice the half-life"),
    "keep_most": lazy_text("number kept"),
    "capacities": lazy_text("room in the tiers"),
    "evict": "summaries",
    "merge_duplicates": "merging",
}
# What a thing is called that has no name, or none that the reader may know.
UNKNOWN_TARGET_LABELS = {
    "group": lazy_text("a group that you are not in"),
    "member": lazy_text("somebody who is gone"),
    "robot": lazy_text("a robot that is gone"),
    "team": lazy_text("a team that is gone"),
    "key": lazy_text("a key that is gone"),
    "webhook": lazy_text("a webhook"),
    "groupmembership": lazy_text("who sits in a group"),
    "contribution": lazy_text("who said a memory"),
    "pending": lazy_text("work that waits"),
    "recall": lazy_text("a question’s figures"),
    "auditentry": lazy_text("this trail"),
}
LIST_LABELS = {
    "memory": "memories",
    "member": "members",
    "group": "groups",
    "robot": lazy_text("robots and their keys"),
    "key": "keys",
    "job": "jobs",
    "groupmembership": lazy_text("who sits in which group"),
    "contribution": lazy_text("who said which memory"),
    "pending": lazy_text("work that waits"),
    "recall": lazy_text("questions’ figures"),
    "auditentry": lazy_text("this trail"),
}


def present_entry(entry: AuditEntry, trail: AuditPage) -> dict[str, Any]:
    """For memories/insights/audit_trail.html. newer_url: the memory that holds instead. only,
    about: what to filter by for its like."""
    who, only = _actor_name(entry, trail)
    untold = entry.id in trail.untold
    through = entry.robot and entry.member and not untold
    what = _target_of(entry, trail)
    return {
        # An older entry may hold a finer time.
        "at": day_of(entry.at) if untold else entry.at,
        "who": who,
        "robot": trail.robots.get(entry.robot, "") if through else "",
        "only": only,
        "did": _action_sentence(entry, trail),
        "action": entry.action,
        **what,
        # A file holds no words of a memory; the page shows those that its reader reads anyway.
        "text": truncatechars(trail.texts.get(entry.target, ""), 60) if what.get("known") else "",
        "about": entry.target if what.get("known") else None,
        "is_person": entry.target_type == "member",
        "change": _change(entry, trail),
        "newer_url": "" if untold else _newer_url(entry, trail),
        # What a gate found names nobody.
        "detail": "" if untold and "found" not in entry.detail else _detail(entry, trail),
    }


def _newer_url(entry: AuditEntry, trail: AuditPage) -> str:
    """The address of the memory that holds in the place of this one, where the reader may open
    both."""
    newer = parse_uuid(str(entry.detail.get("by", "")))
    known = entry.action == "memory.superseded" and {entry.target, newer} <= trail.memories
    return reverse("memory-page", args=[newer]) if known else ""


def _action_sentence(entry: AuditEntry, trail: AuditPage) -> str:
    """What was done. What was changed of a memory is told to who reads it."""
    if entry.action == "job.change":
        return bulk_change_label(entry.detail)
    if entry.action == "memory.edited" and entry.target in trail.memories:
        return edit_label(entry.detail.get("fields", ()))
    return ACTION_LABELS.get(entry.action, entry.action.replace(".", ": ").replace("_", " "))


def csv_row(entry: dict[str, Any]) -> list[object]:
    """The same as cells of a file; see HEAD. An id is given only for things with a name."""
    before, after = entry["change"] or ("", "")
    at = entry["at"]
    return [
        (at if at != day_of(at) else at.date()).isoformat(),
        entry["who"],
        entry["robot"],
        entry["did"],
        entry["what"],
        before,
        after,
        entry["detail"],
        entry["action"],
        entry["about"] or "",
    ]


CSV_HEADER = ["when", "who", "through", "did", "what", "from", "to", "detail", "action", "id"]


# Acts of which an entry keeps what was before and what is after.
_ACTIONS_WITH_CHANGE = (
    "memory.edited",
    "memory.shared",
    "memory.moved",
    "member.role",
    "gate.policy_changed",
)
# For whom something was written.
_AUDIENCE_LABELS = {
    "organisation": "everyone",
    "group": lazy_text("a group"),
    "member": lazy_text("one member alone"),
    "robot": lazy_text("the robot itself"),
    "team": lazy_text("the robots of a team"),
    "explicit": lazy_text("some people and robots"),
    "persona": lazy_text("a persona"),
    "industry": lazy_text("an industry"),
    "role": lazy_text("a role"),
    "review": lazy_text("those who review"),
}


def _change(entry: AuditEntry, trail: AuditPage) -> tuple[str, str] | None:
    """The value before and after, or None if the entry has none or the reader may not know it."""
    told = entry.detail
    if entry.action == "group.confidential":
        states = (gettext("open to curators"), "confidential")
        return states if told.get("confidential") else states[::-1]
    if entry.action not in _ACTIONS_WITH_CHANGE or "before" not in told or "after" not in told:
        return None
    if entry.target_type == "memory" and entry.target not in trail.memories:
        return None
    if told.get("fields") == ["tags"]:
        return _tag_count_label(told["before"]), _tag_count_label(told["after"])
    return _value_label(told["before"], trail), _value_label(told["after"], trail)


def _tag_count_label(number: int) -> str:
    return (
        gettext("1 tag")
        if number == 1
        else gettext("%(number)s tags") % {"number": format_number(number)}
    )


def _value_label(value: object, trail: AuditPage) -> str:
    """A word as it is; readers by their name, as far as the reader is one of them."""
    text = "" if value is None else str(value)
    id_ = parse_uuid(text)
    if id_ is None:
        return text.replace("_", " ") or gettext("none")
    return trail.places.get(id_, gettext("readers of whom you are none"))


def _actor_name(entry: AuditEntry, trail: AuditPage) -> tuple[str, dict[str, Any]]:
    """Who did it, and the filter for what else they did."""
    if entry.id in trail.robots_untold:
        return gettext(HIDDEN_ROBOT_NAME), {}
    if entry.id in trail.untold:
        return gettext("%(robot)s, for somebody") % {
            "robot": trail.robots.get(entry.robot, gettext("A robot that is gone"))
        }, {}
    if entry.staff:
        return gettext("%(staff)s (support)") % {
            "staff": trail.staff.get(entry.staff, gettext("Somebody"))
        }, {"staff": "on"}
    if entry.member:
        return trail.people.get(entry.member, gettext("Somebody who is gone")), {
            "who": entry.member
        }
    if entry.robot:
        return trail.robots.get(entry.robot, gettext("A robot that is gone")), {"who": entry.robot}
    return gettext("The identity provider") if "provider" in entry.detail else BY_ITSELF, {}


# The page of a thing that has one.
_PAGE_BY_TARGET = {"member": "person-trail", "group": "group-page", "robot": "robot-page"}


def _target_of(entry: AuditEntry, trail: AuditPage) -> dict[str, Any]:
    """The thing in words, with its address where the reader may open it."""
    target: UUID | None = entry.target
    if entry.action in ("support.listed", "job.change"):
        return {"what": _plural_target(entry)}
    if target is None or (entry.target_type == "member" and target == entry.member):
        return {"what": ""}
    if entry.target_type == "memory":
        if target in trail.memories:
            address = reverse("memory-page", args=[target])
            return {"what": gettext("a memory"), "what_url": address, "known": True}
        return {"what": gettext("a memory that is gone or not yours to read")}
    known: dict[str, dict[UUID, str]] = {
        "member": trail.people,
        "robot": trail.robots,
        "group": trail.groups,
        "team": trail.teams,
        "key": trail.keys,
    }
    named = known.get(entry.target_type, {}).get(target)
    if named is None or entry.id in trail.untold:
        return {"what": UNKNOWN_TARGET_LABELS.get(entry.target_type, "")}
    page = _PAGE_BY_TARGET.get(entry.target_type)
    return {
        "what": named,
        "what_url": reverse(page, args=[target]) if page else "",
        "known": True,
    }


def _plural_target(entry: AuditEntry) -> str:
    """What is not one thing: a list, or how many memories."""
    if entry.action == "support.listed":
        return LIST_LABELS.get(entry.target_type, gettext("entries"))
    if bulk_change_label(entry.detail) == ACTION_LABELS["job.change"]:
        return ""
    return _memory_count(entry.detail["total"])


def _memory_count(number: int) -> str:
    return (
        gettext("1 memory")
        if number == 1
        else gettext("%(number)s memories") % {"number": format_number(number)}
    )


def _detail(entry: AuditEntry, trail: AuditPage) -> str:
    """Further details: a role, a number, a reason that support gave."""
    told = entry.detail
    if entry.action.startswith("support."):
        return _support_detail(told)
    if entry.action.startswith("gate.") and "found" in told:
        return _gate_detail(told)
    if entry.target_type == "memory":
        return _memory_detail(entry, trail)
    if entry.target_type == "team" and told.get("robot"):
        return trail.robots.get(UUID(told["robot"]), UNKNOWN_TARGET_LABELS["robot"])
    if entry.target_type == "policy":
        return _policy_detail(entry.action, told)
    return _registry_detail(entry.action, told)


def _support_detail(told: dict[str, Any]) -> str:
    """The reason that support gave, the browser that was signed out, how much is tried again."""
    if told.get("reason"):
        return f"“{told['reason']}”"
    if told.get("browser"):
        return gettext("in %(browser)s") % {"browser": told["browser"]}
    if told.get("ended"):
        return gettext("everywhere")
    if "count" not in told:
        return ""
    return _memory_count(told["count"])


def _gate_detail(told: dict[str, Any]) -> str:
    """For whom it was meant, and how often each kind was found."""
    found = ", ".join(
        f"{format_number(times)} {kind.replace('_', ' ')}" for kind, times in told["found"].items()
    )
    kind = str(told.get("audience", ""))
    whom = gettext("for %(kind)s") % {"kind": _AUDIENCE_LABELS.get(kind, kind)} if kind else ""
    broke = gettext("the check failed") if told.get("failed") else ""
    return "; ".join(part for part in (whom, found, broke) if part)


def _policy_detail(action: str, told: dict[str, Any]) -> str:
    """Which parts changed, or how many memories a run archived."""
    if action == "policy.archived":
        number = told.get("memories", 0)
        return _memory_count(number)
    return ", ".join(str(words) for name, words in POLICY_FIELD_LABELS.items() if name in told)


def _registry_detail(action: str, told: dict[str, Any]) -> str:
    """What was done to a member or a group."""
    match action:
        case "member.invited" if told:
            return gettext("as %(value)s") % {"value": told.get("role")}
        case "group.members":
            return gettext("%(value)s in, %(value2)s out") % {
                "value": len(told.get("added", [])),
                "value2": len(told.get("removed", [])),
            }
        case "group.contradiction_policy":
            return str(told.get("contradiction_policy", "")).replace("_", " ")
    return ""


def _memory_detail(entry: AuditEntry, trail: AuditPage) -> str:
    """Writer and speaker, if they differ; the reason why an admin forced something."""
    told, parts = entry.detail, []
    if entry.target not in trail.memories:
        return ""
    if entry.action == "memory.summarised":
        parts.append(
            gettext("%(value)s archived, %(value2)s summaries")
            % {
                "value": format_number(told.get("archived", 0)),
                "value2": format_number(told.get("summaries", 0)),
            }
        )
    parts.append(POLICY_LABELS.get(told.get("policy", ""), ""))
    if entry.action == "memory.forced":
        parts += [": ".join(str(told[word]) for word in ("act", "reason") if told.get(word))]
    if "speaker" in told:
        parts.append(
            gettext("%(speaker)s’s words, written by %(told)s")
            % {"speaker": _person_name(told["speaker"], trail), "told": _writer_name(told, trail)}
        )
    return "; ".join(str(part) for part in parts if part)


def _person_name(id_: str, trail: AuditPage) -> str:
    return trail.people.get(UUID(id_), gettext("somebody who is gone"))


def _writer_name(told: dict[str, Any], trail: AuditPage) -> str:
    if robot := told.get("written_by_robot"):
        return trail.robots.get(UUID(robot), gettext("a robot that is gone"))
    return _person_name(told["author"], trail)
