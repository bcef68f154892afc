"""The layout of architecture 2: three partitions, kept true, searched one by one (A04, A05)."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connections
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.retrieval.candidates import scan_rows
from memories.retrieval.candidates.scan_rows import scan_statement
from memories.retrieval.recall import build_request, recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.strategies.registry import iter_search_tables
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.organisations.groups import add_to_group
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from tests.databases import rolled_back_connection
from tests.world import NOW, Tenant, World

SAME = """
SELECT t.memory_id, t.audience_id, t.kind, t.group_id, m.member_id,
    memories_sparse_words(t.lexemes)::text, t.length, s.speaker, t.asks, t.timed,
    s.model, s.embedding::text
FROM memories_text t JOIN memories_memory m ON m.id = t.memory_id
JOIN memories_search s ON s.memory_id = t.memory_id
WHERE t.organisation_id = %s AND t.kind IN ('group', 'user', 'interaction') ORDER BY 1
"""
KEPT = """
SELECT memory_id, audience_id, kind, group_id, owner, words::text, length, speaker, asks, timed,
    model, embedding::text
FROM memories_partition WHERE organisation_id = %s ORDER BY 1
"""


def rebuilt(tenant: Tenant, *more: str) -> None:
    call_command(
        "rebuild_projections", "partitions", *more, organisation=tenant.organisation.slug, json=True
    )
    with organisation_scope(tenant.id):
        tenant.organisation.refresh_from_db()


def differences(tenant: Tenant) -> list[Any]:
    """Rows of the projection that are not exactly what the narrow tables say, by a superuser."""
    with rolled_back_connection("admin") as admin:
        kept = admin.execute(KEPT, [tenant.id]).fetchall()
        same = admin.execute(SAME, [tenant.id]).fetchall()
    assert same, "there is something to compare"
    return [pair for pair in zip(kept, same, strict=True) if pair[0] != pair[1]]


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    rebuilt(here)
    return here


def found(who: Actor, text: str, **fields: Any) -> set[str]:
    query = Query(text=text, strategy="partitioned", limit=50, **fields)
    return {memory.content for _, memory in recall(who, query, now=timezone.now()).hits}


@pytest.mark.conformance("A04")
def test_the_projection_has_three_partitions_each_with_indexes_of_its_own(committed: None) -> None:
    with rolled_back_connection("owner") as owner:
        rows = owner.execute(
            "SELECT inhrelid::regclass::text, pg_get_expr(c.relpartbound, c.oid), ARRAY("
            "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = c.oid ORDER BY 1) "
            "FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid "
            "WHERE inhparent = 'memories_partition'::regclass ORDER BY 1"
        ).fetchall()
    assert [row[:2] for row in rows] == [
        ("memories_partition_group", "FOR VALUES IN ('group')"),
        ("memories_partition_interaction", "FOR VALUES IN ('interaction')"),
        ("memories_partition_user", "FOR VALUES IN ('user')"),
    ]
    indexes = [set(row[2]) for row in rows]
    assert all(indexes)
    assert len(set.union(*indexes)) == sum(map(len, indexes)), "none serves two"


@pytest.mark.conformance("A04")
def test_each_search_scans_its_own_partition_alone(here: Tenant) -> None:
    here.remember(here.robot("aria"), "A zebra.", group="launch")
    asker = resolve_principal(resolve_actor(here.person("mina"), group="launch"))
    scanned = []
    with asker.scope():
        question = build_request(asker, Query(text="zebra", strategy="partitioned"), NOW)
        for source in iter_search_tables(question):
            statement, values = scan_statement(question, source, question.places)
            plan = "\n".join(line for (line,) in fetch_all(f"EXPLAIN {statement}", values))
            scanned.append(set(re.findall(r" on (memories_partition_\w+)", plan)))
    assert scanned == [
        {"memories_partition_group"}, {"memories_partition_user"},
        {"memories_partition_interaction"}, set(),
    ]  # fmt: skip


@pytest.mark.conformance("A05")
def test_all_are_searched_by_one_message_and_judged_as_one_list(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    aria, mina = here.robot("aria"), str(here.members["mina"].id)
    told = [
        here.remember(aria, "zebra of the group", group="launch"),
        here.remember(aria, "zebra of mine", group="launch", kind="user", member=mina),
        here.remember(aria, "zebra for all", visibility="organisation"),
    ]
    messages: list[int] = []
    real = scan_rows.fetch_pipelined

    def sent(statements: Any, *args: Any) -> Any:
        messages.append(len(statements))
        return real(statements, *args)

    monkeypatch.setattr(scan_rows, "fetch_pipelined", sent)
    query = Query(text="zebra", strategy="partitioned", group="launch")
    found = recall(here.person("mina"), query, now=NOW)
    assert messages == [4]
    assert {hit.id for hit, _ in found.hits} == {one.id for one in told}
    scores = [hit.score for hit, _ in found.hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.conformance("A05")
def test_who_neither_spoke_nor_listened_gets_no_interaction(here: Tenant) -> None:
    """Mina told Bob; both get it, the robot for each as well, and Vera of the group does not."""
    aria = here.robot("aria")
    mina, bob = (str(here.members[name].id) for name in ("mina", "bob"))
    with organisation_scope(here.id):
        group_id = here.groups["launch"].id
        add_to_group(
            organisation_id=here.id, group_id=group_id, member_ids=[here.members["vera"].id]
        )
    here.remember(aria, "zebra of the group", group="launch")
    here.remember(aria, "zebra of mina", group="launch", member=mina)
    here.remember(aria, "zebra of bob", group="launch", member=bob)
    here.remember(
        aria, "zebra between", group="launch", member=mina, speaker=mina, listeners=(bob,)
    )
    here.remember(aria, "zebra of everyone")
    here.embed()
    common = {"zebra of the group", "zebra of everyone"}
    assert found(here.person("mina"), "zebra") == {*common, "zebra of mina", "zebra between"}
    assert found(here.person("bob"), "zebra") == {*common, "zebra of bob", "zebra between"}
    # Readable to her, for the group saw it; the architecture searches what was said to her.
    assert found(here.person("vera"), "zebra") == common
    for_bob = found(aria, "zebra", group="launch", member=bob)
    assert for_bob == {*common, "zebra of bob", "zebra between"}
    # One list: the whole of it in one order.
    query = Query(text="zebra", strategy="partitioned")
    scores = [h.score for h, _ in recall(here.person("mina"), query, now=NOW).hits]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)


def test_the_projection_says_what_the_narrow_tables_say_after_every_change(here: Tenant) -> None:
    aria, mina = here.robot("aria"), here.members["mina"]
    kept: list[UUID] = []
    for n in range(4):
        kept.append(
            here.remember(
                aria, f"Turn {n} about zebra {n}", group="launch", conversation="c", position=n
            ).id
        )
    person = here.person("mina")
    private = here.remember(person, "Mine", group="launch", visibility="private").id
    here.remember(aria, "Hers", group="design", member=str(mina.id), visibility="protected")
    assert differences(here) == []
    here.embed()
    assert differences(here) == []
    steps: list[Callable[[], object]] = [
        lambda: forget_memory(aria, kept[1], now=NOW),
        lambda: restore_memory(aria, kept[1], now=NOW),
        lambda: edit_memory(aria, kept[2], {"content": "A lion instead"}, now=NOW),
        lambda: share_memory(
            person, private, visibility="group", readers={}, group="launch", now=NOW
        ),
        lambda: share_memory(
            aria, kept[0], visibility="organisation", readers={}, group=None, now=NOW
        ),
    ]
    for step in steps:
        step()
        assert differences(here) == []
        here.embed()
        assert differences(here) == []


def test_rows_follow_their_memory_when_its_audience_moves(here: Tenant) -> None:
    kept = here.remember(here.robot("aria"), "A zebra.", group="launch").id
    with organisation_scope(here.id):
        everyone = resolve_principal(here.robot("aria")).organisation_audience
    with rolled_back_connection("admin") as admin:
        admin.execute(
            "UPDATE memories_memory SET audience_id = %s, kind = 'user', member_id = %s "
            "WHERE id = %s", [everyone, here.members["mina"].id, kept]
        )  # fmt: skip
        moved = admin.execute(
            "SELECT tableoid::regclass::text, audience_id FROM memories_partition "
            "WHERE memory_id = %s", [kept]
        ).fetchall()  # fmt: skip
    assert moved == [("memories_partition_user", everyone)]


def test_switched_off_it_is_refused_with_what_to_do(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "A zebra.", group="launch")
    api, asked = here.browser("mina"), {"query": "zebra", "strategy": "partitioned"}
    refused = api.post("/api/v1/recall", asked, format="json")
    assert (refused.status_code, refused.json()["type"]) == (
        400, "urn:commonmind:problem:projection-off"
    )  # fmt: skip
    assert "rebuild_projections" in refused.json()["detail"]
    rebuilt(here)
    assert len(api.post("/api/v1/recall", asked, format="json").json()["results"]) == 1
    assert differences(here) == []
    rebuilt(here, "--off")
    assert api.post("/api/v1/recall", asked, format="json").status_code == 400
    with scope(Scope(organisation=here.id), "worker"), connections["worker"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_partition")
        assert cursor.fetchone() == (0,)
    with organisation_scope(here.id):
        assert Memory.objects.count() == 0, "no audience is open here"
