"""My memories: what is kept about me, who sees it, and what robots may do with it."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import available_timezones

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.privacy import (
    forget_all as privacy_forget_all,
)
from memories.privacy import (
    my_memories,
)
from memories.privacy.break_glass import list_disclosures
from memories.privacy.opt_out import count_shared, set_sharing
from memories.views.forms import memory_forms, my_memories_forms
from memories.views.privacy import my_memories_presenter
from memories.views.privacy.my_memories_presenter import own_personas_section
from orgs.languages.page_text import format_number
from orgs.members.member_settings import set_language, set_learning_paused, set_time_zone
from orgs.models.memberships import Role
from orgs.views.page_access import members_only
from robots.access.acting_for_members import create_delegation, revoke_delegation
from robots.access.delegations import (
    MemberRobots,
    end_told_robot,
    list_delegable_robots,
    list_private_readers,
    load_member_robots,
    reads_private,
)
from robots.access.spoken_for import SpokenFor, spoken_for_by
from robots.identities import identity_links
from robots.identities.identity_code import CODE_MINUTES, compute_member_code
from robots.models.robots import Robot
from robots.oauth.grants import Assistant, end_assistant, list_assistants

# How long an access by support is shown at the top; later it is among the notices.
NOTICE_PERIOD = timedelta(days=30)


@require_safe
@members_only()
def my_memories_page(request: HttpRequest) -> HttpResponse:
    """The figures, the switches, the list."""
    form = my_memories_forms.MyMemoriesForm(request.GET)
    form.is_valid()
    asked = my_memories_presenter.parse_query(form.cleaned_data)
    found = my_memories.list_my_memories(
        request.actor,
        asked.view,
        organisation=request.membership[1].name,
        text=asked.q,
        everything=asked.everything,
        before=form.cleaned_data.get("before"),
        now=timezone.now(),
    )
    robots = load_member_robots(
        request.actor, others=bool(request.GET.get("trust")), now=timezone.now()
    )
    assistants = list_assistants(robots.access)
    readers = [one for one in robots.access if reads_private(one)]
    context = my_memories_presenter.page_context(
        request, found, asked, _private_readers_label(readers)
    ) | _settings_context(request, robots, assistants)
    if asked.view == "about" and found.overview.keepers:
        context["keepers"] = my_memories_presenter.keepers_chart(found.overview.keepers)
    context["personas"] = own_personas_section(request, found.principal)
    return render(request, "memories/privacy/my_memories.html", context)


def _working_robots(robots: Sequence[Robot], assistants: Sequence[Assistant]) -> list[Robot]:
    """Those of a member's robots that are theirs to use, with a key or without one: an assistant
    only while it is let in."""
    known = {one.robot.id for one in assistants if one.acts}
    return [one for one in robots if one.retired_at is None and (not one.client or one.id in known)]


def _private_readers_label(robots: Sequence[Robot]) -> str:
    """Who sees what is private: the member, and the robots that work for them."""
    if not robots:
        return gettext("only you")
    if len(robots) > 1:
        return gettext("only you and %(robots)s robots") % {"robots": len(robots)}
    # A robot with an owner serves only that member.
    is_own = robots[0].owner_id and not robots[0].client
    return gettext("only you and %(robot)s") % {
        "robot": gettext("your robot") if is_own else robots[0].name
    }


def _settings_context(
    request: HttpRequest, known: MemberRobots, assistants: Sequence[Assistant]
) -> dict[str, Any]:
    member = request.membership[0]
    robots = _working_robots(known.access, assistants)
    reading = sum(reads_private(one) for one in robots)
    leaves = [
        {
            "id": robot.leave_id,  # type: ignore[attr-defined]  # of `load_member_robots`
            "robot": robot,
            "created_at": robot.leave_at,  # type: ignore[attr-defined]
            "keyless": not reads_private(robot),
        }
        for robot in robots
        if robot.leave_id  # type: ignore[attr-defined]
    ]
    own = [one for one in robots if one.owner_id == member.id and not one.client]
    return {
        "disclosures": list_disclosures(request.actor, since=timezone.now() - NOTICE_PERIOD),
        "paused_at": member.learning_paused_at,
        "sharing_off_at": member.sharing_off_at,
        "leave_count": reading,
        "leave_idle": len(robots) - reading,
        "delegations": sorted(leaves, key=lambda leave: leave["created_at"], reverse=True),
        "own_robots": [
            {"name": one.name, "purpose": one.purpose, "keyless": not reads_private(one)}
            for one in own
        ],
        "assistants": [_assistant(one) for one in assistants],
        "told_robots": known.told,
        "robots": known.others,
        "spoken_for": [_spoken(one, member.id) for one in spoken_for_by(request.actor)],
        "may_import": member.role != Role.VIEWER,
        "time_zone": member.time_zone,
        "time_zones": sorted(available_timezones()) if request.GET.get("zone") else None,
        "language": member.language,
        "language_name": dict(settings.LANGUAGES).get(member.language, ""),
        "languages": settings.LANGUAGES if request.GET.get("language") else None,
    }


def _assistant(one: Assistant) -> dict[str, Any]:
    """One line of an assistant that was let in."""
    return {
        "id": one.robot.id,
        "host": one.host,
        "name": "" if one.name == one.host else one.name,
        "robot": one.robot.name,
        "acts": one.acts,
        "writes": one.writes,
        "since": one.since,
        "last_used_at": one.last_used_at,
    }


def _spoken(one: SpokenFor, member_id: UUID) -> dict[str, Any]:
    """One line of who spoke for the member, with the address of what they may read of it."""
    asked = urlencode({"robot": one.robot_id, "member": member_id})
    url = f"{reverse('library')}?{asked}"
    return {"name": one.name, "days": one.days, "last": one.last, "url": url}


@require_POST
@members_only()
def set_learning(request: HttpRequest) -> HttpResponse:
    """Pause learning, or let robots learn again."""
    paused = request.POST.get("on") == "1"
    set_learning_paused(request.actor, paused=paused, now=timezone.now())
    told = (
        gettext("Paused. Robots learn nothing new about you.")
        if paused
        else gettext("Robots may learn again.")
    )
    messages.success(request, told)
    return redirect("me")


@require_POST
@members_only()
def end_assistant_view(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """End all that an assistant was allowed, at once."""
    end_assistant(request.actor, robot_id, now=timezone.now())
    messages.success(request, gettext("Ended. It can read and write nothing for you any more."))
    return redirect("me")


@require_http_methods(["GET", "POST"])
@members_only()
def set_sharing_view(request: HttpRequest) -> HttpResponse:
    """Opt out of sharing, perhaps taking back what is shared already; or opt in again."""
    if request.method != "POST":
        since = request.membership[0].sharing_off_at
        context = {"out": since, "shared": count_shared(request.actor)}
        return render(request, "memories/privacy/opt_out.html", context)
    out, now = request.POST.get("on") == "1", timezone.now()
    withdraw = out and request.POST.get("withdraw") == "1"
    count = set_sharing(request.actor, out=out, withdraw=withdraw, now=now)
    told = (
        gettext("You are out. Nothing new about you is shared.")
        if out
        else gettext("Sharing is allowed again.")
    )
    if withdraw:
        alone = _private_readers_label(list_private_readers(request.actor, now=now))
        told = gettext("You are out, and %(count)s taken back: %(alone)s can read it now.") % {
            "count": _count_label(count),
            "alone": alone,
        }
    messages.success(request, told)
    return redirect("me")


def _count_label(count: int) -> str:
    return (
        gettext("1 thing is")
        if count == 1
        else gettext("%(count)s things are") % {"count": format_number(count)}
    )


@require_http_methods(["GET", "POST"])
@members_only()
def forget_all_view(request: HttpRequest) -> HttpResponse:
    """Forget everything about me; asked for by a typed word."""
    if request.method != "POST":
        return render(
            request, "memories/privacy/forget_all.html", {"word": memory_forms.CONFIRM_FORGET}
        )
    if request.POST.get("confirm", "").strip() != memory_forms.CONFIRM_FORGET:
        context = {"word": memory_forms.CONFIRM_FORGET, "error": True}
        return render(request, "memories/privacy/forget_all.html", context, status=422)
    now = timezone.now()
    count = privacy_forget_all.forget_all(request.actor, now=now)
    undo = f"{reverse('me-bring-back')}?{urlencode({'at': now.isoformat()})}"
    messages.success(
        request,
        (gettext("%(count)s forgotten.") % {"count": _count_label(count)}).capitalize(),
        extra_tags=undo,
    )
    return redirect("me")


@require_POST
@members_only()
def undo_forget_all_view(request: HttpRequest) -> HttpResponse:
    """Undo forgetting everything."""
    at = _parse_datetime(request.GET.get("at", ""))
    count = privacy_forget_all.undo_forget_all(request.actor, forgotten_at=at, now=timezone.now())
    messages.success(
        request, (gettext("%(count)s back.") % {"count": _count_label(count)}).capitalize()
    )
    return redirect("me")


def _parse_datetime(text: str) -> datetime:
    moment = None
    with suppress(ValueError, OverflowError):
        found = parse_datetime(text)
        # In UTC: Python knows zones a day away from it, Postgres refuses more than 16 hours.
        moment = found.astimezone(UTC) if found and timezone.is_aware(found) else None
    if moment is None:
        raise Http404
    return moment


@require_POST
@members_only()
def add_delegation(request: HttpRequest) -> HttpResponse:
    """Let a robot read what is private to me."""
    form = my_memories_forms.DelegationForm(request.POST)
    offered = {robot.id for robot in list_delegable_robots(request.actor, now=timezone.now())}
    if not form.is_valid() or form.cleaned_data["robot"] not in offered:
        raise Http404
    actor = request.actor
    create_delegation(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,
        robot_id=form.cleaned_data["robot"],
        actor=actor,
        now=timezone.now(),
    )
    messages.success(request, gettext("It may read and write what is private to you from now on."))
    return redirect("me")


@require_POST
@members_only()
def revoke_delegation_view(request: HttpRequest, delegation_id: UUID) -> HttpResponse:
    """Take this permission back."""
    revoke_delegation(
        organisation_id=request.actor.organisation_id,
        delegation_id=delegation_id,
        actor=request.actor,
        now=timezone.now(),
    )
    messages.success(
        request, gettext("Taken back. Its next question reads nothing private to you.")
    )
    return redirect("me")


@require_POST
@members_only()
def end_told_robot_view(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """End what a robot reads because I talked to it."""
    end_told_robot(request.actor, robot_id, now=timezone.now())
    messages.success(
        request, gettext("Ended. Its next question reads nothing of what you told it.")
    )
    return redirect("me")


@require_POST
@members_only()
def set_time_zone_view(request: HttpRequest) -> HttpResponse:
    """The zone in which times are shown."""
    try:
        set_time_zone(request.actor, request.POST.get("time_zone", ""), now=timezone.now())
    except ValueError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, gettext("Times are shown in your zone now."))
    return redirect("me")


@require_POST
@members_only()
def set_language_view(request: HttpRequest) -> HttpResponse:
    """The language of the pages. It is kept in a cookie too, for pages that come before it is known
    who asks."""
    code = request.POST.get("language", "")
    try:
        set_language(request.actor, code)
    except ValueError as error:
        messages.error(request, str(error))
        return redirect("me")
    response = redirect("me")
    if code:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            code,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=request.is_secure(),
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite=settings.LANGUAGE_COOKIE_SAMESITE,
        )
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
    return response


@require_safe
@never_cache
@members_only()
def identities(request: HttpRequest) -> HttpResponse:
    """By which names robots know me elsewhere, and the code that proves one of them."""
    actor = request.actor
    _, known = identity_links.list_identities(actor, str(actor.member_id))
    rows = [{"name": str(k.identity), "confirmed_at": k.identity.confirmed_at} for k in known]
    code = compute_member_code(actor, now=timezone.now())
    return render(
        request,
        "memories/privacy/names.html",
        {"names": rows, "code": code, "minutes": CODE_MINUTES},
    )
