"""Answers hold what the description says and nothing else: a new field is described (N01)."""

from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator
from rest_framework.test import APIClient

from memories.review.propose import propose_correction
from tests.world import NOW, World

pytestmark = pytest.mark.conformance("N01")


def closed(schema: Any) -> Any:
    """The same description; an object with properties has those and no others."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(one) for name, one in schema.items()}
    if isinstance(found.get("properties"), dict) and found.get("type") == "object":
        found.setdefault("additionalProperties", False)
    return found


class Described:
    """A client that holds each answer against the description."""

    def __init__(self, client: APIClient) -> None:
        self.client = client
        raw = APIClient().get("/api/v1/schema", headers={"accept": "application/json"}).json()
        self.description = closed(raw)

    def ask(self, method: str, place: str, body: Any = None, **ids: object) -> Any:
        answer = getattr(self.client, method)(
            f"/api/v1{place.format(**ids)}", body, **({"format": "json"} if body else {})
        )
        assert answer.status_code < 300, answer.content
        assert self.faults(answer, method, place) == [], f"{method} {place}"
        return answer.json()

    def faults(self, answer: Any, method: str, place: str) -> list[str]:
        """What the answer has otherwise than the description."""
        operation = self.description["paths"][f"/api/v1{place.partition('?')[0]}"][method]
        content = operation["responses"][str(answer.status_code)]["content"]
        schema = content["application/json"]["schema"]
        whole = {**schema, "components": self.description["components"]}
        return [
            f"{'/'.join(map(str, fault.absolute_path))}: {fault.message}"
            for fault in OAS31Validator(whole).iter_errors(answer.json())
        ]


def test_answers_about_memories_hold_what_is_described_and_no_more(world: World) -> None:
    here = world.here
    aria = Described(here.api("aria"))
    body = {
        "content": "The launch is on Friday at nine.", "category": "event", "tags": ["launch"],
        "group": "launch", "importance": 0.9, "conversation": "monday",
        "occurred_at": "2026-01-05T09:00:00Z", "metadata": {"a": 1}, "speaker": "Caro",
    }  # fmt: skip
    made = aria.ask("post", "/memories", body)
    aria.ask("post", "/memories/batch", {"items": [{"content": "One."}, {"nonsense": 1}]})
    id_ = made["id"]
    aria.ask("get", "/memories/{memory_id}", memory_id=id_)
    changed = {"content": "The launch is on Monday at nine."}
    aria.ask("patch", "/memories/{memory_id}", changed, memory_id=id_)
    aria.ask("get", "/memories/{memory_id}/history", memory_id=id_)
    aria.ask("get", "/memories")
    found = aria.ask("post", "/recall", {"query": "When is the launch?"})
    assert found["results"]
    aria.ask("get", "/groups/{reference}/context", reference="launch")
    aria.ask("get", "/stats")


def test_answers_of_the_queue_and_the_registry_hold_what_is_described(world: World) -> None:
    here = world.here
    text = here.remember(here.robot("aria"), "It closes at six.").id
    item = propose_correction(
        here.person("mina"), text, content="It closes at seven.", reason="So.", now=NOW
    )
    chidi = Described(here.browser("chidi"))
    chidi.ask("get", "/proposals")
    chidi.ask("get", "/proposals/{item_id}", item_id=item.id)
    for place in ("/robots", "/groups", "/members"):
        chidi.ask("get", place)


def test_every_list_answers_as_described(world: World) -> None:
    """Each GET without an id and a needed parameter, as a robot that may all and as an admin."""
    here = world.here
    aria = here.robot("aria")
    for number in range(3):
        here.remember(aria, f"The launch of the Falcon is on day {number}.")
    here.add_robot("boss", scopes=("read", "write", "act_for", "manage"))
    clients = [Described(here.api("boss")), Described(here.browser("ada"))]
    plain = [
        path.removeprefix("/api/v1")
        for path, methods in clients[0].description["paths"].items()
        if "get" in methods
        and "{" not in path
        and not any(one.get("required") for one in methods["get"].get("parameters", ()))
        and "application/json" in methods["get"]["responses"].get("200", {}).get("content", {})
    ]
    assert len(plain) > 30
    faults, answered = {}, 0
    for one in clients:
        for path in plain:
            answer = one.client.get(f"/api/v1{path}")
            if answer.status_code == 200:
                answered += 1
                if found := one.faults(answer, "get", path):
                    faults[path] = found[:5]
    assert faults == {}
    assert answered > 1.5 * len(plain)
