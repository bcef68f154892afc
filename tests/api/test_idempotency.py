"""Idempotency-Key: a call that is sent twice counts once (N03)."""

from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
import time_machine
from django.utils import timezone
from rest_framework.test import APIClient

from memories.privacy.erasure.kept_answers import sweep_kept_answers
from memories.store.models.memory import Memory
from orgs.api.base_view import APIView
from orgs.api.idempotency import HEADER, REPLAYED
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.idempotency import IdempotencyRecord
from orgs.models.memberships import Role
from orgs.models.organisations import GroupMembership
from orgs.models.users import User
from robots.models.enrolments import EnrolmentKey
from robots.models.keys import Key
from robots.models.robots import RobotGroup
from tests.isolation.api_surface import iter_url_patterns, openapi_path, openapi_schema
from tests.isolation.forgery import all_audiences_scope
from tests.orgs.support.test_superuser_keys import client_of, command, operator
from tests.world import Tenant, World

__all__ = ["operator"]
pytestmark = pytest.mark.conformance("N03")
MEMORIES = "/api/v1/memories"
TEXT = {"content": "The launch is on Monday.", "group": "launch"}


def send(
    api: APIClient, path: str, body: Any = None, *, key: str = "k1", method: str = "post"
) -> Any:
    return getattr(api, method)(path, body, format="json", headers={HEADER: key})


def outcome(answer: Any) -> tuple[int, str]:
    """(status, the end of the problem's type)."""
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


def count_memories(here: Tenant) -> int:
    with all_audiences_scope(here):
        return Memory.objects.filter(organisation_id=here.id).count()


def stored(here: Tenant) -> list[dict[str, Any]]:
    """The records of every caller of the organisation."""
    with organisation_scope(here.id):
        callers = [
            *Key.objects.values_list("id", flat=True),
            *(m.id for m in here.members.values()),
        ]
        callers += EnrolmentKey.objects.values_list("id", flat=True)
    found = []
    for caller in callers:
        with scope(Scope(organisation=here.id, reader=caller)):
            found += IdempotencyRecord.objects.values("id", "caller", "shows", "body")
    return found


def test_the_same_call_is_answered_as_the_first_time(here: Tenant) -> None:
    api = here.api("aria")
    first, again = send(api, MEMORIES, TEXT), send(api, MEMORIES, TEXT)
    assert (first.status_code, again.status_code) == (201, 201)
    assert (first.headers.get(REPLAYED), again.headers[REPLAYED]) == (None, "true")
    assert again.content == first.content
    own = {REPLAYED, "X-Request-ID"}
    heads = [{k: v for k, v in a.headers.items() if k not in own} for a in (first, again)]
    assert heads[0] == heads[1]
    assert count_memories(here) == 1
    seen = api.get(f"{MEMORIES}/{first.json()['id']}").json()
    assert seen["remember_count"] == 1, "the second call did nothing"
    assert send(api, MEMORIES, TEXT, key="k2").json()["remember_count"] == 2


def test_an_answer_without_a_body_is_repeated(here: Tenant) -> None:
    api = here.api("aria")
    path = f"{MEMORIES}/{here.remember(here.robot('aria'), 'Gone soon.').id}"
    first, again = (send(api, path, method="delete") for _ in range(2))
    assert (first.status_code, again.status_code, again.content) == (204, 204, b"")
    assert again.headers[REPLAYED] == "true"
    assert first.headers.get("Content-Type") == again.headers.get("Content-Type")
    assert api.delete(path).status_code == 404, "without the key the call runs again"


def test_a_key_belongs_to_one_body_and_one_address(here: Tenant) -> None:
    api = here.api("aria")
    made = send(api, MEMORIES, TEXT).json()["id"]
    for body, query in (({**TEXT, "content": "The launch is off."}, ""), (TEXT, "?x=1")):
        assert outcome(send(api, MEMORIES + query, body)) == (422, "key-reused")
    assert count_memories(here) == 1
    assert send(api, f"{MEMORIES}/batch", {"items": [TEXT]}).status_code == 200
    changed = send(api, f"{MEMORIES}/{made}", {"importance": 1}, method="patch")
    assert (changed.status_code, REPLAYED in changed.headers) == (200, False)


def test_a_key_is_for_whoever_sends_it(world: World) -> None:
    here = world.here
    here.add_robot("eve", groups=("launch",), scopes=("read", "write"))
    clients = [here.api("aria"), here.api("eve"), here.browser("mina"), world.there.api("aria")]
    answers = [send(api, MEMORIES, TEXT) for api in clients]
    assert [a.status_code for a in answers] == [201] * 4
    assert not any(REPLAYED in a.headers for a in answers)
    assert all(REPLAYED in send(api, MEMORIES, TEXT).headers for api in clients)


@pytest.mark.parametrize("key", ["", "k" * 256, "k" * 10_000, "tab\tin", "clé", "\x7f"])
def test_a_key_that_is_none_is_refused(here: Tenant, key: str) -> None:
    answer = send(here.api("aria"), MEMORIES, TEXT, key=key)
    assert outcome(answer) == (400, "idempotency-key")
    assert "1 to 255" in answer.json()["detail"]
    assert (count_memories(here), stored(here)) == (0, [])


