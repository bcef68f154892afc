"""Webhooks and deliveries in words."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from memories.views.forms.webhook_forms import EVENT_LABELS, STATE_LABELS
from memories.webhooks.models import (
    DeliveryError,
    DeliveryState,
    DisabledReason,
    EventType,
    WebhookDelivery,
    WebhookEndpoint,
)
from memories.webhooks.retry_schedule import MAX_ATTEMPTS
from memories.webhooks.signatures import format_message_id
from orgs.languages.page_text import lazy_text

DISABLED_LABELS: dict[str, str] = {
    DisabledReason.ASKED: lazy_text("You switched it off."),
    DisabledReason.KEY: lazy_text("The key that it sends by is not valid any more."),
    DisabledReason.OWNER: lazy_text("You were no admin for a while."),
    DisabledReason.GONE: lazy_text("The receiver answered 410, which ends a webhook."),
    DisabledReason.ADDRESS: lazy_text(
        "Whoever runs this server does not allow its address any more."
    ),
    DisabledReason.UNSIGNED: lazy_text(
        "Its secret cannot be decrypted. Rotate it, then switch it on."
    ),
}
ERROR_LABELS: dict[str, str] = {
    DeliveryError.TIMEOUT: lazy_text("No answer within ten seconds"),
    DeliveryError.UNREACHABLE: lazy_text("Not reachable, or an address in a private network"),
    DeliveryError.STATUS: lazy_text("The answer was no 2xx"),
}
# A memory of these is there to be looked at.
_SHOWN_EVENTS = (
    EventType.MEMORY_CREATED,
    EventType.MEMORY_CHANGED,
    EventType.DECISION_RECORDED,
)
# What a receiver in Python does first. It needs nothing but the standard library.
VERIFY_CODE = '''\
import base64, hashlib, hmac, os, time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def verify(headers, body):
    """headers: of the request, names in lower case. body: bytes, as they came."""
    id_, at = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(at)) > 300:
        return False
    signed = f"{id_}.{at}.".encode() + body
    expected = base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
    return any(
        hmac.compare_digest(f"v1,{expected}", one)
        for one in headers["webhook-signature"].split(" ")
    )
'''


def endpoint_row(endpoint: WebhookEndpoint) -> dict[str, Any]:
    """One endpoint: of the list, and the head of its page."""
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "page_url": reverse("webhook", args=[endpoint.id]),
        "events": endpoint.events,
        "with_text": endpoint.with_text,
        "at": endpoint.created_at,
        "state": _endpoint_badge(endpoint),
        "why_off": DISABLED_LABELS.get(endpoint.disabled_for, ""),
        "enabled": endpoint.disabled_at is None,
    }


def _endpoint_badge(endpoint: WebhookEndpoint) -> dict[str, str]:
    if endpoint.disabled_at is not None:
        return {"label": gettext("Off"), "tone": "bad"}
    if endpoint.failures:
        return {"label": gettext("Failing"), "tone": "warn"}
    return {"label": gettext("On"), "tone": "good"}


def pause_end(endpoint: WebhookEndpoint) -> Any:
    """Until when nothing is sent after failures; None if it is sent now."""
    until = endpoint.paused_until
    return until if until is not None and until > timezone.now() else None


def delivery_row(row: WebhookDelivery) -> dict[str, Any]:
    """One delivery: of the list, and the head of its page."""
    label, tone = STATE_LABELS[row.state]
    return {
        "id": row.id,
        "page_url": reverse("webhook-delivery", args=[row.endpoint_id, row.id]),
        "event": row.event,
        "label": EVENT_LABELS[row.event],
        "state": {"label": label, "tone": tone},
        "attempts": row.attempts,
        "answer": _answer_label(row),
        "at": row.created_at,
        "attempted_at": row.attempted_at,
        "next_at": row.next_attempt_at if row.state == DeliveryState.WAITING else None,
        "message": format_message_id(row.id),
        "redeliver_url": _redeliver_url(row),
    }


def _answer_label(row: WebhookDelivery) -> str:
    if row.status is not None:
        return str(row.status)
    return ERROR_LABELS.get(row.error, "")


def _redeliver_url(row: WebhookDelivery) -> str:
    if row.state == DeliveryState.WAITING:
        return ""
    return reverse("webhook-redeliver", args=[row.endpoint_id, row.id])


def delivery_facts(row: WebhookDelivery) -> list[tuple[str, str]]:
    """What its page says of a delivery besides its times."""
    tries = (
        gettext("%(attempts)s of %(max_attempts)s")
        % {"attempts": row.attempts, "max_attempts": MAX_ATTEMPTS}
        if row.attempts
        else gettext("None yet")
    )
    found = [
        (gettext("Event"), row.event),
        (gettext("Message"), format_message_id(row.id)),
        (gettext("Attempts"), tries),
    ]
    if answer := _answer_label(row):
        found.append((gettext("Last answer"), answer))
    if row.error == DeliveryError.STATUS:
        found.append((gettext("Why it failed"), ERROR_LABELS[row.error]))
    found += [(name.capitalize(), str(value)) for name, value in sorted(row.facts.items())]
    return found


def subject_link(row: WebhookDelivery) -> dict[str, str]:
    """Where to look at what it is about; empty where there is nothing to see."""
    if row.subject is None:
        return {}
    if row.event == EventType.JOB_FINISHED:
        return {"url": reverse("job", args=[row.subject]), "label": gettext("See the job")}
    if row.event in (EventType.PROPOSAL_OPENED, EventType.PROPOSAL_DECIDED):
        return {
            "url": reverse("review-item", args=[row.subject]),
            "label": gettext("See it in Review"),
        }
    if row.event in _SHOWN_EVENTS:
        return {
            "url": reverse("memory-page", args=[row.subject]),
            "label": gettext("See the memory"),
        }
    return {}


def filter_choices(chosen: dict[str, Any]) -> list[dict[str, Any]]:
    """The filters of deliveries, as `components/filters.html` takes them."""
    options = {
        "state": [(state, label) for state, (label, _) in STATE_LABELS.items()],
        "event": [(event, event) for event in EVENT_LABELS],
    }
    return [
        {
            "name": name,
            "label": gettext("Any %(name)s") % {"name": gettext(name)},
            "options": [
                {"value": value, "label": label, "selected": chosen.get(name) == value}
                for value, label in found
            ],
        }
        for name, found in options.items()
    ]


def page_url(endpoint_id: UUID, chosen: dict[str, Any], **more: object) -> str:
    """The page of an endpoint, with these filters."""
    query = {name: value for name, value in {**chosen, **more}.items() if value}
    address = reverse("webhook", args=[endpoint_id])
    return f"{address}?{urlencode(query)}" if query else address
