"""The file of a packed BERT: a Unigram vocabulary and the weights in 4 bits.

Little-endian: "E5S1", the version, seven sizes, epsilon, the block size; the vocabulary (number of
pieces, ids of <s>, </s>, <pad> and <unk>, offsets, log-probabilities, the pieces in UTF-8); what
single characters are replaced with; then a directory of tensors. A matrix is kept in blocks of 32
numbers: a scale in 16 bits and 16 bytes, byte j with number j in its low and number j + 16 in its
high half, each 8 more than it is.
"""

import mmap
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.embedding.encoder import Vectors

MAGIC, VERSION, BLOCK_SIZE = b"E5S1", 1, 32
_BLOCK = np.dtype([("scale", "<f2"), ("numbers", "u1", BLOCK_SIZE // 2)])
_OFFSET_OF_NUMBERS = 8
_FLOATS, _BLOCKS = 0, 1
# The names of the file, and those that BertModel gives the same tensors.
_EMBEDDING_NAMES = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LAYER_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class PackedModelError(Exception):
    """The file is not a packed model, or is cut; the message says what is wrong."""


def dequantise(blocks: NDArray[Any]) -> Vectors:
    """Blocks (rows, n) to float32 (rows, 32 n)."""
    packed = blocks["numbers"]
    numbers = np.concatenate([packed & 0x0F, packed >> 4], axis=-1).astype(np.float32)
    numbers -= _OFFSET_OF_NUMBERS
    numbers *= blocks["scale"].astype(np.float32)[..., np.newaxis]
    return numbers.reshape(len(blocks), -1)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """text: all pieces in UTF-8, piece i from offsets[i] to offsets[i + 1]. scores: their
    log-probabilities. replacements: by code point, as for str.translate. start, end, padding,
    unknown: ids."""

    text: memoryview
    offsets: NDArray[np.uint32]
    scores: NDArray[np.float32]
    replacements: Mapping[int, str]
    start: int
    end: int
    padding: int
    unknown: int

    def pieces(self) -> Iterator[tuple[str, float]]:
        """Each piece with its log-probability, in the order of the ids."""
        ends = self.offsets.tolist()
        for start, end, score in zip(ends, ends[1:], self.scores.tolist(), strict=False):
            yield str(self.text[start:end], "utf-8"), score


class PackedModel:
    """Maps the file into memory: processes share its pages, and only what is read is loaded.

    hidden, layers, heads, epsilon: as BertConfig has them. Raises PackedModelError.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            try:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                raise PackedModelError("the file is empty") from None
        self._at = 0
        try:
            self._read()
        except (struct.error, UnicodeDecodeError, ValueError) as error:
            raise PackedModelError(f"the file is cut: {error}") from error

    def word_vectors(self, ids: NDArray[np.int64]) -> Vectors:
        """The vectors of tokens, float32 (len(ids), hidden)."""
        return dequantise(self._words[ids])

    def tensors(self) -> dict[str, Vectors]:
        """All weights but the word vectors, float32, by the names that BertModel gives them."""
        return {name: self._tensor(key) for key, name in self._names()}

    def _names(self) -> Iterator[tuple[str, str]]:
        yield from _EMBEDDING_NAMES.items()
        for layer in range(self.layers):
            for short, name in _LAYER_NAMES.items():
                for end, kind in (("w", "weight"), ("b", "bias")):
                    yield f"l{layer}.{short}.{end}", f"encoder.layer.{layer}.{name}.{kind}"

    def _read(self) -> None:
        if self._data[: len(MAGIC)] != MAGIC:
            raise PackedModelError("it does not begin as a packed model does")
        self._at = len(MAGIC)
        [version] = self._unpack("I")
        self.hidden, self.layers, self.heads, self._inner, words, _, _ = self._unpack("7i")
        self.epsilon, block = self._unpack("fi")
        if (version, block) != (VERSION, BLOCK_SIZE):
            raise PackedModelError(f"version {version} with blocks of {block} is not read here")
        self.vocabulary = self._read_vocabulary()
        self._directory = dict(self._read_directory())
        self._words = self._blocks("emb.word").reshape(words, self.hidden // BLOCK_SIZE)

    def _read_vocabulary(self) -> Vocabulary:
        count, start, end, padding, unknown = self._unpack("5i")
        [length] = self._unpack("Q")
        offsets = self._array("<u4", count + 1)
        scores = self._array("<f4", count)
        text = memoryview(self._data)[self._at : self._at + length]
        self._at += length
        changed, _ = self._unpack("iI")
        replacements = {}
        for _ in range(changed):
            point, size = self._unpack("IB")
            replacements[point] = "".join(map(chr, self._unpack(f"{size}I")))
        return Vocabulary(text, offsets, scores, replacements, start, end, padding, unknown)

    def _read_directory(self) -> Iterator[tuple[str, tuple[int, int, int]]]:
        """Name -> (type, numbers, offset)."""
        [count] = self._unpack("i")
        for _ in range(count):
            [length] = self._unpack("H")
            name = self._data[self._at : self._at + length].decode()
            self._at += length
            kind, numbers, offset, size = self._unpack("BIQQ")
            if offset + size > len(self._data):
                raise PackedModelError(f"the file is cut in {name}")
            yield name, (kind, numbers, offset)

    def _tensor(self, key: str) -> Vectors:
        kind, numbers, offset = self._entry(key)
        if kind == _BLOCKS:
            rows = self._inner if key.endswith(".fi.w") else self.hidden
            return dequantise(self._blocks(key).reshape(rows, -1))
        values: Vectors = np.frombuffer(self._data, "<f4", numbers, offset)
        return values.reshape(-1, self.hidden) if key in ("emb.pos", "emb.type") else values

    def _blocks(self, key: str) -> NDArray[Any]:
        kind, numbers, offset = self._entry(key)
        if kind != _BLOCKS:
            raise PackedModelError(f"{key} is not kept in blocks")
        return np.frombuffer(self._data, _BLOCK, numbers // BLOCK_SIZE, offset)

    def _entry(self, key: str) -> tuple[int, int, int]:
        try:
            return self._directory[key]
        except KeyError:
            raise PackedModelError(f"it holds no {key}") from None

    def _unpack(self, what: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{what}", self._data, self._at)
        self._at += struct.calcsize(f"<{what}")
        return values

    def _array(self, kind: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self._data, kind, count, self._at)
        self._at += values.nbytes
        return values
