"""bge-small-en-v1.5: the real one where it is installed, and what happens where it is not."""

import numpy as np
import pytest

from memories.embedding import encoder_loading
from memories.embedding.encoder import Encoder, EncoderError
from memories.embedding.encoder_loading import exit_if_encoder_unusable, get_encoder, is_built_in
from memories.embedding.wheel_models import wheel_catalogue
from memories.embedding.wheel_models.bge import BgeSmallEncoder
from memories.embedding.wheel_models.wheel_catalogue import BGE_SMALL, WHEEL_MODELS

TEXTS = ["A dog barks.", "A hound is barking.", "The invoice is due on Friday."]


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(encoder_loading, "_encoders", {})


@pytest.fixture
def bge():
    if not WHEEL_MODELS[BGE_SMALL].is_taken:
        pytest.skip(f"{BGE_SMALL} is not installed (make setup-bge).")
    return get_encoder(BGE_SMALL)


def test_what_is_not_installed_ends_the_start_and_says_how_to_have_it(
    settings, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(wheel_catalogue, "models_folder", lambda: tmp_path)
    settings.ENCODER = BGE_SMALL
    assert not is_built_in()
    assert is_built_in("minilm")
    with pytest.raises(EncoderError, match="make setup-bge"):
        get_encoder()
    with pytest.raises(SystemExit):
        exit_if_encoder_unusable()
    folder = WHEEL_MODELS[BGE_SMALL].folder
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"cut")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(EncoderError, match="cannot load"):
        get_encoder()


@pytest.mark.model
def test_it_makes_unit_vectors_by_meaning(bge):
    assert isinstance(bge, BgeSmallEncoder)
    assert isinstance(bge, Encoder)
    vectors = bge.encode(TEXTS)
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.85
    assert cosines[0, 2] < 0.7
    assert bge.encode([]).shape == (0, 384)


@pytest.mark.model
def test_a_text_has_one_vector_alone_and_among_others(bge):
    together = bge.encode(TEXTS * 3)
    for place, text in enumerate(TEXTS * 3):
        np.testing.assert_array_equal(bge.encode([text])[0], together[place])


@pytest.mark.model
def test_text_beyond_its_tokens_is_not_read(bge):
    long = "word " * 300
    np.testing.assert_array_equal(bge.encode([long])[0], bge.encode([long + TEXTS[0]])[0])
