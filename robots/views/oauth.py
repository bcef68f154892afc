"""OAuth for hosted assistants: what clients read, the page of consent, and the tokens."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from uuid import UUID

import orjson
from allauth.idp.oidc import app_settings
from allauth.idp.oidc.internal.oauthlib.utils import convert_response, extract_params
from allauth.idp.oidc.views import client_registration
from csp.constants import SELF
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from oauthlib.oauth2.rfc6749 import errors

from orgs.accounts.sessions import find_current_membership
from orgs.database.rls import organisation_scope
from orgs.languages.page_text import lazy_text
from orgs.limits.rate_limits import RequestCaller
from robots.oauth import consent, grants
from robots.oauth.authorization_server import build_server
from robots.oauth.clients import describe_client, form_target, get_client
from robots.oauth.errors import ClientMetadataError, NoLeaveError
from robots.oauth.grants import AuthorizationRequest
from robots.oauth.registration import MAX_BODY_BYTES
from robots.oauth.server_metadata import mcp_resource, resource_metadata, server_metadata

NOT_LET_IN = lazy_text("This assistant cannot be let in")
ASKED_WRONGLY = lazy_text("It asked in a way that cannot be answered: {reason}")


def _public_json(data: dict[str, Any]) -> JsonResponse:
    """Metadata, which pages of every site may read: it says nothing of anybody."""
    response = JsonResponse(data)
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, max-age=300"
    return response


@require_safe
def authorization_server(request: HttpRequest) -> HttpResponse:
    """The metadata of the authorization server (RFC 8414)."""
    return _public_json(server_metadata())


@require_safe
def protected_resource(request: HttpRequest) -> HttpResponse:
    """The metadata of /mcp (RFC 9728)."""
    return _public_json(resource_metadata())


@never_cache
@require_http_methods(["GET", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    """Ask a person whether a client may act for them, and send the client the answer."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path() if request.method == "GET" else "/")
    return _ask(request) if request.method == "GET" else _answer(request)


def _ask(request: HttpRequest) -> HttpResponse:
    # Each question may fetch from another server.
    RequestCaller(request).consume_for_account(request.user.pk, "client-metadata")
    try:
        client = get_client(request.GET.get("client_id", ""))
    except ClientMetadataError as error:
        return _refuse(request, str(error))
    server = build_server(request.GET.getlist("resource"), client)
    try:
        scopes, checked = server.validate_authorization_request(*extract_params(request))
    except errors.FatalClientError as error:
        return _refuse(request, ASKED_WRONGLY.format(reason=error.description or error.error))
    except errors.OAuth2Error as error:
        answer = {"error": error.error, "error_description": error.description}
        return _refuse(
            request,
            ASKED_WRONGLY.format(reason=error.description or error.error),
            # Anybody can be a client, so nobody is sent to one before they press something
            # (RFC 9700, 4.11.2): an address of this server would lead anywhere.
            returns_to=describe_client(client, error.redirect_uri).returns_to,
            back=consent.answer_address(error.redirect_uri, error.state or "", **answer),
        )
    except ValueError:
        return _refuse(request, ASKED_WRONGLY.format(reason="its address is not well formed."))
    asked = AuthorizationRequest(
        client_id=client.id,
        look=describe_client(client, checked["redirect_uri"]),
        redirect_uri=checked["redirect_uri"],
        scopes=tuple(scopes),
        resource=mcp_resource(),
        code_challenge=checked["code_challenge"],
    )
    return _render_question(request, asked, checked["state"] or "")


def _render_question(request: HttpRequest, asked: AuthorizationRequest, state: str) -> HttpResponse:
    choices = consent.list_choices(request.user)
    if not choices:
        return _refuse(
            request, gettext("You are in no organisation yet, so there is nothing to let it in.")
        )
    current = find_current_membership(request)
    chosen = current[1].id if current else choices[0].organisation.id
    context = {
        "client": asked.look,
        "asked": {one: one in asked.scopes for one in ("write", "act")},
        "choices": choices,
        "chosen": chosen,
        "sealed": consent.seal_request(request.user, asked, state),
        "person": request.user,
    }
    response = render(request, "robots/oauth/consent.html", context)
    # Browsers apply `form-action` to the redirect that answers the form as well.
    response._csp_update = {"form-action": [SELF, form_target(asked.redirect_uri)]}  # type: ignore[attr-defined]  # of django-csp
    return response


