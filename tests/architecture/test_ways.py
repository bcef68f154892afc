"""Five ways through the product stay as short as docs/architecture.md says."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson
import pytest
from django.http import HttpResponse
from rest_framework.test import APIClient

import config.urls  # noqa: F401  (loads what a request would load on its way)
from memories.api.recall.recall_views import answer_by_key
from robots.access.keys import parse_key
from tests.architecture.call_paths import trace_call
from tests.architecture.source import ROOT
from tests.page_client import make_signed_in_client
from tests.world import World

TABLE = re.compile(r"^\| (\w[\w ]*) " + r"\| (\d+) " * 6 + r"\|$", re.MULTILINE)
# What the product has learned to do since the layout by layers.
SINCE = (
    "memories.api.serializers.memory_filters",
    "memories.ingestion.draft_gates",
    "memories.language.spoken_times.",
    "memories.language.text_language",
    "memories.language.vocabularies.",
    "memories.lifecycle.decay",
    "memories.questions.",
    "memories.retrieval.answering.",
    "memories.retrieval.ranking.rank_pass",
    "memories.retrieval.scoring_profiles",
    "memories.safety.",
    "memories.store.encryption.",
    "memories.store.tag_names",
    "memories.views.review.changed",
    "orgs.api.base_view",
    "orgs.api.conditional",
    "orgs.database.driver.base",
    "orgs.database.driver.binary_values",
    "orgs.database.compiled_queries",
    "orgs.database.driver.pipeline",
    "orgs.database.driver.servers",
    "orgs.database.driver.standby_reads",
    "orgs.database.prepared_statements",
    "orgs.database.time_budget",
    "orgs.expiry",
    "orgs.limits.api_throttle",
    "orgs.placement.",
    "orgs.trace_spans",
    "personas.",
    "robots.access.spoken_for",
    "robots.conversations.small_talk",
    "orgs.languages",
)


@dataclass(frozen=True)
class Row:
    """A line of the document's table: modules and climbs before, like for like, and now."""

    modules: tuple[int, int, int]
    climbs: tuple[int, int, int]


def told() -> dict[str, Row]:
    """Way -> its line."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    lines = {name: tuple(map(int, counts)) for name, *counts in TABLE.findall(text)}
    return {name: Row(counts[:3], counts[3:]) for name, counts in lines.items()}


def recall(world: World) -> Callable[[], Any]:
    """A robot's plain question, on its straight way."""
    world.here.remember(world.here.robot("bolt"), "The launch is on Friday.")
    body = orjson.dumps({"query": "When is the launch?"})

    def act() -> Any:
        key = parse_key(world.here.keys["bolt"])
        assert key is not None
        return HttpResponse(answer_by_key(key, io.BytesIO(body)))

    # Statements are made once a process: the first call goes a longer way. It may take more than
    # the second after which the robot is stamped again; the next one does not.
    act()
    act()
    return act


def remember(world: World) -> Callable[[], Any]:
    api = world.here.api("bolt")

    def act(content: str) -> Any:
        return api.post("/api/v1/memories", {"content": content}, format="json")

    # Statements are put together once a process: the first call goes a longer way.
    assert act("We open at nine.").status_code == 201
    return lambda: act("The launch is on Friday, Mina said.")


def opt_out(world: World) -> Callable[[], Any]:
    page = make_signed_in_client(world.here, "mina")
    # Statements are put together once a process: the first page goes a longer way.
    assert page.get("/me/").status_code == 200
    return lambda: page.post("/me/sharing/", {"on": "1", "withdraw": "1"})


def approve(world: World) -> Callable[[], Any]:
    here = world.here
    chidi: APIClient = here.browser("chidi")
    page = make_signed_in_client(here, "chidi")

    def act(wish: str) -> Callable[[], Any]:
        body = {"content": wish, "visibility": "organisation"}
        made = here.browser("mina").post("/api/v1/memories", body, format="json").json()
        [item] = chidi.get("/api/v1/proposals?state=open").json()["results"]
        assert item["memory"]["id"] == made["id"]
        address, answer = f"/review/{item['id']}/approve/", {"version": "1"}
        return lambda: page.post(address, answer, headers={"HX-Request": "true"})

    # Statements are put together once a process: the first approval goes a longer way.
    assert act("We open at nine.")().status_code < 400
    return act("We close at six.")


def message(world: World) -> Callable[[], Any]:
    api = world.here.api("bolt")
    talk = api.post("/api/v1/conversations", {"title": "Monday"}, format="json").json()
    said = {"content": "The launch moves to Tuesday because of the weather."}
    return lambda: api.post(f"/api/v1/conversations/{talk['id']}/messages", said, format="json")


WAYS = {
    "recall": recall,
    "remember": remember,
    "opt out": opt_out,
    "approve": approve,
    "arriving message": message,
}


@pytest.mark.parametrize("name", WAYS)
def test_a_way_is_as_short_as_the_document_says(world: World, name: str) -> None:
    act = WAYS[name](world)
    answers: list[Any] = []
    passed, climbs = trace_call(lambda: answers.append(act()))
    assert answers[0].status_code < 400, answers[0].content
    row = told()[name]
    as_before = {module for module in passed if not module.startswith(SINCE)}
    up_as_before = {pair for pair in climbs if not pair[1].startswith(SINCE)}
    assert len(passed) <= row.modules[2], " ".join(sorted(passed))
    assert len(climbs) <= row.climbs[2], " ".join(map(" > ".join, sorted(climbs)))
    assert len(as_before) <= row.modules[1], sorted(as_before)
    assert len(up_as_before) <= row.climbs[1], sorted(up_as_before)


def test_like_for_like_every_way_is_shorter_and_climbs_less_than_before() -> None:
    rows = told()
    assert rows.keys() == WAYS.keys()
    assert all(row.modules[1] < row.modules[0] for row in rows.values()), rows
    assert all(row.climbs[1] < row.climbs[0] for row in rows.values()), rows
