"""The interchangeable strategies: one contract, what each finds, and that none leaks."""

from typing import Any

import pytest

from memories.retrieval.strategies import STRATEGIES
from memories.services.drafts import Draft
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
    for strategy in ("triple_tenant",):
        answer = asked(here.browser("mina"), "zebra", strategy=strategy).json()
        assert answer["strategy"] == strategy
        assert {hit["content"] for hit in answer["results"]} == {d.content for d in drafts}
    automatic = asked(here.browser("mina"), "zebra").json()
    assert automatic["strategy"] == "hybrid", "auto names what it chose"
    assert asked(here.browser("mina"), "zebra", strategy="psychic").status_code == 400
