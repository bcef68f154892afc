"""Webhooks of an admin: made, changed, tested, removed, and what each was sent.

A robot has its own, which its key alone sees (`memories/api/webhooks`).
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from memories.views.forms.webhook_forms import (
    DeliveryFilterForm,
    EndpointForm,
    NewEndpointForm,
    RotationForm,
)
from memories.views.webhooks import webhook_presenter as presenter
from memories.webhooks import delivery_log, endpoints
from memories.webhooks.models import DeliveryState
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import format_number, lazy_text
from orgs.outbound.url_rules import InvalidUrlError
from orgs.principals import resolve_principal
from orgs.views.page_access import ADMINS, members_only
from robots.views.robots import form_salt

MADE_ALREADY = lazy_text(
    "This webhook was made already, and its secret is shown only once. If you did not copy it, "
    "rotate it."
)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*ADMINS)
def webhook_list(request: HttpRequest) -> HttpResponse:
    """The asker's webhooks; what is sent makes another one, and that answer alone has its
    secret."""
    salt = form_salt(request, "webhook")
    if request.method != "POST":
        return _render_list(request, NewEndpointForm(salt))
    form = NewEndpointForm(salt, request.POST)
    if form.is_valid():
        data = dict(form.cleaned_data)
        try:
            made = endpoints.create_endpoint(
                request.actor, endpoint_id=data.pop("once"), **data, now=timezone.now()
            )
        except InvalidUrlError as error:
            form.add_error("url", error.errors[0]["detail"])
        except endpoints.TooManyEndpointsError as error:
            form.add_error(None, str(error))
        except AlreadyExistsError:
            messages.warning(request, MADE_ALREADY)
            return redirect("webhook", form.cleaned_data["once"])
        else:
            return _render_endpoint(request, made.endpoint.id, secret=made.secret)
    return _render_list(request, form, 422)


def _render_list(request: HttpRequest, form: NewEndpointForm, status: int = 200) -> HttpResponse:
    with resolve_principal(request.actor).scope():
        rows = list(endpoints.own_endpoints(request.actor).order_by("-id"))
    context = {"webhooks": [presenter.endpoint_row(row) for row in rows], "form": form}
    return render(request, "memories/webhooks/index.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@vary_on_headers("HX-Target")
@members_only(*ADMINS)
def webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """One webhook with its deliveries; what is sent changes it."""
    if request.method != "POST":
        return _render_endpoint(request, webhook_id)
    form = EndpointForm(request.POST)
    if form.is_valid():
        try:
            endpoints.update_endpoint(
                request.actor, webhook_id, form.cleaned_data, now=timezone.now()
            )
        except InvalidUrlError as error:
            form.add_error("url", error.errors[0]["detail"])
        else:
            messages.success(request, gettext("Saved. It counts for what is sent from now on."))
            return redirect("webhook", webhook_id)
    return _render_endpoint(request, webhook_id, 422, form=form)


def _render_endpoint(
    request: HttpRequest, webhook_id: UUID, status: int = 200, **more: Any
) -> HttpResponse:
    """more: a form with errors in place of a new one, or the secret that this answer shows."""
    asked = DeliveryFilterForm(request.GET)
    asked.is_valid()
    chosen = {name: value for name, value in asked.cleaned_data.items() if value}
    found = delivery_log.get_delivery_page(request.actor, webhook_id, **chosen)
    before, endpoint = chosen.pop("before", None), found.endpoint
    values = {name: getattr(endpoint, name) for name in ("url", "events", "with_text")}
    context = {
        "webhook": presenter.endpoint_row(endpoint),
        "form": EndpointForm(initial=values),
        "paused_until": presenter.pause_end(endpoint),
        "previous_until": endpoint.previous_expires_at,
        "rotation": endpoints.rotation_mark(endpoint),
        "verify_code": presenter.VERIFY_CODE,
        "deliveries": [presenter.delivery_row(row) for row in found.deliveries],
        "is_open": any(row.state == DeliveryState.WAITING for row in found.deliveries),
        "rows_url": presenter.page_url(webhook_id, chosen, before=before),
        "filters": presenter.filter_choices(chosen),
        "chosen": chosen,
        "dead": found.dead,
        "dead_url": presenter.page_url(webhook_id, {"state": DeliveryState.DEAD}),
        "page": {
            "first_url": presenter.page_url(webhook_id, chosen) if before else "",
            "next_url": presenter.page_url(webhook_id, chosen, before=found.before)
            if found.before
            else "",
        },
    }
    part = "#rows" if request.htmx.target == "delivery-rows" else ""
    page = f"memories/webhooks/webhook.html{part}"
    return render(request, page, context | more, status=status)


@require_POST
@never_cache
@members_only(*ADMINS)
def rotate_webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """A new secret; this answer alone shows it."""
    form = RotationForm(request.POST)
    after = form.cleaned_data["after"] if form.is_valid() else ""
    made = endpoints.rotate_secret(request.actor, webhook_id, now=timezone.now(), after=after)
    return _render_endpoint(request, webhook_id, secret=made.secret, rotated=True)


@require_POST
@members_only(*ADMINS)
def switch_webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Switch it on or off."""
    on = request.POST.get("enabled") == "on"
    endpoints.update_endpoint(request.actor, webhook_id, {"enabled": on}, now=timezone.now())
    text = (
        gettext("It is on. What happened meanwhile is sent.")
        if on
        else gettext("It is off. Nothing is sent.")
    )
    messages.success(request, text)
    return redirect("webhook", webhook_id)


