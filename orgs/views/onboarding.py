"""Pages before the product: invitations, new passwords, and the choice of an organisation."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from orgs.accounts.allauth_adapters import TOO_MANY_ATTEMPTS
from orgs.accounts.forms import FirstPasswordForm, ForgottenPasswordForm, NewPasswordForm
from orgs.accounts.password_reset import request_reset_mail, reset_tokens
from orgs.accounts.sessions import list_memberships, select_organisation
from orgs.errors import NotFoundError
from orgs.languages.page_text import choice_label
from orgs.limits.addresses import client_network
from orgs.members.invitations import (
    accept_invitation,
    accept_open_invitation,
    can_sign_in,
    get_invitation,
    list_open_invitations,
)
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Organisation
from orgs.outbound.mail import can_send_mail

AUTHENTICATION_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, organisation_id: UUID, secret: str) -> HttpResponse:
    """Join by a link: with a first password, or as the account that the link is for."""
    try:
        member = get_invitation(organisation_id=organisation_id, secret=secret, now=timezone.now())
    except NotFoundError:
        return render(request, "orgs/accounts/invitation_over.html", status=404)
    if request.user.is_authenticated:
        return _accept_signed_in(request, member, secret)
    if can_sign_in(member.user):
        return _render_invitation(request, member, sign_in=True)
    return _accept_with_password(request, member, secret)


def _render_invitation(request: HttpRequest, member: Member, **more: object) -> HttpResponse:
    context = {"member": member, "organisation": member.organisation, "here": request.path}
    broken = getattr(more.get("form"), "errors", None)
    return render(
        request, "orgs/accounts/invitation.html", context | more, status=422 if broken else 200
    )


def _accept_signed_in(request: HttpRequest, member: Member, secret: str) -> HttpResponse:
    """For a signed-in person: a button to join, or a note that the invitation is for another
    address."""
    if request.user.pk != member.user_id:
        return _render_invitation(request, member, other=request.user.email)
    if request.method != "POST":
        return _render_invitation(request, member, mine=True)
    accept_invitation(
        organisation_id=member.organisation_id,
        secret=secret,
        user=request.user,
        now=timezone.now(),
    )
    return _enter_organisation(request, member.organisation, gettext("Welcome."))


def _accept_with_password(request: HttpRequest, member: Member, secret: str) -> HttpResponse:
    """For an address whose account nobody can enter yet: choose a first password."""
    form = FirstPasswordForm(member.user, request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return _render_invitation(request, member, form=form)
    user = accept_invitation(
        organisation_id=member.organisation_id,
        secret=secret,
        password=form.cleaned_data["password"],
        now=timezone.now(),
    )
    login(request, user, backend=AUTHENTICATION_BACKEND)
    return _enter_organisation(
        request, member.organisation, gettext("Welcome. Your password is set.")
    )


def _enter_organisation(
    request: HttpRequest, organisation: Organisation, words: str
) -> HttpResponse:
    select_organisation(request, organisation.id)
    messages.success(request, words)
    return redirect("home")


@never_cache
@require_http_methods(["GET", "POST"])
def forgotten_password(request: HttpRequest) -> HttpResponse:
    """Ask for a link for a new password by mail; 404 where the server sends none. The answer is the
    same for every address."""
    if not can_send_mail():
        raise Http404
    form, asked = ForgottenPasswordForm(request.POST or None), False
    if request.method == "POST" and form.is_valid():
        asked = request_reset_mail(form.cleaned_data["email"], network=client_network(request))
        if not asked:
            form.add_error(None, TOO_MANY_ATTEMPTS)
    status = 422 if form.errors else 200
    context = {"form": form, "asked": asked}
    return render(request, "orgs/accounts/forgotten_password.html", context, status=status)


class NewPasswordView(PasswordResetConfirmView):
    """A link for a new password, mailed or printed by a command: works once, for three days."""

    form_class = NewPasswordForm
    token_generator = reset_tokens
    template_name = "orgs/accounts/new_password.html"
    success_url = reverse_lazy("account_login")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"offers_reset": can_send_mail()}

    def form_valid(self, form: NewPasswordForm) -> HttpResponse:
        messages.success(self.request, gettext("Your new password is set. Sign in with it."))
        return super().form_valid(form)


def _organisation_option(member: Member, organisation: Organisation) -> dict[str, object]:
    return {
        "id": organisation.id,
        "name": organisation.name,
        "url": reverse("organisation", args=[organisation.slug]),
        "role": choice_label(Role(member.role)),
        "suspended": organisation.suspended_at is not None,
        "reason": organisation.suspended_for,
    }


@login_required
def organisations(request: HttpRequest) -> HttpResponse:
    """The person's organisations, to choose one, and those that invite them."""
    context = {
        "organisations": [_organisation_option(*pair) for pair in list_memberships(request.user)],
        "invitations": [
            _organisation_option(*pair)
            for pair in list_open_invitations(request.user, timezone.now())
        ],
        "member": {"name": str(request.user), "email": request.user.email},
        "support_url": reverse("support") if request.user.is_staff else "",
    }
    return render(request, "orgs/accounts/choose.html", context)


@login_required
def organisation(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose one of the person's organisations; 404 for any other slug."""
    found = next((o for _, o in list_memberships(request.user) if o.slug == slug), None)
    if found is None or not select_organisation(request, found.id):
        raise Http404
    return redirect("home")


@require_POST
@login_required
def join_organisation(request: HttpRequest, organisation_id: UUID) -> HttpResponse:
    """Accept an invitation to an address that single sign-on has verified."""
    accept_open_invitation(request.user, organisation_id=organisation_id, now=timezone.now())
    select_organisation(request, organisation_id)
    messages.success(request, gettext("Welcome."))
    return redirect("home")
