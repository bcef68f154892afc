"""A 404 that a reference in a body or a query causes names its field."""

import copy
from typing import Any
from uuid import UUID

import pytest

from orgs.api.problems import REFERENCE_FIELDS, describe_exception
from orgs.errors import ReferenceNotFoundError
from tests.isolation.api_surface import ABSENT, api_operations
from tests.world import World

pytestmark = pytest.mark.conformance("X10")
NAMES = frozenset().union(*REFERENCE_FIELDS.values())


def fields(answer: Any) -> list[str]:
    assert answer.status_code == 404, answer.content
    return [error["field"] for error in answer.json()["errors"]]


CASES: list[tuple[str, str, Any, list[str]]] = [
    ("post", "memories", {"group": "absent"}, ["group"]),
    ("post", "memories", {"member": "absent:x", "group": "launch"}, ["member"]),
    ("post", "memories", {"group": "launch", "listeners": ["{mina}", "absent:x"]}, ["listeners.1"]),
    ("post", "memories", {"visibility": "team:absent"}, ["visibility"]),
    ("post", "memories", {"visibility": "persona:absent"}, ["visibility"]),
    *(
        (
            "post",
            "memories",
            {"visibility": "shared", "readers": {kind: ["absent:x", "absent:y"]}},
            [f"readers.{kind}.0"],
        )
        for kind in ("members", "robots", "groups", "teams")
    ),
    ("post", "memories/{memory}/share", {"visibility": "group", "group": "absent"}, ["group"]),
    ("post", "recall", {"query": "tea", "group": "absent"}, ["group"]),
    ("post", "recall", {"query": "tea", "member": ABSENT}, ["member"]),
    ("post", "recall", {"query": "tea", "shareable_with": "absent"}, ["shareable_with"]),
    ("post", "context", {"query": "tea", "group": "absent"}, ["group"]),
    (
        "post",
        "feedback",
        {"recall_id": ABSENT, "memory": "{memory}", "usefulness": 1},
        ["recall_id"],
    ),
    ("post", "feedback", {"recall_id": "{recall}", "memory": ABSENT, "usefulness": 1}, ["memory"]),
    ("post", "groups", {"external_id": "absent", "members": ["{mina}", "absent"]}, ["members.1"]),
    ("post", "groups/launch/members", {"add": ["{mina}", "a:b", "c:d"]}, ["add.1"]),
    ("post", "groups/launch/members", {"remove": ["a:b"]}, ["remove.0"]),
    ("post", "conversations", {"group": "absent"}, ["group"]),
    ("post", "conversations", {"member": "absent:x"}, ["member"]),
    ("post", "tasks", {"content": "Water the plants.", "group": "absent"}, ["group"]),
    ("get", "groups/launch/context?member=absent:x", None, ["member"]),
    ("get", "conversations?group=absent", None, ["group"]),
    # What stands in the path has no field, also when a field has the same value.
    ("get", "groups/absent", None, []),
    ("patch", "groups/absent", {"name": "absent"}, []),
    ("patch", f"memories/{ABSENT}", {"content": ABSENT}, []),
    ("post", f"memories/{ABSENT}/share", {"visibility": "group", "group": "launch"}, []),
]  # fmt: skip


def filled(value: Any, real: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: filled(inner, real) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, real) for inner in value]
    return real.get(value, value)


@pytest.mark.parametrize(("method", "path", "body", "named"), CASES)
def test_the_field_is_named(
    world: World, method: str, path: str, body: Any, named: list[str]
) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    kept = here.remember(here.robot("dora"), "Tea at four.").id
    client = here.api("dora")
    asked = client.post("/api/v1/recall", {"query": "tea"}, format="json").json()
    real = {
        "{memory}": str(kept),
        "{mina}": str(here.members["mina"].id),
        "{recall}": asked["recall_id"],
    }
    path = path.replace("{memory}", str(kept))
    if path == "memories":
        body = {"content": "Coffee at five.", **body}
    answer = getattr(client, method)(f"/api/v1/{path}", filled(body, real), format="json")
    assert fields(answer) == named
    for error in answer.json()["errors"]:
        assert error["detail"].startswith("There is no such ")


def test_an_item_of_a_batch_names_its_own_field(world: World) -> None:
    items = [{"content": "Tea."}, {"content": "Milk.", "group": "absent"}]
    answer = world.here.api("aria").post("/api/v1/memories/batch", {"items": items}, format="json")
    (problem,) = [one["problem"] for one in answer.json()["results"] if "problem" in one]
    assert [error["field"] for error in problem["errors"]] == ["group"]


def test_what_is_hidden_is_named_like_what_is_absent(world: World) -> None:
    here = world.here
    secret = str(here.groups["design"].id)
    for group in (secret, ABSENT, str(world.there.groups["launch"].id)):
        answer = here.browser("bob").post(
            "/api/v1/recall", {"query": "tea", "group": group}, format="json"
        )
        body = answer.json() | {"request_id": ""}
        assert body["errors"] == [
            {"field": "group", "detail": "There is no such group that you may see."}
        ]
        assert secret not in str(body)


def test_every_operation_that_finds_nothing_says_which_field(world: World) -> None:
    """Every place of the description that may hold a reference; those in the path are absent."""
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for", "manage"))
    client, named, silent = here.api("dora"), 0, []
    for operation in api_operations():
        if any(slot.where == "path" for slot in operation.slots):
            continue
        for slot in operation.slots:
            leaf = [part for part in slot.path if isinstance(part, str)][-1]
            if slot.where == "path" or leaf not in NAMES:
                continue
            path, query, body = operation.call(slot, ABSENT, {})
            sent = copy.deepcopy(body)
            url = path + ("?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else "")
            answer = getattr(client, operation.method)(url, sent, format="json")
            if answer.status_code != 404:
                continue
            where = ".".join(map(str, slot.path))
            if [error["field"] for error in answer.json()["errors"]] == [where]:
                named += 1
            else:
                silent.append((str(operation), where, answer.json()["errors"]))
    assert silent == []
    assert named > 30


@pytest.mark.parametrize(("body", "kind"), [("null", "text/plain"), ("{", "application/json")])
def test_a_body_that_nobody_reads_changes_nothing(world: World, body: str, kind: str) -> None:
    aria = world.here.api("aria")
    answer = aria.post("/api/v1/teams/absent/heartbeat", body, content_type=kind)
    assert fields(answer) == []


def test_a_reference_is_named_in_any_spelling_and_nowhere_else() -> None:
    id_ = UUID(ABSENT)
    error = ReferenceNotFoundError("memory", id_)
    given = {"memory": f" {ABSENT.upper()} ", "content": ABSENT, "metadata": {"memory": "x"}}
    _, _, _, errors, _ = describe_exception(error, given) or (0, "", "", [], "")
    assert [one["field"] for one in errors] == ["memory"]
    many = {"memories": [ABSENT] * 5_000}
    _, _, _, errors, _ = describe_exception(error, many) or (0, "", "", [], "")
    assert len(errors) == 20
    assert describe_exception(error, None) == describe_exception(error, ["x", 1, None])
