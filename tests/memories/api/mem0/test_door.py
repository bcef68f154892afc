"""The mem0 door by the requests of its client 2.2 and of agents that call a self-hosted server."""

import json
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.models.memberships import ExternalIdentity
from robots.models.keys import Key
from tests.world import World

pytestmark = pytest.mark.conformance("N10")
SAID = "I am a vegetarian and allergic to nuts. Thanks!"


class Door:
    """Calls of one key."""

    def __init__(self, key: str) -> None:
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Token {key}")

    def __call__(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        answer = self.client.generic(
            method, f"/mem0{path}", *(() if body is None else (_json(body),)),
            content_type="application/json",
        )  # fmt: skip
        assert answer["Content-Type"].startswith("application/json"), answer.content
        return answer.status_code, answer.json()

    def add(self, text: str, **ids: Any) -> dict[str, Any]:
        status, answer = self("POST", "/v3/memories/add/", {
            "messages": [{"role": "user", "content": text}], **ids,
        })  # fmt: skip
        assert status == 200, answer
        assert answer["status"] == "PENDING"
        status, event = self("GET", f"/v1/event/{answer['event_id']}/")
        assert (status, event["status"]) == (200, "SUCCEEDED")
        return event

    def texts(self, **filters: Any) -> list[str]:
        status, answer = self("POST", "/v3/memories/", {"filters": filters})
        assert status == 200, answer
        return sorted(one["memory"] for one in answer["results"])

    def search(self, query: str, **body: Any) -> list[str]:
        status, answer = self("POST", "/v3/memories/search/", {"query": query, **body})
        assert status == 200, answer
        return [one["memory"] for one in answer["results"]]


def _json(body: Any) -> str:
    return json.dumps(body)


@pytest.fixture
def aria(world: World) -> Door:
    return Door(world.here.keys["aria"])


def test_a_key_is_good_or_not(aria: Door, world: World) -> None:
    status, answer = aria("GET", "/v1/ping/")
    assert (status, answer["status"], answer["user_email"]) == (200, "ok", None)
    # Without these the client does not start.
    assert answer["org_id"] == str(world.here.id)
    assert answer["project_id"] == str(world.here.robots["aria"].id)
    for key in ("cmk_wrong", world.here.keys["aria"][:-1] + "_"):
        status, answer = Door(key)("GET", "/v1/ping/")
        assert (status, "key" in answer["detail"]) == (401, True)
    with organisation_scope(world.here.id):
        Key.objects.filter(robot=world.here.robots["aria"]).update(revoked_at="2026-01-01T00:00Z")
    assert aria("GET", "/v1/ping/")[0] == 401
    assert aria("POST", "/v3/memories/search/", {"query": "x"})[0] == 401


def test_it_adds_finds_lists_changes_and_deletes(aria: Door, world: World) -> None:
    [made] = aria.add(SAID, user_id="alice", metadata={"from": "chat"}, run_id="s1")["results"]
    assert made["data"]["memory"] == "I am a vegetarian and allergic to nuts."
    assert made["user_id"] == "alice"
    world.here.read()
    path = f"/v1/memories/{made['id']}/"
    found = aria("POST", "/v3/memories/search/", {
        "query": "Who is vegetarian?", "filters": {"user_id": "alice"},
    })[1]["results"]  # fmt: skip
    assert [one["id"] for one in found] == [made["id"]]
    assert 0.1 <= found[0]["score"] <= 1
    status, one = aria("GET", path)
    assert (status, one["user_id"], one["run_id"]) == (200, "alice", "s1")
    assert one["metadata"] == {"from": "chat"}
    status, changed = aria("PUT", path, {"text": "Alice eats fish again."})
    assert (status, changed["memory"]) == (200, "Alice eats fish again.")
    events = aria("GET", f"{path}history/")[1]
    assert [(e["event"], e["old_memory"], e["new_memory"]) for e in events] == [
        ("ADD", None, made["data"]["memory"]),
        ("UPDATE", made["data"]["memory"], "Alice eats fish again."),
    ]
    assert aria.texts(user_id="alice") == ["Alice eats fish again."]
    assert aria("DELETE", path)[0] == 200
    assert aria("GET", path)[0] == 404
    assert aria("DELETE", path)[0] == 404
    assert aria.texts(user_id="alice") == []


def test_turns_stay_whole_without_infer(aria: Door) -> None:
    body = {
        "messages": [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": "Where is the launch? I need to know."},
            {"role": "assistant", "content": "It is in Lisbon."},
        ],
        "user_id": "alice",
        "infer": False,
    }
    assert aria("POST", "/v3/memories/add/", body)[0] == 200
    assert aria.texts(user_id="alice") == [
        "It is in Lisbon.", "Where is the launch? I need to know.",
    ]  # fmt: skip
    body |= {"infer": True, "user_id": "bert"}
    aria("POST", "/v3/memories/add/", body)
    assert aria.texts(user_id="bert") == ["I need to know."] or aria.texts(user_id="bert") == []


def test_a_user_is_a_member_without_an_account(aria: Door, world: World) -> None:
    ids = ("alice", "Alice", "a1ice", "You", "x" * 200, "ü/ß %2F")
    for user_id in ids:
        aria.add("The office closes at six on Fridays.", user_id=user_id)
        aria.add("The office opens at nine on Mondays.", user_id=user_id)
    with organisation_scope(world.here.id):
        rows = ExternalIdentity.objects.filter(platform="mem0")
        assert rows.values("member").distinct().count() == rows.count() == 6
    found = aria("GET", "/v1/entities/")[1]["results"]
    users = {one["name"]: one["total_memories"] for one in found if one["type"] == "user"}
    assert users == dict.fromkeys(ids, 2)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, "abc"),
        ({"AND": [{"user_id": "alice"}, {"run_id": "s1"}]}, "a"),
        ({"OR": [{"run_id": "s1"}, {"run_id": "s2"}]}, "ab"),
        ({"NOT": [{"run_id": "s1"}]}, "bc"),
        ({"NOT": {"run_id": "s1"}}, "bc"),
        ({"NOT": [{"run_id": "s1"}, {"run_id": "s2"}]}, "c"),
        ({"run_id": {"in": ["s2", "s3"]}}, "b"),
        ({"run_id": ["s2", "s3"]}, "b"),
        ({"run_id": {"ne": "s1"}}, "bc"),
        ({"run_id": "*"}, "ab"),
        ({"metadata": {"n": 1}}, "a"),
        ({"metadata": {"n": {"ne": 1}}}, "bc"),
        ({"metadata": {"n": {"in": [1, 2]}}}, "ab"),
        ({"metadata": {"n": "*"}}, "ab"),
        ({"keywords": {"icontains": "BICYCLE"}}, "a"),
        ({"keywords": {"contains": "BICYCLE"}}, ""),
        ({"keywords": {"contains": "bicycle"}}, "a"),
        ({"created_at": {"gte": "2020-01-01", "lt": "2100-01-01"}}, "abc"),
        ({"created_at": {"lte": "2020-01-01"}}, ""),
        ({"created_at": {"gt": "2100-01-01T00:00:00Z"}}, ""),
        ({"categories": {"contains": "event"}}, ""),
        ({"agent_id": "aria"}, "c"),
        ({"app_id": "launch"}, "c"),
    ],
)
def test_filters(aria: Door, world: World, filters: dict[str, Any], found: str) -> None:
    texts = {
        "a": "The bicycle of the courier is red.",
        "b": "The courier arrives at noon on Mondays.",
        "c": "The courier drinks coffee without milk.",
    }
    aria.add(texts["a"], user_id="alice", run_id="s1", metadata={"n": 1})
    aria.add(texts["b"], user_id="alice", run_id="s2", metadata={"n": 2})
    aria.add(texts["c"], user_id="alice", agent_id="aria", app_id="launch")
    aria.add("The courier of Bert is late.", user_id="bert", run_id="s1", metadata={"n": 1})
    asked = {**filters, "user_id": "alice"}
    wanted = sorted(texts[name] for name in found)
    assert aria.texts(**asked) == wanted
    world.here.read()
    assert sorted(aria.search("courier", filters=asked, threshold=0)) == wanted


