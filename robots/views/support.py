"""Robots and keys of the organisation that support looks at, without digests and purposes."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from orgs.expiry import has_expired
from orgs.support.support_sessions import SUPPORT_ALIAS
from orgs.views.support.support_access import organisation_page
from orgs.views.support.tables import Cell, Table, badge_cell, paginate, text_cell, time_cell
from robots.models.keys import Key, valid_key_q
from robots.models.robots import Robot
from robots.views.forms import describe_scopes

# The only columns that the role may read.
ROBOT_COLUMNS = ("id", "name", "builtin", "created_at", "last_active_at", "retired_at")
KEY_COLUMNS = ("id", "prefix", "robot_id", "label", "scopes", "created_at", "expires_at")
KEY_COLUMNS += ("revoked_at", "last_used_at")

MAX_ROBOTS = 200


def robot_names(organisation_id: Any, ids: Any) -> dict[Any, str]:
    """The names of these robots by id; no query if there are no ids."""
    wanted = {id_ for id_ in ids if id_}
    if not wanted:
        return {}
    rows = Robot.objects.using(SUPPORT_ALIAS).filter(organisation_id=organisation_id, id__in=wanted)
    return dict(rows.values_list("id", "name"))


@require_safe
@organisation_page("support.listed", "robot")
def robots(request: HttpRequest) -> HttpResponse:
    """Every robot with its last activity, and the prefixes of its keys."""
    tenant = {"organisation_id": request.look.organisation_id}
    listed = (
        Robot.objects.using(SUPPORT_ALIAS)
        .only(*ROBOT_COLUMNS)
        .filter(**tenant)
        .order_by("name", "id")
    )
    keys, page = paginate(
        request, Key.objects.using(SUPPORT_ALIAS).only(*KEY_COLUMNS).filter(**tenant)
    )
    now = timezone.now()
    valid = Key.objects.using(SUPPORT_ALIAS).filter(valid_key_q(now), **tenant)
    keyed = set(valid.values_list("robot_id", flat=True).distinct())
    names = robot_names(tenant["organisation_id"], (key.robot_id for key in keys))
    context = {
        "title": gettext("Robots and keys"),
        "lead": gettext("Which robot was heard from when, and which of their keys work."),
        "tables": [
            Table(
                gettext("Robots"),
                (gettext("Name"), gettext("Last heard from"), gettext("State"), gettext("Since")),
                [
                    [
                        text_cell(one.name),
                        time_cell(one.last_active_at, gettext("Never")),
                        _robot_state(one, has_key=one.id in keyed),
                        time_cell(one.created_at),
                    ]
                    for one in listed[:MAX_ROBOTS]
                ],
                gettext("There is no robot."),
            ),
            Table(
                gettext("Keys, the newest first"),
                (
                    gettext("Key"),
                    gettext("Robot"),
                    gettext("Can"),
                    gettext("Last used"),
                    gettext("State"),
                ),
                [
                    [
                        text_cell(f"cmk_…_{one.prefix}", note=one.label),
                        text_cell(names.get(one.robot_id, gettext("A robot that is gone"))),
                        text_cell(", ".join(describe_scopes(one.scopes))),
                        time_cell(one.last_used_at, gettext("Never")),
                        _key_state(one),
                    ]
                    for one in keys
                ],
                gettext("There is no key."),
            ),
        ],
        "page": page,
    }
    return render(request, "support/list.html", context)


def _robot_state(one: Robot, *, has_key: bool) -> Cell:
    if one.retired_at:
        return badge_cell(gettext("Retired")) | {"at": one.retired_at}
    if one.builtin:
        return badge_cell(gettext("Built in"))
    return (
        badge_cell(gettext("Has a key"), "good")
        if has_key
        else badge_cell(gettext("No key that works"))
    )


def _key_state(one: Key) -> Cell:
    if one.revoked_at:
        return badge_cell(gettext("Revoked"), "bad") | {"at": one.revoked_at}
    if has_expired(one.expires_at, timezone.now()):
        return badge_cell(gettext("Ended"), "bad") | {"at": one.expires_at}
    if one.expires_at:
        return badge_cell(gettext("Works until"), "good") | {"at": one.expires_at}
    return badge_cell(gettext("Works"), "good")
