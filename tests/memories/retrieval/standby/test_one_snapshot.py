"""A search on a standby sees one state from its ranking to the versions of its rows."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import SearchRequest, SearchResult
from memories.retrieval.standby import standby_search
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.standby_server import Standby
from tests.world import World


@pytest.mark.conformance("O17")
def test_what_changes_behind_the_ranking_is_not_confirmed(
    lasting_world: World, standby: Standby, outcomes: Outcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the versions those of a later moment than the ranking, the primary would confirm rows
    that were ranked by what they do not say any more."""
    here = lasting_world.here
    mina, text = here.person("mina"), "The office closes at six."
    made = here.remember(mina, text, group="design", visibility="group")
    here.embed()
    standby.catch_up()
    search = standby_search.run_search

    def change() -> None:
        changes = {"content": "Nothing of interest."}
        edit_memory(mina, made.id, changes, now=timezone.now())
        connections.close_all()

    def change_behind(question: SearchRequest) -> SearchResult:
        found: Any = search(question)
        # Not by this thread, which is at the standby.
        with ThreadPoolExecutor(1) as other:
            other.submit(change).result()
        standby.catch_up()
        return found

    monkeypatch.setattr(standby_search, "SEARCH_SECONDS", 60.0)
    monkeypatch.setattr(standby_search, "run_search", change_behind)
    asked = Query(text="when does the office close", group="design", limit=5)
    with standby.no_conflict():
        answer = recall(here.robot("clio"), asked, now=timezone.now())
    assert (outcomes["standby"], outcomes["unconfirmed"]) == (0, 1)
    assert text not in [row.content for _, row in answer.hits]
