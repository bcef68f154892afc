"""What every memory names is found by filters, counted, and said when a recall is explained."""

from typing import Any
from uuid import UUID

import pytest

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.knowledge_graph.models import Entity
from memories.lifecycle.forget import forget_memory
from memories.restatement.models import Restatement
from memories.restatement.restate import restate_missing
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("A26")


@pytest.fixture
def named(lasting_world: World) -> tuple[Tenant, dict[str, str]]:
    """Four memories that Mina reads, one of them hers alone, and their ids."""
    here = lasting_world.here
    aria, mina = here.robot("aria"), here.person("mina")
    rows = {
        "plain": (aria, "The buckle supplier needs more time.", {"group": "launch"}),
        "kestrel": (aria, "Project Kestrel waits, Alice Weber says.", {"group": "launch"}),
        "given": (aria, "They moved the crane.", {"topic": "Harbour works"}),
        "private": (mina, "I told Alice about the surprise.", {"visibility": "private"}),
    }
    ids = {
        name: str(here.remember(who, text, **fields).id)
        for name, (who, text, fields) in rows.items()
    }
    here.embed()
    return here, ids


def listed(here: Tenant, who: str, **query: str) -> set[str]:
    answer = here.browser(who).get("/api/v1/memories", query)
    assert answer.status_code == 200, answer.content
    return {one["id"] for one in answer.json()["results"]}


def recalled(here: Tenant, who: str, **filters: Any) -> set[str]:
    body = {"query": "what is known", "filters": filters, "limit": 50}
    answer = here.browser(who).post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200, answer.content
    return {one["id"] for one in answer.json()["results"]}


def facets(here: Tenant, who: str, **query: str) -> dict[str, Any]:
    answer = here.browser(who).get("/api/v1/memories/facets", query)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


WANTED = [
    ("keyword", "SUPPLIER", {"plain"}),
    ("keyword", "supply", set()),
    ("person", "alice weber", {"kestrel"}),
    ("person", "Alice", {"kestrel", "private"}),
    ("person", "Ali", set()),
    ("entity", "kestrel", {"kestrel"}),
    ("topic", "harbour  works", {"given"}),
    ("topic", "supplier", {"plain"}),
]


def test_every_memory_is_found_by_what_it_names(named: tuple[Tenant, dict[str, str]]) -> None:
    here, ids = named
    for filter_, value, expected in WANTED:
        wanted = {ids[name] for name in expected}
        assert listed(here, "mina", **{filter_: value}) == wanted, (filter_, value)
        plural = {"entity": "entities"}.get(filter_, f"{filter_}s")
        found = recalled(here, "mina", **{plural: [value, "nobody has this"]})
        assert found == wanted, (filter_, value)
        # Bob reads the group and everyone's, and nothing that is Mina's alone.
        assert listed(here, "bob", **{filter_: value}) == wanted - {ids["private"]}


def test_several_names_must_all_fit_and_a_given_entity_counts(
    named: tuple[Tenant, dict[str, str]],
) -> None:
    here, ids = named
    assert listed(here, "mina", person="alice", entity="kestrel") == {ids["kestrel"]}
    assert listed(here, "mina", person="alice", keyword="supplier") == set()
    body = {"memory": ids["given"], "type": "company", "name": "Nordkai Ltd"}
    assert here.api("aria").post("/api/v1/entities", body, format="json").status_code == 201
    with resolve_principal(here.robot("aria")).scope():
        assert Entity.objects.filter(memory_id=ids["given"], source="given").exists()
    assert listed(here, "mina", entity="nordkai ltd") == {ids["given"]}
    assert recalled(here, "mina", entities=["Nordkai Ltd"]) == {ids["given"]}


def test_facets_count_what_the_asker_reads_and_no_more(
    named: tuple[Tenant, dict[str, str]],
) -> None:
    here, ids = named
    mine, bobs = facets(here, "mina"), facets(here, "bob")
    assert (mine["memories"], bobs["memories"]) == (4, 3)
    assert {"name": "project", "memories": 1} not in bobs["keywords"]
    assert {"name": "Kestrel", "type": "project", "memories": 1} in mine["entities"]
    assert {one["name"]: one["memories"] for one in mine["levels"]} == {
        "group": 2, "individual": 1, "organisation": 1,
    }  # fmt: skip
    assert "surprise" in {one["name"] for one in mine["keywords"]}
    assert "surprise" not in str(bobs)
    narrowed = facets(here, "mina", keyword="supplier", limit="1")
    assert narrowed["memories"] == 1
    assert narrowed["topics"] == [{"name": "supplier", "memories": 1}]
    assert len(narrowed["keywords"]) == 1
    # What is hidden leaves no trace: without it the answer is the same.
    forget_memory(here.person("mina"), UUID(ids["private"]), now=NOW)
    assert facets(here, "bob") == bobs
    nothing = facets(here, "bob", group=str(UUID(int=1)))
    assert (nothing["memories"], nothing["keywords"]) == (0, [])
    refused = here.browser("bob").get("/api/v1/memories/facets", {"limit": 101})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "limit")


def test_an_explanation_says_what_question_and_memory_both_name(
    named: tuple[Tenant, dict[str, str]],
) -> None:
    here, ids = named
    url = f"/api/v1/memories/{ids['kestrel']}/explain"
    body = {"query": "What does Alice say about Kestrel?"}
    answer = here.browser("mina").post(url, body, format="json").json()
    reasons = {one["code"]: one["text"] for one in answer["reasons"]}
    assert reasons["names-persons"] == "It names the person “Alice Weber”."
    assert "“Kestrel”" in reasons["names-entities"]
    page = here.browser("mina").get(f"/memories/{ids['kestrel']}/").content.decode()
    assert f"/memories/?person={'Alice'}+Weber" in page, "each name leads to what names it"
    assert here.browser("mina").get("/memories/", {"person": "alice"}).status_code == 200


def test_what_was_read_before_gets_its_names_later(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    old = here.remember(aria, "The buckle supplier needs time.", group="launch").id
    here.remember(aria, "A secret supplier.", group="launch", sensitive=True)
    new = remember(aria, Draft(content="Another supplier.", group="launch"), now=NOW).id
    with resolve_principal(aria).scope():
        Restatement.objects.all().delete()
    assert listed(here, "mina", keyword="supplier") == set()
    assert restate_missing(here.id, now=NOW) == 1
    assert restate_missing(here.id, now=NOW) == 0, "neither the sensitive nor the unread one"
    assert listed(here, "mina", keyword="supplier") == {str(old)}
    here.read()
    assert listed(here, "mina", keyword="supplier") == {str(old), str(new)}
