"""Whatever is sent, a clear problem comes back: never a 500, never half of something.

Many cases share one test: making a world costs more than any of them.
"""

import json
from typing import Any

import pytest
from django.test import override_settings
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from tests.memories.api.problems import BATCH, MEMORIES, RECALL, assert_problem, post_raw
from tests.page_client import make_signed_in_client
from tests.world import World


@pytest.fixture
def api(world: World) -> APIClient:
    return world.here.api("aria")


@pytest.mark.conformance("H34")
@pytest.mark.conformance("X10")
def test_content_of_up_to_32_kilobytes_and_what_to_do_with_more(api: APIClient) -> None:
    for content in ("a" * 32_768, "é" * 16_384, "🙂" * 8_192):
        assert api.post(MEMORIES, {"content": content}, format="json").status_code == 201
        answer = api.post(MEMORIES, {"content": content + "b"}, format="json")
        problem = assert_problem(answer, field="content")
        assert "at most 32,768 bytes, and this text has 32,769" in problem["detail"]
        assert "Divide it" in problem["detail"]


@pytest.mark.slow
@pytest.mark.conformance("H34")
@override_settings(MEMORY_MAX_BYTES=1_000_000)
def test_content_of_up_to_a_million_bytes(api: APIClient) -> None:
    taken = ["a" * 1_000_000, "é" * 500_000, "🙂" * 250_000, "word " * 199_999 + "end.."]
    for content in taken:
        response = api.post(MEMORIES, {"content": content}, format="json")
        assert response.status_code == 201, (content[:9], response.json())
        kept = api.get(f"{MEMORIES}/{response.json()['id']}").json()
        assert kept["content"] == content
    for content in ["", " \n\t ", *(text + "a" for text in taken), "🙂" * 250_001]:
        assert_problem(api.post(MEMORIES, {"content": content}, format="json"), field="content")
    address = f"{MEMORIES}/{kept['id']}"
    for content in (taken[1] + "a", " \n\t "):
        assert_problem(api.patch(address, {"content": content}, format="json"), field="content")


@pytest.mark.conformance("H34")
def test_lists_hold_a_thousand_at_most_and_fifty_references(api: APIClient) -> None:
    for field in ("tags", "listeners"):
        body = {"content": "x", field: [f"t{n}" for n in range(1001)]}
        assert_problem(api.post(MEMORIES, body, format="json"), field=field)
    tags = [f"t{n}" for n in range(1000)]
    assert api.post(MEMORIES, {"content": "x", "tags": tags}, format="json").status_code == 201
    words = {"kinds": "group", "types": "fact", "categories": "event", "tiers": "slow"}
    most = dict.fromkeys(("groups", "members", "robots", "teams"), 50)
    for name in (*most, "tags", *words):
        most_here = most.get(name, 1000)
        for size, status in ((most_here, 200), (most_here + 1, 400)):
            body = {"query": "x", "filters": {name: [words.get(name, "x")] * size}}
            answer = api.post(RECALL, body, format="json")
            assert answer.status_code == status, (name, size, answer.json())


@pytest.mark.conformance("H34")
def test_a_batch_holds_one_to_a_thousand(api: APIClient) -> None:
    assert_problem(api.post(BATCH, {"items": []}, format="json"), field="items")
    assert_problem(
        api.post(BATCH, {"items": [{"content": "x"}] * 1001}, format="json"), field="items"
    )
    answer = api.post(BATCH, {"items": [{"content": "x"}] * 1000}, format="json").json()
    assert len(answer["results"]) == 1000
    assert len({result["id"] for result in answer["results"]}) == 1


@pytest.mark.conformance("H34")
def test_limits(api: APIClient) -> None:
    for limit in (1, 1000):
        assert api.post(RECALL, {"query": "x", "limit": limit}, format="json").status_code == 200
        assert api.get(MEMORIES, {"limit": limit}).status_code == 200
    for wrong in (1001, 0, -1, 10**18, 1e3, "10", True, None, [1]):
        asked = api.post(RECALL, {"query": "x", "limit": wrong}, format="json")
        assert_problem(asked, field="limit", case=wrong)
    for path in (MEMORIES, "/api/v1/robots", "/api/v1/groups", "/api/v1/members"):
        for text in ("0", "1001", "-5", "ten", "", "1e3", "9" * 2000, "\x00"):
            assert_problem(api.get(path, {"limit": text}), field="limit", case=(path, text))