@pytest.mark.parametrize(
    "body",
    [
        {"filters": {"user_id": "alice", "colour": "red"}},
        {"filters": {"user_id": {"gte": "a"}}},
        {"filters": {"user_id": {"like": "a"}}},
        {"filters": {"user_id": "*"}},
        {"filters": {"OR": [{"user_id": "alice"}, {"user_id": "bert"}]}},
        {"filters": {"user_id": {"in": ["alice", "bert"]}}},
        {"filters": {"user_id": "x" * 10_000}},
        {"filters": {"user_id": "a\x00b"}},
        {"filters": {"user_id": "alice", "AND": []}},
        {"filters": {"user_id": "alice", "OR": [{}]}},
        {"filters": {"user_id": "alice", "NOT": "x"}},
        {"filters": {"user_id": "alice", "created_at": {"gte": "yesterday"}}},
        {"filters": {"user_id": "alice", "created_at": {"contains": "2026"}}},
        {"filters": {"user_id": "alice", "metadata": {"n": {"gte": 1}}}},
        {"filters": {"user_id": "alice", "memory_ids": {"in": ["x"]}}},
        {"filters": {"user_id": "alice", "run_id": {"in": list("ab") * 60}}},
        {"filters": "user_id"},
        {"filters": {}},
        {"filters": {"NOT": [{"user_id": "alice"}]}},
        {},
        {"filters": {"user_id": "alice"}, "colour": "red"},
        [{"user_id": "alice"}],
        "alice",
        None,
    ],
)
def test_what_cannot_be_asked_is_refused(aria: Door, body: Any) -> None:
    aria.add(SAID, user_id="alice")
    status, answer = aria("POST", "/v3/memories/", body)
    assert (status, list(answer)) == (400, ["detail", "request_id"])
    if isinstance(body, dict):
        status, answer = aria("POST", "/v3/memories/search/", {"query": "nuts", **body})
        assert (status, list(answer)) == (400, ["detail", "request_id"])


