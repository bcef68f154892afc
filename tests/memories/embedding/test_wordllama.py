"""wordllama-l2-supercat, a model of 256 numbers: the real one where it is installed."""

import numpy as np
import pytest

from memories.embedding import encoder_loading
from memories.embedding.encoder import Encoder, EncoderError
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.wheel_models import wheel_catalogue
from memories.embedding.wheel_models.wheel_catalogue import WHEEL_MODELS, WORDLLAMA
from memories.embedding.wheel_models.wordllama import WordLlamaEncoder

TEXTS = ["A dog barks.", "A hound is barking.", "The invoice is due on Friday."]


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_loading, "_encoders", {})


@pytest.fixture
def wordllama() -> Encoder:
    if not WHEEL_MODELS[WORDLLAMA].is_taken:
        pytest.skip(f"{WORDLLAMA} is not installed (make setup-wordllama).")
    return get_encoder(WORDLLAMA)


def test_what_is_not_installed_says_how_to_have_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(wheel_catalogue, "models_folder", lambda: tmp_path)
    with pytest.raises(EncoderError, match="make setup-wordllama"):
        get_encoder(WORDLLAMA)
    folder = WHEEL_MODELS[WORDLLAMA].folder
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"cut")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(EncoderError, match="cannot load"):
        get_encoder(WORDLLAMA)


def test_its_vectors_fill_the_columns(wordllama: Encoder) -> None:
    assert isinstance(wordllama, Encoder)
    vectors = wordllama.encode(TEXTS)
    assert vectors.shape == (3, wordllama.dimensions) == (3, 384)
    assert vectors.dtype == np.float32
    assert not vectors[:, 256:].any()
    np.testing.assert_array_equal(vectors[:, :256], WordLlamaEncoder().encode(TEXTS))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.5
    assert cosines[0, 2] < 0.3
    assert wordllama.encode([]).shape == (0, 384)


def test_each_text_has_a_vector_and_long_ones_end(wordllama: Encoder) -> None:
    nothing, blank = wordllama.encode(["", " \n"])
    assert np.linalg.norm(nothing) == pytest.approx(1)
    assert np.linalg.norm(blank) == pytest.approx(1)
    long = "word " * 300
    np.testing.assert_array_equal(*wordllama.encode([long, long + TEXTS[0]]))
    unbroken = "x" * 1_000_000
    np.testing.assert_array_equal(*wordllama.encode([unbroken, unbroken[:5_000]]))
