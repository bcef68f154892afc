"""Members and groups of the organisation that support looks at, by name."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group
from orgs.support.people import groups_of, members_of, names_of, seats_of
from orgs.views.support.gate import in_organisation
from orgs.views.support.tables import Cell, Table, badge, page_of, text, when


@require_safe
@in_organisation("support.listed", "member")
def members(request: HttpRequest) -> HttpResponse:
    """All members: present, removed and invited; without addresses."""
    found, page = page_of(request, members_of(request.look.organisation_id))
    table = Table(
        "Members",
        ("Name", "Role", "Account", "Time zone"),
        [
            [
                text(one.name, url=reverse("support-member", args=[one.id])),
                text(Role(one.role).label),
                _account(one),
                text(one.time_zone),
            ]
            for one in found
        ],
        "Nobody is in it.",
    )
    lead = "Who is in it, the newest first. An account is found by its address, not from here."
    context = {"title": "Members", "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _account(one: Member) -> Cell:
    if one.removed_at:
        return badge("Removed") | {"at": one.removed_at}
    if one.user_id is None:
        return text("None: robots or imports know them")
    if one.joined_at is None:
        return badge("Invited", "warn")
    return text("Joined") | {"at": one.joined_at}


@require_safe
@in_organisation("support.viewed", "member")
def member(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """One member, and the groups that they are in."""
    organisation_id = request.look.organisation_id
    found = members_of(organisation_id).filter(id=member_id).first()
    if found is None:
        raise Http404
    seats = seats_of(organisation_id).filter(member_id=member_id)
    since = dict(seats.values_list("group_id", "created_at"))
    groups = groups_of(organisation_id).filter(id__in=since).order_by("name")
    context = {
        "title": found.name,
        "back": ("Members", reverse("support-members")),
        "facts": [
            ("Role", text(Role(found.role).label)),
            ("Account", _account(found)),
            ("Known since", when(found.created_at)),
            ("Time zone", text(found.time_zone)),
            ("Id", text(found.id)),
        ],
        "tables": [
            Table(
                "Groups that they are in",
                ("Group", "Since"),
                [
                    [
                        text(one.name, url=reverse("support-group", args=[one.id])),
                        when(since[one.id]),
                    ]
                    for one in groups
                ],
                "They are in no group.",
            )
        ],
    }
    return render(request, "support/list.html", context)


@require_safe
@in_organisation("support.listed", "group")
def groups(request: HttpRequest) -> HttpResponse:
    """Every group, without what is said in it."""
    organisation_id = request.look.organisation_id
    found, page = page_of(request, groups_of(organisation_id))
    owners = names_of(organisation_id, {one.owner_id for one in found if one.owner_id})
    table = Table(
        "Groups",
        ("Name", "Who reads it", "Owner", "Since"),
        [
            [
                text(one.name, url=reverse("support-group", args=[one.id])),
                _readers(one),
                text(owners.get(one.owner_id, "Nobody")),
                when(one.created_at),
            ]
            for one in found
        ],
        "There is no group.",
    )
    context = {"title": "Groups", "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _readers(one: Group) -> Cell:
    return text("Its people alone" if one.confidential else "Its people, curators and admins")


@require_safe
@in_organisation("support.viewed", "group")
def group(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """One group, and who is in it."""
    organisation_id = request.look.organisation_id
    found = groups_of(organisation_id).filter(id=group_id).first()
    if found is None:
        raise Http404
    seats, page = page_of(request, seats_of(organisation_id).filter(group_id=group_id))
    names = names_of(organisation_id, {one.member_id for one in seats} | {found.owner_id})
    context = {
        "title": found.name,
        "back": ("Groups", reverse("support-groups")),
        "facts": [
            ("Called by its people", text(found.external_id)),
            ("Who reads it", _readers(found)),
            ("Owner", text(names.get(found.owner_id, "Nobody"))),
            ("Since", when(found.created_at)),
            ("Id", text(found.id)),
        ],
        "tables": [
            Table(
                "Who is in it",
                ("Member", "Since"),
                [
                    [
                        text(
                            names.get(one.member_id, "Somebody who is gone"),
                            url=reverse("support-member", args=[one.member_id]),
                        ),
                        when(one.created_at),
                    ]
                    for one in seats
                ],
                "Nobody is in it.",
            )
        ],
        "page": page,
    }
    return render(request, "support/list.html", context)