REMEMBER = [
    '{"content": "a%sb"}',
    '{"content": "x", "tags": ["a%sb"]}',
    '{"content": "x", "metadata": {"a": [{"b": "c%sd"}]}}',
    '{"content": "x", "metadata": {"a": {"k%s": 1}}}',
    '{"content": "x", "source": {"a": "c%sd"}}',
    '{"content": "x", "key": "a%s"}',
    '{"content": "x", "speaker": "a%s"}',
    '{"content": "x", "group": "a%s"}',
    '{"content": "x", "member": "telegram:%s"}',
    '{"content": "x", "robot": "a%s"}',
    '{"content": "x", "conversation": "a%s"}',
    '{"content": "x", "topic": "a%s"}',
    '{"content": "x", "visibility": "gr%soup"}',
    '{"content": "x", "kind": "gr%soup"}',
    '{"content": "x", "listeners": ["a%s"]}',
    '{"content": "x", "occurred_at": "2026%s"}',
    '{"content": "x", "visibility": "shared", "readers": {"members": ["a%s"]}}',
    '{"content": "x", "unknown%s": 1}',
]
ASK = [
    '{"query": "a%sb"}',
    '{"query": "x", "group": "%s"}',
    '{"query": "x", "member": "a%s"}',
    '{"query": "x", "shareable_with": "a%s"}',
    '{"query": "x", "filters": {"tags": ["a%s"]}}',
    '{"query": "x", "filters": {"groups": ["a%s"]}}',
    '{"query": "x", "filters": {"metadata": {"a": "b%s"}}}',
    '{"query": "x", "filters": {"metadata": {"a%s": "b"}}}',
    '{"query": "x", "timeframe": {"from": "%s"}}',
    '{"query": "x", "timeframe": "last %s week"}',
    '{"query": "x", "strategy": "%s"}',
]
OTHERS = {
    "/api/v1/robots": ['{"id": "a%s"}', '{"name": "a%s"}', '{"metadata": {"a": "%s"}}'],
    "/api/v1/groups": ['{"external_id": "a%s"}', '{"external_id": "x", "members": ["%s"]}'],
    "/api/v1/members": ['{"name": "a%s"}', '{"name": "x", "identity": "telegram:%s"}'],
}


@pytest.mark.parametrize("character", ["\\u0000", "\\ud800", "\\udc00\\ud800"])
def test_nul_and_lone_surrogates_in_bodies(world: World, character: str) -> None:
    here = world.here
    api = here.api("aria")
    for template in REMEMBER:
        body = template % character
        assert_problem(post_raw(api, MEMORIES, body), case=body)
        answer = post_raw(api, BATCH, '{"items": [%s, {"content": "good"}]}' % body)  # noqa: UP031
        if character == "\\u0000":
            results = answer.json()["results"]
            assert [result["status"] for result in results] == ["refused", "active"], body
            assert results[0]["problem"]["status"] == 400
        else:
            assert_problem(answer, case=body)
    for template in ASK:
        assert_problem(post_raw(api, RECALL, template % character), case=template)
    here.add_robot("boss", scopes=("read", "write", "manage"))
    for path, templates in OTHERS.items():
        for template in templates:
            assert_problem(post_raw(here.api("boss"), path, template % character), case=template)


def test_strange_query_strings(api: APIClient) -> None:
    for name in ("q", "group", "member", "robot", "tag", "cursor", "since", "kind", "limit"):
        for value in ("%00", "a%00b", "telegram:%00"):
            assert_problem(api.get(f"{MEMORIES}?{name}={value}"), field=name, case=(name, value))
    assert_problem(api.get(f"{MEMORIES}?colour=red"), field="colour")
    assert_problem(api.get(MEMORIES, {"q": "x" * 501}), field="q")
    api.post(MEMORIES, {"content": "something"}, format="json")
    for value in ("%ED%A0%80", "%FF%FE", "%F0%9F", "%25", "_", "%5C", "'"):
        for name in ("q", "group", "member", "robot", "tag"):
            answer = api.get(f"{MEMORIES}?{name}={value}")
            assert answer.status_code == 200, (name, value, answer.json())
            assert answer.json()["results"] == [], (name, value)


def test_strange_ids_in_an_address_are_not_found(api: APIClient) -> None:
    values = ("%00", "a%00b", "telegram:%00", "%ED%A0%80", "%FF", "a" * 3000, "x:y", "%20", "🙂")
    for noun in ("robots", "groups", "members", "memories"):
        for value in values:
            address = f"/api/v1/{noun}/{value}"
            assert_problem(api.get(address), status=404, case=address)
            if noun in ("robots", "groups"):
                changed = api.patch(address, {"name": "x"}, format="json")
                assert_problem(changed, status=404, case=address)