@require_POST
@members_only(*ADMINS)
def test_webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Have a message without content sent."""
    row = delivery_log.enqueue_test(request.actor, webhook_id, now=timezone.now())
    return redirect("webhook-delivery", webhook_id, row.id)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*ADMINS)
def remove_webhook(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Ask first; what is sent removes it with its deliveries."""
    if request.method == "POST":
        endpoints.delete_endpoint(request.actor, webhook_id, now=timezone.now())
        messages.success(
            request, gettext("The webhook was removed, with what it was sent or owed.")
        )
        return redirect("webhooks")
    with resolve_principal(request.actor).scope():
        row = endpoints.get_endpoint(request.actor, webhook_id)
    context = {"webhook": presenter.endpoint_row(row)}
    return render(request, "memories/webhooks/remove.html", context)


@require_safe
@never_cache
@vary_on_headers("HX-Target")
@members_only(*ADMINS)
def delivery(request: HttpRequest, webhook_id: UUID, delivery_id: UUID) -> HttpResponse:
    """One delivery; while it waits the page asks again by itself."""
    endpoint, row = delivery_log.get_delivery(request.actor, webhook_id, delivery_id)
    context = {
        "webhook": presenter.endpoint_row(endpoint),
        "delivery": presenter.delivery_row(row),
        "facts": presenter.delivery_facts(row),
        "is_open": row.state == DeliveryState.WAITING,
        "withheld": row.state == DeliveryState.WITHHELD,
        "subject": presenter.subject_link(row),
    }
    part = "#progress" if request.htmx.target == "delivery" else ""
    return render(request, f"memories/webhooks/delivery.html{part}", context)


@require_POST
@members_only(*ADMINS)
def redeliver(request: HttpRequest, webhook_id: UUID, delivery_id: UUID) -> HttpResponse:
    """Send one once more."""
    delivery_log.redeliver(request.actor, webhook_id, delivery_id, now=timezone.now())
    return redirect("webhook-delivery", webhook_id, delivery_id)


@require_POST
@members_only(*ADMINS)
def redeliver_dead(request: HttpRequest, webhook_id: UUID) -> HttpResponse:
    """Send everything once more that was given up."""
    count = delivery_log.redeliver_dead(request.actor, webhook_id, now=timezone.now())
    told = (
        gettext("1 message is")
        if count == 1
        else gettext("%(count)s messages are") % {"count": format_number(count)}
    )
    messages.success(request, gettext("%(told)s sent again.") % {"told": told})
    return redirect(reverse("webhook", args=[webhook_id]))
