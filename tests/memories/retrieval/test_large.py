"""A scope that is large: its own indexes choose, and who reads little still gets all of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, connections

from memories.embedding.model_catalogue import get_model
from memories.indexing import exact_scan
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.candidates import readable_row_count
from memories.retrieval.search_types import SearchRequest
from orgs.database.rls import organisation_scope
from orgs.principals import Actor, Principal, resolve_principal
from tests.large_scopes import force_index_search
from tests.memories.retrieval.pure.feature_tables import question
from tests.memories.retrieval.test_pipeline import ask
from tests.world import NOW, Tenant, World

NEAREST = "ORDER BY n.embedding <#>"
SETTINGS = ("hnsw.iterative_scan", "hnsw.ef_search", "enable_sort", "enable_seqscan")


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """400 rows that bolt does not read, all nearer to the question than the ten that it does."""
    here = lasting_world.here
    hidden = [Draft(content=f"zebra zebra zebra {n}", group="launch") for n in range(400)]
    open_ = [Draft(content=f"zebra and {n} other things of the zoo") for n in range(10)]
    remember_many(here.robot("aria"), [*hidden, *open_], now=NOW)
    here.embed()
    force_index_search(monkeypatch, here.id)
    return here


@contextmanager
def explained() -> Iterator[list[tuple[str, dict[str, str]]]]:
    """(plan, settings) of every search by nearness, as the server runs it."""
    found: list[tuple[str, dict[str, str]]] = []

    def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if NEAREST in sql:
            settings, search, back, *_ = sql.split(";")
            with context["connection"].cursor() as cursor:
                cursor.cursor.execute(settings)
                cursor.cursor.execute("EXPLAIN " + search, params)
                plan = "\n".join(row[0] for row in cursor.cursor.fetchall())
                now = {name: setting(cursor.cursor, name) for name in SETTINGS}
                cursor.cursor.execute(back)
            found.append((plan, now))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield found


def setting(cursor: Any, name: str) -> str:
    return cursor.execute("SELECT current_setting(%s)", [name]).fetchone()[0]


def test_the_organisations_own_index_answers(here: Tenant) -> None:
    with explained() as found:
        assert len(ask(here.person("mina"), "zebra", strategy="vector").hits) == 10
    [(plan, settings)] = found
    assert f"Index Scan using meaning_{here.id.hex}" in plan
    assert "Sort" not in plan
    assert settings == {
        "hnsw.iterative_scan": "relaxed_order", "hnsw.ef_search": "400", "enable_sort": "off",
        "enable_seqscan": "off",
    }  # fmt: skip


def test_the_settings_end_with_the_search(here: Tenant) -> None:
    from memories.retrieval.candidates import search

    seen: list[str] = []
    real = search.scan_rows

    def after(*args: Any) -> Any:
        with connection.cursor() as cursor:
            seen.extend(setting(cursor.cursor, name) for name in SETTINGS[2:])
        return real(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "scan_rows", after)
        ask(here.person("mina"), "zebra")
    assert seen
    assert set(seen) == {"on"}


def test_who_reads_ten_of_many_gets_all_ten(here: Tenant) -> None:
    for strategy in ("vector", "keyword", "hybrid"):
        found = ask(here.robot("bolt"), "zebra zoo", strategy=strategy, limit=10)
        assert len(found.hits) == 10, strategy
        assert all("of the zoo" in memory.content for _, memory in found.hits), strategy


def test_both_ways_agree_on_what_is_best(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        "The espresso machine is repaired by Gregor.",
        "Gregor comes on Mondays.",
        "The espresso is too bitter and the machine is loud.",
    ]
    for text in texts:
        here.remember(here.robot("bolt"), text, tags=("machine",) if "loud" in text else ())
    here.embed()

    def best(fusion: str) -> list[str]:
        readable_row_count._cache.clear()
        answer = ask(here.robot("bolt"), "who repairs the espresso machine", fusion=fusion)
        return [memory.content for _, memory in answer.hits[:3]]

    fusions = ("minmax", "rrf", "weighted_rrf")
    by_indexes = [best(fusion) for fusion in fusions]
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 20_000)
    assert [best(fusion) for fusion in fusions] == by_indexes
    assert [set(found) for found in by_indexes] == [set(texts)] * 3


def test_the_size_of_a_large_scope_is_that_of_what_is_read(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted up to the limit; above it estimated, from all pages where these are few."""
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 10)
    sizes = [size(here.person("mina")), size(here.robot("bolt"))]
    assert sizes == [410, 10], "bolt does not read the group"
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 9)
    assert size(here.robot("bolt")) == 10
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 5)
    give_another_model(here, 100)
    assert size(here.person("mina")) == 310, "vectors of another model are not searched"
    give_another_model(here, 0)
    monkeypatch.setattr(readable_row_count, "SAMPLE_PAGES", pages() // 2)
    assert 205 <= size(here.person("mina")) <= 820
    assert size(here.person("mina")) == size(here.person("mina")), "the same pages each time"
    monkeypatch.setattr(readable_row_count, "SAMPLE_PAGES", 1e-9)
    assert size(here.person("mina")) == 6, "an empty sample leaves what was counted"


def size(who: Actor) -> int:
    readable_row_count._cache.clear()
    principal = resolve_principal(who)
    with principal.scope():
        return readable_row_count.count_readable_rows(asked_by(principal))


def asked_by(principal: Principal) -> SearchRequest:
    return replace(
        question(),
        organisation_id=principal.organisation_id,
        model=get_model().number,
        audiences=principal.audiences,
    )


def give_another_model(here: Tenant, many: int) -> None:
    """So many rows wait for the model in use; the others have it."""
    one, other = get_model().number, get_model().number + 1
    with organisation_scope(here.id, using="worker"), connections["worker"].cursor() as cursor:
        cursor.execute("UPDATE memories_search SET model = %s", [one])
        cursor.execute(
            "UPDATE memories_search SET model = %s WHERE memory_id IN "
            "(SELECT memory_id FROM memories_search ORDER BY memory_id LIMIT %s)",
            [other, many],
        )


def pages() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size('memories_search') / 8192")
        return int(cursor.fetchone()[0])
