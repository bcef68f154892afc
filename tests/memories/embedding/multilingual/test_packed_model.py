"""What is read of a packed model, and what is said of a file that is none."""

from pathlib import Path

import numpy as np
import pytest

from memories.embedding.multilingual.packed_model import PackedModel, PackedModelError, dequantise
from tests.memories.embedding.multilingual.packed_file import (
    HIDDEN,
    INNER,
    PIECES,
    REPLACEMENTS,
    SPECIAL,
    pack_blocks,
    write_packed_file,
)

_BLOCK = [("scale", "<f2"), ("numbers", "u1", 16)]


def test_a_block_is_its_scale_times_its_numbers_less_eight() -> None:
    # Written by hand: the scale .5 in 16 bits; byte 0 has 0xF1, so number 0 is 1 - 8 and number 16
    # is 15 - 8; every other byte has 0x88, which is 0 and 0.
    content = bytes([0x00, 0x38, 0xF1]) + bytes([0x88] * 15)
    [row] = dequantise(np.frombuffer(content, _BLOCK).reshape(1, 1))
    expected = np.zeros(32, dtype=np.float32)
    expected[0], expected[16] = -3.5, 3.5
    np.testing.assert_array_equal(row, expected)
    assert row.dtype == np.float32


def test_numbers_come_back_as_they_were_packed() -> None:
    numbers = np.random.default_rng(1).integers(-8, 8, (7, 96))
    blocks = np.frombuffer(pack_blocks(numbers, 0.25), _BLOCK).reshape(7, 3)
    np.testing.assert_array_equal(dequantise(blocks), numbers * np.float32(0.25))


def test_the_vocabulary_and_the_tensors_are_read(tmp_path: Path) -> None:
    packed = PackedModel(write_packed_file(tmp_path / "packed.bin"))
    words = packed.vocabulary
    assert dict(words.pieces()) == dict.fromkeys(SPECIAL, 0.0) | PIECES
    assert (words.start, words.padding, words.end, words.unknown) == (0, 1, 2, 3)
    assert words.replacements == REPLACEMENTS
    tensors = packed.tensors()
    assert tensors["embeddings.position_embeddings.weight"].shape == (512, HIDDEN)
    assert tensors["encoder.layer.0.intermediate.dense.weight"].shape == (INNER, HIDDEN)
    assert tensors["encoder.layer.0.output.dense.weight"].shape == (HIDDEN, INNER)
    assert len(tensors) == 4 + 16
    vectors = packed.word_vectors(np.array([3, 5, 3]))
    assert vectors.shape == (3, HIDDEN)
    np.testing.assert_array_equal(vectors[0], vectors[2])
    assert not np.array_equal(vectors[0], vectors[1])


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "packed.bin"
    whole = write_packed_file(file).read_bytes()
    for content in (b"", b"E5S1", b"else" * 100, whole[:100], whole[:500], whole[:-10_000]):
        file.write_bytes(content)
        with pytest.raises(PackedModelError):
            PackedModel(file).tensors()
    file.write_bytes(whole[:4] + b"\x02" + whole[5:])
    with pytest.raises(PackedModelError, match="version 2"):
        PackedModel(file)


def test_a_tensor_that_lacks_is_named(tmp_path: Path) -> None:
    packed = PackedModel(write_packed_file(tmp_path / "packed.bin", left_out=["l0.v.b"]))
    with pytest.raises(PackedModelError, match=r"holds no l0\.v\.b"):
        packed.tensors()
