"""The clients against the real application, as robots with keys (N11)."""

import asyncio
import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from commonmind import (
    AsyncClient,
    ChangedError,
    Client,
    ConflictError,
    DeprecatedCallWarning,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    TooManyRequestsError,
    UnauthenticatedError,
    etag_of,
)
from django.conf import settings
from django.test import override_settings

from tests.config.mcp.mcp_site import McpSite, with_site
from tests.world import World

pytestmark = pytest.mark.conformance("N11")
Robot = Callable[..., Client]


def test_a_robot_remembers_and_recalls(robot: Robot, world: World) -> None:
    bolt = robot("bolt")
    made = bolt.remember("The office closes at six on Fridays.", category="org_policy")
    assert made["status"] == "active"
    world.here.read()
    found = bolt.recall("When does the office close?", strategy="keyword", limit=3)
    assert [hit["id"] for hit in found["results"]] == [made["id"]]
    assert bolt.context("When does the office close?", max_tokens=500)["tokens"] <= 500
    assert bolt.answer("When does the office close?")["citations"]
    learned = bolt.feedback(
        recall_id=found["recall_id"], memory=made["id"], usefulness=0.9, outcome="success"
    )
    assert learned["updates"] == 1  # type: ignore[typeddict-item]
    assert bolt.said("office")["results"][0]["count"] == 1
    assert bolt.timeline("office", limit=5)["results"][0]["memory"] == made["id"]
    assert bolt.stats()


def test_it_acts_for_a_member_where_its_key_may(robot: Robot, world: World) -> None:
    mina = str(world.here.members["mina"].id)
    said = datetime(2026, 3, 2, 9, tzinfo=UTC)
    aria = robot("aria")
    aria.remember(
        "Samba needs the users mapped first.", group="launch", speaker=mina, occurred_at=said
    )
    world.here.read()
    [expert] = aria.experts("samba", group="launch")
    assert expert["name"] == "Mina"
    [memory] = aria.memories.list(group="launch", since=said)
    assert memory["occurred_at"] == "2026-03-02T09:00:00Z"
    with pytest.raises(ForbiddenError) as caught:
        robot("bolt").recall("samba", member=mina)
    assert caught.value.code == "missing-scope"


def test_a_memory_is_read_changed_and_forgotten(robot: Robot) -> None:
    bolt = robot("bolt")
    made = bolt.remember("A parking permit costs 30 euros.", key="permit", metadata={"by": "post"})
    memory = bolt.memories.get(made["id"])
    changed = bolt.memories.change(made["id"], importance=0.8, if_match=etag_of(memory))
    assert changed["importance"] == 0.8  # type: ignore[typeddict-item]
    with pytest.raises(ChangedError) as caught:
        bolt.memories.change(made["id"], importance=0.2, if_match=etag_of(memory))
    assert caught.value.etag == etag_of(changed) != etag_of(memory)
    assert len(list(bolt.memories.history(made["id"]))) == 2
    assert [one["id"] for one in bolt.memories.list(metadata={"by": "post"})] == [made["id"]]
    assert list(bolt.memories.list(metadata={"by": "fax"})) == []
    with pytest.raises(ConflictError) as taken:
        bolt.remember("Another text.", key="permit")
    assert taken.value.code == "key-taken"
    assert bolt.memories.forget(made["id"]) is None
    assert bolt.memories.get(made["id"])["status"] == "forgotten"
    erased = bolt.memories.forget(made["id"], hard=True, confirm=made["id"])
    assert erased is not None
    with pytest.raises(NotFoundError):
        bolt.memories.get(made["id"])


def test_a_list_is_read_page_by_page_as_it_is_needed(robot: Robot) -> None:
    bolt = robot("bolt")
    ids = [bolt.remember(f"Number {n} of the series.")["id"] for n in range(7)]
    sent: list[str] = []
    bolt._http.event_hooks["request"].append(lambda request: sent.append(str(request.url)))
    rows = bolt.memories.list(page_size=3)
    assert sent == []
    assert next(rows)["id"] == ids[-1]
    assert len(sent) == 1
    assert [one["id"] for one in rows] == ids[-2::-1]
    assert len(sent) == 3


