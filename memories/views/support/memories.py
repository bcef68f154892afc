"""Metadata of memories and of questions for support, with names in the place of ids."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from memories.insights import support_memories
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from memories.views.support.work import FAILURES, times
from orgs.support.people import groups_of, names_of
from orgs.views.support.gate import in_organisation
from orgs.views.support.tables import Cell, Table, badge, page_of, text, when
from robots.views.support import names_of as robots_named

STATES = {
    Status.ACTIVE: ("Active", "good"),
    Status.PENDING_REVIEW: ("Waits for review", "warn"),
    Status.QUARANTINED: ("Held back", "warn"),
    Status.ARCHIVED: ("Archived", ""),
    Status.FORGOTTEN: ("Forgotten", "bad"),
}
KINDS = {
    Kind.DIRECT: "Said between two",
    Kind.GROUP: "Said in a group",
    Kind.USER: "About a person",
    Kind.INTERACTION: "About a conversation",
    Kind.ORGANISATION: "For everyone",
    Kind.INTERNAL: "A robot’s own note",
}
GONE_ROBOT = "A robot that is gone"
A_ROBOT = "A robot"


class FilterForm(forms.Form):
    """The filter in the address; an invalid one is ignored."""

    status = forms.ChoiceField(choices=Status.choices, required=False)


@require_safe
@in_organisation("support.listed", "memory")
def memories(request: HttpRequest) -> HttpResponse:
    """The newest memories: who, which kind and state."""
    organisation_id = request.look.organisation_id
    form = FilterForm(request.GET)
    status = form.cleaned_data["status"] if form.is_valid() else ""
    rows = support_memories.memories_of(organisation_id)
    if status:
        rows = rows.filter(status=status)
    found, page = page_of(request, rows, status=status)
    robots = robots_named(organisation_id, (one.robot_id for one in found))
    groups, people = _names(organisation_id, found)
    table = Table(
        "Memories, the newest first",
        ("Memory", "State", "Robot", "Group", "About"),
        [
            [
                text(_kind(one), url=reverse("support-memory", args=[one.id]))
                | {"at": one.created_at},
                _state(one),
                text(_robot(one, robots)),
                text(_called(groups, one.group_id, "A group that is gone")),
                text(_called(people, one.member_id, "Somebody who is gone")),
            ]
            for one in found
        ],
        "There is none like that.",
    )
    options = [
        {"value": value, "label": label, "selected": value == status}
        for value, (label, _) in STATES.items()
    ]
    context = {
        "title": "Memories",
        "lead": "When, from which robot, in which state: never what they say.",
        "filters": [{"name": "status", "label": "Any state", "options": options}],
        "tables": [table],
        "page": page,
    }
    return render(request, "support/list.html", context)


def _kind(one: Memory) -> str:
    return KINDS.get(Kind(one.kind), one.kind)


def _state(one: Memory) -> Cell:
    return badge(*STATES.get(Status(one.status), (one.status, "")))


def _called(names: dict[UUID, str], id_: UUID | None, otherwise: str) -> str:
    return names.get(id_, otherwise) if id_ else ""


def _robot(one: Any, names: dict[UUID, str], id_: UUID | None = None) -> str:
    """The robot that wrote a memory, or took part in it; of what a profession reads no name."""
    return A_ROBOT if one.untold else _called(names, id_ or one.robot_id, GONE_ROBOT)


def _names(organisation_id: UUID, found: list[Memory]) -> tuple[dict[UUID, str], dict[UUID, str]]:
    """What groups and people of these memories are called."""
    wanted = {one.group_id for one in found if one.group_id}
    rows = groups_of(organisation_id).filter(id__in=wanted) if wanted else ()
    return {one.id: one.name for one in rows}, names_of(
        organisation_id, (one.member_id for one in found)
    )


@require_safe
@in_organisation("support.viewed", "memory")
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """One memory without its text."""
    organisation_id = request.look.organisation_id
    found = support_memories.facts_of(organisation_id, memory_id)
    if found is None:
        raise Http404
    one = found.memory
    ids = [one.robot_id, *(said.robot_id for said in found.contributions)]
    robots = robots_named(organisation_id, ids)
    groups, people = _names(organisation_id, [one])
    facts: list[tuple[str, Cell]] = [
        ("State", _state(one)),
        ("Kind", text(_kind(one))),
        ("Type and category", text(" · ".join(filter(None, (one.type, one.category))))),
        ("Robot", text(_robot(one, robots) or "None")),
        ("Group", text(_called(groups, one.group_id, "A group that is gone") or "None")),
        ("About", text(_called(people, one.member_id, "Somebody who is gone") or "Nobody")),
        ("First tier", text(one.first_tier)),
        ("Importance", text(f"{one.importance:.2f}")),
        ("Said", text(times(one.remember_count))),
        ("Written", when(one.created_at)),
        ("Changed", when(one.updated_at)),
        ("Version", text(one.version)),
        ("Indexing", text(_owed(found.owed))),
        ("Id", text(one.id)),
    ]
    said = Table(
        "Who said it",
        ("Robot", "First", "Last", "How often"),
        [
            [
                text(_robot(one, robots, link.robot_id)),
                when(link.first_at),
                when(link.last_at),
                text(f"{link.count:,}"),
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


def _owed(row: Any) -> str:
    if row is None:
        return "Done"
    if row.state == "dead":
        return f"Given up: {FAILURES.get(row.reason, row.reason)}"
    return "Waits"


@require_safe
@in_organisation("support.listed", "recall")
def questions(request: HttpRequest) -> HttpResponse:
    """Which robot asked when and how long it took; never what."""
    organisation_id = request.look.organisation_id
    found, page = page_of(request, support_memories.recalls_of(organisation_id))
    robots = robots_named(organisation_id, (one.robot_id for one in found))
    table = Table(
        "Questions, the newest first",
        ("When", "Robot", "Strategy", "Took"),
        [
            [
                when(one.created_at),
                text(_called(robots, one.robot_id, GONE_ROBOT) or "A person, in the browser"),
                text(one.strategy),
                text(f"{one.took_ms:,.0f} ms"),
            ]
            for one in found
        ],
        "Nobody has asked yet.",
    )
    lead = "Which robot asked, in which way and how long it took: never what was asked."
    context = {"title": "Questions", "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)
