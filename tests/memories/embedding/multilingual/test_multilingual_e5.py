"""The encoder: with a model made here, and the real one where it is installed."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from memories.embedding import encoder_loading
from memories.embedding.bert_graph import WORDS, BertConfig, build_bert_graph
from memories.embedding.encoder import Encoder, EncoderError
from memories.embedding.encoder_loading import exit_if_encoder_unusable, get_encoder, is_built_in
from memories.embedding.exported_models import ensure_exported
from memories.embedding.multilingual.export import export_packed_model
from memories.embedding.multilingual.multilingual_e5 import MAX_TOKENS, MultilingualE5Encoder
from memories.embedding.multilingual.packed_model import PackedModel
from memories.embedding.wheel_models import wheel_catalogue
from memories.embedding.wheel_models.wheel_catalogue import (
    MULTILINGUAL_E5,
    PACKED_FILE,
    WHEEL_MODELS,
)
from tests.memories.embedding.multilingual.packed_file import write_packed_file

HOSTILE = ["", "\0", "a\0b", "😀", "\ud800", " ", "か" * 100_000, "e" * 100_000, "\U00012000" * 99]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> MultilingualE5Encoder:
    folder = tmp_path_factory.mktemp("small")
    weights = write_packed_file(folder / PACKED_FILE)
    export_packed_model(weights, folder)
    return MultilingualE5Encoder(weights, folder)


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Encoder:
    model = WHEEL_MODELS[MULTILINGUAL_E5]
    if not model.is_taken:
        pytest.skip(f"{MULTILINGUAL_E5} is not installed (make {model.target}).")
    monkeypatch.setattr(encoder_loading, "_encoders", {})
    return get_encoder(MULTILINGUAL_E5)


def test_what_is_not_installed_ends_the_start_and_says_how_to_have_it(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(encoder_loading, "_encoders", {})
    monkeypatch.setattr(wheel_catalogue, "models_folder", lambda: tmp_path)
    settings.ENCODER, settings.DATA_DIR = MULTILINGUAL_E5, str(tmp_path / "data")
    assert not is_built_in()
    with pytest.raises(EncoderError, match="make setup-multilingual"):
        get_encoder()
    with pytest.raises(SystemExit):
        exit_if_encoder_unusable()
    folder = WHEEL_MODELS[MULTILINGUAL_E5].folder
    folder.mkdir()
    (folder / PACKED_FILE).write_bytes(b"cut")
    with pytest.raises(EncoderError, match="could not export"):
        get_encoder()


def test_the_export_is_made_by_a_process_of_its_own(tmp_path: Path) -> None:
    weights = write_packed_file(tmp_path / PACKED_FILE)
    command = ("memories.embedding.multilingual.export", str(weights))
    folder = ensure_exported(weights, tmp_path / "models", command)
    names = {"fp32.onnx", "int8.onnx", "vocabulary.model"}
    assert {path.name for path in folder.iterdir()} == names
    assert MultilingualE5Encoder(weights, folder).encode(["the key"]).shape == (1, 384)


def test_a_graph_with_the_words_inside_computes_the_same(tmp_path: Path) -> None:
    packed = PackedModel(write_packed_file(tmp_path / PACKED_FILE))
    shape = BertConfig(packed.layers, packed.heads, packed.hidden, packed.epsilon)
    ids = np.array([[0, 5, 7, 6, 2]], dtype=np.int64)
    words = {WORDS: packed.word_vectors(np.arange(len(list(packed.vocabulary.pieces()))))}
    found = []
    for tensors, given in (
        (packed.tensors(), {"word_vectors": packed.word_vectors(ids[0])[np.newaxis]}),
        (packed.tensors() | words, {"input_ids": ids}),
    ):
        graph = build_bert_graph(tensors, shape)
        onnx.checker.check_model(graph, full_check=True)
        session = onnxruntime.InferenceSession(graph.SerializeToString())
        [vectors] = session.run(None, {**given, "attention_mask": np.ones_like(ids)})
        found.append(vectors[0])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


def test_a_question_and_a_passage_are_told_apart_to_the_model(
    small: MultilingualE5Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    encode = small._tokenizer.encode

    def watched(text: str, most: int) -> list[int]:
        read.append(text)
        return encode(text, most)

    monkeypatch.setattr(small._tokenizer, "encode", watched)
    question, passage = small.encode(["the key"], is_query=True), small.encode(["the key"])
    assert read == ["query: the key", "passage: the key"]
    assert not np.allclose(question, passage)
    np.testing.assert_array_equal(passage, small.encode(["the key"], is_query=False))


def test_unit_vectors_alone_and_among_others(small: MultilingualE5Encoder) -> None:
    assert isinstance(small, Encoder)
    texts = ["the key", "か鍵の", "the keys: the key"]
    together = small.encode(texts)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_array_equal(small.encode([text])[0], vector)
    assert small.encode([]).shape == (0, 384)


def test_text_beyond_its_tokens_is_not_read(small: MultilingualE5Encoder) -> None:
    long = "the key " * MAX_TOKENS
    np.testing.assert_array_equal(small.encode([long]), small.encode([long + "か" * 50_000]))
    assert not np.allclose(small.encode([long]), small.encode(["the key"]))


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_whatever_comes_has_a_vector(small: MultilingualE5Encoder, number: int) -> None:
    started = time.perf_counter()
    [vector] = small.encode([HOSTILE[number]])
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert time.perf_counter() - started < 2


@pytest.mark.model
@pytest.mark.conformance("X08")
def test_what_is_meant_is_found_in_other_languages(real: Encoder) -> None:
    texts = [
        "Der Schlüssel zum Lager hängt beim Pförtner.",
        "La salle bleue ne peut accueillir que huit personnes.",
        "佐藤さんは来月から大阪支社に転勤します。",
        "Dostawa mleka przychodzi codziennie przed szóstą rano.",
    ]
    questions = [
        "Who has the key to the warehouse?",
        "Wie viele Leute passen in den blauen Raum?",
        "¿Cuándo se muda Sato a la sucursal de Osaka?",
        "牛乳は何時に届きますか。",
    ]
    products = real.encode(questions, is_query=True) @ real.encode(texts).T
    assert products.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert products.min() > 0.6
    # Unrelated texts are as near to each other as related ones of other models.
    assert 0.7 < np.median(products) < 0.85


@pytest.mark.slow
@pytest.mark.model
def test_whatever_comes_has_a_vector_of_the_real_model(real: Encoder) -> None:
    started = time.perf_counter()
    vectors = real.encode(HOSTILE)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert time.perf_counter() - started < 5