def test_bodies_that_are_not_an_object(api: APIClient) -> None:
    bodies: list[str | bytes] = [
        "", "{", "[]", "null", "1", '"text"', "NaN", '{"a": NaN}', '{"content": Infinity}', "[[[[",
        "{'a': 1}", b"\xff\xfe", b"\xef\xbb\xbf{}", '{"a": "\t"}', "[" * 100_000, '{"a":' * 5000,
    ]  # fmt: skip
    for path in (MEMORIES, BATCH, RECALL, "/api/v1/robots"):
        for body in bodies:
            if body == "" and path == "/api/v1/robots":
                continue  # a robot needs nothing but a key to register another
            assert_problem(post_raw(api, path, body), case=(path, body[:9]))
    assert_problem(
        api.post(MEMORIES, "content=x", content_type="application/x-www-form-urlencoded"), 415
    )


def test_a_batch_refuses_what_is_no_item_and_takes_the_rest(api: APIClient) -> None:
    items = [1, None, [], "x", {}, {"content": "good"}, {"content": "x", "colour": 1}]
    results = api.post(BATCH, {"items": items}, format="json").json()["results"]
    assert [r["status"] for r in results] == ["refused"] * 5 + ["active", "refused"]
    assert [r["index"] for r in results] == list(range(7))
    assert {r["problem"]["status"] for r in results if "problem" in r} == {400}


def test_unknown_fields_are_named_and_refused(api: APIClient) -> None:
    for name in ("robot_id", "organisation", "audience", "__proto__", "", "a" * 999):
        for path, body in ((MEMORIES, {"content": "x"}), (RECALL, {"query": "x"})):
            told = assert_problem(api.post(path, {**body, name: 1}, format="json"), case=name)
            assert told["errors"][0]["detail"] == "This field does not exist."


WRONG: dict[str, list[Any]] = {
    "content": [5, None, ["x"], True, {}],
    "tags": ["a", {"a": 1}, [1], [None], ["a" * 101]],
    "metadata": [[], "x", None],
    "source": [1],
    "importance": ["0.5", True, 1.01, -0.01, None, [1], "HUGE"],
    "confidence": [2],
    "sensitive": ["true", 1],
    "red_line": [None],
    "occurred_at": [
        5, {}, "yesterday", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1712100812345", "1712100812",
        "20260331", "2026-W10-1", "2026-03-31x10:00",
    ],
    "expires_at": ["2026-02-30T00:00:00Z", True],
    "kind": ["gossip", 1, ["group"], {}],
    "type": [None],
    "tier": ["instant"],
    "category": ["other"],
    "key": ["k" * 301, "", 1],
    "group": [1, ""],
    "member": [{}],
    "speaker": [1, "s" * 301],
    "readers": [[], {"x": []}, {"members": "mina"}],
    "listeners": [[["x"]]],
    "robot": [7],
    "visibility": [3],
}  # fmt: skip


def test_wrong_types_and_absurd_values_name_their_field(api: APIClient) -> None:
    for field, values in WRONG.items():
        for value in values:
            text = json.dumps({"content": "x", field: value}).replace('"HUGE"', "1e400")
            told = assert_problem(post_raw(api, MEMORIES, text), case=(field, value))
            assert told["detail"].startswith(field) or told["type"].endswith("bad-json")
    told = assert_problem(api.post(MEMORIES, {"content": "x", "visibility": "all"}, format="json"))
    assert told["type"].endswith("misplaced")
    assert api.get(MEMORIES).json()["results"] == []


def test_far_dates_go_in_and_come_back(api: APIClient) -> None:
    for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-07-20T20:17:00Z"):
        made = api.post(MEMORIES, {"content": f"far {at}", "occurred_at": at}, format="json")
        assert made.status_code == 201
        assert api.get(f"{MEMORIES}/{made.json()['id']}").json()["occurred_at"] == at
        found = api.post(RECALL, {"query": f"far {at}"}, format="json").json()["results"]
        assert made.json()["id"] in [hit["id"] for hit in found]


def test_numbers_in_metadata(api: APIClient) -> None:
    for number in ("9223372036854775807", "-9223372036854775808", "1.5", "1e-300", "0", "1e15"):
        made = post_raw(
            api, MEMORIES, f'{{"content": "n {number}", "metadata": {{"n": {number}}}}}'
        )
        assert made.status_code == 201, number
        kept = api.get(f"{MEMORIES}/{made.json()['id']}").json()
        assert kept["metadata"]["n"] == json.loads(number)
    for number in ("18446744073709551616", "1e300", "-1e30", "1e400", "1e19"):
        for text in (f'{{"n": {number}}}', f'{{"a": [{{"n": {number}}}]}}'):
            assert_problem(
                post_raw(api, MEMORIES, f'{{"content": "n", "metadata": {text}}}'), case=text
            )
            asked = f'{{"query": "n", "filters": {{"metadata": {text}}}}}'
            assert_problem(post_raw(api, RECALL, asked), case=asked)


