"""The interchangeable strategies: one contract, what each finds, and that none leaks."""

from typing import Any

import pytest

from memories.retrieval.strategies import ALIASES, STRATEGIES
from memories.services.drafts import Draft
from memories.services.rebuilding import drop_projection, rebuild_projection
from memories.services.remembering import remember_many
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
    rebuild_projection(here.id, "partitions")
    for strategy in sorted(EIGHT):
        answer = asked(here.browser("mina"), "zebra", strategy=strategy).json()
        if strategy == "multi_level":
            assert len(answer["results"]) <= 5, "its own cap"
        assert answer["strategy"] == strategy
        assert {hit["content"] for hit in answer["results"]} == {d.content for d in drafts}
    automatic = asked(here.browser("mina"), "zebra").json()
    assert automatic["strategy"] == "hybrid", "auto names what it chose"
    assert asked(here.browser("mina"), "zebra", strategy="psychic").status_code == 400


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
    rebuild_projection(here.id, "partitions")
    assert chosen() == "partitioned"


def test_a_strategy_without_its_layout_says_how_to_switch_it_on(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "Samba maps users", group="launch")
    api = here.browser("mina")
    drop_projection(here.id, "graph")
    refused = asked(api, "samba", strategy="graph")
    assert (refused.status_code, refused.json()["type"]) == (
        400, "urn:commonmind:problem:projection-off"
    )  # fmt: skip
    assert rebuild_projection(here.id, "graph") == 1
    found = asked(api, "samba", strategy="graph")
    assert [hit["content"] for hit in found.json()["results"]] == ["Samba maps users"]
