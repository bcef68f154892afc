"""Exports of the mem0 door: `create_memory_export` and `get_memory_export` of its client."""

import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import signing
from django.utils import timezone

from memories.api.mem0 import exports, serializers
from robots.access.delegations import end_told_robot
from tests.memories.api.mem0.test_door import Door
from tests.memories.api.mem0.test_whose import give_account
from tests.world import World

pytestmark = pytest.mark.conformance("N10")
TEA, DOG = "I drink green tea in the morning.", "My dog has the name Otto."
RECORD = {"type": "object", "properties": {"memory": {"type": "string"}, "metadata": {}}}
# As Pydantic writes the schema of a list of models.
MODEL = {
    "$defs": {"Fact": {"properties": {"memory": {"type": "string"}, "run_id": {
        "anyOf": [{"type": "string"}, {"type": "null"}], "default": None,
    }}, "required": ["memory"], "title": "Fact", "type": "object"}},
    "properties": {"facts": {"items": {"$ref": "#/$defs/Fact"}, "type": "array"}},
    "required": ["facts"], "title": "Profile", "type": "object",
}  # fmt: skip


@pytest.fixture
def aria(world: World) -> Door:
    door = Door(world.here.keys["aria"])
    door.add(TEA, user_id="alice", run_id="s1", metadata={"n": 1})
    door.add(DOG, user_id="alice", run_id="s2")
    door.add("I am Bert and drink coffee.", user_id="bert")
    return door


def create(door: Door, schema: Any = MODEL, **asked: Any) -> str:
    status, answer = door("POST", "/v1/exports/", {"schema": schema, **asked})
    assert status == 200, answer
    assert set(answer) == {"message", "id"}
    return str(answer["id"])


def fetch(door: Door, **asked: Any) -> Any:
    status, answer = door("POST", "/v1/exports/get/", asked)
    assert status == 200, answer
    return answer


@pytest.mark.parametrize("as_text", [True, False])
def test_an_export_has_the_form_of_its_schema(aria: Door, *, as_text: bool) -> None:
    schema = json.dumps(MODEL) if as_text else MODEL
    export = create(aria, schema, user_id="alice")
    assert fetch(aria, memory_export_id=export) == {
        "facts": [{"memory": DOG, "run_id": "s2"}, {"memory": TEA, "run_id": "s1"}]
    }
    for form in (RECORD, {"type": "array", "items": RECORD}):
        export = create(aria, form, filters={"AND": [{"user_id": "alice"}, {"run_id": "s1"}]})
        assert fetch(aria, memory_export_id=export) == {
            "memories": [{"memory": TEA, "metadata": {"n": 1}}]
        }


def test_without_an_id_all_fields_of_what_matches_are_there(aria: Door) -> None:
    create(aria, user_id="alice")
    for asked in ({"user_id": "alice"}, {"filters": {"user_id": "alice"}}):
        found = fetch(aria, **asked)["memories"]
        assert [one["memory"] for one in found] == [DOG, TEA]
        assert set(found[0]) == set(exports.FIELDS)
        assert (
            found == aria("POST", "/v3/memories/", {"filters": {"user_id": "alice"}})[1]["results"]
        )


