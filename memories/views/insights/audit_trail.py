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
# What an action is called in a sentence; the others are shown as they are written.
WORDS = {
    "account.added": "handed in the calendar or mailbox",
    "account.refreshed": "handed in anew the calendar or mailbox",
    "account.removed": "removed the calendar or mailbox",
    "debate.opened": "opened the debate",
    "debate.criticised": "wrote down critiques in the debate",
    "debate.closed": "ended the debate",
    "decision.recorded": "recorded the decision",
    "dissent.added": "dissented from the decision",
    "dissent.answered": "answered a dissent from the decision",
    "memory.edited": "corrected",
    "memory.updated": "corrected",
    "memory.shared": "changed who may read",
    "memory.forgotten": "forgot",
    "memory.restored": "brought back",
    "memory.archived": "archived",
    "memory.moved": "put into the slowest tier",
    "memory.summarised": "summarised what was too many into",
    "memory.summary_reworded": "had a language model reword",
    "memory.summary_undone": "brought back the originals of",
    "pattern.promoted": "made known to everyone, from several groups,",
    "pattern.withdrawn": "withdrew, for want of evidence,",
    "memory.attributed": "wrote down as somebody’s words",
    "memory.protected": "protected",
    "memory.superseded": "noted that a newer memory holds in the place of",
    "memory.holds_again": "found true again",
    "memory.unprotected": "took the protection off",
    "memory.made_sensitive": "had encrypted",
    "memory.made_plain": "had stored in plain again",
    "encryption.rotated": "encrypted anew, under the newest key,",
    "memory.forced": "forced a change of the protected",
    "proposal.red_line": "asked to protect",
    "gate.passed": "wrote, and the gates let pass,",
    "gate.sanitised": "wrote, without what the gates found personal,",
    "gate.held": "wrote something personal, which waits, in",
    "gate.quarantined": "wrote what may steer a robot, which is held back, in",
    "gate.refused": "was refused, by the gates, a change of",
    "gate.asked": "asked what the gates would say",
    "gate.term_added": "added a name that stays inside",
    "gate.term_removed": "removed a name that stayed inside",
    "gate.policy_changed": "changed how strict the gates are",
    "policy.changed": "changed what happens by itself",
    "policy.archived": "archived, as the policy says,",
    "persona.faded": "archived, because nobody confirmed them any more,",
    "suggestion.made": "suggested lessons of one persona to others",
    "suggestion.accepted": "accepted a suggested lesson for the persona",
    "suggestion.rejected": "rejected a suggested lesson for the persona",
    "memory.erased": "erased for good",
    "erasure.asked": "asked to erase, everywhere and for good,",
    "erasure.done": "erased everywhere",
    "proposal.publish": "suggested for everyone",
    "proposal.return": "asked to bring back",
    "proposal.correction": "suggested another text for",
    "proposal.report": "reported",
    "proposal.mention": "found the name of somebody erased in",
    "proposal.duplicate": "saw a possible duplicate in",
    "proposal.over_capacity": "saw a full tier around",
    "proposal.contradiction": "saw something else said than in",
    "proposal.approved": "approved a proposal",
    "proposal.rejected": "rejected a proposal",
    "proposal.merged": "merged a proposal",
    "proposal.assigned": "assigned a proposal",
    "proposal.reopened": "took a decision back",
    "group.created": "made the group",
    "group.members": "changed the people in",
    "group.renamed": "renamed",
    "group.confidential": "changed who curates",
    "group.profile": "changed who reads what is posted in",
    "member.created": "added",
    "member.invited": "invited",
    "demo.removed": "removed the demo organisation",
    "member.uninvited": "withdrew the invitation of",
    "member.joined": "joined",
    "member.role": "changed the role of",
    "member.removed": "removed",
    "member.time_zone": "changed their time zone",
    "learning.paused": "paused what robots learn about them",
    "learning.resumed": "let robots learn about them again",
    "sharing.stopped": "opted out of sharing",
    "sharing.allowed": "opted in to sharing again",
    "job.change": "changed many memories at once",
    "job.import": "began an import",
    "job.export": "began to export what they may read",
    "snapshot.exported": "exported what they may read",
    "snapshot.restored": "restored a snapshot",
    "job.consolidate": "began a run of consolidation",
    "job.age": "began to judge the tiers",
    "job.retain": "began to archive what is past its time",
    "job.erase": "began to erase",
    "job.learn": "began to tend what personas learned",
    "job.summarise": "began to summarise what is full",
    "job.cancelled": "cancelled a job",
    "job.resumed": "let a job go on",
    "job.retried": "had a job tried again",
    "embedding.retried": "had memories indexed again",
    "restating.retried": "had the language model asked again",
    "identity.linked": "linked an identity to",
    "identity.proven": "heard the proof of an identity of",
    "identity.confirmed": "confirmed an identity of",
    "identity.unlinked": "took an identity from",
    "memory.divided": "took apart",
    "robot.registered": "registered",
    "robot.changed": "changed the description of",
    "robot.seated": "changed the groups of",
    "persona.made": "made the persona",
    "persona.described": "described the persona",
    "persona.removed": "removed the persona",
    "association.made": "said which persona a member has",
    "association.repeated": "said again which persona a member has",
    "association.confirmed": "confirmed which persona a member has",
    "association.removed": "took back which persona a member has",
    "robot.personal": "made a member's personal robot",
    "block.written": "wrote to a block",
    "block.entry_archived": "took an entry out of a block",
    "block.consolidated": "made one entry of several in a full block",
    "team.created": "made the team",
    "team.changed": "changed name, purpose or budget of the team",
    "team.removed": "removed the team",
    "team.robot_added": "put a robot into the team",
    "team.robot_removed": "took a robot out of the team",
    "team.promoted": "made a robot active in the team",
    "team.demoted": "made a robot passive in the team",
    "team.transferred": "handed over what was at hand in the team",
    "key.created": "made the key",
    "key.renewed": "made, in the place of an older one, the key",
    "key.revoked": "revoked the key",
    "delegation.given": "gave leave to",
    "delegation.revoked": "took leave back",
    "memories.forgotten": "forgot everything about themselves",
    "memories.restored": "brought back what they had forgotten about themselves",
    "entity.given": "named something in",
    "entity.changed": "corrected a name in",
    "entity.removed": "took a name away from",
    "task.added": "put down a task in",
    "task.changed": "changed a task in",
    "playground.asked": "asked in the playground as",
    "support.chose": "began to look at this organisation",
    "support.listed": "looked at a list of",
    "support.viewed": "looked at the facts of",
    "support.opened": "opened the text of",
    "support.read": "read",
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
