"""What nobody confirms fades in rank, and then it is archived and can be brought back."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.context.assembly.assemble import build_context
from memories.context.sources.context_query import ContextQuery
from memories.jobs.models import JobType
from memories.lifecycle.daily_jobs import enqueue_due
from memories.lifecycle.forget import restore_memory
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.review.protect import protect_memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from orgs.principals import Actor, resolve_principal
from personas.block_writes.block_updates import WriteOptions, add_entry, confirm_entry
from personas.learning import stale_entries
from personas.learning.daily_job import has_learned_anything
from personas.learning.stale_entries import archive_stale_entries
from tests.personas.persona_helpers import (
    QSR,
    all_memories,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
    make_robot_client,
)
from tests.world import NOW, Tenant, World

DAY = timedelta(days=1)
PLACES = "They look at places before visits."
VISITS = "They look at visits before rents."


def faded(here: Tenant, at: datetime) -> set[UUID]:
    """What the daily work archives at this moment."""
    before = {id_ for id_, row in all_memories(here).items() if row.status == "active"}
    many = archive_stale_entries(here.id, now=at, keep_on=lambda done: True)
    gone = {id_ for id_ in before if all_memories(here)[id_].status == "archived"}
    assert len(gone) == many
    return gone


def hits(who: Actor, question: str, at: datetime) -> dict[UUID, float]:
    answer = recall(who, Query(text=question, counts=False), now=at)
    return {hit.id: hit.score for hit, _ in answer.hits}


@pytest.mark.conformance("P27")
def test_what_is_not_confirmed_sinks_below_what_is(lasting_world: World) -> None:
    here = lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    old, kept = make_entries(here, "mina", PLACES, VISITS)
    mine = here.remember(here.person("mina"), "Mina looks at places.", visibility="private").id
    here.embed()
    shared, mina, bob = (
        get_block_by_label(make_owner_actor(here, "bob")),
        here.person("mina"),
        make_owner_actor(here, "bob"),
    )
    assert [one.learned_at for one in shared.entries] == [day_of(NOW)] * 2
    question = "Do they look at places before visits?"
    fresh = hits(mina, question, NOW + 80 * DAY)
    assert fresh[old] > fresh[kept]

    confirm_entry(bob, shared.block.id, kept, now=NOW + 100 * DAY)
    at = NOW + 180 * DAY
    found = hits(mina, question, at)
    assert list(found).index(kept) < list(found).index(old)
    # Strength is a tenth of a score, and what time takes of it is all that else can have changed.
    assert found[old] == pytest.approx(0.5 * fresh[old], abs=0.05)
    assert found[kept] == pytest.approx(fresh[kept], abs=0.1)
    assert found[mine] == pytest.approx(fresh[mine], abs=0.1), "their own does not fade by this"
    # A curator, who reads every persona, sees the same order.
    told = list(hits(here.person("chidi"), question, at))
    assert told.index(kept) < told.index(old)


def test_it_fades_for_a_robot_that_asks_by_its_key(lasting_world: World) -> None:
    here = lasting_world.here
    make_association(here, "mina")
    [old] = make_entries(here, "mina", PLACES)
    [kept] = make_entries(here, "mina", VISITS, now=timezone.now())
    here.embed()
    asked = {"query": "Do they look at places before visits?", "explain": True}
    for body in (asked, asked | {"filters": {"types": ["fact"]}}):
        found = (
            make_robot_client(here, "mina")
            .post("/api/v1/recall", body, format="json")
            .json()["results"]
        )
        scores = {UUID(hit["id"]): hit["scores"].get("unconfirmed_days") for hit in found}
        days = (timezone.now() - day_of(NOW)) / DAY
        assert days > 200
        assert scores[old] == pytest.approx(days, abs=0.1)
        today = (timezone.now() - day_of(timezone.now())) / DAY
        assert scores[kept] == pytest.approx(today, abs=0.1)
        assert list(scores).index(kept) < list(scores).index(old)


def test_who_reads_no_persona_asks_no_more_than_before(lasting_world: World) -> None:
    here = lasting_world.here
    make_association(here, "mina")
    make_entries(here, "mina", PLACES)
    here.remember(here.robot("bolt"), "Bolt looks at places.")
    here.embed()

    def queries(name: str, at: datetime) -> list[str]:
        hits(here.person(name), "places", at)
        with CaptureQueriesContext(connection) as asked:
            hits(here.person(name), "places", at)
        return [one["sql"] for one in asked]

    bob, mina = queries("bob", NOW), queries("mina", NOW)
    assert len(bob) == len(mina)
    # Who has no persona reads the lessons for everybody, and asks for them what Mina asks for hers.
    read = {name: resolve_principal(here.person(name)).cohorts for name in ("bob", "mina")}
    assert len(read["bob"]) == 1
    assert read["bob"] < read["mina"]
    for statements in (bob, mina):
        assert sum("max(said.last_at)" in sql for sql in statements) == 1


@pytest.mark.conformance("P25")
@pytest.mark.conformance("P27")
def test_after_three_times_as_long_it_is_archived(lasting_world: World) -> None:
    here = lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    texts = (PLACES, VISITS, "They ask for a map.", "They ask for a plan.")
    lost, kept, guarded, wanted = make_entries(here, "mina", *texts)
    mine = here.remember(here.person("mina"), "Mina looks at maps.", visibility="private").id
    ours = here.remember(here.robot("bolt"), "The office opens at nine.").id
    protect_memory(here.person("ada"), guarded, reason="always", now=NOW)
    protect_memory(here.person("bob"), wanted, reason="we need it", now=NOW)
    assert not all_memories(here)[wanted].red_line, "he asked for it, and nobody has decided"
    shared, bob = get_block_by_label(make_owner_actor(here, "bob")), make_owner_actor(here, "bob")
    add_entry(bob, shared.block.id, VISITS, wanted=WriteOptions(), now=NOW + 40 * DAY)

    assert faded(here, NOW + 270 * DAY) == set(), "on the last day it still counts"
    assert faded(here, NOW + 271 * DAY) == {lost}
    assert all_memories(here)[lost].archived_for == "stale"
    assert [one.id for one in get_block_by_label(bob).entries] == [kept, guarded, wanted]
    assert {all_memories(here)[id_].status for id_ in (mine, ours, guarded, wanted)} == {"active"}
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(action="persona.faded")
    assert (entry.detail, entry.member, entry.robot) == ({"memories": 1}, None, None)

    # Who brings it back has confirmed it.
    restore_memory(here.person("chidi"), lost, now=NOW + 300 * DAY)
    assert lost in {one.id for one in get_block_by_label(bob).entries}
    assert faded(here, NOW + 311 * DAY) == {kept}
    assert faded(here, NOW + 570 * DAY) == set()
    assert faded(here, NOW + 571 * DAY) == {lost}


@pytest.mark.conformance("P27")
def test_a_context_begins_with_what_was_confirmed_last(lasting_world: World) -> None:
    here = lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    old, kept = make_entries(here, "mina", PLACES, VISITS)
    bob = make_owner_actor(here, "bob")
    at = NOW + 100 * DAY

    def first() -> list[UUID]:
        found = build_context(bob, ContextQuery(text="?", max_tokens=500), now=at)
        return [one.piece.id for one in found.citations if one.piece.id in (old, kept)]

    confirm_entry(bob, get_block_by_label(bob).block.id, old, now=NOW + 50 * DAY)
    assert first() == [old, kept]
    confirm_entry(bob, get_block_by_label(bob).block.id, kept, now=NOW + 99 * DAY)
    assert first() == [kept, old]


def test_what_is_confirmed_at_the_last_moment_stays(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    make_association(here, "mina")
    [entry, other] = make_entries(here, "mina", PLACES, VISITS)
    mina, late, archive = make_owner_actor(here, "mina"), NOW + 271 * DAY, stale_entries.archive_due
    place = get_block_by_label(mina).block.id

    def confirmed_first(organisation_id: UUID, due: Any, **more: Any) -> Any:
        confirm_entry(mina, place, entry, now=late)
        return archive(organisation_id, due, **more)

    monkeypatch.setattr(stale_entries, "archive_due", confirmed_first)
    assert faded(here, late) == {other}


def test_a_run_is_in_bounded_parts(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = lasting_world.here
    make_association(here, "mina")
    make_entries(here, "mina", *(f"They ask about map {n}." for n in range(5)))
    monkeypatch.setattr("personas.learning.stale_entries.BATCH_SIZE", 2)
    told: list[int] = []

    def keep_on(done: int) -> bool:
        told.append(done)
        return done < 4

    late = NOW + 400 * DAY
    assert archive_stale_entries(here.id, now=late, keep_on=keep_on) == 4
    assert told == [2, 4]
    assert archive_stale_entries(here.id, now=late, keep_on=keep_on) == 1


def test_the_day_has_a_run_where_a_profession_shares_anything(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("bolt"), "The office opens at nine.")
    assert not has_learned_anything(here.id)
    assert JobType.LEARN not in {job.kind for job in enqueue_due(here.id, now=NOW)}
    make_association(here, "mina", QSR)
    make_entries(here, "mina", PLACES)
    assert has_learned_anything(here.id)
    assert [job.kind for job in enqueue_due(here.id, now=NOW)] == [JobType.LEARN]
    assert enqueue_due(here.id, now=NOW) == []
