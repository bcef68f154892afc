"""What was remembered is read by the worker: in order, held while it is read, and never twice."""

import threading
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.embedding.encoder import EncoderError
from memories.indexing import embed_worker, enrich_worker
from memories.indexing.models import Embedding, EnrichmentState, Pending
from memories.indexing.organisation_indexes import enable_projection
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.jobs.leases import MAX_ATTEMPTS, WORKER, PendingState
from memories.knowledge_graph.models import Edge, Entity
from memories.lifecycle.forget import forget_memory
from memories.restatement.models import Restatement
from memories.store.models.memory import Memory
from orgs.database.rls import current_scope, organisation_scope
from orgs.principals import resolve_principal
from robots.conversations.conversations import ensure_conversation
from robots.conversations.message_types import NewMessage
from robots.conversations.post_messages import post_messages
from tests.world import NOW, Tenant, World


def remembered(here: Tenant, *texts: str, **fields: Any) -> list[UUID]:
    drafts = [Draft(content=text, group="launch", **fields) for text in texts]
    made = remember_many(here.robot("aria"), drafts, now=timezone.now())
    return [one.id for one in made]  # type: ignore[union-attr]


def chat(here: Tenant, *texts: str, **fields: Any) -> list[UUID]:
    """Turns of one conversation that are no messages, written one after the other."""
    return [
        id_
        for n, text in enumerate(texts)
        for id_ in remembered(here, text, conversation="talk", position=n, **fields)
    ]


def read(here: Tenant, limit: int = enrich_worker.BATCH_SIZE) -> int:
    return enrich_worker.enrich_pending(here.id, now=timezone.now(), limit=limit)


def owed(here: Tenant) -> dict[UUID, tuple[str, str, int]]:
    """(reading, state, attempts) by memory."""
    with organisation_scope(here.id, using=WORKER):
        rows = Pending.objects.using(WORKER).filter(organisation_id=here.id)
        return {
            id_: (reading, state, attempts)
            for id_, reading, state, attempts in rows.values_list(
                "memory_id", "reading", "state", "attempts"
            )
        }


def noted(here: Tenant, *ids: UUID) -> tuple[int, int, dict[UUID, str]]:
    """(entities, edges, restatements by memory) of these memories."""
    with resolve_principal(here.robot("aria")).scope():
        texts = Restatement.objects.filter(memory_id__in=ids).values_list("memory_id", "text")
        return (
            Entity.objects.filter(memory_id__in=ids).count(),
            Edge.objects.filter(memory_id__in=ids).count(),
            dict(texts),
        )


def test_a_request_owes_the_reading_and_the_worker_does_it(lasting_world: World) -> None:
    here = lasting_world.here
    [id_] = remembered(here, "Anna Berger moves to Rome.")
    assert noted(here, id_) == (0, 0, {}), "nobody waits for it"
    assert owed(here) == {id_: (EnrichmentState.FRESH, PendingState.WAITING, 0)}
    assert read(here) == 1
    entities, _, texts = noted(here, id_)
    assert entities
    assert set(texts) == {id_}
    assert owed(here) == {id_: (EnrichmentState.DONE, PendingState.WAITING, 0)}, (
        "the vector is still owed"
    )
    assert read(here) == 0
    here.embed()
    assert owed(here) == {}

    edit_memory(here.robot("aria"), id_, {"content": "Paul Weber moves to Oslo."}, now=NOW)
    assert noted(here, id_) == (0, 0, {}), "nothing of the old words is left"
    assert owed(here) == {id_: (EnrichmentState.AGAIN, PendingState.WAITING, 0)}
    here.embed()
    assert noted(here, id_)[0]


def test_only_what_is_read_is_embedded(lasting_world: World, monkeypatch: Any) -> None:
    here = lasting_world.here
    remembered(here, "Anna Berger moves to Rome.")
    monkeypatch.setattr(embed_worker, "enrich_pending", lambda *_, **__: 0)
    assert embed_worker.embed_pending(here.id, now=timezone.now()) == 0
    with resolve_principal(here.robot("aria")).scope():
        assert not Embedding.objects.exists()


def test_without_a_model_memories_are_read(lasting_world: World, monkeypatch: Any) -> None:
    here = lasting_world.here
    [id_] = remembered(here, "Anna Berger moves to Rome.")

    def away(name: str | None) -> Any:
        raise EncoderError("away")

    monkeypatch.setattr(embed_worker, "get_encoder", away)
    assert embed_worker.embed_pending(here.id, now=timezone.now()) == 1
    assert noted(here, id_)[0]
    assert owed(here) == {id_: (EnrichmentState.DONE, PendingState.WAITING, 0)}, (
        "nothing counts as tried"
    )
    assert embed_worker.embed_pending(here.id, now=timezone.now()) == 0


