"""Robots and keys of the organisation that support looks at, without digests and purposes."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from orgs.support.looks import ALIAS
from orgs.views.support.gate import in_organisation
from orgs.views.support.tables import Cell, Table, badge, page_of, text, when
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.views.forms import can

# The only columns that the role may read.
ROBOT = ("id", "name", "builtin", "created_at", "last_active_at", "retired_at")
KEY = ("id", "prefix", "robot_id", "label", "scopes", "created_at", "expires_at")
KEY += ("revoked_at", "last_used_at")

MOST_ROBOTS = 200


def names_of(organisation_id: Any, ids: Any) -> dict[Any, str]:
    """The names of these robots by id; no query if there are no ids."""
    wanted = {id_ for id_ in ids if id_}
    if not wanted:
        return {}
    rows = Robot.objects.using(ALIAS).filter(organisation_id=organisation_id, id__in=wanted)
    return dict(rows.values_list("id", "name"))


@require_safe
@in_organisation("support.listed", "robot")
def robots(request: HttpRequest) -> HttpResponse:
    """Every robot with its last activity, and the prefixes of its keys."""
    tenant = {"organisation_id": request.look.organisation_id}
    listed = Robot.objects.using(ALIAS).only(*ROBOT).filter(**tenant).order_by("name", "id")
    keys, page = page_of(request, Key.objects.using(ALIAS).only(*KEY).filter(**tenant))
    names = names_of(tenant["organisation_id"], (key.robot_id for key in keys))
    context = {
        "title": "Robots and keys",
        "lead": "Which robot was heard from when, and which of their keys work.",
        "tables": [
            Table(
                "Robots",
                ("Name", "Last heard from", "State", "Since"),
                [
                    [
                        text(one.name),
                        when(one.last_active_at, "Never"),
                        _robot_state(one),
                        when(one.created_at),
                    ]
                    for one in listed[:MOST_ROBOTS]
                ],
                "There is no robot.",
            ),
            Table(
                "Keys, the newest first",
                ("Key", "Robot", "Can", "Last used", "State"),
                [
                    [
                        text(f"cmk_…_{one.prefix}", note=one.label),
                        text(names.get(one.robot_id, "A robot that is gone")),
                        text(", ".join(can(one.scopes))),
                        when(one.last_used_at, "Never"),
                        _key_state(one),
                    ]
                    for one in keys
                ],
                "There is no key.",
            ),
        ],
        "page": page,
    }
    return render(request, "support/list.html", context)


def _robot_state(one: Robot) -> Cell:
    if one.retired_at:
        return badge("Retired") | {"at": one.retired_at}
    if one.builtin:
        return badge("Built in")
    return badge("At work", "good")


def _key_state(one: Key) -> Cell:
    if one.revoked_at:
        return badge("Revoked", "bad") | {"at": one.revoked_at}
    if one.expires_at and one.expires_at <= timezone.now():
        return badge("Ended", "bad") | {"at": one.expires_at}
    if one.expires_at:
        return badge("Works until", "good") | {"at": one.expires_at}
    return badge("Works", "good")
