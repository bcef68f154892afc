from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import numpy as np
import pytest

from memories.embedding import query_cache as embedding_query_cache
from memories.embedding.fake_encoder import FakeEncoder
from memories.embedding.query_cache import QueryCache, encode_query, get_query_cache


class Counting:
    def __init__(self):
        self.texts = []

    def __call__(self, text):
        self.texts.append(text)
        return np.full(2, len(text), dtype=np.float32)


@pytest.fixture
def encode():
    return Counting()


def test_the_second_time_is_a_hit(encode):
    kept = QueryCache(10)
    first, second = kept.get("m", "tea", encode), kept.get("m", "tea", encode)
    assert first is second
    assert encode.texts == ["tea"]
    assert (kept.hits, kept.misses) == (1, 1)


def test_models_do_not_mix(encode):
    kept = QueryCache(10)
    kept.get("one", "tea", encode)
    kept.get("two", "tea", encode)
    assert kept.misses == 2


def test_nobody_finds_that_another_has_asked_it(encode):
    """An answer that comes faster would tell it."""
    kept = QueryCache(10)
    bob, mina = uuid4(), uuid4()
    for reader in (bob, mina, bob, mina, None):
        kept.get("m", "Is there help with a divorce?", encode, reader)
    assert (kept.hits, kept.misses) == (2, 3)


def test_the_least_recently_used_goes_first(encode):
    kept = QueryCache(2)
    for text in ("a", "b", "a", "c", "a", "b"):
        kept.get("m", text, encode)
    assert encode.texts == ["a", "b", "c", "b"]
    assert len(kept) == 2


def test_size_zero_keeps_nothing(encode):
    kept = QueryCache(0)
    kept.get("m", "a", encode)
    kept.get("m", "a", encode)
    assert (len(kept), kept.misses) == (0, 2)


def test_nobody_can_change_a_kept_vector(encode):
    vector = QueryCache(1).get("m", "a", encode)
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 0


def test_many_threads_lose_no_count(encode):
    kept = QueryCache(8)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: kept.get("m", str(n % 20), encode), range(2000)))
    assert kept.hits + kept.misses == 2000
    assert len(kept) == 8


def test_encode_query_uses_the_configured_encoder_and_size(settings, monkeypatch):
    settings.ENCODER = "fake"
    settings.ENCODER_QUERY_CACHE = 3
    monkeypatch.setattr(embedding_query_cache, "_cache", None)
    vectors = [encode_query(text) for text in ("a cat", "a cat", "a dog")]
    assert vectors[0] is vectors[1]
    assert vectors[0].shape == (384,)
    assert (get_query_cache().hits, get_query_cache().misses, get_query_cache().size) == (1, 2, 3)
    get_query_cache().clear()
    assert (get_query_cache().hits, len(get_query_cache())) == (0, 0)


def test_a_question_is_encoded_as_one(settings, monkeypatch):
    asked = []

    class Watched(FakeEncoder):
        def encode(self, texts, *, is_query=False):
            asked.append((texts, is_query))
            return super().encode(texts, is_query=is_query)

    settings.ENCODER = "fake"
    monkeypatch.setattr(embedding_query_cache, "_cache", None)
    monkeypatch.setattr(embedding_query_cache, "get_encoder", lambda model: Watched())
    encode_query("Who has the key?")
    assert asked == [(["Who has the key?"], True)]


@pytest.fixture
def clock(monkeypatch):
    """The cache's seconds, set by hand: clock[0]."""
    seconds = [1_000.0]
    monkeypatch.setattr(embedding_query_cache.time, "monotonic", lambda: seconds[0])
    return seconds


@pytest.fixture
def marks(monkeypatch):
    """What lies under the mark that all processes share."""
    shared = {}
    near = type("Near", (), {"get": shared.get, "set": lambda k, v, timeout: shared.update({k: v})})
    monkeypatch.setattr(embedding_query_cache, "cache", near)
    return shared


@pytest.mark.usefixtures("marks")
def test_no_question_is_kept_for_longer_than_fifteen_minutes(encode, clock):
    kept = QueryCache(10)
    kept.get("m", "tea", encode)
    clock[0] += 899
    kept.get("m", "tea", encode)
    kept.get("m", "milk", encode)
    clock[0] += embedding_query_cache.CHECK_INTERVAL_SECONDS
    kept.get("m", "sugar", encode)
    assert len(kept) == 2, "also what nobody asks again goes"
    kept.get("m", "milk", encode)
    kept.get("m", "tea", encode)
    assert encode.texts == ["tea", "milk", "sugar", "tea"], "a use makes it no younger"


@pytest.mark.usefixtures("marks")
def test_every_process_forgets_at_its_next_look(encode, clock):
    one, other = QueryCache(10), QueryCache(10)
    for kept in (one, other):
        kept.get("m", "tea", encode)
    embedding_query_cache.invalidate_query_caches()
    one.get("m", "milk", encode)
    assert len(one) == 2, "it looks every five seconds"
    clock[0] += 5
    for kept in (one, other):
        kept.get("m", "milk", encode)
        assert len(kept) == 1
    one.get("m", "tea", encode)
    clock[0] += 5
    one.get("m", "milk", encode)
    assert len(one) == 2, "once for each time that it was said"
