"""One team of robots: which are active, and their shared working memory; updated live."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.context import team_working_memory
from memories.context.models import EvictionReason
from memories.context.team_working_memory import TeamState
from memories.context.working_memory_values import WorkingMemory
from memories.views.context.working_memory import entry_rows
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.page_access import MODERATOR_ROLES, members_only
from robots.models.teams import TeamRobot, TeamStatus
from robots.teams.failover import silence_limit
from robots.teams.team_robots import list_addable_robots
from robots.views.forms import TeamForm
from robots.views.teams import robot_tabs

# A neutral wording: the team itself removes nothing, whoever did it.
REASON_LABELS = {EvictionReason.REMOVED: lazy_text("taken out")}
LIVE_TARGET_ID = "team-live"


@require_safe
@never_cache
@vary_on_headers("HX-Target")
@members_only(*MODERATOR_ROLES)
def team(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """The page; every two seconds it asks for what may have changed."""
    state, held = team_working_memory.get_team_state_and_memory(
        request.actor, str(team_id), now=timezone.now()
    )
    context = _live_context(state, held)
    if request.htmx.target == LIVE_TARGET_ID:
        changed = request.GET.get("seen") != context["seen"]
        more = {"fresh": True, "changed": changed}
        return render(request, "memories/context/team.html#live", context | more)
    fields = ("name", "purpose", "working_memory_tokens")
    context |= {
        "tabs": robot_tabs("teams-page", request.actor),
        "on_offer": list_addable_robots(request.actor, str(team_id)),
        "form": TeamForm({name: getattr(state.team, name) for name in fields}),
    }
    return render(request, "memories/context/team.html", context)


def _live_context(state: TeamState, held: WorkingMemory) -> dict[str, Any]:
    standing = state.standing
    robots = [_robot_row(one, state) for one in (*standing.active, *standing.passive)]
    return {
        "team": state.team,
        "live_url": reverse("team-page", args=[state.team.id]),
        "robots": robots,
        # What the rows of the robots show: they are redrawn only if it changed.
        "seen": ".".join(f"{one['id'].hex[-12:]}{one['active']:d}" for one in robots)[:1_500],
        "said": _status_sentence(state),
        "in_sync": standing.in_sync,
        "unheard": [one["name"] for one in robots if one["active"] and one["silent"]],
        "limit": f"{silence_limit().total_seconds():g}",
        "tokens": state.tokens,
        "budget": state.budget,
        "used": gettext("%(tokens)s of %(budget)s tokens")
        % {"tokens": format_number(state.tokens), "budget": format_number(state.budget)},
        "count": state.count,
        **entry_rows(held, REASON_LABELS),
    }


def _robot_row(row: TeamRobot, state: TeamState) -> dict[str, Any]:
    return {
        "id": row.robot_id,
        "name": row.robot.name,
        "active": row.status == TeamStatus.ACTIVE,
        "silent": row.robot_id in state.standing.silent,
        "heard_at": row.last_seen_at,
        "joined_at": row.joined_at,
        "last": row.status == TeamStatus.ACTIVE and len(state.standing.active) == 1,
    }


def _status_sentence(state: TeamState) -> str:
    """Who works and who waits, by name while they are few."""
    active, passive = (
        [one.robot.name for one in rows] for rows in (state.standing.active, state.standing.passive)
    )
    if not active and not passive:
        return gettext("No robot is in this team yet.")
    works = (
        _name_list(active, gettext("is active"), gettext("are active"))
        if active
        else gettext("No robot is active")
    )
    waits = (
        _name_list(passive, "waits", "wait") if passive else gettext("nobody waits to take over")
    )
    return f"{works}; {waits}."


def _name_list(names: list[str], one: str, several: str) -> str:
    if len(names) == 1:
        return f"{names[0]} {one}"
    if len(names) <= 3:
        return gettext("%(names)s and %(names2)s %(several)s") % {
            "names": ", ".join(names[:-1]),
            "names2": names[-1],
            "several": several,
        }
    return gettext("%(names)s and %(names2)s others %(several)s") % {
        "names": names[0],
        "names2": len(names) - 1,
        "several": several,
    }
