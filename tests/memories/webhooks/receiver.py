"""A receiver of webhooks on this machine, and an owner with an endpoint that leads there."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.webhooks.endpoints import EndpointWithSecret, create_endpoint
from memories.webhooks.models import SUBSCRIBED_TYPES, WebhookDelivery, WebhookEndpoint
from memories.webhooks.read_feeds import read_feeds
from memories.webhooks.send_deliveries import send_due
from orgs.database.rls import organisation_scope
from orgs.principals import Actor
from robots.access.keys import authenticate_key
from tests.local_http import QuietHandler, http_server
from tests.world import Tenant

ALL_TYPES = [str(one) for one in SUBSCRIBED_TYPES]


@dataclass
class Request:
    """One attempt as it arrived."""

    headers: dict[str, str]
    body: bytes
    path: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def type(self) -> str:
        return str(self.json["type"])


# The status, more headers, and seconds before the answer.
Answer = tuple[int, dict[str, str], float]
TAKEN: Answer = (200, {}, 0.0)


@dataclass
class Receiver:
    """answer: decides each answer, by the number of the attempt and what came."""

    port: int = 0
    requests: list[Request] = field(default_factory=list)
    answer: Callable[[int, Request], Answer] = lambda number, request: TAKEN
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def types(self) -> list[str]:
        return sorted(one.type for one in self.requests)


@contextmanager
def receiving(*, answer_bytes: int = 0) -> Iterator[Receiver]:
    """A receiver that takes everything until its `answer` is another one, with a body of so many
    bytes."""
    receiver = Receiver()
    lock = threading.Lock()

    class Handler(QuietHandler):
        def do_POST(self) -> None:  # noqa: N802 - as http.server calls it
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request({k.lower(): v for k, v in self.headers.items()}, body, self.path)
            with lock:
                receiver.requests.append(request)
                number = len(receiver.requests)
            status, headers, seconds = receiver.answer(number, request)
            receiver.stopped.wait(seconds)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(answer_bytes))
            self.end_headers()
            self.wfile.write(bytes(answer_bytes))

    with http_server(Handler, receiver.stopped) as receiver.port:
        yield receiver


def by_key(here: Tenant, name: str) -> Actor:
    """A robot as its key makes it known."""
    caller = authenticate_key(here.keys[name], timezone.now())
    assert caller is not None
    return caller.actor()


def endpoint(
    who: Actor, url: str, events: list[str] | None = None, *, with_text: bool = False
) -> EndpointWithSecret:
    return create_endpoint(
        who, url=url, events=events or ALL_TYPES, with_text=with_text, now=timezone.now()
    )


def say(who: Actor, content: str, **fields: Any) -> UUID:
    return remember(who, Draft(content=content, **fields), now=timezone.now()).id


def read(here: Tenant) -> int:
    """One look at the feeds."""
    return read_feeds(here.id, now=timezone.now())


def send(here: Tenant, seconds: float = 5.0, **options: Any) -> int:
    return send_due([here.id], seconds=seconds, draw=lambda: 0.5, **options)


def pump(here: Tenant) -> int:
    """One run of the sweep."""
    read(here)
    return send(here)


def deliveries(here: Tenant, *fields: str) -> list[Any]:
    """Every row of the organisation, as the worker sees it."""
    with organisation_scope(here.id, using="worker"):
        rows = WebhookDelivery.objects.using("worker").filter(organisation_id=here.id)
        if len(fields) == 1:
            return list(rows.order_by("id").values_list(fields[0], flat=True))
        return list(rows.order_by("id").values_list(*fields) if fields else rows.order_by("id"))


def stopped_for(here: Tenant, endpoint_id: UUID) -> str:
    """Why an endpoint is switched off; empty if it is not."""
    with organisation_scope(here.id, using="worker"):
        rows = WebhookEndpoint.objects.using("worker").filter(id=endpoint_id)
        return rows.values_list("disabled_for", flat=True).get()


def due_now(here: Tenant) -> None:
    """Let the time of every next attempt have come."""
    with organisation_scope(here.id, using="worker"):
        past = timezone.now() - timedelta(seconds=1)
        waiting = WebhookDelivery.objects.using("worker").filter(
            organisation_id=here.id, state="waiting"
        )
        waiting.update(next_attempt_at=past)
        WebhookEndpoint.objects.using("worker").filter(organisation_id=here.id).update(
            paused_until=None
        )


def verify(secret: str, request: Request, now: float | None = None) -> bool:
    """Standard Webhooks, written from its specification: whether a signature is right and the
    message is no older than five minutes."""
    stamp = request.headers["webhook-timestamp"]
    assert abs((now or time.time()) - int(stamp)) < 300
    content = b".".join([request.headers["webhook-id"].encode(), stamp.encode(), request.body])
    key = base64.b64decode(secret.split("_", 1)[1])
    mac = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    for part in request.headers["webhook-signature"].split(" "):
        version, _, given = part.partition(",")
        if version == "v1" and hmac.compare_digest(given, mac):
            return True
    return False
