"""Members and groups of the organisation that support looks at, by name."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group
from orgs.support.people import (
    member_names,
    support_group_memberships,
    support_groups,
    support_members,
)
from orgs.views.support.support_access import organisation_page
from orgs.views.support.tables import Cell, Table, badge_cell, paginate, text_cell, time_cell


@require_safe
@organisation_page("support.listed", "member")
def members(request: HttpRequest) -> HttpResponse:
    """All members: present, removed and invited; without addresses."""
    found, page = paginate(request, support_members(request.look.organisation_id))
    table = Table(
        "Members",
        ("Name", "Role", "Account", "Time zone"),
        [
            [
                text_cell(one.name, url=reverse("support-member", args=[one.id])),
                text_cell(Role(one.role).label),
                _account_cell(one),
                text_cell(one.time_zone),
            ]
            for one in found
        ],
        "Nobody is in it.",
    )
    lead = "Who is in it, the newest first. An account is found by its address, not from here."
    context = {"title": "Members", "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _account_cell(one: Member) -> Cell:
    if one.removed_at:
        return badge_cell("Removed") | {"at": one.removed_at}
    if one.user_id is None:
        return text_cell("None: robots or imports know them")
    if one.joined_at is None:
        return badge_cell("Invited", "warn")
    return text_cell("Joined") | {"at": one.joined_at}


@require_safe
@organisation_page("support.viewed", "member")
def member(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """One member, and the groups that they are in."""
    organisation_id = request.look.organisation_id
    found = support_members(organisation_id).filter(id=member_id).first()
    if found is None:
        raise Http404
    seats = support_group_memberships(organisation_id).filter(member_id=member_id)
    since = dict(seats.values_list("group_id", "created_at"))
    groups = support_groups(organisation_id).filter(id__in=since).order_by("name")
    context = {
        "title": found.name,
        "back": ("Members", reverse("support-members")),
        "facts": [
            ("Role", text_cell(Role(found.role).label)),
            ("Account", _account_cell(found)),
            ("Known since", time_cell(found.created_at)),
            ("Time zone", text_cell(found.time_zone)),
            ("Id", text_cell(found.id)),
        ],
        "tables": [
            Table(
                "Groups that they are in",
                ("Group", "Since"),
                [
                    [
                        text_cell(one.name, url=reverse("support-group", args=[one.id])),
                        time_cell(since[one.id]),
                    ]
                    for one in groups
                ],
                "They are in no group.",
            )
        ],
    }
    return render(request, "support/list.html", context)


@require_safe
@organisation_page("support.listed", "group")
def groups(request: HttpRequest) -> HttpResponse:
    """Every group, without what is said in it."""
    organisation_id = request.look.organisation_id
    found, page = paginate(request, support_groups(organisation_id))
    owners = member_names(organisation_id, {one.owner_id for one in found if one.owner_id})
    table = Table(
        "Groups",
        ("Name", "Who reads it", "Owner", "Since"),
        [
            [
                text_cell(one.name, url=reverse("support-group", args=[one.id])),
                _readers_cell(one),
                text_cell(owners.get(one.owner_id, "Nobody")),
                time_cell(one.created_at),
            ]
            for one in found
        ],
        "There is no group.",
    )
    context = {"title": "Groups", "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _readers_cell(one: Group) -> Cell:
    return text_cell("Its people alone" if one.confidential else "Its people, curators and admins")


@require_safe
@organisation_page("support.viewed", "group")
def group(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """One group, and who is in it."""
    organisation_id = request.look.organisation_id
    found = support_groups(organisation_id).filter(id=group_id).first()
    if found is None:
        raise Http404
    seats, page = paginate(
        request, support_group_memberships(organisation_id).filter(group_id=group_id)
    )
    names = member_names(organisation_id, {one.member_id for one in seats} | {found.owner_id})
    context = {
        "title": found.name,
        "back": ("Groups", reverse("support-groups")),
        "facts": [
            ("Called by its people", text_cell(found.external_id)),
            ("Who reads it", _readers_cell(found)),
            ("Owner", text_cell(names.get(found.owner_id, "Nobody"))),
            ("Since", time_cell(found.created_at)),
            ("Id", text_cell(found.id)),
        ],
        "tables": [
            Table(
                "Who is in it",
                ("Member", "Since"),
                [
                    [
                        text_cell(
                            names.get(one.member_id, "Somebody who is gone"),
                            url=reverse("support-member", args=[one.member_id]),
                        ),
                        time_cell(one.created_at),
                    ]
                    for one in seats
                ],
                "Nobody is in it.",
            )
        ],
        "page": page,
    }
    return render(request, "support/list.html", context)
