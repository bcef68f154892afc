"""Groups: who sits in them, and whether curators read them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from orgs.errors import LikeAnother, NotFound, UnfitName
from orgs.models.organisations import Group, IngestProfile
from orgs.organisations.groups import set_confidential, set_profile
from orgs.views.access import WRITERS, members_only
from robots.people import groups_and_seats
from robots.views.forms import GroupForm, PersonForm
from robots.views.people import after_of, pages_of, tabs_of


@require_safe
@members_only()
def groups(request: HttpRequest) -> HttpResponse:
    """The groups that this person reads."""
    return _groups(request)


def _groups(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    listed = groups_and_seats.groups_listed(request.actor, after_of(request))
    context = {
        "tabs": tabs_of(request, "groups-page"),
        "groups": [_group(group) for group in listed.rows],
        "page": pages_of(listed, reverse("groups-page")),
        "form": GroupForm() if request.actor.moderates else None,
    }
    return render(request, "robots/people/groups.html", context | more, status=status)


def _group(group: Group) -> dict[str, Any]:
    return {
        "id": group.id,
        "name": group.name,
        "url": reverse("group-page", args=[group.id]),
        "confidential": group.confidential,
        "owner": group.owner.name if group.owner else "",
        "seats": getattr(group, "seats", 0),
    }


@require_POST
@members_only(*WRITERS)
def add(request: HttpRequest) -> HttpResponse:
    """Make a group."""
    form = GroupForm(request.POST)
    if not form.is_valid():
        return _groups(request, 422, form=form)
    try:
        group = groups_and_seats.new_group(request.actor, now=timezone.now(), **form.cleaned_data)
    except (LikeAnother, UnfitName) as refused:
        form.add_error("name", str(refused))
        return _groups(request, 422, form=form)
    messages.success(request, f"{group.name} is here, with you in it.")
    return redirect("group-page", group.id)


@require_safe
@members_only()
def group(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """One group with its people."""
    named = request.GET.get("q", "").replace("\x00", "")[:200]
    seats = groups_and_seats.one_group(
        request.actor, group_id, named=named, after=after_of(request)
    )
    here = reverse("group-page", args=[group_id])
    context = {
        "group": _group(seats.group) | {"reference": seats.group.external_id},
        "people": [{"id": m.id, "name": m.name} for m in seats.members.rows],
        "page": pages_of(seats.members, here),
        "robots": seats.robots,
        "on_offer": [{"id": m.id, "name": m.name} for m in seats.on_offer],
        "q": named,
        "may_seat": seats.may_seat,
        "may_open": seats.may_open,
        "strict": seats.group.profile == IngestProfile.STRICT,
    }
    return render(request, "robots/people/group.html", context)


@require_POST
@members_only(*WRITERS)
def seat(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Put somebody into the group."""
    groups_and_seats.seat(
        request.actor, group_id=group_id, add=[_member(request)], now=timezone.now()
    )
    messages.success(request, "Added. What the group knows is open to them now.")
    return redirect("group-page", group_id)


@require_POST
@members_only(*WRITERS)
def unseat(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Take somebody out of the group; whoever takes themselves out goes back to the list."""
    member = _member(request)
    groups_and_seats.seat(request.actor, group_id=group_id, remove=[member], now=timezone.now())
    messages.success(request, "Taken out. What the group knows is closed to them now.")
    if member == request.actor.member_id:
        return redirect("groups-page")
    return redirect("group-page", group_id)


def _member(request: HttpRequest) -> UUID:
    form = PersonForm(request.POST)
    if not form.is_valid():
        raise NotFound("no such member")
    return form.cleaned_data["member"]


@require_POST
@members_only(*WRITERS)
def confidential(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Decide whether curators who are not in the group read it."""
    found = groups_and_seats.group_to_change(request.actor, group_id)
    closed = request.POST.get("confidential") == "1"
    set_confidential(actor=request.actor, group=found, confidential=closed, now=timezone.now())
    words = "Only its people read it now." if closed else "Curators read it now as well."
    messages.success(request, words)
    return redirect("groups-page")


@require_POST
@members_only(*WRITERS)
def profile(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Decide who reads what is posted in the group from now on."""
    found = groups_and_seats.group_to_change(request.actor, group_id)
    chosen = IngestProfile.STRICT if request.POST.get("strict") == "1" else IngestProfile.OPEN
    set_profile(actor=request.actor, group=found, profile=chosen, now=timezone.now())
    words = "The whole group reads what is posted from now on."
    if chosen == IngestProfile.STRICT:
        words = "What is said to somebody stays between them from now on."
    messages.success(request, words)
    return redirect("group-page", group_id)
