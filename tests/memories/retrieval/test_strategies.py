"""The interchangeable strategies: one contract, what each finds, and that none leaks."""

from typing import Any

import pytest

from memories.indexing.organisation_indexes import disable_projection, enable_projection
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
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
