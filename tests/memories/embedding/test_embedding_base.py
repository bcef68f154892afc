import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from memories.embedding import encoder_loading as embedding_encoders
from memories.embedding.encoder import EncoderError
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.fake_encoder import FakeEncoder


@pytest.fixture(autouse=True)
def no_encoders(monkeypatch):
    monkeypatch.setattr(embedding_encoders, "_encoders", {})


def test_the_setting_names_the_encoder(settings):
    settings.ENCODER = "fake"
    assert isinstance(get_encoder(), FakeEncoder)


def test_a_stored_model_name_leads_back_to_its_encoder():
    assert get_encoder(FakeEncoder.name) is get_encoder("fake")


def test_threads_that_start_at_once_build_one(monkeypatch):
    built = []
    monkeypatch.setattr(
        embedding_encoders, "_build", lambda key: built.append(key) or FakeEncoder()
    )
    with ThreadPoolExecutor(8) as pool:
        encoders = set(pool.map(lambda _: get_encoder("fake"), range(64)))
    assert len(encoders) == len(built) == 1


def test_a_forked_child_builds_its_own():
    get_encoder("fake")
    embedding_encoders._reset_after_fork()
    assert embedding_encoders._encoders == {}
    assert hasattr(os, "register_at_fork")


def test_an_unknown_model_is_refused_in_words():
    pytest.importorskip("sentence_transformers")
    with pytest.raises(EncoderError, match="no-such-model"):
        get_encoder("no-such-model")
