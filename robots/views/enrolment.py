"""Enrolment keys on a page: which there are, making one, ending one."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import lazy_text
from orgs.models.organisations import Group
from orgs.views.page_access import ADMINS, members_only
from robots.access.enrolment import (
    create_enrolment_key,
    groups_by_key,
    list_enrolment_keys,
    revoke_enrolment_key,
)
from robots.access.robot_administration import list_assignable_groups
from robots.models.enrolments import EnrolmentKey
from robots.views.forms import EnrolmentForm, describe_scopes
from robots.views.key_usage import enrolment_command
from robots.views.robots import KEY_SHOWN_ALREADY, form_salt
from robots.views.teams import robot_tabs

MAX_SHOWN = 100
STATE_LABELS = {
    "used_up": lazy_text("Used up"),
    "ended": lazy_text("Ended"),
    "revoked": lazy_text("Revoked"),
}


@require_safe
@never_cache
@members_only(*ADMINS)
def enrolment(request: HttpRequest) -> HttpResponse:
    """The newest enrolment keys, and a form for another."""
    return _render(request)


def _render(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    rows = list_enrolment_keys(request.actor).order_by("-id")[:MAX_SHOWN]
    groups = groups_by_key(request.actor, rows)
    context = {
        "tabs": robot_tabs("enrolment", request.actor),
        "keys": [_key_row(key, groups.get(key.id, [])) for key in rows],
        "form": EnrolmentForm(
            form_salt(request, "enrolment"), list_assignable_groups(request.actor)
        ),
    }
    return render(request, "robots/enrolment.html", context | more, status=status)


def _key_row(key: EnrolmentKey, groups: list[Group]) -> dict[str, Any]:
    state = key.state(timezone.now())
    return {
        "name": key.label or gettext("Unnamed"),
        "prefix": f"cme_…_{key.prefix}",
        "scopes": describe_scopes(key.scopes),
        "groups": [group.name for group in groups],
        "hidden": len(key.groups) - len(groups),
        "used": key.used,
        "most": key.most,
        "expires_at": key.expires_at,
        "over": STATE_LABELS.get(state, ""),
        "revoke_url": reverse("enrolment-revoke", args=[key.id]) if state == "open" else "",
    }


@require_POST
@never_cache
@members_only(*ADMINS)
def add(request: HttpRequest) -> HttpResponse:
    """Make an enrolment key; this answer alone shows it."""
    salt, groups = form_salt(request, "enrolment"), list_assignable_groups(request.actor)
    form = EnrolmentForm(salt, groups, request.POST)
    if not form.is_valid():
        return _render(request, 422, form=form)
    data = form.cleaned_data
    try:
        key, secret = create_enrolment_key(
            request.actor,
            label=data["name"],
            scopes=data["scopes"],
            groups=data.get("groups", ()),
            most=data["robots"],
            lifetime=form.lifetime(),
            key_id=data["once"],
            now=timezone.now(),
        )
    except AlreadyExistsError:
        messages.warning(request, KEY_SHOWN_ALREADY)
        return redirect("enrolment")
    shown = {"name": key.label, "secret": secret, "command": enrolment_command(secret)}
    return _render(request, new_key=shown)


@require_POST
@members_only(*ADMINS)
def revoke(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """End an enrolment key."""
    revoke_enrolment_key(request.actor, key_id, now=timezone.now())
    messages.success(
        request, gettext("The enrolment key is revoked. The robots that came by it stay.")
    )
    return redirect("enrolment")
