"""Pages that make and change teams of robots; memories/views/context/team_page.py shows one."""

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
from orgs.models.memberships import Role
from orgs.principals import Actor
from orgs.views.page_access import MODERATOR_ROLES, members_only
from robots.errors import LastActiveRobotError, TeamFullError, TeamInUseError
from robots.models.teams import Team
from robots.teams import failover, team_robots
from robots.teams import teams as services
from robots.views.forms import RobotIdForm, TeamForm
from robots.views.people import parse_after


def robot_tabs(current: str, actor: Actor) -> list[dict[str, Any]]:
    """The parts of Robots that this person has."""
    parts = {
        "robots-page": gettext("Robots"),
        "teams-page": gettext("Teams"),
        "enrolment": gettext("Enrolment"),
        "instructions": gettext("Instructions"),
    }
    return [
        {"label": label, "url": reverse(name), "current": name == current}
        for name, label in parts.items()
        if name != "enrolment" or actor.administers
    ]


@require_safe
@members_only(*MODERATOR_ROLES)
def teams(request: HttpRequest) -> HttpResponse:
    """The teams of the organisation."""
    return _render_teams(request)


def _render_teams(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    found, last = services.list_teams_page(request.actor, parse_after(request))
    context = {
        "tabs": robot_tabs("teams-page", request.actor),
        "teams": [_team_row(team) for team in found],
        "page": {"next_url": f"{reverse('teams-page')}?after={last}" if last else ""},
        "form": TeamForm(),
    }
    return render(request, "robots/teams.html", context | more, status=status)


def _team_row(team: Team) -> dict[str, Any]:
    return {
        "name": team.name,
        "purpose": team.purpose,
        "url": reverse("team-page", args=[team.id]),
        "active": getattr(team, "active", 0),
        "passive": getattr(team, "passive", 0),
    }


@require_POST
@members_only(*MODERATOR_ROLES)
def add(request: HttpRequest) -> HttpResponse:
    """Make a team."""
    form = TeamForm(request.POST)
    if not form.is_valid():
        return _render_teams(request, 422, form=form)
    try:
        made = services.create_team(request.actor, form.cleaned_data, now=timezone.now())
    except (LookalikeNameError, InvalidNameError) as refused:
        form.add_error("name", str(refused))
        return _render_teams(request, 422, form=form)
    then = (
        gettext("Now put robots into it.")
        if services.may_add_robots(request.actor)
        else gettext("An admin fills it.")
    )
    messages.success(
        request, gettext("%(name)s is here. %(then)s") % {"name": made.name, "then": then}
    )
    return redirect("team-page", made.id)


@require_POST
@members_only(*MODERATOR_ROLES)
def change(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Change name, purpose and budget."""
    form = TeamForm(request.POST)
    refusal = "" if form.is_valid() else " ".join(e for es in form.errors.values() for e in es)
    if not refusal:
        try:
            services.update_team(request.actor, str(team_id), form.cleaned_data, now=timezone.now())
        except (LookalikeNameError, InvalidNameError) as refused:
            refusal = str(refused)
    if refusal:
        messages.warning(
            request, gettext("Nothing was changed. %(refusal)s") % {"refusal": refusal}
        )
    else:
        messages.success(request, gettext("Saved."))
    return redirect("team-page", team_id)


@require_POST
@members_only(Role.ADMIN)
def add_robot(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Put a robot into the team."""
    try:
        row, _ = team_robots.add_team_robot(
            request.actor, str(team_id), _require_robot_id(request), now=timezone.now()
        )
    except (TeamFullError, PermissionError) as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(
            request,
            gettext("%(name)s reads the notes of the team from now on.") % {"name": row.robot.name},
        )
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATOR_ROLES)
def remove_robot(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Take a robot out of the team."""
    team_robots.remove_team_robot(
        request.actor, str(team_id), _require_robot_id(request), now=timezone.now()
    )
    messages.success(request, gettext("Taken out. The notes of the team are closed to it now."))
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATOR_ROLES)
def promote(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Make a robot active."""
    failover.promote_robot(
        request.actor, str(team_id), _require_robot_id(request), now=timezone.now()
    )
    messages.success(request, gettext("It is active now. What the team has at hand is as it was."))
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATOR_ROLES)
def demote(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Make a robot passive."""
    try:
        failover.demote_robot(
            request.actor, str(team_id), _require_robot_id(request), now=timezone.now()
        )
    except LastActiveRobotError as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, gettext("It waits now."))
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATOR_ROLES)
def remove(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Remove the team."""
    try:
        services.remove_team(request.actor, str(team_id), now=timezone.now())
    except TeamInUseError as refused:
        messages.warning(request, str(refused))
        return redirect("team-page", team_id)
    messages.success(request, gettext("The team is gone. Its robots are here as before."))
    return redirect("teams-page")


def _require_robot_id(request: HttpRequest) -> str:
    form = RobotIdForm(request.POST)
    if not form.is_valid():
        raise NotFoundError(gettext("no such robot"))
    return str(form.cleaned_data["robot"])
