"""Metadata of memories and of questions for support, with names in the place of ids."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from memories.insights import support_work
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from memories.views.support.support_jobs import FAILURE_LABELS, times_label
from orgs.languages.page_text import format_decimal, format_number, lazy_text
from orgs.support.people import member_names, support_groups
from orgs.views.support.support_access import organisation_page
from orgs.views.support.tables import Cell, Table, badge_cell, paginate, text_cell, time_cell
from robots.views.support import robot_names as robots_named

STATUS_BADGES = {
    Status.ACTIVE: (lazy_text("Active"), "good"),
    Status.PENDING_REVIEW: (lazy_text("Waits for review"), "warn"),
    Status.QUARANTINED: (lazy_text("Held back"), "warn"),
    Status.ARCHIVED: (lazy_text("Archived"), ""),
    Status.FORGOTTEN: (lazy_text("Forgotten"), "bad"),
}
KIND_LABELS = {
    Kind.DIRECT: lazy_text("Said between two"),
    Kind.GROUP: lazy_text("Said in a group"),
    Kind.USER: lazy_text("About a person"),
    Kind.INTERACTION: lazy_text("About a conversation"),
    Kind.ORGANISATION: lazy_text("For everyone"),
    Kind.INTERNAL: lazy_text("A robot’s own note"),
}
REMOVED_ROBOT_LABEL = lazy_text("A robot that is gone")
A_ROBOT = lazy_text("A robot")


class MemoryStatusForm(forms.Form):
    """The filter in the address; an invalid one is ignored."""

    status = forms.ChoiceField(choices=Status.choices, required=False)


@require_safe
@organisation_page("support.listed", "memory")
def memory_list(request: HttpRequest) -> HttpResponse:
    """The newest memories: who, which kind and state."""
    organisation_id = request.look.organisation_id
    form = MemoryStatusForm(request.GET)
    status = form.cleaned_data["status"] if form.is_valid() else ""
    rows = support_work.support_memories(organisation_id)
    if status:
        rows = rows.filter(status=status)
    found, page = paginate(request, rows, status=status)
    robots = robots_named(organisation_id, (one.robot_id for one in found))
    groups, people = _load_names(organisation_id, found)
    table = Table(
        gettext("Memories, the newest first"),
        (gettext("Memory"), gettext("State"), gettext("Robot"), gettext("Group"), gettext("About")),
        [
            [
                text_cell(_kind_label(one), url=reverse("support-memory", args=[one.id]))
                | {"at": one.created_at},
                _status_badge(one),
                text_cell(_robot(one, robots)),
                text_cell(_name_or_default(groups, one.group_id, gettext("A group that is gone"))),
                text_cell(_name_or_default(people, one.member_id, gettext("Somebody who is gone"))),
            ]
            for one in found
        ],
        gettext("There is none like that."),
    )
    options = [
        {"value": value, "label": label, "selected": value == status}
        for value, (label, _) in STATUS_BADGES.items()
    ]
    context = {
        "title": gettext("Memories"),
        "lead": gettext("When, from which robot, in which state: never what they say."),
        "filters": [{"name": "status", "label": gettext("Any state"), "options": options}],
        "tables": [table],
        "page": page,
    }
    return render(request, "support/list.html", context)


def _kind_label(one: Memory) -> str:
    return KIND_LABELS.get(Kind(one.kind), one.kind)


def _status_badge(one: Memory) -> Cell:
    return badge_cell(*STATUS_BADGES.get(Status(one.status), (one.status, "")))


def _name_or_default(names: dict[UUID, str], id_: UUID | None, otherwise: str) -> str:
    return names.get(id_, otherwise) if id_ else ""


def _robot(one: Any, names: dict[UUID, str], id_: UUID | None = None) -> str:
    """The robot that wrote a memory, or took part in it; of what a profession reads no name."""
    return (
        A_ROBOT if one.untold else _name_or_default(names, id_ or one.robot_id, REMOVED_ROBOT_LABEL)
    )


def _load_names(
    organisation_id: UUID, found: list[Memory]
) -> tuple[dict[UUID, str], dict[UUID, str]]:
    """What groups and people of these memories are called."""
    wanted = {one.group_id for one in found if one.group_id}
    rows = support_groups(organisation_id).filter(id__in=wanted) if wanted else ()
    return {one.id: one.name for one in rows}, member_names(
        organisation_id, (one.member_id for one in found)
    )


@require_safe
@organisation_page("support.viewed", "memory")
def memory_detail(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """One memory without its text."""
    organisation_id = request.look.organisation_id
    found = support_work.find_memory_metadata(organisation_id, memory_id)
    if found is None:
        raise Http404
    one = found.memory
    ids = [one.robot_id, *(said.robot_id for said in found.contributions)]
    robots = robots_named(organisation_id, ids)
    groups, people = _load_names(organisation_id, [one])
    facts: list[tuple[str, Cell]] = [
        (gettext("State"), _status_badge(one)),
        (gettext("Kind"), text_cell(_kind_label(one))),
        (
            gettext("Type and category"),
            text_cell(" · ".join(filter(None, (one.type, one.category)))),
        ),
        (gettext("Robot"), text_cell(_robot(one, robots) or gettext("None"))),
        (
            gettext("Group"),
            text_cell(
                _name_or_default(groups, one.group_id, gettext("A group that is gone"))
                or gettext("None")
            ),
        ),
        (
            gettext("About"),
            text_cell(
                _name_or_default(people, one.member_id, gettext("Somebody who is gone"))
                or gettext("Nobody")
            ),
        ),
        (gettext("First tier"), text_cell(one.first_tier)),
        (gettext("Importance"), text_cell(f"{one.importance:.2f}")),
        (gettext("Said"), text_cell(times_label(one.remember_count))),
        (gettext("Written"), time_cell(one.created_at)),
        (gettext("Changed"), time_cell(one.updated_at)),
        (gettext("Version"), text_cell(one.version)),
        (gettext("Indexing"), text_cell(_indexing_label(found.owed))),
        (gettext("Id"), text_cell(one.id)),
    ]
    said = Table(
        gettext("Who said it"),
        (gettext("Robot"), gettext("First"), gettext("Last"), gettext("How often")),
        [
            [
                text_cell(_robot(one, robots, link.robot_id)),
                time_cell(link.first_at),
                time_cell(link.last_at),
                text_cell(format_number(link.count)),
            ]
            for link in found.contributions
        ],
        gettext("No robot did."),
    )
    context = {
        "title": gettext("A memory"),
        "lead": gettext("What it says stays closed, but for fifteen minutes with a reason."),
        "back": (gettext("Memories"), reverse("support-memories")),
        "act": (gettext("Open what it says"), reverse("support-open", args=[memory_id])),
        "facts": facts,
        "tables": [said],
    }
    return render(request, "support/list.html", context)


def _indexing_label(row: Any) -> str:
    if row is None:
        return gettext("Done")
    if row.state == "dead":
        return gettext("Given up: %(reason)s") % {
            "reason": FAILURE_LABELS.get(row.reason, row.reason)
        }
    return gettext("Left to its words") if row.state == "dropped" else gettext("Waits")


@require_safe
@organisation_page("support.listed", "recall")
def recall_list(request: HttpRequest) -> HttpResponse:
    """Which robot asked when and how long it took; never what."""
    organisation_id = request.look.organisation_id
    found, page = paginate(request, support_work.support_recalls(organisation_id))
    robots = robots_named(organisation_id, (one.robot_id for one in found))
    table = Table(
        gettext("Questions, the newest first"),
        (gettext("When"), gettext("Robot"), gettext("Strategy"), gettext("Took")),
        [
            [
                time_cell(one.created_at),
                text_cell(
                    _name_or_default(robots, one.robot_id, REMOVED_ROBOT_LABEL)
                    or gettext("A person, in the browser")
                ),
                text_cell(one.strategy),
                text_cell(
                    gettext("%(took_ms)s ms") % {"took_ms": format_decimal(one.took_ms, ",.0f")}
                ),
            ]
            for one in found
        ],
        gettext("Nobody has asked yet."),
    )
    lead = gettext("Which robot asked, in which way and how long it took: never what was asked.")
    context = {"title": gettext("Questions"), "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)