@pytest.mark.parametrize("key", ["k", "a b", "~" * 255, '"quoted"'])
def test_every_printable_key_is_taken(here: Tenant, key: str) -> None:
    answers = [send(here.api("aria"), MEMORIES, TEXT, key=key) for _ in range(2)]
    assert [a.status_code for a in answers] == [201, 201]
    assert REPLAYED in answers[1].headers


def test_what_was_refused_is_looked_at_again(here: Tenant) -> None:
    api, far = here.api("bolt"), {"content": "We moved.", "group": "design"}
    assert outcome(send(api, MEMORIES, far)) == (404, "not-found")
    assert outcome(send(api, MEMORIES, {"content": ""})) == (400, "invalid")
    assert stored(here) == []
    seat = {"robot": here.robots["bolt"].id, "group": here.groups["design"].id}
    with organisation_scope(here.id):
        RobotGroup.objects.create(
            organisation_id=here.id, **{f"{name}_id": id_ for name, id_ in seat.items()}
        )
    assert send(api, MEMORIES, far).status_code == 201


def test_a_call_that_failed_leaves_nothing_and_runs_again(here: Tenant) -> None:
    api = here.api("aria")
    api.raise_request_exception = False
    broken = mock.patch(
        "memories.api.memories.memories.RememberedSerializer.render", side_effect=RuntimeError
    )
    with broken:
        assert send(api, MEMORIES, TEXT).status_code == 500
    assert (count_memories(here), stored(here)) == (0, []), "all of it was rolled back"
    answer = send(api, MEMORIES, TEXT)
    assert (answer.status_code, answer.json()["remember_count"]) == (201, 1)
    assert REPLAYED not in answer.headers


def secrets_told() -> dict[str, str]:
    """The path of each operation whose answer holds what is stored nowhere, by its id."""
    schema, found = openapi_schema(), {}
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            answer = operation["responses"].get("201", {}).get("content", {})
            name = answer.get("application/json", {}).get("schema", {}).get("$ref", "")
            fields = schema["components"]["schemas"].get(name.rpartition("/")[2], {})
            told = [f.get("description", "") for f in fields.get("properties", {}).values()]
            if any("stored nowhere" in text for text in told):
                found[operation["operationId"]] = path
    return found


def test_a_secret_is_told_once(here: Tenant) -> None:
    admin, told = here.browser("ada"), secrets_told()
    bodies: dict[str, dict[str, Any]] = {
        "keys_create": {"label": "CI"},
        "keys_renew": {},
        "own_keys_create": {"label": "Mine"},
        "enrolment_keys_create": {"label": "Fleet", "robots": 2, "days": 7},
        "invitations_create": {"email": "new@x.example"},
        "enrol": {"id": "new", "name": "New"},
    }
    assert set(told) == {*bodies, "organisations_create"}, "call what is new here"
    made: dict[str, Any] = {}
    for name, body in bodies.items():
        path = told[name].replace("{reference}", str(here.robots["aria"].id))
        path = path.replace("{key_id}", str(made.get("keys_create", {}).get("id")))
        client = client_of(made["enrolment_keys_create"]["key"]) if name == "enrol" else admin
        answer = send(client, path, body)
        assert answer.status_code == 201, (name, answer.content)
        made[name] = answer.json()
        secret = made[name].get("key") or made[name]["url"]
        again = send(client, path, body)
        assert outcome(again) == (409, "not-repeated"), name
        assert secret not in again.content.decode()
    with organisation_scope(here.id):
        assert EnrolmentKey.objects.get().used == 1
    assert [row["shows"] for row in stored(here)] == [[]] * len(bodies)


def test_an_encrypted_text_is_kept_by_no_answer(here: Tenant) -> None:
    api = here.api("aria")
    told = {**TEXT, "sensitive": True}
    made = send(api, MEMORIES, told)
    assert made.status_code == 201
    assert outcome(send(api, MEMORIES, told)) == (409, "not-repeated")
    assert api.get(f"{MEMORIES}/{made.json()['id']}").json()["remember_count"] == 1


def test_who_reads_it_no_longer_is_told_nothing(here: Tenant) -> None:
    api = here.api("aria")
    made = send(api, MEMORIES, TEXT).json()["id"]
    patch = {"importance": 0.9}
    assert send(api, f"{MEMORIES}/{made}", patch, method="patch").status_code == 200
    calls = [(MEMORIES, TEXT, "post"), (f"{MEMORIES}/{made}", patch, "patch")]
    seats = {"organisation_id": here.id, "robot_id": here.robots["aria"].id}
    with organisation_scope(here.id):
        RobotGroup.objects.filter(**seats, group_id=here.groups["launch"].id).delete()
    for path, body, method in calls:
        answer = send(api, path, body, method=method)
        assert outcome(answer) == (404, "not-found")
        assert "launch" not in answer.content.decode()
    with organisation_scope(here.id):
        RobotGroup.objects.create(**seats, group_id=here.groups["launch"].id)
    for path, body, method in calls:
        assert REPLAYED in send(api, path, body, method=method).headers


