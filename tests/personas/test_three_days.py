"""What one person teaches, others benefit from, and nobody is exposed: three days over the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from rest_framework.test import APIClient

from memories.privacy.opt_out import set_sharing
from tests.personas.persona_helpers import QSR, make_robot_client
from tests.world import Tenant, World

FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
STEPS = (
    "First find places that fit, then ask for their visits, then check which of our own sites "
    "would lose visits (cannibalisation) before a site is proposed."
)
PRIVATE = "She is looking at the corner of 12 Harbour Street for Lotta Brandt."


@contextmanager
def day(number: int) -> Iterator[None]:
    with time_machine.travel(FIRST + timedelta(days=number), tick=False):
        yield


def post(client: APIClient, place: str, body: dict[str, Any], status: int) -> dict[str, Any]:
    answer = client.post(f"/api/v1/{place}", body, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def shared(client: APIClient) -> dict[str, Any]:
    rows = client.get("/api/v1/blocks").json()["results"]
    return next((one for one in rows if one["persona"] == QSR), {})


def asked(client: APIClient, query: str) -> dict[str, Any]:
    return post(client, "context", {"query": query}, 200)


@pytest.mark.conformance("P15")
def test_a_lesson_goes_from_the_first_to_the_second_to_the_third(world: World) -> None:
    here: Tenant = world.here
    with day(0):
        first = make_robot_client(here, "mina")
        post(first, "personas/associations", {"handle": QSR}, 201)
        made = post(first, f"blocks/{shared(first)['id']}/entries", {"text": STEPS}, 201)
        assert made["status"] == "active"
        human = next(
            one for one in first.get("/api/v1/blocks").json()["results"] if one["label"] == "human"
        )
        post(first, f"blocks/{human['id']}/entries", {"text": PRIVATE}, 201)
        post(first, "passages", {"text": PRIVATE + " She has until May."}, 201)
        held = post(first, f"blocks/{shared(first)['id']}/entries", {"text": PRIVATE}, 201)
        assert held["status"] == "pending_review"
    with day(1):
        second = make_robot_client(here, "bob")
        assert asked(second, "a new site")["citations"] == []
        post(second, "personas/associations", {"handle": QSR}, 201)
        found = asked(second, "a new site")
        hint, lesson = found["citations"]
        assert (hint["type"], hint["details"]["hint"], lesson["id"]) == ("block", True, made["id"])
        assert lesson["details"]["persona"] == QSR
        block = shared(second)["id"]
        post(second, f"blocks/{block}/entries/{made['id']}/confirm", {}, 200)
        (entry,) = shared(second)["entries"]
        assert entry["learned_at"] < entry["confirmed_at"]
    with day(2):
        third = make_robot_client(here, "ada")
        post(third, "personas/associations", {"handle": QSR}, 201)
        # Before anything is asked of it, the check stands in the text of the prompt.
        found = asked(third, "Which places are there for a new restaurant?")
        assert "cannibalisation" in found["text"]
        assert made["id"] in [one["id"] for one in found["citations"]]
        for client in (second, third):
            heard = str([asked(client, "Harbour Street Lotta Brandt"), shared(client)])
            recalled = post(client, "recall", {"query": "Harbour Street Lotta Brandt"}, 200)
            for word in ("Harbour", "Brandt"):
                assert word not in heard + str(recalled["results"])
        set_sharing(here.person("ada"), out=True, now=FIRST + timedelta(days=2))
        assert asked(third, "a new site")["citations"] == []
        assert shared(third) == {}
        assert third.get(f"/api/v1/blocks/{block}").status_code == 404
        assert (
            third.post(f"/api/v1/blocks/{block}/entries", {"text": "x"}, format="json").status_code
            == 404
        )
        cited = asked(second, "a new site")["citations"]
        assert [one["id"] for one in cited if one["type"] == "memory"] == [made["id"]]
