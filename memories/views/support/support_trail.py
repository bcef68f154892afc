"""The audit trail of the organisation that support looks at: who did what, without the details."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from memories.insights.support_work import support_audit_entries
from memories.views.insights.audit_entry_presenter import LIST_LABELS, UNKNOWN_TARGET_LABELS
from memories.views.insights.audit_labels import ACTION_LABELS
from orgs.languages.page_text import lazy_text
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from orgs.support.people import member_names, support_groups
from orgs.views.support.support_access import organisation_page
from orgs.views.support.tables import Cell, Table, paginate, text_cell, time_cell
from robots.views.support import robot_names as robots_named

A_ROBOT = lazy_text("A robot")
PAGE_BY_TARGET = {"member": "support-member", "group": "support-group", "memory": "support-memory"}


@require_safe
@organisation_page("support.listed", "auditentry")
def support_trail(request: HttpRequest) -> HttpResponse:
    """What was done, the newest first."""
    organisation_id = request.look.organisation_id
    found, page = paginate(request, support_audit_entries(organisation_id))
    people = member_names(organisation_id, [e.member for e in found] + _target_ids(found, "member"))
    robots = robots_named(organisation_id, [e.robot for e in found] + _target_ids(found, "robot"))
    wanted = _target_ids(found, "group")
    rows = support_groups(organisation_id).filter(id__in=wanted) if wanted else ()
    named = {"member": people, "robot": robots, "group": {one.id: one.name for one in rows}}
    table = Table(
        gettext("What was done, the newest first"),
        (gettext("When"), gettext("Who"), gettext("What")),
        [
            [
                time_cell(day_of(e.at) if e.untold else e.at),
                _actor_cell(e, request.user.pk, people, robots),
                _action_cell(e, named),
            ]
            for e in found
        ],
        gettext("Nothing was done yet."),
    )
    lead = gettext(
        "Who did what, and to what. Reasons and other details are for the organisation’s admins."
    )
    context = {"title": gettext("Audit"), "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _target_ids(found: list[AuditEntry], kind: str) -> list[UUID]:
    return [entry.target for entry in found if entry.target_type == kind and entry.target]


def _actor_cell(entry: Any, me: UUID, people: dict[UUID, str], robots: dict[UUID, str]) -> Cell:
    if entry.staff:
        return text_cell(gettext("You") if entry.staff == me else gettext("Support"))
    if entry.untold:
        return text_cell(A_ROBOT)
    if entry.member:
        return text_cell(people.get(entry.member, gettext("Somebody who is gone")))
    if entry.robot:
        return text_cell(robots.get(entry.robot, gettext("A robot that is gone")))
    return text_cell(gettext("Commonmind itself"))


def _action_cell(entry: Any, named: dict[str, dict[UUID, str]]) -> Cell:
    did = ACTION_LABELS.get(entry.action, entry.action.replace(".", ": ").replace("_", " "))
    if entry.action == "support.listed":
        return text_cell(f"{did} {LIST_LABELS.get(entry.target_type, 'entries')}")
    if entry.target is None:
        return text_cell(did)
    known = "" if entry.untold else named.get(entry.target_type, {}).get(entry.target)
    what = known or (gettext("a memory") if entry.target_type == "memory" else "")
    page = PAGE_BY_TARGET.get(entry.target_type) if what else None
    return {
        "text": f"{did} {what or UNKNOWN_TARGET_LABELS.get(entry.target_type, '')}",
        "url": reverse(page, args=[entry.target]) if page else "",
    }
