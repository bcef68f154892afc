"""Webhooks over HTTP (N08)."""

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from memories.webhooks import endpoints
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from robots.access.keys import create_key
from robots.models.keys import Key
from robots.models.robots import RobotGroup
from tests.memories.webhooks.receiver import Receiver, deliveries, pump, read, say, verify
from tests.world import Tenant, World

pytestmark = [pytest.mark.conformance("N08"), pytest.mark.usefixtures("lasting_world")]
URL = "/api/v1/webhooks"
LAUNCH: dict[str, Any] = {"visibility": "group", "group": "launch"}
HOOK = {"url": "https://hooks.example.org/in", "events": ["memory.created"]}


def make(client: Any, **fields: Any) -> dict[str, Any]:
    answer = client.post(URL, HOOK | fields, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_from_the_first_call_to_the_message(here: Tenant, receiver: Receiver) -> None:
    aria = here.api("aria")
    answer = aria.post(URL, HOOK | {"url": receiver.url, "with_text": True}, format="json")
    assert answer.headers["Cache-Control"] == "no-store"
    made = answer.json()
    assert made["secret"].startswith("whsec_")
    assert made["enabled"] is True
    said = say(here.person("mina"), "The launch is on Monday.", **LAUNCH)
    pump(here)
    [request] = receiver.requests
    assert verify(made["secret"], request)
    assert request.json["data"]["content"] == "The launch is on Monday."
    [logged] = aria.get(f"{URL}/{made['id']}/deliveries").json()["results"]
    assert (logged["subject"], logged["state"], logged["status"], logged["attempts"]) == (
        str(said), "sent", 200, 1,
    )  # fmt: skip
    assert logged["message"] == request.headers["webhook-id"]
    again = aria.post(f"{URL}/{made['id']}/deliveries/{logged['id']}/redeliver")
    assert (again.status_code, again.json()["state"]) == (202, "waiting")
    tested = aria.post(f"{URL}/{made['id']}/test")
    assert (tested.status_code, tested.json()["event"]) == (202, "webhook.test")
    pump(here)
    assert receiver.types() == ["memory.created", "memory.created", "webhook.test"]
    rotated = aria.post(f"{URL}/{made['id']}/rotate").json()
    assert rotated["secret"] not in (made["secret"], None)
    shown = aria.get(f"{URL}/{made['id']}").json()
    assert shown["previous_secret_until"] is not None
    assert "secret" not in shown
    assert aria.get(URL).json()["results"] == [shown]
    assert aria.delete(f"{URL}/{made['id']}").status_code == 204
    assert aria.get(URL).json()["results"] == []
    assert deliveries(here) == []


def test_each_owner_has_their_own_alone(lasting_world: World, here: Tenant) -> None:
    made = make(here.api("aria"))
    there = lasting_world.there
    others = [here.api("bolt"), here.browser("ada"), here.browser("mina")]
    others += [there.api("aria"), there.browser("ada")]
    one = f"{URL}/{made['id']}"
    for other in others:
        assert other.get(URL).json()["results"] == []
        assert other.get(one).status_code == 404
        assert other.patch(one, {"enabled": False}, format="json").status_code == 404
        assert other.delete(one).status_code == 404
        for act in ("rotate", "test", f"deliveries/{uuid4()}/redeliver"):
            assert other.post(f"{one}/{act}").status_code == 404
        assert other.get(f"{one}/deliveries").status_code == 404
    assert here.api("aria").get(one).json()["enabled"] is True


def test_who_may_make_one(here: Tenant) -> None:
    make(here.browser("ada"))
    for name in ("chidi", "mina"):
        assert here.browser(name).post(URL, HOOK, format="json").status_code == 404
    assert here.browser("vera").post(URL, HOOK, format="json").status_code in (403, 404)
    now = timezone.now()
    robot = {"organisation_id": here.id, "robot_id": here.robots["aria"].id, "now": now}
    _, here.keys["reads"] = create_key(**robot, scopes=("read",))
    assert here.api("reads").post(URL, HOOK, format="json").status_code == 403
    here.give_owner("clio", "vera")
    assert here.api("clio").post(URL, HOOK, format="json").status_code == 403


def test_a_key_limited_to_groups_opens_none(here: Tenant) -> None:
    made = make(here.api("aria"))
    with organisation_scope(here.id):
        keys = Key.objects.filter(robot_id=here.robots["aria"].id)
        keys.update(groups=[here.groups["launch"].id])
    aria = here.api("aria")
    assert aria.post(URL, HOOK, format="json").status_code == 403
    assert aria.get(URL).status_code == 403
    assert aria.get(f"{URL}/{made['id']}/deliveries").status_code == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "https://127.0.0.1/"}, {"url": "http://hooks.example.org/"}, {"url": 1},
        {"events": []}, {"events": ["memory.read"]}, {"events": ["webhook.test"]},
        {"with_text": "yes"}, {"secret": "whsec_AAAA"},
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_by_name(here: Tenant, wrong: dict[str, Any]) -> None:
    answer = here.api("aria").post(URL, HOOK | wrong, format="json")
    assert answer.status_code == 400
    assert [one["field"].partition(".")[0] for one in answer.json()["errors"]] == list(wrong)