def test_deep_and_wide_filters_are_refused(aria: Door) -> None:
    deep: dict[str, Any] = {"user_id": "alice"}
    for _ in range(200):
        deep = {"AND": [deep]}
    assert aria("POST", "/v3/memories/", {"filters": deep})[0] == 400
    nested = '{"AND":[' * 1_000 + '{"user_id":"alice"}' + "]}" * 1_000
    answer = aria.client.generic(
        "POST", "/mem0/v3/memories/", f'{{"filters":{nested}}}', "application/json"
    )
    assert (answer.status_code, "detail" in answer.json()) == (400, True)
    wide = {"AND": [{"user_id": "alice"}] * 101}
    assert aria("POST", "/v3/memories/", {"filters": wide})[0] == 400


@pytest.mark.parametrize(
    "body",
    [
        {"top_k": 0}, {"top_k": 1_001}, {"top_k": "3"}, {"threshold": 2}, {"threshold": "x"},
        {"query": " "}, {"query": 3}, {"fields": "id"}, {"reference_date": "2026-01-01"},
    ],
)  # fmt: skip
def test_a_search_that_makes_no_sense_is_refused(aria: Door, body: Any) -> None:
    whole = {"query": "nuts", "filters": {"user_id": "alice"}, **body}
    status, answer = aria("POST", "/v3/memories/search/", whole)
    assert (status, list(answer)) == (400, ["detail", "request_id"])