def test_deep_and_wide_metadata(api: APIClient) -> None:
    deep: Any = 1
    for _ in range(21):
        deep = {"a": deep}
    wide = {str(n): n for n in range(1001)}
    for metadata in (deep, wide):
        assert_problem(
            api.post(MEMORIES, {"content": "x", "metadata": metadata}, format="json"),
            field="metadata",
        )
    wide.pop("0")
    assert api.post(MEMORIES, {"content": "x", "metadata": wide}, format="json").status_code == 201


def test_questions_that_are_refused(api: APIClient) -> None:
    for query in ("", "   ", "q" * 20_001, "q " * 50_000, "é" * 100_000, 5, None, ["x"], {}):
        assert_problem(api.post(RECALL, {"query": query}, format="json"), field="query")


def test_strange_questions_are_answered(api: APIClient) -> None:
    api.post(MEMORIES, {"content": "Something to find: a b c d x y"}, format="json")
    queries = [
        "q" * 20_000, "é" * 20_000, "the of and", "!?&|():*<->'\\", "' OR 1=1 --", "%s %(a)s %%",
        "http://a.example/?x=1&y='2'", "a & !b | (c <-> d):*", "\u202e\u200f", "🙂", "\t\n x",
    ]  # fmt: skip
    for query in queries:
        for strategy in ("keyword", "vector", "hybrid"):
            answer = api.post(RECALL, {"query": query, "strategy": strategy}, format="json")
            assert answer.status_code == 200, (query[:20], strategy, answer.json())


ASKED_WRONG: dict[str, list[Any]] = {
    "strategy": ["telepathy", None],
    "fusion": ["nuclear"],
    "profile": ["x", None, "Balanced", ["strength"]],
    "tier_strategy": ["slow_first", "", None, 1, ["weighted"]],
    "include_expired": ["true", 1, None],
    "min_similarity": [2, "0.5"],
    "explain": ["yes"],
    "filters": [
        [], {"colour": ["red"]}, {"kinds": ["gossip"]}, {"kinds": "group"}, {"metadata": []},
        {"min_importance": 2}, {"tags": [1]},
    ],
    "timeframe": [
        7, "soon", "last 3 messages", ["yesterday", "soon"], ["auto"], "x" * 3_000,
        {"from": "soon"}, {"since": "2026-01-01T00:00:00Z"}, [[]], [{}] * 21,
        {"from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"},
        {"from": "0001-01-01T00:00:00+14:00"},
    ],
    "include_direct": [1],
    "group": [5, ""],
    "member": [["x"]],
}  # fmt: skip


def test_wrong_words_in_a_question(api: APIClient) -> None:
    for field, values in ASKED_WRONG.items():
        for value in values:
            asked = api.post(RECALL, {"query": "x", field: value}, format="json")
            assert_problem(asked, field=field, case=(field, value))


def test_wrong_methods_and_addresses(api: APIClient) -> None:
    for method, path, status in (
        ("put", MEMORIES, 405),
        ("delete", RECALL, 405),
        ("get", BATCH, 405),
        ("get", "/api/v1/x", 404),
    ):
        assert_problem(getattr(api, method)(path), status, case=path)


def test_an_identity_is_a_platform_and_an_identifier(world: World) -> None:
    here = world.here
    here.add_robot("boss", scopes=("read", "write", "manage"))
    api = here.api("boss")
    for wrong in ("telegram", ":", ":x", "x:", "p" * 41 + ":x", "p:" + "x" * 301):
        body = {"name": "Nora", "identity": wrong}
        assert_problem(
            api.post("/api/v1/members", body, format="json"), field="identity", case=wrong
        )
    body = {"name": "Nora", "identity": "telegram:7"}
    assert api.post("/api/v1/members", body, format="json").status_code == 201
    assert_problem(api.post("/api/v1/members", body, format="json"), 409)


def test_a_moment_at_the_end_of_the_calendar_ends_no_page(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(time_zone="Asia/Tokyo")
        Member.objects.filter(id=here.members["bob"].id).update(time_zone="America/New_York")
        Organisation.objects.filter(id=here.id).update(projections=["graph"])
    for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        for who in ("mina", "bob"):
            said = {"content": f"I fixed the zebra tomorrow {at}", "occurred_at": at}
            said |= {"group": "launch", "speaker": str(here.members[who].id)}
            answer = api.post(MEMORIES, said, format="json")
            assert answer.status_code == 201, answer.content
    last = answer.json()["id"]
    for name in ("mina", "bob"):
        for url in ("/", "/memories/", f"/memories/{last}/", "/experts/?topic=zebra", "/me/"):
            assert make_signed_in_client(here, name).get(url).status_code == 200, (name, url)
