"""The account: password, second factor, passkeys, and open sign-ins."""

from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from orgs.accounts.sessions import (
    actor_of,
    current_sign_in_id,
    end_sign_ins,
    find_current_membership,
    list_open_sign_ins,
    record_sign_in,
)
from orgs.support.accounts import list_support_acts
from orgs.views.support.support_act_text import describe_support_act


@require_safe
@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Everything about signing in, on one page."""
    record_sign_in(request)
    here = current_sign_in_id(request)
    context = {
        "sign_ins": [
            _sign_in_row(one, here) for one in list_open_sign_ins(request.user, timezone.now())
        ],
        "has_password": request.user.has_usable_password(),
        "acts": [
            {
                "at": act.at,
                "who": gettext("%(staff_name)s of support") % {"staff_name": act.staff_name},
                "reason": act.reason,
            }
            | describe_support_act(act.kind, act.detail)
            for act in list_support_acts(request.user)
        ],
        **_second_factors(request),
        **_base_template(request),
    }
    return render(request, "orgs/accounts/account.html", context)


def _base_template(request: HttpRequest) -> dict[str, Any]:
    """The frame of the page: the product's for members, a bare one for who is in no
    organisation."""
    found = find_current_membership(request)
    if found is not None:
        request.membership, request.actor = found, actor_of(found[0])
        return {"shell": "frame.html"}
    return {"shell": "plain.html"}


def _sign_in_row(one: Any, here: UUID | None) -> dict[str, Any]:
    return {
        "id": one.id,
        "browser": one.browser,
        "since": one.created_at,
        "last_seen_at": one.last_seen_at,
        "here": one.id == here,
    }


def _second_factors(request: HttpRequest) -> dict[str, Any]:
    """Second factors as the page shows them, without secrets."""
    found: dict[str, list[Authenticator]] = {}
    for one in Authenticator.objects.filter(user=request.user).order_by("id"):
        found.setdefault(one.type, []).append(one)
    codes = found.get(Authenticator.Type.RECOVERY_CODES)
    return {
        "app": next(iter(found.get(Authenticator.Type.TOTP, [])), None),
        "passkeys": [_passkey(one) for one in found.get(Authenticator.Type.WEBAUTHN, [])],
        "codes_left": len(RecoveryCodes(codes[0]).get_unused_codes()) if codes else None,
        "two_steps": bool(set(found) - {Authenticator.Type.RECOVERY_CODES}),
    }


def _passkey(one: Authenticator) -> dict[str, Any]:
    return {
        "id": one.pk,
        "name": one.wrap().name,
        "alone": one.wrap().is_passwordless,
        "added_at": one.created_at,
        "last_used_at": one.last_used_at,
    }


@require_POST
@login_required
def end_sign_in(request: HttpRequest, sign_in_id: UUID) -> HttpResponse:
    """Sign out in one other browser; 404 for another person's session."""
    if not end_sign_ins(request.user, only=sign_in_id):
        raise Http404
    messages.success(request, gettext("Signed out there."))
    return redirect("account")


@require_POST
@login_required
def end_other_sign_ins(request: HttpRequest) -> HttpResponse:
    """Sign out in every other browser."""
    record_sign_in(request)
    ended = end_sign_ins(request.user, but=current_sign_in_id(request))
    words = (
        gettext("Signed out everywhere else.")
        if ended
        else gettext("You were signed in nowhere else.")
    )
    messages.success(request, words)
    return redirect("account")
