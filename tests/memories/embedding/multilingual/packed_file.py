"""A packed model of one layer, made here: small, of the real layout, with the real width."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 384, 1, 12, 64, 512
BLOCK = 32
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
PIECES = {
    "▁": -4.0, "▁query": -3.0, "▁passage": -3.0, ":": -2.0, "▁the": -2.5, "▁key": -5.0, "s": -3.5,
    "▁k": -6.0, "e": -3.0, "y": -4.5, "key": -5.5, "鍵": -7.0, "の": -4.0, "か": -5.0, "かか": -8.0,
    "é": -6.0, "<mask>": 0.0,
}  # fmt: skip
REPLACEMENTS = {1: "", 9: " ", 10: " ", 0xA0: " ", 0xFB01: "fi", 0xFDFA: "ke ye"}


def pack_blocks(numbers: Any, scale: float) -> bytes:
    """Whole numbers in -8 to 7, as rows of blocks that have this scale."""
    rows = np.asarray(numbers, dtype=np.int64).reshape(-1, BLOCK) + 8
    halves = (rows[:, : BLOCK // 2] | rows[:, BLOCK // 2 :] << 4).astype(np.uint8)
    size = np.frombuffer(np.float16(scale).tobytes(), np.uint8)
    return np.hstack([np.tile(size, (len(rows), 1)), halves]).tobytes()


def random_tensors(words: int) -> dict[str, tuple[int, int, bytes]]:
    """Name -> (type, numbers, content)."""
    rng = np.random.default_rng(5)
    found: dict[str, tuple[int, int, bytes]] = {}

    def blocks(name: str, count: int, scale: float) -> None:
        # Mostly small, as those of real models: where most are large, a processor without the
        # instructions for int8 sums them up wrongly.
        numbers = np.clip(rng.normal(0, 2, count).round(), -8, 7)
        found[name] = (1, count, pack_blocks(numbers, scale))

    def floats(name: str, values: Any) -> None:
        found[name] = (0, np.size(values), np.asarray(values, "<f4").tobytes())

    blocks("emb.word", words * HIDDEN, 0.02)
    floats("emb.pos", rng.standard_normal(POSITIONS * HIDDEN) * 0.02)
    floats("emb.type", rng.standard_normal(2 * HIDDEN) * 0.02)
    for norm in ("emb.ln", "l0.aln", "l0.oln"):
        floats(f"{norm}.w", np.ones(HIDDEN))
        floats(f"{norm}.b", np.zeros(HIDDEN))
    sizes = {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN)}
    sizes |= {"ao": (HIDDEN, HIDDEN), "fi": (INNER, HIDDEN), "fo": (HIDDEN, INNER)}
    for name, (rows, columns) in sizes.items():
        blocks(f"l0.{name}.w", rows * columns, 0.01)
        floats(f"l0.{name}.b", np.zeros(rows))
    return found


def write_packed_file(
    path: Path,
    *,
    pieces: Mapping[str, float] = PIECES,
    tensors: Mapping[str, tuple[int, int, bytes]] | None = None,
    left_out: Sequence[str] = (),
) -> Path:
    """Write the file; left_out: names of tensors."""
    scores = dict.fromkeys(SPECIAL, 0.0) | dict(pieces)
    content = random_tensors(len(scores)) if tensors is None else tensors
    kept = {name: one for name, one in content.items() if name not in left_out}
    texts = [piece.encode() for piece in scores]
    offsets = np.cumsum([0, *map(len, texts)])
    head = b"E5S1" + struct.pack(
        "<I7ifi", 1, HIDDEN, LAYERS, HEADS, INNER, len(scores), POSITIONS, 2, 1e-12, BLOCK
    )
    head += struct.pack("<5iQ", len(scores), 0, 2, 1, 3, int(offsets[-1]))
    head += offsets.astype("<u4").tobytes() + np.array([*scores.values()], "<f4").tobytes()
    head += b"".join(texts)
    changed = b"".join(
        struct.pack(f"<IB{len(text)}I", point, len(text), *map(ord, text))
        for point, text in REPLACEMENTS.items()
    )
    head += struct.pack("<iI", len(REPLACEMENTS), len(changed)) + changed
    at = len(head) + 4 + sum(2 + len(name) + 21 for name in kept)
    directory, body = struct.pack("<i", len(kept)), b""
    for name, (kind, numbers, data) in kept.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, numbers, at + len(body), len(data))
        body += data
    path.write_bytes(head + directory + body)
    return path
