"""A long text is found by meaning to its end, once, and by who reads it alone."""

import re
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection

from memories.curation.edit_memory import edit_memory
from memories.embedding import encoder_loading
from memories.indexing import exact_scan, model_choice, organisation_indexes
from memories.lifecycle.forget import forget_memory
from memories.store.text_parts import split_text
from orgs.models.organisations import Organisation
from orgs.principals import resolve_principal
from tests.databases import autocommit_connection
from tests.memories.indexing.second_model import (
    OTHER,
    OTHER_NUMBER,
    OtherEncoder,
    command,
    search_by_meaning,
)  # fmt: skip
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

FILLER = "The committee discussed budget line {} without any result."
END = "Pelicans fish at dawn near the lighthouse."


def long_text(size: int = 32_000, end: str = END) -> str:
    """A text of about `size` bytes that says something else at its end."""
    lines: list[str] = []
    while sum(map(len, lines)) + len(lines) < size - len(end) - 70:
        lines.append(FILLER.format(len(lines)))
    return " ".join([*lines, end])


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_loading, "_encoders", {OTHER: OtherEncoder()})


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    tenant = lasting_world.here
    for n in range(4):
        tenant.remember(tenant.robot("bolt"), f"A seagull sits on roof {n}.")
    tenant.embed()
    return tenant


def recalled(here: Tenant, text: str, who: str = "bolt", **more: Any) -> list[dict[str, Any]]:
    body = {"query": text, "strategy": "vector", "limit": 3} | more
    answer = here.api(who).post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def parts_of(here: Tenant, id_: UUID, who: Any = None) -> list[tuple[int, int]]:
    """(model, part) of all vectors of parts that somebody reads."""
    with resolve_principal(who or here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT model, part FROM memories_vector WHERE memory_id = %s AND part > 0 "
            "ORDER BY 1, 2",
            [id_],
        )
        return cursor.fetchall()