@pytest.mark.parametrize(
    "body",
    [
        {"messages": []}, {"messages": [3]}, {"messages": [{"role": "user"}]},
        {"messages": [{"role": "wizard", "content": "x"}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
        {"user_id": "x" * 10_000}, {"user_id": " alice"}, {"user_id": 3}, {"user_id": "a\x00"},
        {"metadata": "x"}, {"infer": "yes"}, {"timestamp": "soon"}, {"timestamp": 10**20},
        {"expiration_date": "soon"}, {"custom_instructions": "Be brief."},
        {"filters": {"user_id": "bert"}}, {"filters": {"OR": []}},
    ],
)  # fmt: skip
def test_an_add_that_makes_no_sense_stores_nothing(aria: Door, world: World, body: Any) -> None:
    whole = {"messages": SAID, "user_id": "alice", **body}
    status, answer = aria("POST", "/v3/memories/add/", whole)
    assert (status, list(answer)) == (400, ["detail", "request_id"])
    assert aria.texts(user_id="alice") == []
    with organisation_scope(world.here.id):
        assert not ExternalIdentity.objects.filter(platform="mem0").exists()


def test_deleting_all_needs_a_filter(aria: Door) -> None:
    aria.add(SAID, user_id="alice", run_id="s1")
    aria.add("The courier arrives at noon on Mondays.", user_id="alice", run_id="s2")
    aria.add("The courier arrives at noon on Mondays.", user_id="bert")
    for query in ("", "?filters={}", "?filters=[1]", "?filters=x(", "?org_id=1", "?user_id=*"):
        status, answer = aria("DELETE", f"/v1/memories/{query}")
        assert (status, list(answer)) == (400, ["detail", "request_id"]), query
    assert aria("DELETE", "/v1/memories/?user_id=alice&run_id=s1")[0] == 200
    assert aria.texts(user_id="alice") == ["The courier arrives at noon on Mondays."]
    # As the client writes a dictionary into a query.
    assert aria("DELETE", "/v1/memories/?filters={'user_id':'alice'}")[0] == 200
    assert aria.texts(user_id="alice") == []
    assert len(aria.texts(user_id="bert")) == 1
    assert aria("DELETE", "/v2/entities/user/bert/")[0] == 200
    assert aria("DELETE", "/v2/entities/user/bert/")[0] == 404
    assert aria("GET", "/v2/entities/")[1]["results"] == []


def test_a_batch_changes_all_or_none(aria: Door) -> None:
    ids = [
        aria.add(f"The courier number {n} is red.", user_id="alice")["results"][0]["id"]
        for n in (1, 2)
    ]
    changes = [{"memory_id": id_, "text": f"Now number {n}."} for n, id_ in enumerate(ids)]
    absent = {"memory_id": str(uuid4()), "text": "x"}
    assert aria("PUT", "/v1/batch/", {"memories": [*changes, absent]})[0] == 404
    assert aria.texts(user_id="alice")[0].startswith("The courier")
    for wrong in ([], [3], [{}], [{"memory_id": "x", "text": "y"}], [{"memory_id": ids[0]}], "x"):
        assert aria("PUT", "/v1/batch/", {"memories": wrong})[0] == 400
    many = [{**changes[0], "memory_id": str(uuid4())} for _ in range(201)]
    assert aria("PUT", "/v1/batch/", {"memories": many})[0] == 400
    assert aria("PUT", "/v1/batch/", {"memories": changes})[0] == 200
    assert aria.texts(user_id="alice") == ["Now number 0.", "Now number 1."]
    named = [{"memory_id": id_} for id_ in ids]
    assert (
        aria("DELETE", "/v1/batch/", {"memories": [*named, {"memory_id": str(uuid4())}]})[0] == 404
    )
    assert aria("DELETE", "/v1/batch/", {"memories": named})[0] == 200
    assert aria.texts(user_id="alice") == []


def test_ids_beside_the_filters_narrow_as_well(aria: Door, world: World) -> None:
    aria.add(SAID, user_id="alice", run_id="s1")
    world.here.read()
    body = {"query": "vegetarian nuts", "threshold": 0, "filters": {"user_id": "alice"}}
    for path in ("/v3/memories/search/", "/search"):
        for run_id, count in (("s1", 1), ("s2", 0)):
            asked = {**body, "run_id": run_id}
            assert len(aria("POST", path, asked)[1]["results"]) == count
        both = {"user_id": "alice", "run_id": "s2"}
        asked = {**body, "filters": both, "run_id": "s1"}
        assert aria("POST", path, asked)[1]["results"] == []


def test_pages(aria: Door) -> None:
    for n in range(5):
        aria.add(f"The courier number {n} is red.", user_id="alice")
    seen = []
    for page in (1, 2, 3):
        status, answer = aria(
            "POST", f"/v3/memories/?page={page}&page_size=2", {"filters": {"user_id": "alice"}}
        )
        assert (status, answer["count"]) == (200, 5)
        assert (answer["next"] is None, answer["previous"] is None) == (page == 3, page == 1)
        seen += [one["memory"] for one in answer["results"]]
    assert seen == [f"The courier number {n} is red." for n in (4, 3, 2, 1, 0)]
    for query in ("page=0", "page_size=0", "page_size=401", "page=x", "page=1&page=2"):
        body = {"filters": {"user_id": "alice"}}
        assert aria("POST", f"/v3/memories/?{query}", body)[0] == 400


def test_feedback_is_about_a_hit(aria: Door, world: World) -> None:
    [made] = aria.add(SAID, user_id="alice")["results"]
    body = {"memory_id": made["id"], "feedback": "POSITIVE", "feedback_reason": None}
    assert aria("POST", "/v1/feedback/", body)[0] == 409
    world.here.read()
    assert aria.search("vegetarian nuts", filters={"user_id": "alice"})
    assert aria("POST", "/v1/feedback/", body)[0] == 200
    assert aria("POST", "/v1/feedback/", body)[0] == 409
    assert aria("POST", "/v1/feedback/", {**body, "feedback": "MEH"})[0] == 400
    assert aria("POST", "/v1/feedback/", {**body, "memory_id": str(uuid4())})[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "/v1/summary/", "/v2/profiles/jobs/", "/v2/profiles/settings/",
        "/v2/entities/user/alice/profile/", "/api/v1/webhooks/projects/1/",
        "/api/v1/orgs/organizations/1/projects/2/",
    ],
)  # fmt: skip
def test_what_is_not_here_says_so(aria: Door, path: str) -> None:
    for method in ("GET", "POST"):
        status, answer = aria(method, path, {} if method == "POST" else None)
        assert (status, "mem0" in answer["detail"]) == (501, True)
    assert aria("GET", "/v9/nothing/")[0] == 404


def test_a_self_hosted_server_is_spoken_to_as_well(world: World) -> None:
    client = APIClient()
    client.credentials(HTTP_X_API_KEY=world.here.keys["aria"])
    body = {"messages": [{"role": "user", "content": SAID}], "user_id": "alice"}
    made = client.post("/mem0/memories", body, format="json")
    assert made.status_code == 200, made.content
    [one] = made.json()["results"]
    assert (one["memory"], one["event"]) == ("I am a vegetarian and allergic to nuts.", "ADD")
    world.here.read()
    asked = {"query": "vegetarian nuts", "user_id": "alice"}
    [hit] = client.post("/mem0/search", asked, format="json").json()["results"]
    assert hit["id"] == one["id"]
    [listed] = client.get("/mem0/memories?user_id=alice").json()["results"]
    assert listed["id"] == one["id"]
    path = f"/mem0/memories/{one['id']}"
    assert client.get(path).json()["memory"] == one["memory"]
    assert client.put(path, {"text": "Alice eats fish."}, format="json").status_code == 200
    assert len(client.get(f"{path}/history").json()) == 2
    assert client.get("/mem0/memories").status_code == 400
    assert client.delete(path).status_code == 200
    assert client.get(path).status_code == 404
    assert client.delete("/mem0/memories?user_id=alice").status_code == 200
    assert APIClient().get("/mem0/memories?user_id=alice").status_code == 401
    # The other addresses of the product take no such header.
    assert client.get("/api/v1/me").status_code == 401


def test_an_app_that_is_a_group_is_written_for_it(aria: Door, world: World) -> None:
    aria.add("The launch is in Lisbon in May.", app_id="launch")
    aria.add("The robot keeps this to itself for now.", app_id="no group")
    here = world.here
    assert len(here.readable(here.person("mina"))) == 1
    assert len(here.readable(here.person("ada"))) == 0
    assert aria.texts(app_id="launch") == ["The launch is in Lisbon in May."]
    assert aria.texts(app_id="no group") == ["The robot keeps this to itself for now."]
    aria.add("The launch needs a vegetarian lunch.", app_id="launch", user_id="alice")
    assert len(here.readable(here.person("mina"))) == 1
