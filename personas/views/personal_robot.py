"""A member's personal robot: what it knows of them, and its keys."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from orgs.errors import AlreadyExistsError
from orgs.expiry import has_expired
from orgs.views.page_access import WRITERS, members_only
from personas.associations.personal_robot import (
    create_own_key,
    ensure_own_robot,
    revoke_own_key,
)
from personas.browsing.own_personas import get_own_robot
from personas.models.blocks import Layer
from personas.views import labels
from personas.views.forms import PersonalRobotKeyForm
from robots.models.keys import Key
from robots.views.key_usage import ways_to_connect
from robots.views.robots import KEY_SHOWN_ALREADY


def _form_salt(request: HttpRequest) -> str:
    return f"once:{request.actor.organisation_id}:{request.actor.member_id}:own-robot"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*WRITERS)
def robot(request: HttpRequest) -> HttpResponse:
    """The robot. To look makes none; a press does."""
    if request.method == "POST":
        ensure_own_robot(request.actor, now=timezone.now())
        messages.success(request, gettext("You have a robot of your own now."))
        return redirect("me-robot")
    return _render_robot(request)


def _render_robot(request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
    found = get_own_robot(request.actor, now=timezone.now())
    blocks = [labels.block_context(one) for one in found.blocks]
    for block, one in zip(blocks, found.blocks, strict=True):
        block["writable"] = found.known or one.block.layer != Layer.PROFILE
    context = {
        "robot": found.robot,
        "keys": [_key_row(key) for key in found.keys],
        "blocks": blocks,
        "form": PersonalRobotKeyForm(_form_salt(request)),
    }
    return render(request, "personas/my_robot.html", context | more, status=status)


def _key_row(key: Key) -> dict[str, Any]:
    now = timezone.now()
    return {
        "id": key.id,
        "name": key.label or gettext("Unnamed"),
        "prefix": f"cmk_…_{key.prefix}",
        "last_used_at": key.last_used_at,
        "expires_at": key.expires_at,
        "revoked": key.revoked_at is not None,
        "over": has_expired(key.expires_at, now),
    }


@require_POST
@never_cache
@members_only(*WRITERS)
def add_key(request: HttpRequest) -> HttpResponse:
    """Make a key; this answer alone shows it."""
    form = PersonalRobotKeyForm(_form_salt(request), request.POST)
    if not form.is_valid():
        return _render_robot(request, 422, form=form)
    try:
        key, secret = create_own_key(
            request.actor,
            label=form.cleaned_data["name"],
            key_id=form.cleaned_data["once"],
            lifetime=form.lifetime(),
            now=timezone.now(),
        )
    except AlreadyExistsError:
        messages.warning(request, KEY_SHOWN_ALREADY)
        return redirect("me-robot")
    return _render_robot(
        request,
        new_key={"secret": secret, "name": key.label, "ways": ways_to_connect(key, secret)},
    )


@require_POST
@members_only(*WRITERS)
def revoke_key(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """Close a key at once."""
    revoke_own_key(request.actor, key_id, now=timezone.now())
    messages.success(request, gettext("The key is revoked; nothing opens with it any more."))
    return redirect("me-robot")
