"""The pages of webhooks: for admins, each their own, with a secret that is shown once."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.views.webhooks.webhook_presenter import VERIFY_CODE
from memories.webhooks.delivery_log import enqueue_test
from memories.webhooks.models import DeliveryState, WebhookDelivery
from memories.webhooks.signatures import make_secret, sign_message
from orgs.principals import resolve_principal
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("W12")
URL = "/webhooks/"
HOOK = {"url": "https://hooks.example.org/in", "events": ["memory.created"]}


def form(client: Client) -> dict[str, Any]:
    once = re.search(r'name="once" value="([^"]+)"', response_text(client.get(URL)))
    assert once is not None
    return HOOK | {"once": once[1]}


def make(client: Client) -> tuple[UUID, str]:
    page = response_text(client.post(URL, form(client)))
    id_, secret = (
        re.search(r"/webhooks/([0-9a-f-]{36})/test/", page),
        re.search(r"whsec_[^<]+", page),
    )
    assert id_ is not None
    assert secret is not None
    return UUID(id_[1]), secret[0]


def fill(here: Tenant, id_: UUID, count: int, **fields: Any) -> None:
    now = timezone.now()
    row = enqueue_test(here.person("ada"), id_, now=now)
    with resolve_principal(here.person("ada")).scope():
        WebhookDelivery.objects.filter(id=row.id).update(**fields)
        WebhookDelivery.objects.bulk_create(
            WebhookDelivery(
                organisation_id=here.id,
                endpoint_id=id_,
                owner_audience_id=row.owner_audience_id,
                audience_id=row.audience_id,
                event=row.event,
                created_at=now,
                next_attempt_at=now,
                **fields,
            )
            for _ in range(count - 1)
        )


def test_the_secret_is_shown_by_one_answer_alone(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    sent = form(ada)
    page = ada.post(URL, sent)
    assert "no-store" in page["Cache-Control"]
    secret = re.search(r"whsec_[A-Za-z0-9+/=]{44}", response_text(page))
    assert secret is not None
    # Sent again, as by a reload, it makes no other one and shows nothing.
    again = ada.post(URL, sent, follow=True)
    assert "shown only once" in response_text(again)
    for address in (URL, again.redirect_chain[0][0]):
        assert secret[0] not in response_text(ada.get(address))
    assert response_text(ada.get(URL)).count("https://hooks.example.org/in</a>") == 1


def test_a_rotation_that_is_sent_twice_ends_no_secret_in_use(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    id_, first = make(ada)
    rotated = ada.post(f"{URL}{id_}/rotate/", {"after": ""})
    assert "whsec_" in response_text(rotated)
    assert first not in response_text(rotated)
    assert ada.post(f"{URL}{id_}/rotate/", {"after": ""}).status_code == 409
    assert "the former one signs until" in response_text(ada.get(f"{URL}{id_}/"))


def test_each_admin_has_their_own_and_others_none(world: World) -> None:
    id_, _ = make(make_signed_in_client(world.here, "ada"))
    fill(world.here, id_, 1)
    others = [make_signed_in_client(world.here, name) for name in ("chidi", "mina")]
    there = make_signed_in_client(world.there, "ada")
    for other in (*others, there):
        for act in ("test", "switch", "rotate", "remove", "redeliver"):
            assert other.post(f"{URL}{id_}/{act}/").status_code == 404
        assert other.get(f"{URL}{id_}/").status_code == 404
    for other in others:
        assert other.get(URL).status_code == 404
    assert "hooks.example.org/in" not in response_text(there.get(URL)).replace("/commonmind", "")


def test_what_was_given_up_is_counted_and_sent_again(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    id_, _ = make(ada)
    fill(world.here, id_, 3, state=DeliveryState.DEAD, attempts=12, status=500, error="status")
    page = response_text(ada.get(f"{URL}{id_}/?state=dead&event=webhook.test"))
    assert "3 messages were given up" in page
    assert page.count("Send again<") == 3
    assert "No match" in response_text(ada.get(f"{URL}{id_}/?state=sent"))
    assert "No match" in response_text(ada.get(f"{URL}{id_}/?event=job.finished"))
    told = response_text(ada.post(f"{URL}{id_}/redeliver/", follow=True))
    assert "3 messages are sent again." in told
    assert "given up" not in told.partition("<tbody>")[2]
    with resolve_principal(world.here.person("ada")).scope():
        rows = WebhookDelivery.objects.filter(endpoint_id=id_)
        assert set(rows.values_list("state", "attempts")) == {(DeliveryState.WAITING, 0)}


def test_a_withheld_delivery_says_so(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    id_, _ = make(ada)
    fill(world.here, id_, 1, state=DeliveryState.WITHHELD, next_attempt_at=None)
    [address] = re.findall(
        r"/webhooks/[^\"/]+/deliveries/[^\"/]+/\"", response_text(ada.get(f"{URL}{id_}/"))
    )
    assert "It was not sent." in response_text(ada.get(address[:-1]))


def test_a_wrong_address_is_told_at_its_field(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    id_, _ = make(ada)
    for where, data in ((URL, form(ada)), (f"{URL}{id_}/", dict(HOOK))):
        answer = ada.post(where, data | {"url": "https://127.0.0.1/in"})
        assert answer.status_code == 422
        assert "It does not lead to a host of the public internet." in response_text(answer)


def test_long_lists_have_pages_and_few_queries(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    id_, _ = make(ada)
    fill(world.here, id_, 60)
    page = response_text(ada.get(f"{URL}{id_}/"))
    assert page.count('data-label="Event"') == 50
    older = re.search(r'href="([^"]*before=[^"]*)"', page)
    assert older is not None
    assert response_text(ada.get(older[1])).count('data-label="Event"') == 10
    assert count_queries(ada, f"{URL}{id_}/") <= 13
    assert count_queries(ada, URL) <= 13


def test_the_code_that_the_page_shows_checks_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    secret, other, now = make_secret(), make_secret(), int(timezone.now().timestamp())
    monkeypatch.setenv("WEBHOOK_SECRET", secret)
    names: dict[str, Any] = {}
    exec(VERIFY_CODE, names)  # noqa: S102 - the code of the page

    def checks(signature: str, at: int = now, body: bytes = b"{}") -> bool:
        return bool(
            names["verify"](
                {"webhook-id": "m", "webhook-timestamp": str(at), "webhook-signature": signature},
                body,
            )
        )

    good, wrong = sign_message(secret, "m", now, b"{}"), sign_message(other, "m", now, b"{}")
    assert checks(good)
    assert checks(f"{wrong} {good}")
    assert not checks(wrong)
    assert not checks(good, body=b"[]")
    assert not checks(sign_message(secret, "m", now - 301, b"{}"), now - 301)