def test_it_answers_what_is_there_when_it_is_fetched(aria: Door) -> None:
    export = create(aria, RECORD, user_id="alice")
    aria.add("I live in Ulm.", user_id="alice")
    [dog] = [one for one in fetch(aria, user_id="alice")["memories"] if one["memory"] == DOG]
    assert aria("DELETE", f"/v1/memories/{dog['id']}/")[0] == 200
    found = fetch(aria, memory_export_id=export)["memories"]
    assert [one["memory"] for one in found] == ["I live in Ulm.", TEA]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"properties": {"full_name": {"type": "string"}}}, "full_name"),
        ({"properties": {"memory": {}, "mood": {}}}, "mood"),
        ({"properties": {"jobs": {"type": "array", "items": {"properties": {"t": {}}}}}}, "'t'"),
        ({"type": "array", "items": {"properties": {"x": {}}}}, "'x'"),
        ({}, "properties"), ("{", "properties"), ("[]", "properties"), (None, "null"),
        (5, "properties"), ([], "properties"), ({"properties": []}, "properties"),
        ({"type": "array"}, "properties"), ({"$ref": "#"}, "properties"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, "properties"),
        ({"$ref": "https://example.com/schema"}, "properties"),
        ("x" * 100_001, "properties"),
    ],
)  # fmt: skip
def test_a_schema_that_asks_for_more_is_refused(aria: Door, schema: Any, said: str) -> None:
    status, answer = aria("POST", "/v1/exports/", {"schema": schema, "user_id": "alice"})
    assert (status, said in answer["detail"]) == (400, True), answer


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 400), ({"user_id": "*"}, 400), ({"filters": {"colour": "red"}}, 400),
        ({"user_id": "alice", "export_instructions": "Only the best."}, 400),
        ({"filters": {"user_id": {"in": ["alice", "bert"]}}}, 400), ({"agent_id": "bolt"}, 403),
        ({"user_id": "alice", "filters": {"keywords": {"contains": "ü" * 500}}}, 200),
        ({"user_id": "alice", "filters": {"memory_ids": {"in": ["0" * 400] * 20}}}, 400),
    ],
)  # fmt: skip
def test_what_a_list_refuses_an_export_refuses_too(
    aria: Door, asked: dict[str, Any], status: int
) -> None:
    assert aria("POST", "/v1/exports/", {"schema": RECORD, **asked})[0] == status
    assert aria("POST", "/v1/exports/get/", asked)[0] == status


def test_long_filters_make_no_export(aria: Door) -> None:
    wanted = {"user_id": "alice", "metadata": {"n": "x" * 5_000}}
    assert aria("POST", "/v1/exports/", {"schema": RECORD, "filters": wanted})[0] == 400


def test_an_id_opens_nothing_for_another_key(aria: Door, world: World) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    export = create(aria, user_id="alice")
    for key in (here.keys["dora"], here.keys["bolt"], world.there.keys["aria"]):
        assert Door(key)("POST", "/v1/exports/get/", {"memory_export_id": export})[0] == 404
        status, answer = Door(key)("POST", "/v1/exports/get/", {"user_id": "alice"})
        assert status in (200, 403)
        assert TEA not in str(answer)
    forged = signing.dumps({"name": "m", "fields": ["memory"], "filters": None, "ids": {}})
    for wrong in (export[:-1], f"{export}x", "x", forged, "\u0000"):
        assert aria("POST", "/v1/exports/get/", {"memory_export_id": wrong})[0] in (400, 404)
    # It does not replace what the key may do.
    both = {"memory_export_id": export, "user_id": "bert"}
    assert aria("POST", "/v1/exports/get/", both)[0] == 400
    with time_machine.travel(timezone.now() + timedelta(days=8)):
        assert aria("POST", "/v1/exports/get/", {"memory_export_id": export})[0] == 404


def test_it_ends_with_what_the_robot_reads(aria: Door, world: World) -> None:
    export = create(aria, user_id="alice")
    world.here.members["alice"] = give_account(world.here, "alice")
    assert len(fetch(aria, memory_export_id=export)["facts"]) == 2
    end_told_robot(world.here.person("alice"), world.here.robots["aria"].id, now=timezone.now())
    assert fetch(aria, memory_export_id=export) == {"facts": []}
    assert fetch(aria, user_id="alice") == {"memories": []}


def test_more_than_one_answer_holds_is_asked_for_by_page(
    aria: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = create(aria, RECORD, user_id="alice")
    asked = {"memory_export_id": export, "page_size": 1}
    status, answer = aria("POST", "/v1/exports/get/", asked)
    assert (status, "2 memories match" in answer["detail"]) == (400, True)
    pages = [fetch(aria, **asked, page=number)["memories"] for number in (1, 2, 3)]
    assert [[one["memory"] for one in page] for page in pages] == [[DOG], [TEA], []]
    assert aria("POST", "/v1/exports/get/", {**asked, "page_size": 1_001})[0] == 400
    assert serializers.MAX_EXPORTED == 1_000