def test_for_whom_a_robot_may_no_longer_ask_it_is_told_nothing(here: Tenant) -> None:
    api, mina = here.api("aria"), str(here.members["mina"].id)
    told = {**TEXT, "member": mina, "visibility": "protected"}
    assert send(api, MEMORIES, told).status_code == 201
    assert REPLAYED in send(api, MEMORIES, told).headers
    with organisation_scope(here.id):
        GroupMembership.objects.filter(group=here.groups["launch"], member_id=mina).delete()
    assert outcome(send(api, MEMORIES, told)) == (404, "not-found")


def test_another_role_is_told_nothing_of_what_the_old_one_was(here: Tenant) -> None:
    admin = here.browser("ada")
    path, body = "/api/v1/groups", {"external_id": "new", "name": "New"}
    assert send(admin, path, body).status_code == 201
    assert REPLAYED in send(admin, path, body).headers
    row = here.members["ada"]
    row.role = Role.CURATOR
    with organisation_scope(here.id):
        row.save(update_fields=["role"])
    assert outcome(send(admin, path, body)) == (404, "not-found")


def test_a_forgotten_memory_is_in_no_kept_answer(lasting_world: World, here: Tenant) -> None:
    api, now = here.api("aria"), timezone.now()
    made = send(api, MEMORIES, TEXT).json()["id"]
    mine = {"importance": 0.5}
    assert send(api, f"{MEMORIES}/{made}", mine, method="patch").status_code == 200
    assert api.delete(f"{MEMORIES}/{made}").status_code == 204
    assert outcome(send(api, f"{MEMORIES}/{made}", mine, method="patch")) == (404, "not-found")
    assert outcome(send(api, MEMORIES, TEXT)) == (404, "not-found")
    assert sweep_kept_answers(here.id, now=now) == 0
    assert [row["shows"] for row in stored(here)] == [[], []]
    assert outcome(send(api, MEMORIES, TEXT)) == (409, "not-repeated")
    assert count_memories(here) == 1


def test_after_a_day_a_key_is_new(lasting_world: World, here: Tenant) -> None:
    api, began = here.api("aria"), timezone.now()
    assert send(api, MEMORIES, TEXT).status_code == 201
    for minutes, replayed in ((-5, True), (5, False)):
        with time_machine.travel(
            began + timedelta(hours=24) + timedelta(minutes=minutes), tick=False
        ):
            assert (REPLAYED in send(api, MEMORIES, TEXT).headers) == replayed
    assert len(stored(here)) == 1, "the old record made room"
    assert sweep_kept_answers(here.id, now=began + timedelta(hours=24)) == 0
    assert sweep_kept_answers(here.id, now=began + timedelta(hours=72)) == 1
    assert stored(here) == []


def test_what_only_answers_ignores_the_key(here: Tenant) -> None:
    api = here.api("aria")
    for key in ("k1", "k1", "", "k" * 10_000):
        answer = send(api, "/api/v1/recall", {"query": key[:9] or "x"}, key=key)
        assert (answer.status_code, REPLAYED in answer.headers) == (200, False)
    assert send(api, "/api/v1/gate", {"text": "A shelf."}).status_code == 200
    assert stored(here) == []


def test_no_organisation_keeps_what_a_superuser_was_answered(operator: User) -> None:
    client = client_of(command(operator.email)["key"])
    body = {"name": "New", "slug": "new-one", "admin": "new@x.example"}
    assert outcome(send(client, "/api/v1/organisations", body)) == (400, "idempotency-key")


def test_every_route_that_changes_something_takes_a_key() -> None:
    """By the URL conf: each view has the one base, and the description says what it does."""
    described, taken = openapi_schema()["paths"], 0
    for route, pattern in iter_url_patterns():
        view = getattr(pattern.callback, "view_class", None) or getattr(
            pattern.callback, "cls", None
        )
        if not route.startswith("api/v1/") or route in ("api/v1/schema", "api/v1/docs"):
            continue
        assert issubclass(view, APIView), f"{route}: derive from orgs.api.base_view.APIView"
        for method, operation in described[openapi_path(route)].items():
            heads = {p["name"] for p in operation.get("parameters", []) if p["in"] == "header"}
            takes = view.changes(method.upper()) and not view.without_tenant
            assert (HEADER in heads, "422" in operation["responses"]) == (takes, takes), route
            done = [a for s, a in operation["responses"].items() if s.startswith("2")]
            assert all((REPLAYED in a.get("headers", {})) == takes for a in done), route
            taken += takes
    assert taken >= 80


def test_what_only_answers_is_a_short_list() -> None:
    found = {
        f"{method} {openapi_path(route)}"
        for route, pattern in iter_url_patterns()
        if (view := getattr(pattern.callback, "view_class", None)) is not None
        for method in getattr(view, "only_answers", ())
    }
    asking = ("recall", "answer", "context", "gate", "streams/recall")
    assert found == {
        *(f"POST /api/v1/{name}" for name in asking),
        "POST /api/v1/memories/{memory_id}/explain",
    }
