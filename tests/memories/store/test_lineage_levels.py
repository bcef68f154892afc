"""Lineage over three levels, and that nothing is derived without its sources (W04)."""

from typing import Any
from uuid import UUID

import pytest

from memories.ingestion import memory_writes
from memories.lifecycle.consolidation.capacity_limit import AudienceTier
from memories.lifecycle.consolidation.summarise import summarise_and_archive
from memories.lifecycle.forget import forget_memory
from memories.store.lineage import MissingSourcesError, SourceMemory
from memories.store.models.memory import Memory
from memories.store.models.version import Derivation
from orgs.models.base import new_id
from orgs.models.organisations import Organisation
from orgs.principals import resolve_principal
from tests.architecture.source import module_files, relative, syntax_tree
from tests.world import NOW, Tenant, World

# Who writes memories that are made of no other; whatever else writes, names its sources.
FIRST_HAND = {
    "memories/ingestion/remember.py": "what somebody says",
    "memories/ingestion/file_import/importer.py": "what somebody brings",
    "memories/ingestion/memory_writes.py": "the two ways themselves",
    "memories/curation/copy_and_merge.py": (
        "a copy, whose subject and sources are those of the original"
    ),
}


def levels(here: Tenant) -> tuple[list[UUID], list[UUID], UUID]:
    """Four facts, two summaries of them, and the summary of these."""
    aria = here.robot("aria")
    facts = [here.remember(aria, f"The hall has {n} gates.", group="launch").id for n in range(4)]
    with resolve_principal(aria).scope():
        rows = {row.id: row for row in Memory.objects.filter(id__in=facts)}
        place = AudienceTier(here.id, rows[facts[0]].audience_id, rows[facts[0]].tier, 1)
        pairs = [[rows[facts[0]], rows[facts[1]]], [rows[facts[2]], rows[facts[3]]]]
        middle = [
            summarise_and_archive(place, pair, unwilling=set(), now=NOW).made[0] for pair in pairs
        ]
        [top] = summarise_and_archive(place, middle, unwilling=set(), now=NOW).made
    return facts, [row.id for row in middle], top.id


@pytest.mark.conformance("W04")
def test_the_page_and_the_api_go_back_three_levels(world: World) -> None:
    here = world.here
    facts, middle, top = levels(here)
    answer = here.api("aria").get(f"/api/v1/memories/{top}/lineage").json()
    assert {row["id"] for row in answer["derived_from"]} == set(map(str, middle))
    assert [{row["id"] for row in level} for level in answer["further_back"]] == [
        set(map(str, facts))
    ]
    page = here.browser("bob").get(f"/memories/{top}/").content.decode()
    for id_ in [*middle, *facts]:
        assert f"/memories/{id_}/" in page
    assert "Which were made from" in page
    # A source that was forgotten is named no more.
    own: Any = here.api("aria").get(f"/api/v1/memories/{facts[0]}/lineage").json()
    assert {row["id"] for row in own["used_in"]} <= set(map(str, middle))
    forget_memory(here.robot("aria"), facts[0], now=NOW)
    left = here.api("aria").get(f"/api/v1/memories/{top}/lineage").json()
    assert not {str(facts[0])} & {row["id"] for level in left["further_back"] for row in level}


@pytest.mark.conformance("W04")
def test_who_does_not_read_a_level_sees_nothing_above_it(world: World) -> None:
    here = world.here
    bolt = here.robot("bolt")
    secret = here.remember(bolt, "Bolt's own note.", visibility="internal").id
    told = here.remember(
        bolt, "From my note.", visibility="organisation", source={"memories": [str(secret)]}
    ).id
    twice = here.remember(
        bolt, "From that.", visibility="organisation", source={"memories": [str(told)]}
    ).id
    seen = here.api("aria").get(f"/api/v1/memories/{twice}/lineage").json()
    assert [row["id"] for row in seen["derived_from"]] == [str(told)]
    assert seen["further_back"] == []
    whole = here.api("bolt").get(f"/api/v1/memories/{twice}/lineage").json()
    assert [[row["id"] for row in level] for level in whole["further_back"]] == [[str(secret)]]


def test_what_is_derived_and_names_no_source_is_not_written(world: World) -> None:
    here, aria = world.here, resolve_principal(world.here.robot("aria"))
    first = here.remember(here.robot("aria"), "A fact.", group="launch").id
    with aria.scope():
        row = Memory.objects.get(id=first)
        organisation = Organisation.objects.get(id=here.id)
        sources = {first: [SourceMemory(row.id, row.audience_id, row.kind)]}
        row.id, row.content_hash, row.key = new_id(), b"1" * 32, None
        for given in ({}, {row.id: []}, sources):
            with pytest.raises(MissingSourcesError):
                memory_writes.insert_derived_memories(
                    [row], given, organisation=organisation, now=NOW
                )
        assert not Memory.objects.filter(id=row.id).exists()
        memory_writes.insert_derived_memories(
            [row], {row.id: sources[first]}, organisation=organisation, now=NOW
        )
        assert Derivation.objects.get(memory_id=row.id).source_id == first


@pytest.mark.slow
def test_whatever_else_writes_memories_names_their_sources() -> None:
    import ast

    found = set()
    for path in module_files():
        for node in ast.walk(syntax_tree(path)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value
            if node.func.attr == "insert" and isinstance(owner, ast.Name) and owner.id == "write":
                found.add(relative(path))
    assert found <= set(FIRST_HAND), "use insert_derived"
