"""Sign in and out, accept an invitation, choose the organisation."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login, logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from orgs.forms import PasswordForm, SignInForm
from orgs.models import Member, Organisation, Role
from orgs.services import NotFound, accept_invitation, find_invitation
from orgs.sessions import choose, memberships


def _next(request: HttpRequest) -> str:
    """Where to go afterwards; only addresses of this site."""
    wish = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        wish, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wish if safe else resolve_url("home")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """By e-mail and password."""
    if request.user.is_authenticated:
        return redirect(_next(request))
    form = SignInForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        login(request, form.user)
        return redirect(_next(request))
    context = {"form": form, "next": request.POST.get("next") or request.GET.get("next")}
    return render(request, "accounts/login.html", context, status=422 if form.errors else 200)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session. Signing out twice is as good as once."""
    logout(request)
    messages.success(request, "You are signed out.")
    return redirect("login")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, organisation_id: UUID, secret: str) -> HttpResponse:
    """Let an invited person choose a password; the link works once."""
    now = timezone.now()
    try:
        member = find_invitation(organisation_id=organisation_id, secret=secret, now=now)
    except NotFound:
        return render(request, "accounts/invitation_over.html", status=404)
    form = PasswordForm(member.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = accept_invitation(
            organisation_id=organisation_id,
            secret=secret,
            password=form.cleaned_data["password"],
            now=now,
        )
        return _welcome(request, user, organisation_id)
    context = {"form": form, "member": member, "organisation": member.organisation}
    return render(request, "accounts/invitation.html", context, status=422 if form.errors else 200)


def _welcome(request: HttpRequest, user: object, organisation_id: UUID) -> HttpResponse:
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    choose(request, organisation_id)
    messages.success(request, "Welcome. Your password is set.")
    return redirect("home")


def _choice(member: Member, organisation: Organisation) -> dict[str, str]:
    return {
        "name": organisation.name,
        "url": reverse("organisation", args=[organisation.slug]),
        "role": Role(member.role).label,
    }


def organisations(request: HttpRequest) -> HttpResponse:
    """The person's organisations, to choose one."""
    if not request.user.is_authenticated:
        return redirect(f"{reverse('login')}?next={request.path}")
    found = memberships(request.user)
    context = {
        "organisations": [_choice(*pair) for pair in found],
        "member": {"name": str(request.user), "email": request.user.email},
        "support_url": reverse("admin:index") if request.user.is_staff else "",
    }
    return render(request, "orgs/choose.html", context)


def organisation(request: HttpRequest, slug: str) -> HttpResponse:
    """Go into one of the person's organisations; every other slug does not exist."""
    if not request.user.is_authenticated:
        return redirect(f"{reverse('login')}?next={request.path}")
    found = next((o for _, o in memberships(request.user) if o.slug == slug), None)
    if found is None or not choose(request, found.id):
        raise Http404
    return redirect("home")
