"""Robots and their keys. Viewers and members have no such pages; curators look, admins change."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from orgs.errors import AlreadyExistsError, InvalidNameError, LookalikeNameError, NotFoundError
from orgs.expiry import has_expired
from orgs.languages.page_text import lazy_text
from orgs.models.organisations import Group
from orgs.views.page_access import ADMINS, MODERATOR_ROLES, members_only
from robots.access import robot_administration
from robots.access.key_limits import find_key_limits, list_limiting_groups
from robots.access.robot_administration import RobotDetails
from robots.errors import InvalidKeyLimitError
from robots.models.keys import Key, KeyScope
from robots.registry.activity import last_heard_at
from robots.registry.robots import may_see_activity, may_see_work, robot_heading
from robots.views import key_usage
from robots.views.forms import (
    DescriptionForm,
    KeyForm,
    KeyRenewalForm,
    RobotForm,
    RobotGroupsForm,
    describe_scopes,
)
from robots.views.teams import robot_tabs

KEY_SHOWN_ALREADY = lazy_text(
    "This key was made already and is shown only once. If you did not copy it, revoke it and "
    "make a new one."
)


def form_salt(request: HttpRequest, what: object) -> str:
    """Of forms that make one thing, however often they are sent."""
    return f"once:{request.actor.organisation_id}:{request.actor.member_id}:{what}"


@require_safe
@never_cache
@members_only(*MODERATOR_ROLES)
def robots(request: HttpRequest) -> HttpResponse:
    """Every robot with its keys."""
    return _render_robots(request)


def _render_robots(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    """The whole page; `more` replaces a form that has errors, or adds the new key."""
    try:
        after = UUID(request.GET["after"]) if "after" in request.GET else None
    except ValueError as error:
        raise NotFoundError("no such page") from error
    kept, last = robot_administration.list_robots(request.actor, now=timezone.now(), after=after)
    groups = robot_administration.list_assignable_groups(request.actor)
    context = {
        "tabs": robot_tabs("robots-page", request.actor),
        "robots": [
            _robot_row(request, one, bool(groups), more.get("wrong"), more.get("described"))
            for one in kept
        ],
        "page": {"next_url": f"{reverse('robots-page')}?after={last}"} if last else {},
        "empty": {
            "title": gettext("No robots yet"),
            "text": gettext(
                "A robot is anything that remembers and recalls with a key of its own."
            ),
        },
    }
    if request.actor.role in ADMINS:
        context["robot_form"] = RobotForm(form_salt(request, "robot"), groups)
        context["robot_url"] = reverse("robot-add")
    return render(request, "robots/index.html", context | more, status=status)


def _robot_row(
    request: HttpRequest,
    kept: RobotDetails,
    groups: bool,
    wrong: KeyForm | None,
    described: DescriptionForm | None,
) -> dict[str, Any]:
    robot, admin, now = kept.robot, request.actor.role in ADMINS, timezone.now()
    makes = admin and robot_administration.may_make_keys(request.actor, robot)
    followed = may_see_activity(request.actor, robot)
    found = {
        "id": robot.id,
        "name": robot.name,
        "called": robot_heading(request.actor, robot),
        "url": reverse("robot-page", args=[robot.id]),
        "purpose": robot.purpose,
        "personality": robot.personality,
        "status": {"label": gettext("Retired"), "tone": ""} if robot.retired_at else None,
        "memories": kept.written.memories,
        "lately": kept.written.lately,
        "library_url": f"{reverse('library')}?robot={robot.id}",
        "unnamed": not may_see_work(robot, request.actor),
        # A personal robot reads as its member.
        "reads": robot.owner_id is None
        and any(key.is_valid(now) and KeyScope.READ in key.scopes for key in kept.keys),
        "last_seen_at": last_heard_at(robot, (key.last_used_at for key in kept.keys))
        if followed
        else None,
        "followed": followed,
        "groups": [group.name for group in kept.groups],
        "hidden_seats": kept.hidden_seats,
        "teams": [
            {"name": team.name, "url": reverse("team-page", args=[team.id])} for team in kept.teams
        ],
        "keys": [_key_row(key, admin, makes, followed, kept.groups) for key in kept.keys],
    }
    if not admin:
        return found
    mine = wrong if wrong is not None and wrong.prefix == robot.id.hex else None
    found["seats_url"] = reverse("robot-seats", args=[robot.id]) if groups else ""
    texts = {name: getattr(robot, name) for name in ("name", "purpose", "personality")}
    own_prefix = f"d-{robot.id.hex}"
    rewritten = described if described is not None and described.prefix == own_prefix else None
    return found | {
        "text_form": rewritten
        or DescriptionForm(initial=texts, prefix=own_prefix, personal=robot.owner_id is not None),
        "text_url": reverse("robot-describe", args=[robot.id]),
        "text_open": rewritten is not None,
        "key_form": (
            mine or KeyForm(form_salt(request, robot.id), kept.groups, prefix=robot.id.hex)
        )
        if makes
        else None,
        "key_url": reverse("key-add", args=[robot.id]),
        "key_open": mine is not None,
    }


def _key_row(
    key: Key, admin: bool, makes: bool, followed: bool, groups: list[Group]
) -> dict[str, Any]:
    now = timezone.now()
    live = admin and key.is_valid(now)
    within = [group.name for group in groups if group.id in (key.groups or ())]
    return {
        "name": key.label or gettext("Unnamed"),
        "prefix": f"cmk_…_{key.prefix}",
        "scopes": describe_scopes(key.scopes),
        "limited": key.groups is not None,
        "within": within,
        "other_groups": len(key.groups or ()) - len(within),
        "networks": key.networks,
        "limits_url": reverse("key-limits", args=[key.id]) if live and makes else "",
        "last_used_at": key.last_used_at if followed else None,
        "followed": followed,
        "expires_at": key.expires_at,
        "revoked": key.revoked_at is not None,
        "over": has_expired(key.expires_at, now),
        "renew_url": reverse("key-renew", args=[key.id]) if live and makes else "",
        "revoke_url": reverse("key-revoke", args=[key.id]) if live else "",
    }


@require_POST
@members_only(*MODERATOR_ROLES)
def add(request: HttpRequest) -> HttpResponse:
    """Register a robot."""
    groups = robot_administration.list_assignable_groups(request.actor)
    form = RobotForm(form_salt(request, "robot"), groups, request.POST)
    if not form.is_valid():
        return _render_robots(request, 422, robot_form=form)
    try:
        robot = robot_administration.create_robot(
            request.actor,
            reference=str(form.cleaned_data["once"]),
            name=form.cleaned_data["name"],
            purpose=form.cleaned_data["purpose"],
            personality=form.cleaned_data["personality"],
            groups=[UUID(g) for g in form.cleaned_data.get("groups", ())],
            now=timezone.now(),
        )
    except (LookalikeNameError, InvalidNameError) as refused:
        form.add_error("name", str(refused))
        return _render_robots(request, 422, robot_form=form)
    messages.success(
        request, gettext("%(name)s is here. Now make a key for it.") % {"name": robot.name}
    )
    return redirect(f"{reverse('robots-page')}#robot-{robot.id}")


@require_POST
@never_cache
@members_only(*MODERATOR_ROLES)
def describe(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """Change what it is called, is for, and is like."""
    form = DescriptionForm(request.POST, prefix=f"d-{robot_id.hex}")
    if not form.is_valid():
        return _render_robots(request, 422, described=form)
    try:
        robot = robot_administration.update_robot_description(
            request.actor, robot_id=robot_id, now=timezone.now(), **form.cleaned_data
        )
    except (LookalikeNameError, InvalidNameError) as refused:
        form.add_error("name", str(refused))
        return _render_robots(request, 422, described=form)
    messages.success(
        request, gettext("Saved. %(name)s gets it with its next question.") % {"name": robot.name}
    )
    return redirect(f"{reverse('robots-page')}#robot-{robot.id}")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*MODERATOR_ROLES)
def robot_groups(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """Choose the groups that a robot sits in: a page of its own, since there may be hundreds."""
    groups = robot_administration.list_assignable_groups(request.actor)
    if request.method != "POST":
        robot, taken, hidden = robot_administration.get_robot_groups(request.actor, robot_id)
        chosen = {"groups": [str(group.id) for group in groups if group.id in taken]}
        context = {
            "robot": robot,
            "hidden_seats": hidden,
            "form": RobotGroupsForm(groups, initial=chosen, prefix=robot_id.hex),
            "list_url": f"{reverse('robots-page')}#robot-{robot_id}",
        }
        return render(request, "robots/seats.html", context)
    form = RobotGroupsForm(groups, request.POST, prefix=robot_id.hex)
    if not form.is_valid():
        # Only a group that went away meanwhile, or a forged one, gets here.
        raise NotFoundError(gettext("no such group"))
    robot_administration.set_robot_groups(
        request.actor,
        robot_id=robot_id,
        groups=[UUID(g) for g in form.cleaned_data.get("groups", ())],
        now=timezone.now(),
    )
    messages.success(request, gettext("Saved. What it reads has changed at once."))
    return redirect(f"{reverse('robots-page')}#robot-{robot_id}")


@require_POST
@never_cache
@members_only(*MODERATOR_ROLES)
def add_key(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """Make a key; this answer alone shows it."""
    groups = list_limiting_groups(request.actor, robot_id)
    form = KeyForm(form_salt(request, robot_id), groups, request.POST, prefix=robot_id.hex)
    if not form.is_valid():
        return _render_robots(request, 422, wrong=form)
    data = form.cleaned_data
    try:
        limits = find_key_limits(
            request.actor, robot_id, **{"groups": None, **form.limits()}, scopes=data["scopes"]
        )
        key, secret = robot_administration.create_robot_key(
            request.actor,
            robot_id=robot_id,
            key_id=data["once"],
            label=data["name"],
            scopes=data["scopes"],
            lifetime=form.lifetime(),
            now=timezone.now(),
            limits=limits,
        )
    except AlreadyExistsError:
        return _redirect_shown_already(request)
    except InvalidKeyLimitError as error:
        form.add_error("groups", error.errors[0]["detail"])
        return _render_robots(request, 422, wrong=form)
    return _render_robots(request, new_key=_new_key_context(key, secret))


def _redirect_shown_already(request: HttpRequest) -> HttpResponse:
    messages.warning(request, KEY_SHOWN_ALREADY)
    return redirect("robots-page")


def _new_key_context(key: Key, secret: str) -> dict[str, Any]:
    """The key for this one answer; it is kept in no session and no message."""
    return {
        "secret": secret,
        "robot": key.robot.name,
        "name": key.label,
        "ways": (ways := key_usage.ways_to_connect(key, secret)),
        "heard_url": reverse("key-heard", args=[key.id]) if ways else "",
    }


@require_POST
@never_cache
@members_only(*MODERATOR_ROLES)
def renew_key(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """A new key beside the old one, which ends at once or after a day."""
    form = KeyRenewalForm(request.POST)
    if not form.is_valid():
        raise NotFoundError("no such time")
    overlap = form.overlap()
    try:
        key, secret = robot_administration.renew_key(
            request.actor, key_id=key_id, overlap=overlap, now=timezone.now()
        )
    except AlreadyExistsError:
        return _redirect_shown_already(request)
    old = (
        gettext("The old key works for another day.")
        if overlap
        else gettext("The old key opens nothing any more.")
    )
    return _render_robots(request, new_key=_new_key_context(key, secret) | {"old": old})


@require_POST
@members_only(*MODERATOR_ROLES)
def revoke_key(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """Close a key at once."""
    key = robot_administration.revoke_robot_key(request.actor, key_id=key_id, now=timezone.now())
    messages.success(request, gettext("The key is revoked; nothing opens with it any more."))
    return redirect(f"{reverse('robots-page')}#robot-{key.robot_id}")