def test_it_reads_in_a_scope_of_the_audiences_concerned(
    lasting_world: World, monkeypatch: Any
) -> None:
    here = lasting_world.here
    remembered(here, "Anna Berger moves to Rome.")
    seen = []
    real = enrich_worker.write_restatements

    def looking(*given: Any) -> None:
        seen.append(current_scope().audiences)
        real(*given)

    monkeypatch.setattr(enrich_worker, "write_restatements", looking)
    assert read(here) == 1
    with organisation_scope(here.id, using=WORKER):
        rows = Pending.objects.using(WORKER).filter(organisation_id=here.id)
        assert seen == [tuple(rows.values_list("audience_id", flat=True))]


def test_turns_for_others_lend_no_name(lasting_world: World) -> None:
    here = lasting_world.here
    remembered(here, "Daniel is in Berlin today.", conversation="talk", position=0)
    remember_many(
        here.robot("aria"),
        [Draft(content="he is away", visibility="organisation", conversation="talk", position=1)],
        now=timezone.now(),
    )
    assert read(here) == 2
    with resolve_principal(here.robot("aria")).scope():
        texts = Restatement.objects.filter(text__contains="Daniel").values_list("text", flat=True)
        assert [one for one in texts if "away" in one] == []


def test_a_bad_text_holds_up_no_other(lasting_world: World, monkeypatch: Any) -> None:
    here = lasting_world.here
    good, bad, other = remembered(here, "Anna Berger in Rome.", "Bad Berger.", "Eva Maier in Oslo.")
    real = enrich_worker.write_restatements

    def failing(rows: Any, now: Any) -> None:
        if any(row.id == bad for row in rows):
            raise ValueError("Bad Berger is quoted")
        real(rows, now)

    monkeypatch.setattr(enrich_worker, "write_restatements", failing)
    assert read(here) == 2
    assert noted(here, good)[0]
    assert noted(here, other)[0]
    assert noted(here, bad) == (0, 0, {})
    assert owed(here)[bad] == (EnrichmentState.FRESH, PendingState.WAITING, 1)
    for _ in range(MAX_ATTEMPTS):
        read(here)
    assert owed(here)[bad][1] == PendingState.DEAD
    with organisation_scope(here.id, using=WORKER):
        assert Pending.objects.using(WORKER).get(memory_id=bad).reason == "ValueError"


