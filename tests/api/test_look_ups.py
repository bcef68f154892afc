"""Memories by key and metadata, a key whose text is replaced, and the id of what exists already."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.organisations.references import link_identity
from tests.world import World

MEMORIES = "/api/v1/memories"
pytestmark = pytest.mark.conformance("X10")


def keep(client: APIClient, content: str, **more: Any) -> Any:
    return client.post(MEMORIES, {"content": content, **more}, format="json")


def contents(client: APIClient, query: str) -> set[str]:
    answer = client.get(f"{MEMORIES}?{query}")
    assert answer.status_code == 200, answer.content
    return {memory["content"] for memory in answer.json()["results"]}


def test_a_memory_is_found_by_its_key(world: World) -> None:
    aria = world.here.api("aria")
    keep(aria, "Tea at four.", key="tea/1", group="launch")
    keep(aria, "Tea at five.", key="tea/2", group="launch")
    keep(aria, "For herself.", key="tea/1", visibility="internal")
    assert contents(aria, "key=tea/1") == {"Tea at four.", "For herself."}
    assert contents(aria, "key=tea/1&group=launch") == {"Tea at four."}
    assert contents(world.here.browser("bob"), "key=tea/1") == {"Tea at four."}
    assert contents(world.here.browser("vera"), "key=tea/1") == set()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("metadata.ticket=123", {"text", "number"}),
        ("metadata[ticket]=123", {"text", "number"}),
        ("metadata.ticket=123.0", {"number"}),
        ("metadata.ticket=124", set()),
        ("metadata.done=true", {"flag"}),
        ("metadata.done=null", {"nothing"}),
        ("metadata.ticket=123&metadata.done=true", set()),
        ("metadata.a.b=x", {"dotted"}),
        ("metadata.list=1", set()),
    ],
)
def test_a_memory_is_found_by_a_value_of_its_metadata(
    world: World, query: str, found: set[str]
) -> None:
    aria = world.here.api("aria")
    for content, metadata in {
        "text": {"ticket": "123"},
        "number": {"ticket": 123, "other": 1},
        "flag": {"done": True},
        "nothing": {"done": None},
        "dotted": {"a.b": "x"},
        "list": {"list": [1, 2]},
    }.items():
        assert keep(aria, content, metadata=metadata).status_code == 201
    assert contents(aria, query) == found


@pytest.mark.parametrize(
    "query",
    [
        "metadata=1", "metadata.=1", "metadata.a=%00", "metadata.a=" + "x" * 301,
        "metadata.a=1&metadata.a=2", "&".join(f"metadata.a{n}=1" for n in range(21)),
    ],
)  # fmt: skip
def test_a_wrong_question_for_metadata_is_refused(world: World, query: str) -> None:
    answer = world.here.api("aria").get(f"{MEMORIES}?{query}")
    assert answer.status_code == 400, answer.content


def test_the_text_of_a_key_is_replaced_as_by_an_edit(world: World) -> None:
    aria = world.here.api("aria")
    first = keep(aria, "Tea at four.", key="tea", tags=["drink"], importance=0.4).json()
    refused = keep(aria, "Tea at five.", key="tea")
    assert (refused.status_code, refused.json()["existing"]) == (409, first["id"])
    answer = keep(aria, "Tea at five.", key="tea", on_conflict="replace", importance=0.9)
    assert (answer.status_code, answer.json()["replaced"]) == (200, True)
    assert answer.json()["id"] == first["id"]
    memory = aria.get(f"{MEMORIES}/{first['id']}").json()
    assert (memory["content"], memory["importance"]) == ("Tea at five.", 0.9)
    assert memory["tags"] == ["drink"], "what is left out stays"
    history = aria.get(f"{MEMORIES}/{first['id']}/history").json()
    assert "Tea at four." in str(history)
    again = keep(aria, "Tea at five.", key="tea", on_conflict="replace")
    assert (again.status_code, again.json()["deduplicated"]) == (201, True)
    assert keep(aria, "Milk.", key="milk", on_conflict="replace").status_code == 201


def test_the_same_text_with_other_fields_is_an_edit_of_them(world: World) -> None:
    aria = world.here.api("aria")
    first = keep(aria, "Tea at four.", key="tea", metadata={"cups": 1}, tags=["drink"]).json()
    more = {"key": "tea", "metadata": {"cups": 2}, "importance": 0.9}
    kept = keep(aria, "Tea at four.", **more)
    assert (kept.status_code, kept.json()["deduplicated"]) == (201, True)
    assert aria.get(f"{MEMORIES}/{first['id']}").json()["metadata"] == {"cups": 1}
    answer = keep(aria, "Tea at four.", **more, on_conflict="replace")
    assert (answer.status_code, answer.json()["replaced"]) == (200, True)
    memory = aria.get(f"{MEMORIES}/{first['id']}").json()
    assert (memory["metadata"], memory["importance"]) == ({"cups": 2}, 0.9)
    assert (memory["content"], memory["tags"]) == ("Tea at four.", ["drink"])
    again = keep(aria, "Tea at four.", **more, on_conflict="replace")
    assert (again.status_code, again.json()["deduplicated"]) == (201, True)
    # The same text under another key is another memory.
    other = keep(aria, "Tea at four.", key="other", metadata={"cups": 3}, on_conflict="replace")
    assert (other.status_code, other.json()["deduplicated"]) == (201, False)
    assert aria.get(f"{MEMORIES}/{first['id']}").json()["metadata"] == {"cups": 2}


def test_the_key_of_a_forgotten_memory_stays_taken(world: World) -> None:
    aria = world.here.api("aria")
    first = keep(aria, "Tea at four.", key="tea").json()["id"]
    assert aria.delete(f"{MEMORIES}/{first}").status_code == 204
    answer = keep(aria, "Tea at five.", key="tea", on_conflict="replace")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "key-taken")


def test_a_batch_replaces_item_by_item(world: World) -> None:
    aria = world.here.api("aria")
    items = [
        {"content": "Tea at four.", "key": "tea"},
        {"content": "Tea at five.", "key": "tea"},
        {"content": "Tea at six.", "key": "tea", "on_conflict": "replace"},
        {"content": "Tea at seven.", "key": "tea", "on_conflict": "replace"},
    ]
    results = aria.post(f"{MEMORIES}/batch", {"items": items}, format="json").json()["results"]
    assert [one["status"] for one in results] == ["active", "refused", "active", "active"]
    assert [one.get("replaced") for one in results] == [None, None, True, True]
    assert len({one["id"] for one in results if "id" in one}) == 1
    assert contents(aria, "key=tea") == {"Tea at seven."}
    again = aria.post(f"{MEMORIES}/batch", {"items": items[3:]}, format="json").json()["results"]
    assert [one.get("deduplicated") for one in (*results, *again)] == [None] * 4 + [True]


def test_another_robots_text_is_not_replaced(world: World) -> None:
    aria, bolt = world.here.api("aria"), world.here.api("bolt")
    assert keep(aria, "Tea at four.", key="tea").status_code == 201
    answer = keep(bolt, "Tea at five.", key="tea", on_conflict="replace")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (403, "not-yours")
    assert contents(aria, "key=tea") == {"Tea at four."}


def test_a_protected_text_is_not_replaced(world: World) -> None:
    ada = world.here.browser("ada")
    more = {"key": "tea", "red_line": True, "red_line_reason": "Agreed."}
    assert keep(ada, "Tea at four.", **more).status_code == 201
    answer = keep(ada, "Tea at five.", key="tea", on_conflict="replace")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "red-line")
    assert contents(ada, "key=tea") == {"Tea at four."}


def test_who_may_only_propose_proposes_another_text(world: World) -> None:
    here = world.here
    kept = keep(here.browser("ada"), "The office closes at six.", key="office").json()["id"]
    more = {"key": "office", "visibility": "organisation", "on_conflict": "replace"}
    answer = keep(here.browser("mina"), "The office closes at seven.", **more)
    assert (answer.status_code, answer.json()["status"]) == (201, "pending_review")
    assert answer.json()["id"] != kept
    assert contents(here.browser("ada"), "key=office") == {"The office closes at six."}


def test_what_exists_already_is_named_to_who_sees_it(world: World) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "manage"))
    dora = here.api("dora")
    launch = str(here.groups["launch"].id)
    external = here.groups["launch"].external_id
    answer = dora.post("/api/v1/groups", {"external_id": external}, format="json")
    assert (answer.status_code, answer.json()["existing"]) == (409, launch)
    # What it does not see has no name to it: the group is made beside it.
    hidden = here.groups["design"].external_id
    answer = dora.post("/api/v1/groups", {"external_id": hidden}, format="json")
    assert "existing" not in answer.json()
    with organisation_scope(here.id):
        for name in ("mina", "vera"):
            link_identity(
                organisation_id=here.id, platform="chat", identifier=name,
                member_id=here.members[name].id,
            )  # fmt: skip
    known = dora.post("/api/v1/members", {"name": "M", "identity": "chat:mina"}, format="json")
    assert (known.status_code, known.json()["existing"]) == (409, str(here.members["mina"].id))
    unknown = dora.post("/api/v1/members", {"name": "V", "identity": "chat:vera"}, format="json")
    assert unknown.status_code == 409
    assert "existing" not in unknown.json(), "Vera is in no group of this robot"


def test_an_edit_and_a_share_name_the_other_memory(world: World) -> None:
    aria = world.here.api("aria")
    one, two = (keep(aria, text).json()["id"] for text in ("Tea.", "Milk."))
    answer = aria.patch(f"{MEMORIES}/{two}", {"content": "Tea."}, format="json")
    assert (answer.status_code, answer.json()["existing"]) == (409, one)
    own = keep(aria, "Tea.", visibility="internal").json()["id"]
    answer = aria.post(f"{MEMORIES}/{own}/share", {"visibility": "organisation"}, format="json")
    assert (answer.status_code, answer.json()["existing"]) == (409, one)


def test_a_forgotten_memory_is_not_named(world: World) -> None:
    here = world.here
    aria = here.api("aria")
    kept = keep(aria, "Tea at four.", key="tea", speaker=str(here.members["mina"].id)).json()["id"]
    assert here.browser("mina").delete(f"{MEMORIES}/{kept}").status_code == 204
    answer = here.api("bolt").post(MEMORIES, {"content": "Milk.", "key": "tea"}, format="json")
    assert answer.status_code == 409
    assert "existing" not in answer.json()


def test_an_external_id_of_a_message_names_the_message(world: World) -> None:
    aria = world.here.api("aria")
    room = aria.post("/api/v1/conversations", {"group": "launch"}, format="json").json()["id"]
    messages = f"/api/v1/conversations/{room}/messages"
    first = aria.post(
        messages, {"content": "Tea?", "external_id": "1", "role": "assistant"}, format="json"
    )
    assert first.status_code == 201, first.content
    second = aria.post(messages, {"content": "Milk?", "external_id": "1"}, format="json")
    assert (second.status_code, second.json()["existing"]) == (409, first.json()["id"])
    batch = aria.post(
        f"{messages}/batch", {"items": [{"content": "Milk?", "external_id": "1"}]}, format="json"
    )
    assert batch.json()["results"][0]["problem"]["existing"] == first.json()["id"]
    (message,) = aria.get(messages).json()["results"]
    assert message["role"] == "agent"


def test_a_message_that_is_too_long_for_a_memory_is_a_message_and_says_so(world: World) -> None:
    aria = world.here.api("aria")
    room = aria.post("/api/v1/conversations", {"group": "launch"}, format="json").json()["id"]
    messages = f"/api/v1/conversations/{room}/messages"
    long = "The launch is in June. ".ljust(40_000, "x")
    kept = aria.post(messages, {"content": long}, format="json")
    assert (kept.status_code, kept.json()["memory"]) == (201, None)
    assert kept.json()["reason"] == "too-long"
    (message,) = aria.get(messages).json()["results"]
    assert (len(message["content"]), message["reason"]) == (40_000, "too-long")
    assert aria.get("/api/v1/me").json()["limits"]["memory_bytes"] == 32_768
