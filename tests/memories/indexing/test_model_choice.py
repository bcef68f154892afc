"""The embedding model of one organisation is changed while it is in use, and back."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError
from django.db import connections

from memories import tasks
from memories.curation.edit_memory import edit_memory
from memories.embedding import encoder_loading
from memories.embedding.encoder import Vectors
from memories.indexing import (
    embed_worker,
    model_choice,
    model_switch,
)
from memories.indexing.models import Pending
from memories.retrieval.candidates import scan_rows as scan_module
from memories.review.models import Proposal, ProposalCause
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.memories.indexing.second_model import (
    FAKE,
    OTHER,
    OTHER_NUMBER,
    TEXTS,
    OtherEncoder,
    ShortEncoder,
    command,
    explain_by_meaning,
    fill,
    numbers,
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


def test_a_model_is_added_filled_switched_to_switched_back_and_removed(
    here: Tenant, other: OtherEncoder, capsys: pytest.CaptureFixture[str]
) -> None:
    command(here, "status")
    assert "fake serves alone, 4 memories" in capsys.readouterr().out
    command(here, "add", OTHER)
    assert searched(here) == {f"rows {FAKE}": 4}
    assert "4 of 4 memories have no vector of other/model yet." in refused(here, "switch")
    command(here, "backfill")
    capsys.readouterr()
    command(here, "status")
    said = capsys.readouterr().out
    assert f"fake serves, {OTHER} is kept beside it (ready): 4 of 4 memories" in said
    both = {f"rows {FAKE}": 4, f"beside {OTHER_NUMBER}": 4}
    assert searched(here) == both
    other.calls.clear()
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
    assert other.calls == [], "the first model serves"

    command(here, "switch")
    assert searched(here) == both, "nothing is moved"
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
    assert len(search_by_meaning(here, "alarm")) == 4
    assert other.calls == [["repairing bicycles"], ["alarm"]]
    command(here, "back")
    other.calls.clear()
    assert search_by_meaning(here, "invoices approved")[0] == TEXTS[2]
    assert other.calls == []
    command(here, "switch")
    command(here, "remove", "fake")
    assert searched(here) == {f"rows {OTHER_NUMBER}": 4}
    assert set(map(frozenset, numbers(here).values())) == {frozenset({OTHER_NUMBER})}
    assert search_by_meaning(here, "a heron among reeds")[0] == TEXTS[3]
    assert model_choice.find_model_status(here.id).state == "alone"
    here.remember(here.robot("bolt"), "A kettle boils.")
    here.embed()
    assert searched(here) == {f"rows {OTHER_NUMBER}": 5}
    with resolve_principal(here.person("ada")).scope():
        trail = list(
            AuditEntry.objects.filter(action__startswith="encoder.")
            .order_by("id")
            .values_list("action", "detail")
        )
    assert [action.partition(".")[2] for action, _ in trail] == [
        *("switched", "switched_back", "switched", "removed")
    ]
    assert trail[0][1] == {"model": OTHER, "before": "fake"}


@pytest.mark.conformance("O09", open="another dimension above 384")
def test_a_model_of_another_dimension_is_switched_to_and_back(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = ShortEncoder()
    monkeypatch.setitem(encoder_loading._encoders, OTHER, encoder_loading.fit_to_columns(short))
    questions = ("repairing bicycles", "when does the alarm code change?")
    before = [dict(explain_by_meaning(here, question)) for question in questions]
    command(here, "add", OTHER)
    command(here, "backfill")
    assert [dict(explain_by_meaning(here, question)) for question in questions] == before
    command(here, "switch")
    found = [explain_by_meaning(here, question) for question in questions]
    vectors = short.encode([*TEXTS, *questions])
    for question, hits in zip(vectors[len(TEXTS) :], found, strict=True):
        assert len(hits) == 4, "no answer is short"
        for content, similarity in hits:
            expected = float(vectors[TEXTS.index(content)] @ question)
            assert similarity == pytest.approx(expected, abs=2e-3), "zeros change no product"
    command(here, "back")
    assert [dict(explain_by_meaning(here, question)) for question in questions] == before


def test_what_is_removed_before_it_served_leaves_nothing(here: Tenant) -> None:
    command(here, "add", OTHER)
    command(here, "backfill")
    command(here, "remove", OTHER)
    assert searched(here) == {f"rows {FAKE}": 4}
    assert set(map(frozenset, numbers(here).values())) == {frozenset({FAKE})}
    command(here, "add", OTHER)
    assert "4 of 4" in refused(here, "switch")


def test_new_and_changed_texts_get_both_vectors_before_and_after_the_switch(here: Tenant) -> None:
    bolt = here.robot("bolt")
    command(here, "add", OTHER)
    command(here, "pause")
    new = here.remember(bolt, "A kettle boils.").id
    here.embed()
    assert numbers(here)[new] == {FAKE, OTHER_NUMBER}
    edit_memory(bolt, new, {"content": "Pelicans fish at dawn."}, now=NOW)
    here.embed()
    command(here, "backfill")
    command(here, "switch")
    assert search_by_meaning(here, "pelicans fish")[0] == "Pelicans fish at dawn."
    edit_memory(bolt, new, {"content": "Marmots sleep in winter."}, now=NOW)
    later = here.remember(bolt, "Two marmots whistle.").id
    here.embed()
    assert numbers(here)[later] == {FAKE, OTHER_NUMBER}
    assert "Pelicans" not in " ".join(search_by_meaning(here, "pelicans fish")[:1])
    assert "armots" in search_by_meaning(here, "marmots sleep")[0]
    command(here, "back")
    assert "armots" in search_by_meaning(here, "marmots sleep")[0], "the first was kept up to date"
    assert searched(here) == {f"rows {FAKE}": 6, f"beside {OTHER_NUMBER}": 6}


def test_a_recall_that_has_begun_ends_on_its_model_and_the_next_takes_the_new_one(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The switch is committed between the question's vector and the scan."""
    command(here, "add", OTHER)
    command(here, "backfill")
    plain: Callable[..., Any] = scan_module.fetch_pipelined
    asked: list[int] = []

    def between(statements: Any) -> Any:
        asked.append(statements[-1][1]["model"])
        if len(asked) == 1:
            model_choice.switch_model(here.id, now=NOW)
        return plain(statements)

    monkeypatch.setattr(scan_module, "fetch_pipelined", between)
    # The switch is an act of another connection; here it is one of another thread.
    real = model_choice.switch_model

    def elsewhere(organisation_id: UUID, *, now: Any) -> Any:
        def act() -> str:
            try:
                return real(organisation_id, now=now)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(act).result(60)

    monkeypatch.setattr(model_choice, "switch_model", elsewhere)
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
    assert serves(here) == OTHER
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
    assert asked == [FAKE, OTHER_NUMBER]


