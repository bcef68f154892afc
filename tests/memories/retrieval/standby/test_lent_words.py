"""Words that a forgotten turn lent find nothing, though the standby still has them."""

from typing import Any

import pytest
from django.utils import timezone

from memories.lifecycle.forget import forget_memory
from memories.retrieval.recall import RecallResult, recall
from memories.retrieval.resolve_filters import Query
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.standby_server import Standby
from tests.world import Tenant, World

WORD = "zanzibar"


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    return lasting_world.here


def ask(here: Tenant, **filters: Any) -> RecallResult:
    query = Query(text=WORD, strategy="keyword", group="design", limit=5, filters=filters)
    return recall(here.robot("clio"), query, now=timezone.now())


@pytest.mark.conformance("O17")
def test_a_word_that_was_taken_back_finds_no_neighbour(
    here: Tenant, standby: Standby, outcomes: Outcomes, request: pytest.FixtureRequest
) -> None:
    clio = here.robot("clio")
    spoken: dict[str, Any] = {"conversation": "call", "group": "design"}
    gone, stays = (
        here.remember(
            clio, text, speaker=speaker, position=position, tags=(speaker.lower(),), **spoken
        )
        for position, (speaker, text) in enumerate(
            [("Mina", f"Who flies to {WORD} on Monday?"), ("Bob", "Gregor does.")]
        )
    )
    here.embed()
    paused = request.getfixturevalue("paused")
    found = ask(here, tags=["bob"])
    assert [row.id for _, row in found.hits] == [stays.id], "the word was lent"
    assert outcomes["standby"] == 1
    forget_memory(clio, gone.id, now=timezone.now())
    assert ask(here, tags=["bob"]).hits == []
    assert outcomes["unconfirmed"] == 1
    assert paused
