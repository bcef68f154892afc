"""The audit trail of the organisation that support looks at: who did what, without the details."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from memories.insights.support_memories import trail_of
from memories.views.insights.audit_entry import LISTS, UNNAMED
from memories.views.insights.audit_words import WORDS
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from orgs.support.people import groups_of, names_of
from orgs.views.support.gate import in_organisation
from orgs.views.support.tables import Cell, Table, page_of, text, when
from robots.views.support import names_of as robots_named

A_ROBOT = "A robot"
PAGES = {"member": "support-member", "group": "support-group", "memory": "support-memory"}


@require_safe
@in_organisation("support.listed", "auditentry")
def trail(request: HttpRequest) -> HttpResponse:
    """What was done, the newest first."""
    organisation_id = request.look.organisation_id
    found, page = page_of(request, trail_of(organisation_id))
    people = names_of(organisation_id, [e.member for e in found] + _targets(found, "member"))
    robots = robots_named(organisation_id, [e.robot for e in found] + _targets(found, "robot"))
    wanted = _targets(found, "group")
    rows = groups_of(organisation_id).filter(id__in=wanted) if wanted else ()
    named = {"member": people, "robot": robots, "group": {one.id: one.name for one in rows}}
    table = Table(
        "What was done, the newest first",
        ("When", "Who", "What"),
        [
            [
                when(day_of(e.at) if e.untold else e.at),
                _who(e, request.user.pk, people, robots),
                _what(e, named),
            ]
            for e in found
        ],
        "Nothing was done yet.",
    )
    lead = "Who did what, and to what. Reasons and other details are for the organisation’s admins."
    context = {"title": "Audit", "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _targets(found: list[AuditEntry], kind: str) -> list[UUID]:
    return [entry.target for entry in found if entry.target_type == kind and entry.target]


def _who(entry: Any, me: UUID, people: dict[UUID, str], robots: dict[UUID, str]) -> Cell:
    if entry.staff:
        return text("You" if entry.staff == me else "Support")
    if entry.untold:
        return text(A_ROBOT)
    if entry.member:
        return text(people.get(entry.member, "Somebody who is gone"))
    if entry.robot:
        return text(robots.get(entry.robot, "A robot that is gone"))
    return text("Commonmind itself")


def _what(entry: Any, named: dict[str, dict[UUID, str]]) -> Cell:
    did = WORDS.get(entry.action, entry.action.replace(".", ": ").replace("_", " "))
    if entry.action == "support.listed":
        return text(f"{did} {LISTS.get(entry.target_type, 'entries')}")
    if entry.target is None:
        return text(did)
    known = "" if entry.untold else named.get(entry.target_type, {}).get(entry.target)
    what = known or ("a memory" if entry.target_type == "memory" else "")
    page = PAGES.get(entry.target_type) if what else None
    return {
        "text": f"{did} {what or UNNAMED.get(entry.target_type, '')}",
        "url": reverse(page, args=[entry.target]) if page else "",
    }