def test_what_a_killed_worker_took_comes_back(lasting_world: World, monkeypatch: Any) -> None:
    here = lasting_world.here
    [id_] = remembered(here, "Anna Berger moves to Rome.")

    def killed(*_: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(enrich_worker, "write_restatements", killed)
        with pytest.raises(SystemExit):
            read(here)
    assert owed(here)[id_] == (EnrichmentState.FRESH, PendingState.LEASED, 1)
    assert noted(here, id_) == (0, 0, {})
    assert read(here) == 0, "somebody may be at it"
    later = timezone.now() + timedelta(minutes=6)
    assert enrich_worker.enrich_pending(here.id, now=later) == 1
    assert noted(here, id_)[0]


def test_one_worker_reads_at_a_time(lasting_world: World) -> None:
    here = lasting_world.here
    remembered(here, "Anna Berger moves to Rome.")
    found: list[int] = []

    def other() -> None:
        try:
            found.append(read(here))
        finally:
            connections.close_all()

    with organisation_scope(here.id):
        assert enrich_worker._try_lock(here.id)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(timeout=30)
    assert found == [0]
    assert read(here) == 1


@pytest.mark.parametrize("gone", [0, 1])
def test_what_is_forgotten_while_it_is_read_leaves_nothing(
    lasting_world: World, monkeypatch: Any, gone: int
) -> None:
    """The turn itself, and the turn before it that lends a name and was read earlier."""
    here = lasting_world.here
    bob = str(here.members["bob"].id)
    ids = chat(here, "I met Daniel today", "he brings the blue folder", speaker=bob)
    assert read(here, limit=1) == 1
    real, waited = enrich_worker.write_restatements, []

    def forgetting() -> None:
        try:
            forget_memory(here.robot("aria"), ids[gone], now=NOW)
        finally:
            connections.close_all()

    def meanwhile(*given: Any) -> None:
        real(*given)
        waited.append(threading.Thread(target=forgetting, daemon=True))
        waited[0].start()
        waited[0].join(timeout=0.3)
        assert waited[0].is_alive(), "who forgets waits for the reader"

    monkeypatch.setattr(enrich_worker, "write_restatements", meanwhile)
    assert read(here) == 1
    waited[0].join(timeout=30)
    assert not waited[0].is_alive()
    entities, edges, texts = noted(here, ids[gone])
    assert (entities, edges, texts) == (0, 0, {})
    assert "Daniel" not in str(noted(here, *ids)[2].get(ids[1]))
    with resolve_principal(here.robot("aria")).scope():
        assert not Edge.objects.filter(other_id=ids[gone]).exists()


def test_what_somebody_changes_is_read_afterwards(lasting_world: World) -> None:
    here = lasting_world.here
    first, second = remembered(here, "Anna Berger in Rome.", "Eva Maier in Oslo.")
    held, done = threading.Event(), threading.Event()

    def changing() -> None:
        try:
            with resolve_principal(here.robot("aria")).scope():
                Memory.objects.select_for_update(of=("self",)).get(id=first)
                held.set()
                done.wait(timeout=30)
        finally:
            connections.close_all()

    thread = threading.Thread(target=changing, daemon=True)
    thread.start()
    assert held.wait(timeout=30)
    assert read(here) == 1
    assert noted(here, second)[0]
    done.set()
    thread.join(timeout=30)
    assert owed(here)[first] == (EnrichmentState.FRESH, PendingState.WAITING, 0), (
        "not counted as tried"
    )
    assert read(here) == 1
    assert noted(here, first)[0]


def test_what_is_edited_after_it_was_taken_is_read_once(
    lasting_world: World, monkeypatch: Any
) -> None:
    here = lasting_world.here
    other, id_ = remembered(here, "Eva Maier in Oslo.", "Anna Berger moves to Rome.")
    real = enrich_worker._lease_rows

    def then_edited(*given: Any) -> Any:
        taken = real(*given)

        def edit() -> None:
            try:
                edit_memory(here.robot("aria"), id_, {"content": "Paul Weber in Bonn."}, now=NOW)
            finally:
                connections.close_all()

        thread = threading.Thread(target=edit)
        thread.start()
        thread.join(timeout=30)
        return taken

    with monkeypatch.context() as patched:
        patched.setattr(enrich_worker, "_lease_rows", then_edited)
        assert read(here) == 1
    assert noted(here, other)[0]
    assert noted(here, id_) == (0, 0, {})
    assert owed(here)[id_] == (EnrichmentState.AGAIN, PendingState.WAITING, 0)
    assert read(here) == 1
    with resolve_principal(here.robot("aria")).scope():
        names = set(Entity.objects.filter(memory_id=id_).values_list("name", flat=True))
    assert "Paul Weber" in names
    assert "Anna Berger" not in names


def test_a_graph_that_was_made_anew_before_is_no_conflict(lasting_world: World) -> None:
    here = lasting_world.here
    [id_] = remembered(here, "Anna Berger moves to Rome.", tags=("move",))
    enable_projection(here.id, "graph")
    before = noted(here, id_)[:2]
    assert before[0]
    assert read(here) == 1
    assert noted(here, id_)[:2] == before


def test_an_organisation_without_a_graph_gets_none(lasting_world: World) -> None:
    here = lasting_world.here
    with organisation_scope(here.id):
        here.organisation.projections = []
        here.organisation.save(update_fields=["projections"])
    [id_] = remembered(here, "Anna Berger moves to Rome.")
    assert read(here) == 1
    entities, edges, texts = noted(here, id_)
    assert (entities, edges) == (0, 0)
    assert set(texts) == {id_}


def test_turns_are_read_in_the_order_in_which_they_were_said(lasting_world: World) -> None:
    """An answer that quotes no question is known by what was said before it."""
    here = lasting_world.here
    mina, bob = (str(here.members[name].id) for name in ("mina", "bob"))
    aria = here.robot("aria")
    talk, _ = ensure_conversation(aria, {"group": "launch", "external_id": "talk"}, now=NOW)
    question, answer = (
        NewMessage(content="how do I share a printer?", speaker=mina),
        NewMessage(content="put printer sections into smb.conf", speaker=bob, mentions=(mina,)),
    )
    for one in (question, answer):
        post_messages(aria, talk.id, [one], now=timezone.now())
    assert [read(here, limit=1), read(here, limit=1), read(here, limit=1)] == [1, 1, 0]
    with resolve_principal(aria).scope():
        assert Edge.objects.filter(relation="replied_to", inferred=True).count() == 1
