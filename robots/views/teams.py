"""Pages that make and change teams of robots; memories/views/context/team.py shows one."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from orgs.errors import LikeAnother, NotFound, UnfitName
from orgs.models.memberships import Role
from orgs.views.access import MODERATORS, members_only
from robots.errors import LastActive, TeamFull, TeamInUse
from robots.models.teams import Team
from robots.teams import membership, succession
from robots.teams import teams as services
from robots.views.forms import TeamForm, TeamRobotForm
from robots.views.people import after_of


def tabs_of(current: str) -> list[dict[str, Any]]:
    """The parts of Robots."""
    parts = {"robots-page": "Robots", "teams-page": "Teams", "instructions": "Instructions"}
    return [
        {"label": label, "url": reverse(name), "current": name == current}
        for name, label in parts.items()
    ]


@require_safe
@members_only(*MODERATORS)
def teams(request: HttpRequest) -> HttpResponse:
    """The teams of the organisation."""
    return _page(request)


def _page(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    found, last = services.teams_listed(request.actor, after_of(request))
    context = {
        "tabs": tabs_of("teams-page"),
        "teams": [_row(team) for team in found],
        "page": {"next_url": f"{reverse('teams-page')}?after={last}" if last else ""},
        "form": TeamForm(),
    }
    return render(request, "robots/teams.html", context | more, status=status)


def _row(team: Team) -> dict[str, Any]:
    return {
        "name": team.name,
        "purpose": team.purpose,
        "url": reverse("team-page", args=[team.id]),
        "active": getattr(team, "active", 0),
        "passive": getattr(team, "passive", 0),
    }


@require_POST
@members_only(*MODERATORS)
def add(request: HttpRequest) -> HttpResponse:
    """Make a team."""
    form = TeamForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, form=form)
    try:
        made = services.create_team(request.actor, form.cleaned_data, now=timezone.now())
    except (LikeAnother, UnfitName) as refused:
        form.add_error("name", str(refused))
        return _page(request, 422, form=form)
    then = "Now put robots into it." if services.seats(request.actor) else "An admin fills it."
    messages.success(request, f"{made.name} is here. {then}")
    return redirect("team-page", made.id)


@require_POST
@members_only(*MODERATORS)
def change(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Change name, purpose and budget."""
    form = TeamForm(request.POST)
    refusal = "" if form.is_valid() else " ".join(e for es in form.errors.values() for e in es)
    if not refusal:
        try:
            services.change_team(request.actor, str(team_id), form.cleaned_data, now=timezone.now())
        except (LikeAnother, UnfitName) as refused:
            refusal = str(refused)
    if refusal:
        messages.warning(request, f"Nothing was changed. {refusal}")
    else:
        messages.success(request, "Saved.")
    return redirect("team-page", team_id)


@require_POST
@members_only(Role.ADMIN)
def add_robot(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Put a robot into the team."""
    try:
        row, _ = membership.add_robot(
            request.actor, str(team_id), _robot(request), now=timezone.now()
        )
    except (TeamFull, PermissionError) as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, f"{row.robot.name} reads the notes of the team from now on.")
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATORS)
def remove_robot(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Take a robot out of the team."""
    membership.remove_robot(request.actor, str(team_id), _robot(request), now=timezone.now())
    messages.success(request, "Taken out. The notes of the team are closed to it now.")
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATORS)
def promote(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Make a robot active."""
    succession.promote(request.actor, str(team_id), _robot(request), now=timezone.now())
    messages.success(request, "It is active now. What the team has at hand is as it was.")
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATORS)
def demote(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Make a robot passive."""
    try:
        succession.demote(request.actor, str(team_id), _robot(request), now=timezone.now())
    except LastActive as refused:
        messages.warning(request, str(refused))
    else:
        messages.success(request, "It waits now.")
    return redirect("team-page", team_id)


@require_POST
@members_only(*MODERATORS)
def remove(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Remove the team."""
    try:
        services.remove_team(request.actor, str(team_id), now=timezone.now())
    except TeamInUse as refused:
        messages.warning(request, str(refused))
        return redirect("team-page", team_id)
    messages.success(request, "The team is gone. Its robots are here as before.")
    return redirect("teams-page")


def _robot(request: HttpRequest) -> str:
    form = TeamRobotForm(request.POST)
    if not form.is_valid():
        raise NotFound("no such robot")
    return str(form.cleaned_data["robot"])