def test_tasks_decisions_and_blocks(robot: Robot, world: World) -> None:
    aria = robot("aria")
    mina = str(world.here.members["mina"].id)
    due = datetime(2026, 4, 1, tzinfo=UTC)
    task = aria.tasks.add("Book the hall.", group="launch", due_at=due)["task"]
    assert task is not None
    [listed] = aria.tasks.list(group="launch")
    assert listed["id"] == task["id"]
    whole = aria.tasks.get(task["id"], group="launch")
    assert aria.tasks.change(task["id"], done=True, if_match=etag_of(whole))
    recorded = aria.decisions.record("We launch in June.", group="launch", topic="launch date")
    assert aria.decisions.get(recorded["id"], group="launch")["conclusion"] == "We launch in June."
    assert [one["id"] for one in aria.decisions.list(group="launch")] == [recorded["id"]]
    assert isinstance(aria.blocks.list(member=mina)["results"], list)
    with pytest.raises(NotFoundError):
        aria.blocks.write("01990000-0000-7000-8000-00000000dead", "x", version=0)


def test_robots_and_their_keys(robot: Robot, world: World) -> None:
    world.here.add_robot("dora", scopes=("read", "write", "manage"))
    dora = robot("dora")
    assert dora.me()["kind"] == "robot"
    made = dora.robots.register("Scribe", id="scribe", purpose="Takes notes.")
    assert "scribe" in {one["id"] for one in dora.robots.list(page_size=2)}
    key = dora.robots.create_key(made["id"], "For tests", scopes=["read"], days=9)
    scribe = Client(
        "http://localhost",
        key["key"] + "\n",
        transport=dora._http._transport,  # type: ignore[arg-type]
    )
    assert scribe.me()["name"] == "Scribe"
    with pytest.raises(ForbiddenError):
        scribe.remember("It may not write.")
    limited = dora.robots.limit_key("scribe", key["id"], networks=["203.0.113.0/24"])
    assert (limited["networks"], limited["groups"]) == (["203.0.113.0/24"], None)
    with pytest.raises(ForbiddenError, match="from your address"):
        scribe.me()
    dora.robots.limit_key("scribe", key["id"], networks=None)
    assert scribe.me()["only_groups"] is False
    newer = dora.robots.renew_key("scribe", key["id"], hours=0)
    with pytest.raises(UnauthenticatedError):
        scribe.me()
    dora.robots.revoke_key("scribe", newer["id"])
    ended = {one["id"]: one["revoked_at"] for one in dora.robots.keys("scribe")}
    assert ended[newer["id"]]


def test_a_robot_has_no_jobs(robot: Robot) -> None:
    bolt = robot("bolt")
    assert list(bolt.jobs.list()) == []
    for act in (bolt.jobs.get, bolt.jobs.cancel, bolt.jobs.resume):
        with pytest.raises(NotFoundError):
            act("01990000-0000-7000-8000-00000000dead")


def test_any_other_call_can_be_made(robot: Robot) -> None:
    bolt = robot("bolt")
    assert bolt.request("GET", "tags", query={"limit": 5})["results"] == []
    assert bolt.request("POST", "gate", body={"text": "Hello."}, changes=False)["action"] == "pass"
    assert list(bolt.rows("teams")) == []
    with pytest.raises(NotFoundError):
        bolt.request("GET", "no/such/address")


def test_the_same_key_is_the_same_call(robot: Robot) -> None:
    once = robot("bolt").with_options(idempotency_key="mine")
    first = once.remember("Only once.")
    second = once.remember("Only once.")
    assert first == second
    assert not first.replayed  # type: ignore[attr-defined]
    assert second.replayed  # type: ignore[attr-defined]
    assert once.memories.get(first["id"])["remember_count"] == 1


def test_many_at_once_and_a_bad_one_takes_no_other_with_it(robot: Robot) -> None:
    bolt = robot("bolt")
    items: list[dict[str, Any]] = [{"content": f"Line {n}."} for n in range(25)]
    items[7], items[13] = {"content": " "}, {"content": "x", "no_such_field": 1}
    results = list(bolt.imports.memories(iter(items), portion=10))
    assert [one["index"] for one in results] == list(range(25))
    assert {one["index"] for one in results if one["status"] == "refused"} == {7, 13}
    assert results[13]["problem"]["errors"][0]["field"] == "no_such_field"
    assert len(list(bolt.memories.list())) == 23


def test_a_portion_that_is_refused_as_a_whole_is_halved(robot: Robot) -> None:
    bolt = robot("bolt")
    items = [{"content": f"Line {n}. {'x' * 200}"} for n in range(8)]
    items[3] = {"content": "y" * 9_000}
    with override_settings(REQUEST_BODY_MAX_BYTES=2_000):
        results = list(bolt.imports.memories(items))
    assert [one["index"] for one in results] == list(range(8))
    assert {one["index"] for one in results if one["status"] == "refused"} == {3}
    assert results[3]["problem"]["status"] == 413


