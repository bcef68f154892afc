"""One team of robots: which are active, and their shared working memory; updated live."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.context import team_memory
from memories.context.at_hand import WorkingMemory
from memories.context.models import Reason
from memories.context.team_memory import TeamState
from memories.views.context.working_memory import rows_of
from orgs.views.access import MODERATORS, members_only
from robots.models.teams import TeamRobot, TeamStatus
from robots.teams.membership import robots_on_offer
from robots.teams.succession import silence_limit
from robots.views.forms import TeamForm
from robots.views.teams import tabs_of

# A neutral wording: the team itself removes nothing, whoever did it.
WHY = {Reason.REMOVED: "taken out"}
LIVE = "team-live"


@require_safe
@never_cache
@vary_on_headers("HX-Target")
@members_only(*MODERATORS)
def team(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """The page; every two seconds it asks for what may have changed."""
    state, held = team_memory.watch(request.actor, str(team_id), now=timezone.now())
    context = _live(state, held)
    if request.htmx.target == LIVE:
        changed = request.GET.get("seen") != context["seen"]
        more = {"fresh": True, "changed": changed}
        return render(request, "memories/context/team.html#live", context | more)
    fields = ("name", "purpose", "working_memory_tokens")
    context |= {
        "tabs": tabs_of("teams-page"),
        "on_offer": robots_on_offer(request.actor, str(team_id)),
        "form": TeamForm({name: getattr(state.team, name) for name in fields}),
    }
    return render(request, "memories/context/team.html", context)


def _live(state: TeamState, held: WorkingMemory) -> dict[str, Any]:
    standing = state.standing
    robots = [_robot(one, state) for one in (*standing.active, *standing.passive)]
    return {
        "team": state.team,
        "live_url": reverse("team-page", args=[state.team.id]),
        "robots": robots,
        # What the rows of the robots show: they are redrawn only if it changed.
        "seen": ".".join(f"{one['id'].hex[-12:]}{one['active']:d}" for one in robots)[:1_500],
        "said": _said(state),
        "in_sync": standing.in_sync,
        "unheard": [one["name"] for one in robots if one["active"] and one["silent"]],
        "limit": f"{silence_limit().total_seconds():g}",
        "tokens": state.tokens,
        "budget": state.budget,
        "used": f"{state.tokens:,} of {state.budget:,} tokens",
        "count": state.count,
        **rows_of(held, WHY),
    }


def _robot(row: TeamRobot, state: TeamState) -> dict[str, Any]:
    return {
        "id": row.robot_id,
        "name": row.robot.name,
        "active": row.status == TeamStatus.ACTIVE,
        "silent": row.robot_id in state.standing.silent,
        "heard_at": row.last_seen_at,
        "joined_at": row.joined_at,
        "last": row.status == TeamStatus.ACTIVE and len(state.standing.active) == 1,
    }


def _said(state: TeamState) -> str:
    """Who works and who waits, by name while they are few."""
    active, passive = (
        [one.robot.name for one in rows] for rows in (state.standing.active, state.standing.passive)
    )
    if not active and not passive:
        return "No robot is in this team yet."
    works = _names(active, "is active", "are active") if active else "No robot is active"
    waits = _names(passive, "waits", "wait") if passive else "nobody waits to take over"
    return f"{works}; {waits}."


def _names(names: list[str], one: str, several: str) -> str:
    if len(names) == 1:
        return f"{names[0]} {one}"
    if len(names) <= 3:
        return f"{', '.join(names[:-1])} and {names[-1]} {several}"
    return f"{names[0]} and {len(names) - 1} others {several}"
