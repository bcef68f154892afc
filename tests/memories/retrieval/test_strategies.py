"""The interchangeable strategies: one contract, what each finds, and that none leaks."""

from typing import Any

import pytest

from memories.indexing.organisation_indexes import disable_projection, enable_projection
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.strategies import registry
from memories.retrieval.strategies.registry import ALIASES, STRATEGIES
from tests.memories.knowledge_graph.test_write_graph import said
from tests.world import NOW, World

EIGHT = {
    "keyword", "vector", "hybrid", "triple_tenant", "partitioned", "graph", "privacy_scoped",
    "multi_level",
}  # fmt: skip


def asked(api: Any, query: str, **fields: Any) -> Any:
    return api.post("/api/v1/recall", {"query": query, **fields}, format="json")


@pytest.mark.conformance("H20")
def test_every_strategy_answers_under_its_own_name(lasting_world: World) -> None:
    here = lasting_world.here
    drafts = [Draft(content=f"The zebra number {n} runs", group="launch") for n in range(3)]
    remember_many(here.robot("aria"), drafts, now=NOW)
    here.embed()
    assert set(STRATEGIES) == EIGHT
    enable_projection(here.id, "partitions")
    for strategy in sorted(EIGHT):
        answer = asked(here.browser("mina"), "zebra", strategy=strategy).json()
        if strategy == "multi_level":
            assert len(answer["results"]) <= 5, "its own cap"
        assert answer["strategy"] == strategy
        assert {hit["content"] for hit in answer["results"]} == {d.content for d in drafts}
    automatic = asked(here.browser("mina"), "zebra").json()
    assert automatic["strategy"] == "triple_tenant", "auto names what it chose"
    assert asked(here.browser("mina"), "zebra", strategy="psychic").status_code == 400


@pytest.mark.conformance("A10")
def test_the_graph_finds_an_answer_that_shares_no_word_and_the_words_do_not(
    lasting_world: World,
) -> None:
    """Twenty others share as little; the answer is two steps from what the question names."""
    here = lasting_world.here
    noise = [{"content": f"we sell a scarf of colour {n}", "speaker": "irc:cho"} for n in range(20)]
    # So far from the question that no word is lent.
    *_, answer = said(
        here,
        {"content": "how do I share a printer?", "external_id": "1", "speaker": "irc:ann"},
        *noise,
        {"content": "put it into smb.conf", "speaker": "irc:ben", "reply_to": "1"},
    )
    here.embed()

    def places(strategy: str) -> list[str]:
        api = here.browser("mina")
        asked_for = {"strategy": strategy, "group": "launch", "limit": 100}
        body = asked(api, "printer", **asked_for).json()
        assert body["strategy"] == strategy
        return [hit["id"] for hit in body["results"]]

    assert str(answer) not in places("keyword")
    assert places("graph").index(str(answer)) < places("hybrid").index(str(answer))
    # What narrows a question narrows what the walk brings.
    narrowed = asked(
        here.browser("mina"), "printer", strategy="graph", filters={"types": ["announcement"]}
    ).json()
    assert narrowed["results"] == []


@pytest.mark.conformance("A10")
def test_the_walk_begins_also_at_what_is_near_in_meaning(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question names nothing; the nearest message names Zephyr, and so does the answer."""
    here = lasting_world.here
    noise = [
        {"content": f"the scarf of colour {n} is sold", "speaker": "irc:cho"} for n in range(20)
    ]
    # So far apart that no word is lent.
    said(
        here,
        {"content": "slow nightly copies come from Zephyr", "speaker": "irc:ann"},
        *noise,
        {"content": "upgrade Zephyr to five", "speaker": "irc:ben"},
    )
    here.embed()
    question = {"strategy": "graph", "group": "launch", "limit": 100, "explain": True}

    def relevance(text: str) -> float:
        body = asked(here.browser("mina"), "why are the nightly copies slow", **question).json()
        [found] = [hit for hit in body["results"] if hit["content"] == text]
        return float(found["scores"]["relevance"])

    reached = relevance("upgrade Zephyr to five")
    monkeypatch.setattr(registry, "NEAREST_SEEDS", 0)
    assert reached > relevance("upgrade Zephyr to five")


def people(api: Any, query: str, **fields: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(api, query, strategy="graph", **fields).json()["people"]
    return found


@pytest.mark.conformance("A10")
def test_the_graph_answers_with_people_whom_readable_memories_show_to_know(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    bob = {"id": str(here.members["bob"].id), "name": here.members["bob"].name}
    first = here.remember(
        here.robot("aria"), "Samba wants port 445", group="launch", speaker=bob["id"]
    )
    own = here.remember(
        here.person("bob"), "Samba keeps passwords", visibility="private", speaker=bob["id"]
    )
    here.remember(here.robot("aria"), "The harbour is blue", group="launch", speaker="irc:cho")
    here.embed()
    [found, *_] = people(here.browser("mina"), "who knows samba?", group="launch")
    assert (found["member"], found["name"]) == (bob, bob["name"])
    assert found["evidence"] == [str(first.id)]
    # Each observation counts half of a plain fact, by the relevance of its memory in 0-1.
    assert 0 < found["weight"] <= 2 * 0.5
    # Bob asks alone: his own memory is evidence for him; asked in the group it is not.
    both = {str(first.id), str(own.id)}
    mine = people(here.browser("bob"), "who knows samba?")
    assert {one for person in mine if person["member"] == bob for one in person["evidence"]} == both
    for narrowed in ({"group": "launch"}, {"shareable_with": "launch"}):
        shown = people(here.browser("bob"), "who knows samba?", **narrowed)
        assert str(own.id) not in {one for person in shown for one in person["evidence"]}
        assert bob in [person["member"] for person in shown]
    # Who reads none of it is told nobody, and what narrows the question narrows this.
    assert people(here.browser("ada"), "who knows samba?") == []
    kinds = {"types": ["announcement"]}
    assert people(here.browser("mina"), "who knows samba?", filters=kinds) == []
    assert "people" not in asked(here.browser("mina"), "samba", strategy="hybrid").json()


def test_people_are_told_also_tier_by_tier(lasting_world: World) -> None:
    here = lasting_world.here
    for tier, speaker in (("fast", "irc:ann"), ("slow", "irc:ben")):
        here.remember(
            here.robot("aria"), f"Samba {tier} port", group="launch", speaker=speaker, tier=tier
        )
    here.embed()
    how = {"tier_strategy": "fast_first", "min_similarity": -1, "limit": 10}
    found = people(here.browser("mina"), "samba", **how)
    assert [one["name"] for one in found] == ["ann", "ben"]


def test_auto_follows_what_is_recommended_and_gives_way_where_it_is_not_kept(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "Samba maps users", group="launch")
    monkeypatch.setitem(ALIASES, "auto", "partitioned")

    def chosen() -> str:
        answer = asked(here.browser("mina"), "samba").json()
        assert len(answer["results"]) == 1
        return answer["strategy"]

    assert chosen() == "hybrid"
    enable_projection(here.id, "partitions")
    assert chosen() == "partitioned"


def test_a_strategy_without_its_layout_says_how_to_switch_it_on(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "Samba maps users", group="launch")
    api = here.browser("mina")
    disable_projection(here.id, "graph")
    refused = asked(api, "samba", strategy="graph")
    assert (refused.status_code, refused.json()["type"]) == (
        400, "urn:commonmind:problem:projection-off"
    )  # fmt: skip
    assert enable_projection(here.id, "graph") == 1
    found = asked(api, "samba", strategy="graph")
    assert [hit["content"] for hit in found.json()["results"]] == ["Samba maps users"]
