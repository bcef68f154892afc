"""Vectors that are kept on disk by content, so that the next run need not encode again."""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from django.conf import settings

from memories.embedding import encoder_loading
from memories.embedding.encoder import Encoder, Vectors
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.query_cache import get_query_cache


class CachingEncoder:
    """The real encoder behind a store of what it has encoded before."""

    def __init__(self, inner: Encoder, file: Path) -> None:
        self.inner, self.file = inner, file
        self.name, self.dimensions = inner.name, inner.dimensions
        self.encoded, self.seconds = 0, 0.0
        self._mark = f"{inner.name}/{getattr(settings, 'ENCODER_VARIANT', '')}\n"
        self._kept: dict[bytes, Vectors] = {}
        if file.exists():
            with np.load(file) as stored:
                digests, vectors = stored["digests"], stored["vectors"]
            self._kept = {bytes(d): v for d, v in zip(digests, vectors, strict=True)}
        self._known = len(self._kept)

    def _digest(self, text: str, is_query: bool) -> bytes:
        asked = "?\n" if is_query else ""
        return hashlib.sha256((self._mark + asked + text).encode()).digest()

    def encode(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        digests = [self._digest(text, is_query) for text in texts]
        new = {d: t for d, t in zip(digests, texts, strict=True) if d not in self._kept}
        if new:
            started = time.perf_counter()
            vectors = self.inner.encode(list(new.values()), is_query=is_query)
            self.seconds += time.perf_counter() - started
            self.encoded += len(new)
            self._kept.update(zip(new, vectors, strict=True))
        return np.stack([self._kept[d] for d in digests])

    def save(self) -> None:
        """Write the store if it has grown."""
        if len(self._kept) == self._known:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        digests = np.frombuffer(b"".join(self._kept), dtype=np.uint8).reshape(-1, 32)
        partial = self.file.with_name("vectors.partial.npz")
        np.savez(partial, digests=digests, vectors=np.stack(list(self._kept.values())))
        partial.replace(self.file)
        self._known = len(self._kept)


@contextmanager
def cached_vectors(folder: Path) -> Iterator[CachingEncoder]:
    """Let the process encode through the store; the plain encoder is back afterwards."""
    plain = get_encoder()
    key = next(name for name, encoder in encoder_loading._encoders.items() if encoder is plain)
    kept = CachingEncoder(plain, folder / "vectors.npz")
    encoder_loading._encoders[key] = kept
    get_query_cache().clear()
    try:
        yield kept
    finally:
        encoder_loading._encoders[key] = plain
        get_query_cache().clear()
        kept.save()