def _answer(request: HttpRequest) -> HttpResponse:
    try:
        asked, state = consent.open_request(request.user, request.POST.get("asked", ""))
        if request.POST.get("answer") != "allow":
            denied = consent.answer_address(asked.redirect_uri, state, error="access_denied")
            return _send_back(denied)
        code = consent.approve_request(
            request.user,
            asked,
            organisation_id=request.POST.get("in", ""),
            scopes=request.POST.getlist("scope"),
            now=timezone.now(),
        )
    except NoLeaveError as error:
        return _refuse(request, str(error))
    return _send_back(consent.answer_address(asked.redirect_uri, state, code=code))


def _send_back(address: str) -> HttpResponse:
    """A redirect to the client, which may be an application with a scheme of its own."""
    response = HttpResponse(status=303)
    response["Location"] = address
    response["Referrer-Policy"] = "no-referrer"
    return response


def _refuse(
    request: HttpRequest, why: str, *, returns_to: str = "", back: str = ""
) -> HttpResponse:
    """A page that says why. back: where the client can be told so, if the person wants that.
    returns_to: its host or application."""
    context = {
        "back": back,
        "returns_to": returns_to,
        "title": NOT_LET_IN,
        "text": f"{why} Nothing was allowed.",
        "request_id": getattr(request, "request_id", ""),
    }
    return render(request, "problem.html", context, status=400)


@csrf_exempt
@never_cache
@require_POST
@sensitive_post_parameters()
def token(request: HttpRequest) -> HttpResponse:
    """Tokens for a code or a refresh token."""
    server = build_server(request.POST.getlist("resource"))
    return _in_scope_of(request, ("code", "refresh_token"), server.create_token_response)


@csrf_exempt
@never_cache
@require_POST
@sensitive_post_parameters()
def revoke(request: HttpRequest) -> HttpResponse:
    """End what a token opens (RFC 7009)."""
    server = build_server([])
    return _in_scope_of(request, (), server.create_revocation_response)


def _in_scope_of(
    request: HttpRequest, named_by: tuple[str, ...], act: Callable[..., Any]
) -> HttpResponse:
    """The answer of oauthlib, in one transaction of the organisation that a parameter names."""
    shown = (
        grants.parse_code(request.POST.get(name, ""))
        or grants.parse_refresh_token(request.POST.get(name, ""))
        for name in named_by
    )
    found: UUID | None = next((one.organisation_id for one in shown if one), None)
    try:
        with organisation_scope(found) if found else nullcontext(), transaction.atomic():
            headers, body, status = act(*extract_params(request))
    except errors.OAuth2Error as error:
        headers, body, status = {}, error.json, error.status_code
    except ValueError:
        refused = errors.InvalidRequestError("The form is not well formed.")
        headers, body, status = {}, refused.json, refused.status_code
    response = convert_response(headers, body, status)
    response["Content-Type"] = "application/json"
    return response


@csrf_exempt
@never_cache
@require_POST
def register(request: HttpRequest) -> HttpResponse:
    """Register a client (RFC 7591), where the setting allows it."""
    if not app_settings.DCR_ENABLED:
        raise Http404
    try:
        if len(request.body) > MAX_BODY_BYTES:
            return _invalid_metadata(f"The metadata has more than {MAX_BODY_BYTES} bytes.")
        orjson.loads(request.body)
        response: HttpResponse = client_registration(request)
    except (ValueError, RecursionError):
        return _invalid_metadata("The body is not JSON.")
    return response


def _invalid_metadata(why: str) -> JsonResponse:
    return JsonResponse({"error": "invalid_client_metadata", "error_description": why}, status=400)
