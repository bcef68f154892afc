"""Metadata of memories and of questions for support, with names in the place of ids."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from memories.insights import support_work
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from memories.views.support.support_jobs import FAILURE_LABELS, times_label
from orgs.support.people import member_names, support_groups
from orgs.views.support.support_access import organisation_page
from orgs.views.support.tables import Cell, Table, badge_cell, paginate, text_cell, time_cell
from robots.views.support import robot_names as robots_named

STATUS_BADGES = {
    Status.ACTIVE: ("Active", "good"),
    Status.PENDING_REVIEW: ("Waits for review", "warn"),
    Status.QUARANTINED: ("Held back", "warn"),
    Status.ARCHIVED: ("Archived", ""),
    Status.FORGOTTEN: ("Forgotten", "bad"),
}
KIND_LABELS = {
    Kind.DIRECT: "Said between two",
    Kind.GROUP: "Said in a group",
    Kind.USER: "About a person",
    Kind.INTERACTION: "About a conversation",
    Kind.ORGANISATION: "For everyone",
    Kind.INTERNAL: "A robot’s own note",
}
REMOVED_ROBOT_LABEL = "A robot that is gone"
A_ROBOT = "A robot"


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
        "Memories, the newest first",
        ("Memory", "State", "Robot", "Group", "About"),
        [
            [
                text_cell(_kind_label(one), url=reverse("support-memory", args=[one.id]))
                | {"at": one.created_at},
                _status_badge(one),
                text_cell(_robot(one, robots)),
                text_cell(_name_or_default(groups, one.group_id, "A group that is gone")),
                text_cell(_name_or_default(people, one.member_id, "Somebody who is gone")),
            ]
            for one in found
        ],
        "There is none like that.",
    )
    options = [
        {"value": value, "label": label, "selected": value == status}
        for value, (label, _) in STATUS_BADGES.items()
    ]
    context = {
        "title": "Memories",
        "lead": "When, from which robot, in which state: never what they say.",
        "filters": [{"name": "status", "label": "Any state", "options": options}],
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
        ("State", _status_badge(one)),
        ("Kind", text_cell(_kind_label(one))),
        ("Type and category", text_cell(" · ".join(filter(None, (one.type, one.category))))),
        ("Robot", text_cell(_robot(one, robots) or "None")),
        (
            "Group",
            text_cell(_name_or_default(groups, one.group_id, "A group that is gone") or "None"),
        ),
        (
            "About",
            text_cell(_name_or_default(people, one.member_id, "Somebody who is gone") or "Nobody"),
        ),
        ("First tier", text_cell(one.first_tier)),
        ("Importance", text_cell(f"{one.importance:.2f}")),
        ("Said", text_cell(times_label(one.remember_count))),
        ("Written", time_cell(one.created_at)),
        ("Changed", time_cell(one.updated_at)),
        ("Version", text_cell(one.version)),
        ("Indexing", text_cell(_indexing_label(found.owed))),
        ("Id", text_cell(one.id)),
    ]
    said = Table(
        "Who said it",
        ("Robot", "First", "Last", "How often"),
        [
            [
                text_cell(_robot(one, robots, link.robot_id)),
                time_cell(link.first_at),
                time_cell(link.last_at),
                text_cell(f"{link.count:,}"),
            ]
            for link in found.contributions
        ],
        "No robot did.",
    )
    context = {
        "title": "A memory",
        "lead": "What it says stays closed, but for fifteen minutes with a reason.",
        "back": ("Memories", reverse("support-memories")),
        "act": ("Open what it says", reverse("support-open", args=[memory_id])),
        "facts": facts,
        "tables": [said],
    }
    return render(request, "support/list.html", context)


def _indexing_label(row: Any) -> str:
    if row is None:
        return "Done"
    if row.state == "dead":
        return f"Given up: {FAILURE_LABELS.get(row.reason, row.reason)}"
    return "Left to its words" if row.state == "dropped" else "Waits"


@require_safe
@organisation_page("support.listed", "recall")
def recall_list(request: HttpRequest) -> HttpResponse:
    """Which robot asked when and how long it took; never what."""
    organisation_id = request.look.organisation_id
    found, page = paginate(request, support_work.support_recalls(organisation_id))
    robots = robots_named(organisation_id, (one.robot_id for one in found))
    table = Table(
        "Questions, the newest first",
        ("When", "Robot", "Strategy", "Took"),
        [
            [
                time_cell(one.created_at),
                text_cell(
                    _name_or_default(robots, one.robot_id, REMOVED_ROBOT_LABEL)
                    or "A person, in the browser"
                ),
                text_cell(one.strategy),
                text_cell(f"{one.took_ms:,.0f} ms"),
            ]
            for one in found
        ],
        "Nobody has asked yet.",
    )
    lead = "Which robot asked, in which way and how long it took: never what was asked."
    context = {"title": "Questions", "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)
