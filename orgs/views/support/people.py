"""Members and groups of the organisation that support looks at, by name."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from orgs.languages.page_text import choice_label
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
        gettext("Members"),
        (gettext("Name"), gettext("Role"), gettext("Account"), gettext("Time zone")),
        [
            [
                text_cell(one.name, url=reverse("support-member", args=[one.id])),
                text_cell(choice_label(Role(one.role))),
                _account_cell(one),
                text_cell(one.time_zone),
            ]
            for one in found
        ],
        gettext("Nobody is in it."),
    )
    lead = gettext(
        "Who is in it, the newest first. An account is found by its address, not from here."
    )
    context = {"title": gettext("Members"), "lead": lead, "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _account_cell(one: Member) -> Cell:
    if one.removed_at:
        return badge_cell(gettext("Removed")) | {"at": one.removed_at}
    if one.user_id is None:
        return text_cell(gettext("None: robots or imports know them"))
    if one.joined_at is None:
        return badge_cell(gettext("Invited"), "warn")
    return text_cell(gettext("Joined")) | {"at": one.joined_at}


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
        "back": (gettext("Members"), reverse("support-members")),
        "facts": [
            (gettext("Role"), text_cell(choice_label(Role(found.role)))),
            (gettext("Account"), _account_cell(found)),
            (gettext("Known since"), time_cell(found.created_at)),
            (gettext("Time zone"), text_cell(found.time_zone)),
            (gettext("Id"), text_cell(found.id)),
        ],
        "tables": [
            Table(
                gettext("Groups that they are in"),
                (gettext("Group"), gettext("Since")),
                [
                    [
                        text_cell(one.name, url=reverse("support-group", args=[one.id])),
                        time_cell(since[one.id]),
                    ]
                    for one in groups
                ],
                gettext("They are in no group."),
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
        gettext("Groups"),
        (gettext("Name"), gettext("Who reads it"), gettext("Owner"), gettext("Since")),
        [
            [
                text_cell(one.name, url=reverse("support-group", args=[one.id])),
                _readers_cell(one),
                text_cell(owners.get(one.owner_id, gettext("Nobody"))),
                time_cell(one.created_at),
            ]
            for one in found
        ],
        gettext("There is no group."),
    )
    context = {"title": gettext("Groups"), "tables": [table], "page": page}
    return render(request, "support/list.html", context)


def _readers_cell(one: Group) -> Cell:
    return text_cell(
        gettext("Its people alone")
        if one.confidential
        else gettext("Its people, curators and admins")
    )


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
        "back": (gettext("Groups"), reverse("support-groups")),
        "facts": [
            (gettext("Called by its people"), text_cell(found.external_id)),
            (gettext("Who reads it"), _readers_cell(found)),
            (gettext("Owner"), text_cell(names.get(found.owner_id, gettext("Nobody")))),
            (gettext("Since"), time_cell(found.created_at)),
            (gettext("Id"), text_cell(found.id)),
        ],
        "tables": [
            Table(
                gettext("Who is in it"),
                (gettext("Member"), gettext("Since")),
                [
                    [
                        text_cell(
                            names.get(one.member_id, gettext("Somebody who is gone")),
                            url=reverse("support-member", args=[one.member_id]),
                        ),
                        time_cell(one.created_at),
                    ]
                    for one in seats
                ],
                gettext("Nobody is in it."),
            )
        ],
        "page": page,
    }
    return render(request, "support/list.html", context)