def test_a_part_weighs_as_much_as_a_text_without_neighbours(here: Tenant) -> None:
    """Twice a unit vector, as the searched vector of a short text (`own` and its context)."""
    made = here.remember(here.robot("bolt"), long_text(3_000))
    here.embed()
    with resolve_principal(here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT round(sqrt(-(embedding <#> embedding))::numeric, 2) "
            "FROM memories_vector WHERE memory_id = %s AND part > 0",
            [made.id],
        )
        assert cursor.fetchall() == [(2,)]


def has_parts(here: Tenant) -> bool:
    with resolve_principal(here.robot("bolt")).scope():
        return Organisation.objects.get(id=here.id).has_parts


@pytest.mark.conformance(
    "X09", open="LoCoMo recall@10 86 reranked is 84.0; token vectors did not pay"
)
@pytest.mark.parametrize("size", [3_000, 32_000])
def test_the_end_of_a_long_text_is_found_by_its_meaning(here: Tenant, size: int) -> None:
    text = long_text(size)
    id_ = here.remember(here.robot("bolt"), text).id
    here.embed()
    expected = split_text(text)
    assert len(parts_of(here, id_)) == len(expected) > 2
    hits = recalled(here, "pelicans fishing near a lighthouse at dawn")
    assert hits[0]["id"] == str(id_)
    assert [hit["id"] for hit in hits].count(str(id_)) == 1, "it counts once"
    assert len(hits) == 3
    part = hits[0]["part"]
    assert text[part["start"] : part["end"]].endswith(END)
    assert part == {
        "index": len(expected) - 1, "start": expected[-1].start, "end": expected[-1].end,
    }  # fmt: skip
    assert all("part" not in hit for hit in hits[1:]), "short texts have none"


def test_short_texts_have_no_row_and_nothing_is_looked_for(here: Tenant) -> None:
    with resolve_principal(here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_vector")
        assert cursor.fetchone() == (0,)
    assert not has_parts(here)
    here.remember(here.robot("bolt"), long_text(3_000))
    assert has_parts(here)


def test_a_changed_text_has_the_parts_of_its_present_words(here: Tenant) -> None:
    bolt = here.robot("bolt")
    id_ = here.remember(bolt, long_text(5_000)).id
    here.embed()
    before = len(parts_of(here, id_))
    edit_memory(bolt, id_, {"content": long_text(2_500, "Marmots sleep in winter.")}, now=NOW)
    assert parts_of(here, id_) == [], "at once"
    here.embed()
    assert 0 < len(parts_of(here, id_)) < before
    assert recalled(here, "marmots sleep in winter")[0]["id"] == str(id_)
    assert "Pelicans" not in str(recalled(here, "pelicans fish at dawn"))
    edit_memory(bolt, id_, {"content": "Short now."}, now=NOW)
    here.embed()
    assert parts_of(here, id_) == []


def test_parts_go_with_what_is_forgotten_or_made_sensitive(here: Tenant) -> None:
    bolt = here.robot("bolt")
    gone, hidden = (here.remember(bolt, long_text(3_000, end)).id for end in (END, "Otters raft."))
    here.embed()
    forget_memory(bolt, gone, now=NOW)
    assert parts_of(here, gone) == []
    assert parts_of(here, hidden)
    edit_memory(bolt, hidden, {"sensitive": True}, now=NOW)
    assert parts_of(here, hidden) == []


def test_parts_are_for_the_readers_of_the_text_alone(here: Tenant) -> None:
    mina, ada = here.person("mina"), here.person("ada")
    id_ = here.remember(mina, long_text(3_000), visibility="private").id
    here.embed()
    assert parts_of(here, id_, mina)
    assert parts_of(here, id_) == []
    assert parts_of(here, id_, ada) == []
    assert str(id_) not in str(recalled(here, "pelicans fish at dawn"))


def test_a_filter_counts_for_parts(here: Tenant) -> None:
    text = long_text(3_000)
    here.remember(here.robot("bolt"), text)
    here.embed()
    question = "pelicans fish at dawn"
    assert recalled(here, question, filters={"types": ["fact"]})[0]["content"] == text
    found = recalled(here, question, filters={"categories": ["decision"]})
    assert found == []


def test_both_models_have_parts_and_they_stay_when_one_goes(here: Tenant) -> None:
    bolt = here.robot("bolt")
    early = here.remember(bolt, long_text(3_000)).id
    here.embed()
    count = len(parts_of(here, early))
    command(here, "add", OTHER)
    command(here, "backfill")
    assert {model for model, _ in parts_of(here, early)} == {0, OTHER_NUMBER}
    assert len(parts_of(here, early)) == 2 * count
    command(here, "switch")
    late = here.remember(bolt, long_text(3_000, "Marmots sleep in winter.")).id
    here.embed()
    assert {model for model, _ in parts_of(here, late)} == {0, OTHER_NUMBER}
    assert recalled(here, "marmots sleep in winter")[0]["part"]["index"] == count - 1
    command(here, "remove", "fake")
    assert {model for model, _ in parts_of(here, early)} == {OTHER_NUMBER}
    assert len(parts_of(here, early)) == count
    assert recalled(here, "pelicans fish at dawn")[0]["id"] == str(early)
    assert model_choice.find_model_status(here.id).state == "alone"
    assert search_by_meaning(here, "seagull on the roof 2")[0].startswith("A seagull")


def test_a_large_organisation_finds_parts_by_its_index(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.remember(here.robot("bolt"), long_text(3_000))
    here.embed()
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 2)
    monkeypatch.setattr(
        organisation_indexes, "_count_vectors", lambda id_: 5 if id_ == here.id else 0
    )
    assert f"further_{here.id.hex}_0" in organisation_indexes.maintain_indexes()
    hits = recalled(here, "pelicans fish at dawn")
    assert hits[0]["content"].endswith(END)
    assert hits[0]["part"]
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 20_000)


def test_what_is_erased_leaves_no_vector_of_any_part_or_model(here: Tenant) -> None:
    bolt = here.robot("bolt")
    id_ = here.remember(bolt, long_text(3_000)).id
    here.embed()
    command(here, "add", OTHER)
    command(here, "backfill")
    assert parts_of(here, id_)
    call_command(
        *("erase", "--organisation", here.organisation.slug, "--memory", str(id_), "--yes")
    )
    with autocommit_connection("admin") as admin:
        for table in ("memories_vector", "memories_embedding", "memories_search"):
            found = admin.execute(f"SELECT 1 FROM {table} WHERE memory_id = %s", [id_])
            assert found.fetchall() == [], table


def test_an_excerpt_is_of_the_part_that_fits(here: Tenant) -> None:
    text = "Pelicans. " + long_text(3_000)
    here.remember(here.robot("bolt"), text, visibility="organisation")
    here.embed()
    data = {
        "as_whom": f"member:{here.members['bob'].id}",
        "question": "pelicans fish at dawn near the lighthouse",
    }
    page = response_text(make_signed_in_client(here, "chidi").post("/playground/", data))
    assert "lighthouse." in re.sub(r"</?mark>", "", page)