def test_at_most_twenty_of_an_owner(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "MAX_ENDPOINTS", 2)
    for _ in range(2):
        make(here.api("aria"))
    answer = here.api("aria").post(URL, HOOK, format="json")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "too-many")
    make(here.api("bolt"))


def test_another_key_of_the_robot_takes_it_over(here: Tenant, receiver: Receiver) -> None:
    aria = here.api("aria")
    made = make(aria, url=receiver.url)
    with organisation_scope(here.id):
        Key.objects.filter(robot_id=here.robots["aria"].id).update(revoked_at=timezone.now())
    say(here.person("mina"), "The launch is on Monday.", **LAUNCH)
    pump(here)
    _, here.keys["new"] = create_key(
        organisation_id=here.id,
        robot_id=here.robots["aria"].id,
        now=timezone.now(),
        scopes=("read", "write"),
    )
    new = here.api("new")
    shown = new.get(f"{URL}/{made['id']}").json()
    assert (shown["enabled"], shown["disabled_for"]) == (False, "key")
    assert new.post(f"{URL}/{made['id']}/test").status_code == 409
    shown = new.patch(f"{URL}/{made['id']}", {"enabled": True}, format="json").json()
    assert (shown["enabled"], shown["disabled_for"]) == (True, None)
    pump(here)
    assert receiver.types() == ["memory.created"]


def test_the_log_hides_what_the_owner_may_not_know_any_more(
    here: Tenant, receiver: Receiver
) -> None:
    clio = here.api("clio")
    made = make(clio, url=receiver.url)
    say(here.person("mina"), "For designers.", visibility="group", group="design")
    pump(here)
    log = f"{URL}/{made['id']}/deliveries"
    [delivery] = clio.get(log).json()["results"]
    with organisation_scope(here.id):
        RobotGroup.objects.filter(robot_id=here.robots["clio"].id).delete()
    assert clio.get(log).json()["results"] == []
    assert clio.post(f"{log}/{delivery['id']}/redeliver").status_code == 404


def test_the_log_has_pages_and_states(here: Tenant, receiver: Receiver) -> None:
    ada = here.browser("ada")
    made = make(ada, url=receiver.url)
    for number in range(3):
        say(here.person("ada"), f"Number {number}.", visibility="organisation")
    read(here)
    log = f"{URL}/{made['id']}/deliveries"
    first = ada.get(log, {"limit": 2}).json()
    second = ada.get(first["next"]).json()
    assert [len(one["results"]) for one in (first, second)] == [2, 1]
    assert ada.get(log, {"state": "waiting"}).json()["results"] != []
    assert ada.get(log, {"state": "dead"}).json()["results"] == []


def test_a_change_is_one(here: Tenant) -> None:
    aria = here.api("aria")
    made = make(aria)
    one = f"{URL}/{made['id']}"
    changed = aria.patch(
        one,
        {"url": "https://other.example.org/", "events": ["memory.gone"], "with_text": True},
        format="json",
    ).json()
    assert (changed["url"], changed["events"], changed["with_text"]) == (
        "https://other.example.org/", ["memory.gone"], True,
    )  # fmt: skip
    assert aria.patch(one, {"url": "https://localhost/"}, format="json").status_code == 400
    off = aria.patch(one, {"enabled": False}, format="json").json()
    assert (off["enabled"], off["disabled_for"]) == (False, "asked")


def test_each_act_is_in_the_trail_without_the_address(here: Tenant) -> None:
    aria = here.api("aria")
    made = make(aria)
    one = f"{URL}/{made['id']}"
    aria.patch(one, {"with_text": True}, format="json")
    aria.patch(one, {"with_text": True}, format="json")
    aria.post(f"{one}/rotate")
    aria.delete(one)
    with organisation_scope(here.id):
        entries = AuditEntry.objects.filter(action__startswith="webhook.").order_by("at", "id")
        found = [(entry.action, entry.detail) for entry in entries]
        assert {entry.robot for entry in entries} == {here.robots["aria"].id}
    assert found == [
        ("webhook.created", {"with_text": False}),
        ("webhook.changed", {"what": ["with_text"]}),
        ("webhook.changed", {"what": ["secret"]}),
        ("webhook.deleted", {}),
    ]
