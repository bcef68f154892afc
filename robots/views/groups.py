"""Groups: who sits in them, and whether curators read them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from orgs.errors import InvalidNameError, LookalikeNameError, NotFoundError
from orgs.models.organisations import ContradictionPolicy, Group, IngestProfile
from orgs.organisations.groups import set_confidential, set_contradiction_policy, set_profile
from orgs.views.page_access import WRITERS, members_only
from robots.people import people_administration
from robots.views.forms import (
    CONTRADICTION_POLICIES,
    ContradictionPolicyForm,
    GroupForm,
    MemberIdForm,
)
from robots.views.people import pagination_links, parse_after, people_tabs


@require_safe
@members_only()
def groups(request: HttpRequest) -> HttpResponse:
    """The groups that this person reads."""
    return _render_groups(request)


def _render_groups(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    listed = people_administration.list_groups(request.actor, parse_after(request))
    context = {
        "tabs": people_tabs(request, "groups-page"),
        "groups": [_group_row(group) for group in listed.rows],
        "page": pagination_links(listed, reverse("groups-page")),
        "form": GroupForm() if request.actor.moderates else None,
    }
    return render(request, "robots/people/groups.html", context | more, status=status)


def _group_row(group: Group) -> dict[str, Any]:
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
        return _render_groups(request, 422, form=form)
    try:
        group = people_administration.create_named_group(
            request.actor, now=timezone.now(), **form.cleaned_data
        )
    except (LookalikeNameError, InvalidNameError) as refused:
        form.add_error("name", str(refused))
        return _render_groups(request, 422, form=form)
    messages.success(request, gettext("%(name)s is here, with you in it.") % {"name": group.name})
    return redirect("group-page", group.id)


@require_safe
@members_only()
def group(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """One group with its people."""
    return _render_group(request, group_id)


def _render_group(
    request: HttpRequest, group_id: UUID, status: int = 200, form: Any = None
) -> HttpResponse:
    named = request.GET.get("q", "").replace("\x00", "")[:200]
    seats = people_administration.get_group_details(
        request.actor, group_id, named=named, after=parse_after(request)
    )
    here, policy = reverse("group-page", args=[group_id]), seats.group.contradiction_policy
    context = {
        "group": _group_row(seats.group) | {"reference": seats.group.external_id},
        "people": [{"id": m.id, "name": m.name} for m in seats.members.rows],
        "page": pagination_links(seats.members, here),
        "robots": seats.robots,
        "on_offer": [{"id": m.id, "name": m.name} for m in seats.on_offer],
        "q": named,
        "may_seat": seats.may_seat,
        "may_open": seats.may_open,
        "strict": seats.group.profile == IngestProfile.STRICT,
        "policy": dict(CONTRADICTION_POLICIES)[ContradictionPolicy(policy)],
        "policy_form": (form or ContradictionPolicyForm(initial={"policy": policy}))
        if seats.may_open
        else None,
    }
    return render(request, "robots/people/group.html", context, status=status)


@require_POST
@members_only(*WRITERS)
def add_member(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Put somebody into the group."""
    people_administration.change_group_members(
        request.actor, group_id=group_id, add=[_require_member_id(request)], now=timezone.now()
    )
    messages.success(request, gettext("Added. What the group knows is open to them now."))
    return redirect("group-page", group_id)


@require_POST
@members_only(*WRITERS)
def remove_member(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Take somebody out of the group; whoever takes themselves out goes back to the list."""
    member = _require_member_id(request)
    people_administration.change_group_members(
        request.actor, group_id=group_id, remove=[member], now=timezone.now()
    )
    messages.success(request, gettext("Taken out. What the group knows is closed to them now."))
    if member == request.actor.member_id:
        return redirect("groups-page")
    return redirect("group-page", group_id)


def _require_member_id(request: HttpRequest) -> UUID:
    form = MemberIdForm(request.POST)
    if not form.is_valid():
        raise NotFoundError(gettext("no such member"))
    return form.cleaned_data["member"]


@require_POST
@members_only(*WRITERS)
def confidential(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Decide whether curators who are not in the group read it."""
    found = people_administration.get_group(request.actor, group_id)
    closed = request.POST.get("confidential") == "1"
    set_confidential(actor=request.actor, group=found, confidential=closed, now=timezone.now())
    words = (
        gettext("Only its people read it now.")
        if closed
        else gettext("Curators read it now as well.")
    )
    messages.success(request, words)
    return redirect("groups-page")


@require_POST
@members_only(*WRITERS)
def profile(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Decide who reads what is posted in the group from now on."""
    found = people_administration.get_group(request.actor, group_id)
    chosen = IngestProfile.STRICT if request.POST.get("strict") == "1" else IngestProfile.OPEN
    set_profile(actor=request.actor, group=found, profile=chosen, now=timezone.now())
    words = gettext("The whole group reads what is posted from now on.")
    if chosen == IngestProfile.STRICT:
        words = gettext("What is said to somebody stays between them from now on.")
    messages.success(request, words)
    return redirect("group-page", group_id)


@require_POST
@members_only(*WRITERS)
def contradiction_policy(request: HttpRequest, group_id: UUID) -> HttpResponse:
    """Decide which of two facts that disagree holds without anybody deciding it."""
    form = ContradictionPolicyForm(request.POST)
    if not form.is_valid():
        return _render_group(request, group_id, 422, form)
    found = people_administration.get_group(request.actor, group_id)
    chosen = form.cleaned_data["policy"]
    set_contradiction_policy(actor=request.actor, group=found, policy=chosen, now=timezone.now())
    messages.success(request, gettext("Saved. What waits is looked at again within a day."))
    return redirect("group-page", group_id)
