"""Where support begins: find one account, or look at one organisation for half an hour."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from orgs.languages.page_text import lazy_text
from orgs.support import accounts, support_sessions
from orgs.support.organisations import list_organisations_named
from orgs.views.support.forms import AccountLookupForm, OrganisationLookupForm
from orgs.views.support.support_access import support_only

# The same words whether there is none, or one that this member of staff may not look at.
NO_ACCOUNT = lazy_text("No account that you may look at has this address.")
NO_ACCOUNT_FOR_STAFF = lazy_text(
    "%(no_account)s Your own and those of other support staff are not among them.",
    no_account=NO_ACCOUNT,
)
NO_ORGANISATION = lazy_text(
    "No organisation is called exactly so. Type its whole name, its short name or id."
)


def sign_in(request: HttpRequest) -> HttpResponse:
    """The one sign-in page, with its throttle, for staff as well."""
    if request.user.is_authenticated:
        raise Http404
    return redirect_to_login(request.GET.get("next") or reverse("support"))


@require_safe
@support_only
def home(request: HttpRequest) -> HttpResponse:
    """Both forms."""
    return _render_home(request, AccountLookupForm())


def _render_home(request: HttpRequest, form: AccountLookupForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "organisation_form": OrganisationLookupForm()}
    return render(request, "support/home.html", context, status=status)


@require_POST
@support_only
def find_account(request: HttpRequest) -> HttpResponse:
    """Look at the account of exactly this address. Each try is counted and recorded."""
    form = AccountLookupForm(request.POST)
    if not form.is_valid():
        return _render_home(request, form, 422)
    reason = form.cleaned_data["reason"]
    found = accounts.look_up_account(
        request.user, form.cleaned_data["email"], reason=reason, now=timezone.now()
    )
    if found is None:
        support_sessions.end_account_session(request)
        form.add_error("email", NO_ACCOUNT if request.user.is_superuser else NO_ACCOUNT_FOR_STAFF)
        return _render_home(request, form, 422)
    support_sessions.start_account_session(
        request, email=found.email, name=found.name or found.email, reason=reason
    )
    return redirect("support-account")


@require_http_methods(["GET", "POST"])
@support_only
def organisation(request: HttpRequest) -> HttpResponse:
    """Look at the organisation of this name, for half an hour."""
    if request.method != "POST":
        given = {"organisation": request.GET.get("q", ""), "next": request.GET.get("next", "")}
        return _render_organisation(request, OrganisationLookupForm(initial=given))
    form = OrganisationLookupForm(request.POST)
    if not form.is_valid():
        return _render_organisation(request, form, 422)
    found = list_organisations_named(form.cleaned_data["organisation"])
    if not found:
        form.add_error("organisation", NO_ORGANISATION)
    if len(found) != 1:
        return _render_organisation(request, form, 422, several=found)
    support_sessions.start_organisation_session(request, found[0], form.cleaned_data["reason"])
    wish = form.cleaned_data["next"]
    safe = url_has_allowed_host_and_scheme(wish, allowed_hosts={request.get_host()})
    # A path only: `redirect` would take any other word for the name of a view.
    to = wish if safe and wish[:1] == "/" else reverse("support-members")
    return HttpResponseRedirect(to)


def _render_organisation(
    request: HttpRequest, form: OrganisationLookupForm, status: int = 200, **more: object
) -> HttpResponse:
    return render(request, "support/organisation.html", {"form": form} | more, status=status)


@require_POST
@support_only
def end_organisation(request: HttpRequest) -> HttpResponse:
    """Look at it no longer."""
    support_sessions.end_organisation_session(request)
    messages.success(request, gettext("You look at no organisation any more."))
    return redirect("support")


@require_POST
@support_only
def end_account(request: HttpRequest) -> HttpResponse:
    """Look at it no longer."""
    support_sessions.end_account_session(request)
    messages.success(request, gettext("You look at no account any more."))
    return redirect("support")
