"""One account for support: why somebody cannot sign in, where they are signed in, what to end."""

from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from orgs.languages.page_text import choice_label, lazy_text
from orgs.models.memberships import Role
from orgs.support import accounts, support_sessions
from orgs.support.accounts import AccountMembership, SupportAccount
from orgs.views.support.forms import SecondFactorResetForm
from orgs.views.support.support_access import account_page
from orgs.views.support.support_act_text import describe_support_act

FACTOR_LABELS = {
    Authenticator.Type.TOTP: lazy_text("Authenticator app"),
    Authenticator.Type.WEBAUTHN: lazy_text("Passkey"),
    Authenticator.Type.RECOVERY_CODES: lazy_text("Recovery codes"),
}


@require_safe
@account_page
def account(request: HttpRequest) -> HttpResponse:
    """All that support may know of it."""
    found = accounts.find_account(request.user, request.look.email)
    if found is None:
        return _account_unavailable(request)
    context = {
        "account": found,
        "hints": _sign_in_hints(found),
        "two_steps": _has_second_step(found),
        "factors": [_factor(one) for one in found.factors],
        "memberships": [_membership(one) for one in found.memberships],
        "acts": [
            {"at": act.at, "who": act.staff_name, "reason": act.reason}
            | describe_support_act(act.kind, act.detail)
            for act in found.acts
        ],
        "change_url": reverse("admin:orgs_user_change", args=[found.id])
        if request.user.is_superuser
        else "",
    }
    return render(request, "support/account.html", context)


def _account_unavailable(request: HttpRequest) -> HttpResponse:
    """The answer if the account was deleted or is closed to this member of staff meanwhile."""
    support_sessions.end_account_session(request)
    messages.warning(request, gettext("This account is not there for you any more."))
    return redirect("support")


def _has_second_step(found: SupportAccount) -> bool:
    return any(one.type != Authenticator.Type.RECOVERY_CODES for one in found.factors)


def _factor(one: accounts.SecondFactor) -> dict[str, Any]:
    label = FACTOR_LABELS.get(Authenticator.Type(one.type), one.type)
    return {"label": label, "since": one.created_at, "last_used_at": one.last_used_at}


def _sign_in_hints(found: SupportAccount) -> list[str]:
    """Reasons why the person may be unable to sign in, as sentences."""
    hints = []
    if not found.is_active:
        hints.append(gettext("The account is switched off, so nobody can sign in with it."))
    if found.last_login is None:
        hints.append(gettext("Nobody has signed in with it yet."))
    if not any(one.stands for one in found.memberships):
        hints.append(
            gettext("It is in no organisation, so there is nothing to see after signing in.")
        )
    now = timezone.now()
    for one in found.memberships:
        if one.joined_at is None and one.removed_at is None:
            over = one.invited_until is not None and one.invited_until <= now
            hints.append(
                gettext("The invitation to %(organisation)s has ended; its admins make a new one.")
                % {"organisation": one.organisation}
                if over
                else gettext("The invitation to %(organisation)s is not accepted yet.")
                % {"organisation": one.organisation}
            )
    return hints


def _membership(one: AccountMembership) -> dict[str, Any]:
    state = (gettext("Joined"), one.joined_at)
    if one.removed_at:
        state = (gettext("Removed"), one.removed_at)
    elif one.joined_at is None:
        state = (gettext("Invited"), None)
    return {
        "name": one.organisation,
        "slug": one.slug,
        "role": choice_label(Role(one.role)),
        "state": state[0],
        "at": state[1],
        "url": f"{reverse('support-organisation')}?q={one.slug}",
    }


@require_POST
@account_page
def end_sign_in(request: HttpRequest, sign_in_id: UUID) -> HttpResponse:
    """End one sign-in; 404 for another person's."""
    look = request.look
    accounts.end_account_sign_ins(
        request.user, look.email, reason=look.reason, now=timezone.now(), only=sign_in_id
    )
    messages.success(
        request, gettext("%(name)s is signed out in that browser.") % {"name": look.name}
    )
    return redirect("support-account")


@require_POST
@account_page
def end_sign_ins(request: HttpRequest) -> HttpResponse:
    """End every sign-in."""
    look = request.look
    ended = accounts.end_account_sign_ins(
        request.user, look.email, reason=look.reason, now=timezone.now()
    )
    where = (
        gettext("one browser") if ended == 1 else gettext("%(ended)s browsers") % {"ended": ended}
    )
    messages.success(
        request,
        gettext("%(name)s is signed out everywhere, in %(where)s.")
        % {"name": look.name, "where": where},
    )
    return redirect("support-account")


@require_http_methods(["GET", "POST"])
@account_page
def reset_second_factor(request: HttpRequest) -> HttpResponse:
    """Take the second step away, after the address was typed and the proof named."""
    look = request.look
    form = SecondFactorResetForm(look.email, request.POST or None)
    if request.method == "POST" and form.is_valid():
        outcome = accounts.reset_second_factor(
            request.user,
            look.email,
            reason=look.reason,
            proof=form.cleaned_data["proof"],
            now=timezone.now(),
        )
        messages.success(request, _reset_message(outcome, look.name))
        return redirect("support-account")
    found = accounts.find_account(request.user, look.email)
    if found is None or not found.factors:
        return redirect("support-account")
    context = {"form": form, "account": found, "factors": [_factor(f) for f in found.factors]}
    status = 422 if form.errors else 200
    return render(request, "support/second_step.html", context, status=status)


def _reset_message(outcome: accounts.SecondFactorReset, name: str) -> str:
    if outcome.has_password:
        return gettext(
            "%(name)s signs in with the password alone now, and is signed out everywhere."
        ) % {"name": name}
    return gettext(
        "%(name)s is signed out everywhere and has no password: whoever runs the machine "
        "makes a link for a new one with manage.py reset_password."
    ) % {"name": name}
