"""A small cache of query vectors: people and robots ask the same thing again and again."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from django.conf import settings

from memories.embedding.encoders import get_encoder
from memories.embedding.interface import EncoderError, Vectors

DEFAULT_SIZE = 2048


class QueryCache:
    """Least-recently-used vectors by (model, text); every method is safe between threads.

    A vector is handed out read-only, because every caller gets the same array.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.hits = 0
        self.misses = 0
        self._vectors: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many vectors are kept."""
        return len(self._vectors)

    def get(self, model: str, text: str, encode: Callable[[str], Vectors]) -> Vectors:
        """Return the vector of `text`, computing it with `encode` when it is not kept."""
        key = (model, text)
        with self._lock:
            if (vector := self._vectors.get(key)) is not None:
                self._vectors.move_to_end(key)
                self.hits += 1
                return vector
            self.misses += 1
        # Outside the lock: one slow query must not hold up those that are already known.
        vector = encode(text)
        vector.flags.writeable = False
        with self._lock:
            self._vectors[key] = vector
            while len(self._vectors) > self.size:
                self._vectors.popitem(last=False)
        return vector

    def clear(self) -> None:
        """Forget every vector and start counting again."""
        with self._lock:
            self._vectors.clear()
            self.hits = self.misses = 0


_cache: QueryCache | None = None


def query_cache() -> QueryCache:
    """Return the process's cache; its size is the setting ENCODER_QUERY_CACHE (vectors)."""
    global _cache  # noqa: PLW0603 - one for the process, made when settings are ready
    if _cache is None:
        _cache = QueryCache(getattr(settings, "ENCODER_QUERY_CACHE", DEFAULT_SIZE))
    return _cache


def encode_query(text: str, model: str | None = None) -> Vectors:
    """Return the unit vector (dimensions,) of a query by the default or the named encoder.

    Raises EncoderError, whatever the model's library raised.
    """
    encoder = get_encoder(model)
    try:
        return query_cache().get(encoder.name, text, lambda t: encoder.encode([t])[0])
    except EncoderError:
        raise
    except Exception as error:
        # The class alone: a library's message may quote the text.
        raise EncoderError(f"the encoder failed: {type(error).__name__}") from error