def test_no_memory_is_missed_at_any_step_of_the_change(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recalls between all portions of filling and moving: always as many as were asked for, and the
    first one by meaning."""
    monkeypatch.setattr(model_switch, "FILL_BATCH_SIZE", 1)
    monkeypatch.setattr(model_choice, "CLEAN_BATCH_SIZE", 1)

    def check() -> None:
        assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
        assert len(search_by_meaning(here, "alarm")) == 4

    for module, name in ((model_switch, "_store_portion"), (model_choice, "_clean_portion")):
        plain = getattr(module, name)

        def checked(*args: Any, plain: Any = plain) -> Any:
            done = plain(*args)
            check()
            return done

        monkeypatch.setattr(module, name, checked)
    switched(here)
    check()
    command(here, "remove", "fake")
    check()
    assert searched(here) == {f"rows {OTHER_NUMBER}": 4}


def test_filling_that_breaks_off_goes_on_where_it_was(
    here: Tenant, other: OtherEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_switch, "FILL_BATCH_SIZE", 1)
    command(here, "add", OTHER)
    plain = OtherEncoder.encode

    def killed(self: OtherEncoder, texts: Sequence[str], **_: bool) -> Vectors:
        if len(self.calls) == 2:
            raise KeyboardInterrupt
        return plain(self, texts)

    monkeypatch.setattr(OtherEncoder, "encode", killed)
    with pytest.raises(CommandError, match="run it again to go on"):
        command(here, "backfill")
    assert searched(here)[f"beside {OTHER_NUMBER}"] == 2
    assert model_choice.find_model_status(here.id).missing == 2
    assert "2 of 4" in refused(here, "switch")
    monkeypatch.setattr(OtherEncoder, "encode", plain)
    other.calls.clear()
    assert fill(here) == 4, "the same job, in which two were done"
    assert len(other.calls) == 2, "what was stored is not made again"
    command(here, "switch")


def test_cleaning_that_breaks_off_goes_on_where_it_was(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_choice, "CLEAN_BATCH_SIZE", 1)
    switched(here)
    plain, done = model_choice._clean_portion, []

    def killed(organisation_id: UUID) -> int:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(plain(organisation_id))
        return done[-1]

    monkeypatch.setattr(model_choice, "_clean_portion", killed)
    with pytest.raises(KeyboardInterrupt):
        command(here, "remove", "fake")
    assert searched(here) == {
        f"rows {FAKE}": 2, f"rows {OTHER_NUMBER}": 2, f"beside {OTHER_NUMBER}": 2,
    }  # fmt: skip
    assert model_choice.find_model_status(here.id).state == "removing"
    assert refused(here, "add", "fake") == "The vectors of a removed model are still being deleted."
    monkeypatch.setattr(model_choice, "_clean_portion", plain)
    tasks.sweep_second_models()
    assert searched(here) == {f"rows {OTHER_NUMBER}": 4}
    assert model_choice.find_model_status(here.id).state == "alone"


def test_the_second_model_that_fails_holds_up_nobody(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(here, "add", OTHER)
    command(here, "backfill")

    def failing(self: OtherEncoder, texts: Sequence[str], **_: bool) -> Vectors:
        raise ValueError("too much")

    with monkeypatch.context() as patch:
        patch.setattr(OtherEncoder, "encode", failing)
        new = here.remember(here.robot("bolt"), "A kettle boils.").id
        here.embed()
        assert numbers(here)[new] == {FAKE}
        with resolve_principal(here.robot("bolt")).scope():
            assert not Pending.objects.exists()
        assert refused(here, "backfill") == "The second embedding model refused texts."
    assert "1 of 5" in refused(here, "switch")
    command(here, "backfill")
    command(here, "switch")


def test_a_worker_that_encoded_for_the_models_of_before_stores_nothing(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second model is removed while its vectors of new memories are computed."""
    switched(here)
    new = here.remember(here.robot("bolt"), "A kettle boils.").id
    plain = embed_worker._encode

    def removed_meanwhile(*args: Any) -> Any:
        found = plain(*args)
        monkeypatch.setattr(embed_worker, "_encode", plain)
        command(here, "remove", "fake")
        return found

    monkeypatch.setattr(embed_worker, "_encode", removed_meanwhile)
    here.embed()
    assert numbers(here)[new] == {OTHER_NUMBER}
    assert searched(here) == {f"rows {OTHER_NUMBER}": 5}


def test_near_duplicates_are_found_by_the_model_that_serves(here: Tenant) -> None:
    """Before and after its vectors move into the narrow rows."""
    bolt = here.robot("bolt")

    def proposed() -> int:
        with resolve_principal(bolt).scope():
            return Proposal.objects.filter(cause=ProposalCause.DUPLICATE).count()

    switched(here)
    here.remember(bolt, "Bob repairs bicycles in our old harbour.")
    here.embed()
    assert proposed() == 1
    command(here, "remove", "fake")
    here.remember(bolt, "The heron stands in our reeds.")
    here.embed()
    assert proposed() == 2


def test_a_vector_that_moves_while_it_is_looked_for_is_found(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The move is committed between the two statements of a scan."""
    switched(here)
    model_choice.remove_model(here.id, "fake", now=NOW)
    plain: Callable[..., Any] = scan_module.fetch_pipelined

    def move() -> None:
        try:
            model_choice._clean_portion(here.id)
        finally:
            connections.close_all()

    def between(statements: Any) -> Any:
        first = plain(statements[:1])
        with ThreadPoolExecutor(1) as pool:
            pool.submit(move).result(60)
        return [*first, *plain(statements[1:])]

    monkeypatch.setattr(scan_module, "fetch_pipelined", between)
    before = searched(here)
    assert search_by_meaning(here, "repairing bicycles")[0] == TEXTS[1]
    assert before == {f"rows {FAKE}": 4, f"beside {OTHER_NUMBER}": 4}
    assert searched(here) == {f"rows {OTHER_NUMBER}": 4}
