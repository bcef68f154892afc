import subprocess
import sys

import numpy as np
import pytest

from memories.embedding.encoder import Encoder
from memories.embedding.fake_encoder import FakeEncoder


@pytest.fixture
def encoder():
    return FakeEncoder()


def test_it_is_an_encoder_of_unit_rows(encoder):
    vectors = encoder.encode(["Alice likes tea", "", "?!", "of the and"])
    assert isinstance(encoder, Encoder)
    assert vectors.shape == (4, encoder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-6)


def test_nothing_in_gives_no_rows(encoder):
    assert encoder.encode([]).shape == (0, encoder.dimensions)


def test_texts_that_share_words_are_nearer(encoder):
    question, answer, other = encoder.encode(
        [
            "Where did Alice book the hotels?",
            "Alice booked a hotel in Rome",
            "The build fails on Tuesdays",
        ]
    )
    assert question @ answer > 0.5
    assert abs(question @ other) < 0.2


def test_small_words_hardly_count(encoder):
    first, second = encoder.encode(["what is the plan of the day", "what is the name of the cat"])
    assert first @ second < 0.2


def test_another_process_gives_the_same_vector(encoder):
    code = (
        "from memories.embedding.fake_encoder import FakeEncoder;"
        "print(FakeEncoder().encode(['Bob fixes bikes'])[0].tobytes().hex())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert there.strip() == encoder.encode(["Bob fixes bikes"])[0].tobytes().hex()
