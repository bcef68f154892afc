"""Who may open a page: the one check in front of every view of the product.

`members_only` sets `request.actor` (who asks) and `request.membership` (member, organisation).
Others get the same page as for an address that does not exist.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone, translation
from django.utils.translation import gettext

from orgs.accounts.sessions import actor_of, find_current_membership
from orgs.database.driver.servers import server_of
from orgs.limits.rate_limits import SAFE_METHODS, body_size, consume_for_organisation
from orgs.models.memberships import Role
from orgs.principals import MODERATOR_ROLES

View = Callable[..., HttpResponse]
WRITERS = (Role.ADMIN, Role.CURATOR, Role.MEMBER)
ADMINS = (Role.ADMIN,)
__all__ = ["ADMINS", "MODERATOR_ROLES", "WRITERS", "members_only", "staff_only"]


def members_only(*roles: str) -> Callable[[View], View]:
    """Let members of the chosen organisation in; with `roles`, only members of these roles."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            elsewhere = _redirect_or_refusal(request)
            if elsewhere is not None:
                return elsewhere
            if roles and request.actor.role not in roles:
                raise Http404
            if language := request.membership[0].language:
                # Until the middleware of languages is done; its errors are in this one too.
                translation.activate(language)
            # Also a transaction that is opened before its first scope is on the right server.
            here = server_of(request.actor.organisation_id)
            with here, timezone.override(request.membership[0].zone):
                return view(request, *args, **kwargs)

        return guarded

    return decorate


def _redirect_or_refusal(request: HttpRequest) -> HttpResponse | None:
    """A redirect for people who must first sign in or choose an organisation; None for members."""
    if not request.user.is_authenticated:
        back = request.get_full_path() if request.method == "GET" and not request.htmx else "/"
        return _redirect_page(request, redirect_to_login(back).url)
    found = find_current_membership(request)
    if found is None:
        return _redirect_page(request, resolve_url("organisations"))
    request.membership, request.actor = found, actor_of(found[0])
    if request.method not in SAFE_METHODS:
        consume_for_organisation(
            request.actor.organisation_id, writes=True, size=body_size(request)
        )
    return _wrong_organisation_response(request)


def _redirect_page(request: HttpRequest, url: str) -> HttpResponse:
    """A redirect of the whole page, also if htmx asked for a fragment."""
    if not request.htmx:
        return redirect(url)
    response = HttpResponse(status=204)
    response["HX-Redirect"] = url
    return response


def _wrong_organisation_response(request: HttpRequest) -> HttpResponse | None:
    """Refuse a form that was opened in another organisation than the one chosen now.

    Otherwise a form in one tab would write into the organisation that another tab has chosen.
    """
    opened_in = request.POST.get("organisation") if request.method == "POST" else None
    if opened_in in (None, str(request.actor.organisation_id)):
        return None
    return render(
        request,
        "problem.html",
        {
            "title": gettext("You have changed the organisation meanwhile"),
            "text": gettext(
                "This page was opened in another of your organisations, so nothing was "
                "saved. Go back to copy what you wrote, then open the page again where it belongs."
            ),
        },
        status=409,
    )


def staff_only(view: View) -> View:
    """Let support staff in; the page does not exist for others."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not request.user.is_staff:
            raise Http404
        found = find_current_membership(request)
        if found is not None:
            request.membership, request.actor = found, actor_of(found[0])
        return view(request, *args, **kwargs)

    return guarded
