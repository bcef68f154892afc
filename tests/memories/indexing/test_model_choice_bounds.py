"""A change of the embedding model: what is refused, and whom it does not concern."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from memories.curation.edit_memory import edit_memory
from memories.embedding import encoder_loading
from memories.embedding.fake_encoder import FakeEncoder
from memories.indexing import (
    exact_scan,
    model_choice,
    organisation_indexes,
)
from memories.indexing.model_choice import ModelChoiceError
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.indexing.second_model import (
    FAKE,
    OTHER,
    OTHER_NUMBER,
    TEXTS,
    OtherEncoder,
    command,
    refused,
    search_by_meaning,
    searched,
    serves,
    switched,
)
from tests.world import NOW, Tenant, World


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch) -> OtherEncoder:
    encoder = OtherEncoder()
    monkeypatch.setattr(encoder_loading, "_encoders", {OTHER: encoder})
    return encoder


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    tenant = lasting_world.here
    for text in TEXTS:
        tenant.remember(tenant.robot("bolt"), text)
    tenant.embed()
    return tenant


@pytest.mark.slow
def test_what_cannot_be_is_refused_in_one_sentence(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Long(FakeEncoder):
        dimensions = 768

    def build(key: str) -> Any:
        raise encoder_loading.EncoderError(f"cannot load the encoder {key!r}: unknown")

    assert refused(here, "switch") == "No second model is kept; add one first."
    assert refused(here, "pause") == "No second model is kept; add one first."
    assert refused(here, "back") == "fake serves, and no model of before is kept."
    assert refused(here, "add", "fake") == "fake serves already."
    assert refused(here, "remove", "fake") == "fake serves, so it cannot be removed."
    assert refused(here, "remove", OTHER) == "other/model is not kept."
    assert refused(here, "add") == "add needs the name of a model."
    assert refused(here, "switch", OTHER) == "switch takes no name."
    with monkeypatch.context() as patch:
        patch.setattr(encoder_loading, "_build", build)
        assert refused(here, "add", "no/such") == (
            "no/such cannot be used: cannot load the encoder 'no/such': unknown."
        )
    with monkeypatch.context() as patch:
        patch.setattr(
            "memories.embedding.sentence_transformers.SentenceTransformerEncoder",
            lambda key: Long(),
        )
        assert "makes vectors of 768 numbers; only models of at most 384 can be stored." in refused(
            here, "add", "some/long"
        )
    switched(here)
    assert refused(here, "switch") == "other/model serves already; back returns to fake."
    assert refused(here, "remove", OTHER) == "other/model serves, so it cannot be removed."
    assert refused(here, "add", "third/model").startswith("third/model cannot be used")


def test_of_two_switches_at_once_one_is_refused(here: Tenant) -> None:
    from concurrent.futures import ThreadPoolExecutor

    command(here, "add", OTHER)
    command(here, "backfill")

    def act(_: int) -> str:
        try:
            return model_choice.switch_model(here.id, now=NOW)
        except ModelChoiceError as error:
            return str(error)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(act, range(2)))
    assert told == [OTHER, "other/model serves already; back returns to fake."]
    assert serves(here) == OTHER


def test_a_large_organisation_waits_for_its_index(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 2)
    monkeypatch.setattr(
        organisation_indexes, "_count_vectors", lambda id_: 4 if id_ == here.id else 0
    )
    organisation_indexes.maintain_indexes()
    command(here, "add", OTHER)
    command(here, "backfill")
    assert refused(here, "switch") == (
        "The index of other/model is not built yet; maintain_indexes builds it."
    )
    name = f"further_{here.id.hex}_{OTHER_NUMBER}"
    assert name in organisation_indexes.maintain_indexes()
    command(here, "switch")
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1], "by that index"
    command(here, "remove", "fake")
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
    assert {name, f"meaning_{here.id.hex}_{FAKE}"} <= set(organisation_indexes.maintain_indexes())
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 20_000)
    with connections["owner"].cursor() as cursor:
        for index in organisation_indexes.list_indexes(here.id):
            cursor.execute(f'DROP INDEX IF EXISTS "{index.name}"')


def test_a_switch_leaves_the_other_organisation_as_it_is(
    here: Tenant, lasting_world: World, other: OtherEncoder
) -> None:
    there = lasting_world.there
    there.remember(there.robot("bolt"), TEXTS[1])
    there.embed()
    switched(here)
    other.calls.clear()
    assert search_by_meaning(there, "repairing bicycles") == [TEXTS[1]]
    assert other.calls == []
    assert (serves(there), searched(there)) == ("fake", {f"rows {FAKE}": 1})
    there.remember(there.robot("bolt"), TEXTS[0])
    there.embed()
    assert searched(there) == {f"rows {FAKE}": 2}
    command(here, "remove", "fake")
    assert searched(there) == {f"rows {FAKE}": 2}


def test_who_may_not_read_a_memory_does_not_find_it_by_the_second_model(here: Tenant) -> None:
    mina = here.person("mina")
    secret = here.remember(mina, "Otters raft in kelp.", visibility="private").id
    here.embed()
    switched(here)
    assert "Otters raft in kelp." not in search_by_meaning(here, "otters raft in kelp")
    with resolve_principal(here.robot("bolt")).scope(), connection.cursor() as cursor:
        cursor.execute("SELECT memory_id FROM memories_vector")
        assert secret not in {id_ for (id_,) in cursor.fetchall()}
    with resolve_principal(mina).scope(), connection.cursor() as cursor:
        cursor.execute("SELECT memory_id FROM memories_vector")
        assert secret in {id_ for (id_,) in cursor.fetchall()}


def test_a_memory_that_leaves_the_search_leaves_no_vector_of_any_model(here: Tenant) -> None:
    bolt = here.robot("bolt")
    switched(here)
    with resolve_principal(bolt).scope():
        first, second, third, _ = Memory.objects.order_by("id").values_list("id", flat=True)
    edit_memory(bolt, first, {"sensitive": True}, now=NOW)
    from memories.lifecycle.forget import forget_memory

    forget_memory(bolt, second, now=NOW)
    edit_memory(bolt, third, {"content": "Something else."}, now=NOW)
    with resolve_principal(bolt).scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT memory_id FROM memories_vector UNION SELECT memory_id FROM memories_embedding"
        )
        left = {id_ for (id_,) in cursor.fetchall()}
    assert not left & {first, second, third}
    assert len(left) == 1


def test_neighbours_give_back_what_was_contributed_by_either_model(here: Tenant) -> None:
    """A turn is found by the meaning of its neighbour, and no longer when that one is gone."""
    mina = here.person("mina")
    turns = [
        here.remember(
            mina, text, group="launch", conversation="walk", occurred_at=NOW, position=at
        ).id
        for at, text in enumerate(("We saw a lynx.", "Really?"))
    ]
    here.embed()
    switched(here)

    def contributed() -> float:
        """The distance of the second turn's searched vector from that of its own text."""
        with resolve_principal(mina).scope(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT v.embedding <-> (e.own + e.own) FROM memories_vector v "
                "JOIN memories_embedding e USING (organisation_id, memory_id, model) "
                "WHERE memory_id = %s",
                [turns[1]],
            )
            return float(cursor.fetchone()[0])

    assert contributed() > 0.1
    edit_memory(mina, turns[0], {"content": "Nothing."}, now=NOW)
    assert contributed() == 0, "at once, before the worker has looked"
    here.embed()
    assert contributed() > 0.1


def test_all_organisations_by_one_command(
    here: Tenant, lasting_world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    command(here, "add", OTHER)
    with pytest.raises(CommandError) as told:
        call_command("embedding_model", "pause", all=True)
    said = capsys.readouterr().out
    assert f"{here.id}: fake serves, {OTHER} is kept beside it (paused)" in said
    assert f"{here.id}" not in str(told.value), "it was done; others have no second model"
