"""The page of one robot, for everybody who may know that it exists."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.insights.robot_page import DAYS, KeySummary, RefusalCounts, RobotPage, get_robot_page
from memories.questions.consent import may_consent_for
from memories.views import conversation_presenter, memory_presenter
from orgs.api.problems import TITLES
from orgs.expiry import has_expired
from orgs.languages.page_text import format_number, lazy_text
from orgs.principals import Actor
from orgs.views.page_access import MODERATOR_ROLES, members_only
from orgs.views.time_formats import short_day
from robots.models.keys import KeyScope
from robots.models.robots import Robot
from robots.registry.activity import last_heard_at
from robots.registry.robots import may_see_work, robot_heading
from robots.views.forms import describe_scopes

REFUSAL_LABELS = {
    "refused": lazy_text("a change that a gate refused"),
    "held": lazy_text("held back for something personal"),
    "quarantined": lazy_text("held back for what could steer a robot"),
}


@require_safe
@never_cache
@members_only()
def robot(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """What it wrote, was given and was refused, as far as the reader may know."""
    now, name = timezone.localtime(), request.membership[1].name
    found = get_robot_page(request.actor, robot_id, organisation=name, now=now)
    context = _robot_context(request.actor, found, now) | _lists_context(
        found, request.actor.member_id, now
    )
    if request.actor.role in MODERATOR_ROLES:
        context["robots_url"] = f"{reverse('robots-page')}#robot-{robot_id}"
        context["at_hand_url"] = reverse("robot-working-memory", args=[robot_id])
    if may_consent_for(request.actor, found.robot):
        context["questions_url"] = reverse("robot-questions", args=[robot_id])
    return render(request, "memories/insights/robot.html", context)


def _robot_context(actor: Actor, found: RobotPage, now: datetime) -> dict[str, Any]:
    robot = found.robot
    knows = found.keys is not None
    keys = [_key_row(key, found.followed, now) for key in found.keys or ()]
    return {
        "robot": robot,
        "called": robot_heading(actor, robot),
        # For whom it may be told it stands in the heading.
        "serves": gettext("one member") if robot.owner_id and not found.followed else "",
        "followed": found.followed,
        "heard_at": last_heard_at(robot, (key.last_used_at for key in found.keys or ()))
        if found.followed and knows
        else None,
        "knows": knows,
        "unnamed": not may_see_work(robot, actor),
        # A personal robot reads as its member.
        "reads": robot.owner_id is None
        and any(row["reads"] and not (row["revoked_at"] or row["over"]) for row in keys),
        "failure": _failure_row(robot) if found.followed and knows else None,
        "groups": [{"name": n, "url": reverse("group-page", args=[i])} for i, n in found.groups],
        "hidden_seats": found.hidden_seats,
        "teams": [{"name": n, "url": reverse("team-page", args=[i])} for i, n in found.teams or ()],
        "keys": keys,
        "refusals": found.refusals,
        "refused": _refusal_counts(found.refusals),
        "chart": _chart(robot, found.by_day) if found.by_day else None,
    }


def _failure_row(robot: Robot) -> dict[str, Any] | None:
    if robot.failed_at is None:
        return None
    words = TITLES.get(robot.failure, robot.failure.replace("-", " ").capitalize())
    return {"at": robot.failed_at, "words": words, "call": robot.failed_call}


def _refusal_counts(found: RefusalCounts | None) -> list[tuple[str, int]]:
    counts = found.counts if found else {}
    return [(REFUSAL_LABELS[name], counts[name]) for name in REFUSAL_LABELS if name in counts]


def _key_row(key: KeySummary, followed: bool, now: datetime) -> dict[str, Any]:
    return {
        "name": key.label or gettext("Unnamed"),
        "prefix": f"cmk_…_{key.prefix}",
        "can": describe_scopes(key.scopes),
        "reads": KeyScope.READ in key.scopes,
        "within": key.groups,
        "networks": key.networks,
        "made_at": key.made_at,
        "made_by": key.made_by,
        "last_used_at": key.last_used_at if followed else None,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "over": has_expired(key.expires_at, now),
    }


def _chart(robot: Robot, by_day: Sequence[tuple[date, int]]) -> dict[str, Any] | None:
    """Nothing where there is nothing. A day opens its traces, if it has some."""
    total = sum(number for _, number in by_day)
    if not total:
        return None
    traces = "" if robot.owner_id else f"{reverse('traces')}?who={robot.id}&day="
    values = [
        {
            "label": short_day(day),
            "value": number,
            "url": f"{traces}{day.isoformat()}" if number and traces else "",
        }
        for day, number in by_day
    ]
    busiest = max(values, key=lambda value: value["value"])
    return {
        "kind": "columns",
        "title": gettext("Questions a day"),
        "first_column": gettext("Day"),
        "unit": gettext("questions"),
        "sentence": gettext("%(total)s in %(days)s days; at most %(value)s, on %(label)s")
        % {
            "total": format_number(total),
            "days": DAYS,
            "value": format_number(busiest["value"]),
            "label": busiest["label"],
        },
        "values": values,
        "max": busiest["value"],
    }


def _lists_context(found: RobotPage, me: UUID | None, now: datetime) -> dict[str, Any]:
    served = None
    if found.served is not None:
        served = [
            memory_presenter.memory_row(one.shown, me=me, now=now, wanted=frozenset())
            | {"served_at": one.at}
            for one in found.served
        ]
    return {
        "wrote": found.wrote,
        "written": [
            memory_presenter.memory_row(one, me=me, now=now, wanted=frozenset())
            for one in found.written
        ],
        "talks": [conversation_presenter.conversation_row(one) for one in found.talks],
        "written_url": f"{reverse('library')}?robot={found.robot.id}",
        "served": served,
        "days": DAYS,
    }