def test_what_comes_out_goes_back_in(robot: Robot) -> None:
    bolt = robot("bolt")
    ids = [bolt.remember(f"Line {n}.", key=f"k{n}")["id"] for n in range(5)]
    head, *_ = [page["head"] for page in bolt.exports.pages(page_size=2)]
    lines = list(bolt.exports.lines(page_size=2))
    assert [one["id"] for one in lines] == ids
    bolt.memories.change(ids[2], content="Spoilt.")
    bolt.memories.forget(ids[4])
    results = list(bolt.imports.snapshot(head, lines, mode="replace", portion=2))
    assert [one["result"] for one in results] == ["replaced"] * 4 + ["forgotten"]
    assert bolt.memories.get(ids[2])["content"] == "Line 2."
    with pytest.raises(ConflictError):
        list(bolt.imports.snapshot({**head, "organisation": ids[0]}, lines))


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "a?b=c", "a#b", "%2e%2e", "é", "x\n"])
def test_a_name_is_one_part_of_an_address(robot: Robot, name: str) -> None:
    bolt = robot("bolt")
    with pytest.raises((NotFoundError, ValueError)) as caught:
        bolt.robots.get(name)
    assert isinstance(caught.value, ValueError) == (name in ("..", ".", ""))


@pytest.mark.parametrize(
    "fields",
    [
        {"occurred_at": datetime(2026, 3, 2)},  # noqa: DTZ001
        {"importance": float("nan")},
        {"topic": "\ud800"},
    ],
)
def test_what_is_no_json_is_not_sent(robot: Robot, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"time zone|JSON|surrogates"):
        robot("bolt").remember("x", **fields)


def test_an_unknown_field_is_refused_by_its_name(robot: Robot) -> None:
    with pytest.raises(InvalidError) as caught:
        robot("bolt").recall("x", limt=3)  # type: ignore[call-arg]
    assert caught.value.errors[0]["field"] == "limt"


def test_what_goes_away_is_warned_of(robot: Robot, world: World) -> None:
    """By the server's own list of it."""
    mina = str(world.here.members["mina"].id)
    aria = robot("aria")
    with pytest.warns(DeprecatedCallWarning, match=r"GET memories .* 2027 .*\(one of member\)"):
        assert list(aria.memories.list(member=mina)) == []
    assert list(aria.memories.list(about=mina)) == []  # a warning would be an error


def test_a_limit_is_waited_for(robot: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """429 of the real server, with its own Retry-After."""
    waits: list[float] = []
    monkeypatch.setattr("commonmind.client.time.sleep", waits.append)
    limits = {**settings.LIMITS, "key-reads": 2}
    with override_settings(LIMITS=limits):
        bolt = robot("bolt", retries=2, longest_wait=61)
        with pytest.raises(TooManyRequestsError):
            list(map(lambda _: bolt.me(), range(5)))  # noqa: C417
    assert len(waits) == 2
    assert all(0 < wait <= 61 for wait in waits)


def test_the_async_client_makes_the_same_calls(lasting_world: World) -> None:
    here = lasting_world.here

    async def act(site: McpSite) -> None:
        transport = httpx.ASGITransport(app=site.application)
        async with AsyncClient("http://localhost", here.keys["bolt"], transport=transport) as bolt:
            many = [bolt.remember(f"Async number {n}.") for n in range(5)]
            made = await asyncio.gather(*many)
            rows = [one["id"] async for one in bolt.memories.list(page_size=2)]
            assert set(rows) == {one["id"] for one in made}
            found = await bolt.recall("async number 3", strategy="keyword", limit=1)
            assert found["results"][0]["content"] == "Async number 3."
            with pytest.raises(InvalidError):
                await bolt.recall("")
            results = [one async for one in bolt.imports.memories([{"content": ""}, {}])]
            assert [one["status"] for one in results] == ["refused", "refused"]
            alone = bolt.with_options(retries=0)
            assert (await alone.me())["name"] == "bolt"

    with_site(act)


def test_both_clients_have_the_same_calls() -> None:
    def public(kind: type) -> dict[str, Any]:
        found = {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
        return {name: one for name, one in found.items() if name not in ("run", "iterate", "close")}

    assert set(public(Client)) == set(public(AsyncClient))
    remember = Client.remember
    assert inspect.getdoc(remember)
    assert "content" in inspect.signature(Client("http://localhost", "k").remember).parameters
