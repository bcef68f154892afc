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
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from orgs.accounts.sessions import (
    actor_of,
    current,
    end_sign_ins,
    note_sign_in,
    sign_ins_of,
    this_sign_in,
)
from orgs.support.accounts import acts_with
from orgs.views.support.act_words import act_in_words


@require_safe
@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Everything about signing in, on one page."""
    note_sign_in(request)
    here = this_sign_in(request)
    context = {
        "sign_ins": [_sign_in(one, here) for one in sign_ins_of(request.user, timezone.now())],
        "has_password": request.user.has_usable_password(),
        "acts": [
            {"at": act.at, "who": f"{act.staff_name} of support", "reason": act.reason}
            | act_in_words(act.kind, act.detail)
            for act in acts_with(request.user)
        ],
        **_factors(request),
        **_shell(request),
    }
    return render(request, "orgs/accounts/account.html", context)


def _shell(request: HttpRequest) -> dict[str, Any]:
    """The frame of the page: the product's for members, a bare one for who is in no
    organisation."""
    found = current(request)
    if found is not None:
        request.membership, request.actor = found, actor_of(found[0])
        return {"shell": "frame.html"}
    return {"shell": "plain.html"}


def _sign_in(one: Any, here: UUID | None) -> dict[str, Any]:
    return {
        "id": one.id,
        "browser": one.browser,
        "since": one.created_at,
        "last_seen_at": one.last_seen_at,
        "here": one.id == here,
    }


def _factors(request: HttpRequest) -> dict[str, Any]:
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
def end_session(request: HttpRequest, sign_in_id: UUID) -> HttpResponse:
    """Sign out in one other browser; 404 for another person's session."""
    if not end_sign_ins(request.user, only=sign_in_id):
        raise Http404
    messages.success(request, "Signed out there.")
    return redirect("account")


@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out in every other browser."""
    note_sign_in(request)
    ended = end_sign_ins(request.user, but=this_sign_in(request))
    words = "Signed out everywhere else." if ended else "You were signed in nowhere else."
    messages.success(request, words)
    return redirect("account")
