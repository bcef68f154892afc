"""Access to support's console: staff only, and inside an organisation by the role `support`.

That role has no grant on a text, a vector or a secret: a column that is not granted cannot be
shown by mistake. Each page of an organisation is written into its audit trail.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from orgs.database.rls import organisation_scope
from orgs.support.support_sessions import (
    SUPPORT_ALIAS,
    find_account_session,
    find_organisation_session,
    record_support_act,
)

View = Callable[..., HttpResponse]


def support_only(view: View) -> View:
    """Let support staff in; the page does not exist for others."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            back = request.get_full_path() if request.method == "GET" else reverse("support")
            return redirect_to_login(back)
        if not (request.user.is_active and request.user.is_staff):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def organisation_page(action: str, about: str) -> Callable[[View], View]:
    """A page of the organisation that is looked at (`request.look`), under the role `support`.

    action, about: the action and the type of target in its audit trail; the id in the address is
    the target. Views that answer with a redirect record their acts themselves.
    """

    def decorate(view: View) -> View:
        @support_only
        @wraps(view)
        def scoped(request: HttpRequest, *args: Any, **ids: UUID) -> HttpResponse:
            look = request.look = find_organisation_session(request)
            if look is None:
                back = request.get_full_path() if request.method == "GET" else ""
                query = f"?{urlencode({'next': back})}" if back else ""
                return redirect(f"{reverse('support-organisation')}{query}")
            with organisation_scope(look.organisation_id, using=SUPPORT_ALIAS):
                response = view(request, *args, **ids)
            if response.status_code == 200:
                target = next(iter(ids.values()), None)
                record_support_act(
                    request.user.pk, action, look.organisation_id, target=target, target_type=about
                )
            return response

        return scoped

    return decorate


def account_page(view: View) -> View:
    """A page of the account that is looked at (`request.look`)."""

    @support_only
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        request.look = find_account_session(request)
        if request.look is None:
            return redirect("support")
        return view(request, *args, **kwargs)

    return guarded
