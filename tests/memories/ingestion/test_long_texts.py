"""A long text is stored whole and found by its words; the rules conclude as much as they may."""

from typing import Any

import pytest

from memories.indexing import enrich_worker
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.knowledge_graph.models import Entity
from memories.restatement.models import Restatement
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.texts.growth import processor_seconds
from tests.texts.text_generators import TEXT_GENERATORS
from tests.world import NOW, World

# Seconds of the processor for one request, whatever stands in it.
MOMENT = 3.0
SAID = "I meet Anna Berger on 3 May. "


@pytest.fixture(autouse=True)
def longest_memories(settings: Any) -> None:
    settings.MEMORY_MAX_BYTES = 1_000_000


def kept(world: World, *texts: str) -> dict[str, tuple[bool, bool]]:
    """Remember and read; by text whether something was named in it and whether restated."""
    here = world.here
    actor = here.person("ada")
    drafts = [Draft(content=text, visibility="private") for text in texts]
    done = remember_many(actor, drafts, now=NOW)
    here.read()
    ids = [one.id for one in done]  # type: ignore[union-attr]
    with resolve_principal(actor).scope():
        named = set(Entity.objects.filter(memory_id__in=ids).values_list("memory_id", flat=True))
        own = Restatement.objects.filter(memory_id__in=ids)
        restated = set(own.values_list("memory_id", flat=True))
        stored = dict(Memory.objects.filter(id__in=ids).values_list("id", "content"))
    assert [stored[id_] for id_ in ids] == list(texts)
    return {text: (id_ in named, id_ in restated) for text, id_ in zip(texts, ids, strict=True)}


@pytest.mark.conformance("T24")
def test_a_step_of_the_reader_has_a_budget(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enrich_worker, "MAX_CHARACTERS_PER_STEP", 100)
    texts = [f"{SAID}{n} {'x' * 40}" for n in range(3)]
    assert list(kept(world, *texts).values()) == [(True, True), (False, False), (False, False)]
    world.here.read()
    world.here.read()
    with resolve_principal(world.here.person("ada")).scope():
        assert Restatement.objects.count() == 3, "what did not fit was read in later steps"


def test_ordinary_requests_are_within_it(world: World) -> None:
    texts = [f"{SAID}{n}" for n in range(30)]
    assert set(kept(world, *texts).values()) == {(True, True)}


def test_a_long_text_is_found_by_its_words(world: World) -> None:
    here = world.here
    long = f"{SAID}{'word ' * 15_000} zyzzyva"
    assert kept(world, long) == {long: (True, True)}
    api = here.browser("ada")
    answer = api.post("/api/v1/recall", {"query": "zyzzyva", "strategy": "keyword"}, format="json")
    assert [one["content"] for one in answer.json()["results"]] == [long]


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.timeout(1200)
@pytest.mark.conformance("T24")
@pytest.mark.parametrize("kind", TEXT_GENERATORS)
def test_every_endpoint_answers_in_good_time(world: World, kind: str) -> None:
    """100 KB of every kind, wherever the API takes a text: seconds of this process."""
    here = world.here
    api = here.api("aria")
    talk = api.post(
        "/api/v1/conversations", {"group": "design", "external_id": kind}, format="json"
    )
    assert talk.status_code == 201, talk.json()
    messages = f"/api/v1/conversations/{talk.json()['id']}/messages"
    slow = {}
    for make in TEXT_GENERATORS[kind]:
        text = make(100_000)
        turn = {"content": text[:3_900], "speaker": "irc:ann"}
        asked = {
            "/api/v1/memories": {"content": text, "group": "design"},
            "/api/v1/memories/batch": {
                "items": [{"content": f"{n} {text[:3_900]}", "group": "design"} for n in range(20)]
            },
            messages: {"items": [turn | {"content": f"{n} {text[:3_900]}"} for n in range(20)]},
            "/api/v1/recall": {"query": text[:20_000].replace("\x01", " ") or "a"},
            "/api/v1/context": {"query": text[:20_000] or "a"},
        }
        for path, body in asked.items():
            answers: list[int] = []

            def call(_: str, path: str = path, body: Any = body, answers: Any = answers) -> None:
                answers.append(api.post(path, body, format="json").status_code)

            took = processor_seconds(call, text)
            assert answers[0] < 500, (path, text[:20])
            if took > MOMENT:
                slow[path, text[:20]] = round(took, 2)
    assert slow == {}
