"""A small cache of query vectors, because the same questions are asked often.

Each reader finds only their own: a question that is answered faster would tell that somebody else
has just asked it in the same words.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from uuid import UUID, uuid4

from django.conf import settings
from django.core.cache import cache

from memories.embedding.encoder import EncoderError, Vectors
from memories.embedding.encoder_loading import encode_measured, get_encoder

DEFAULT_SIZE = 2048
# Seconds for which a vector is kept, and seconds between two checks whether all must be dropped.
TTL_SECONDS, CHECK_INTERVAL_SECONDS = 900.0, 5.0
# The key in the shared cache whose value changes when every process must drop its vectors.
_GENERATION_KEY = "queries-forgotten"


class QueryCache:
    """Least-recently-used vectors by (reader, model, text); every method is safe between threads.

    Questions are people's words, so none is kept for longer than TTL_SECONDS, but for the time to
    the next check. Vectors are read-only, because every caller gets the same array.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.hits = 0
        self.misses = 0
        self._vectors: OrderedDict[tuple[UUID | None, str, str], tuple[Vectors, float]] = (
            OrderedDict()
        )
        self._lock = threading.Lock()
        self._looked = 0.0
        self._mark: str | None = None

    def __len__(self) -> int:
        """Return how many vectors are kept."""
        return len(self._vectors)

    def get(
        self,
        model: str,
        text: str,
        encode: Callable[[str], Vectors],
        reader: UUID | None = None,
    ) -> Vectors:
        """Return the vector of `text`, computing it with `encode` when it is not kept for this
        reader."""
        key, now = (reader, model, text), time.monotonic()
        self._look(now)
        with self._lock:
            kept = self._vectors.get(key)
            if kept is not None and now - kept[1] < TTL_SECONDS:
                self._vectors.move_to_end(key)
                self.hits += 1
                return kept[0]
            self.misses += 1
        # Outside the lock: a slow query must not delay queries that are in the cache.
        vector = encode(text)
        vector.flags.writeable = False
        with self._lock:
            self._vectors[key] = (vector, now)
            self._vectors.move_to_end(key)
            while len(self._vectors) > self.size:
                self._vectors.popitem(last=False)
        return vector

    def _drop_old(self, now: float) -> None:
        """Drop vectors that are too old; call with the lock held."""
        old = [key for key, (_, made) in self._vectors.items() if now - made >= TTL_SECONDS]
        for key in old:
            del self._vectors[key]

    def _look(self, now: float) -> None:
        """Drop what is too old, and all vectors if `invalidate_query_caches` was called since the
        last check; checks once in CHECK_INTERVAL_SECONDS."""
        if now - self._looked < CHECK_INTERVAL_SECONDS:
            return
        self._looked = now
        mark = str(cache.get(_GENERATION_KEY) or "")
        with self._lock:
            if self._mark not in (None, mark):
                self._vectors.clear()
            self._mark = mark
            # Not with each new question: that read the whole cache, for a millisecond.
            self._drop_old(now)

    def clear(self) -> None:
        """Drop every vector and reset the counters."""
        with self._lock:
            self._vectors.clear()
            self.hits = self.misses = 0


def invalidate_query_caches() -> None:
    """Make every process drop its vectors: with its next query after CHECK_INTERVAL_SECONDS;
    without Valkey after TTL_SECONDS."""
    cache.set(_GENERATION_KEY, uuid4().hex, timeout=None)


_cache: QueryCache | None = None


def get_query_cache() -> QueryCache:
    """Return the process's cache; its size is the setting ENCODER_QUERY_CACHE (vectors)."""
    global _cache  # noqa: PLW0603 - one for the process, made when settings are ready
    if _cache is None:
        _cache = QueryCache(getattr(settings, "ENCODER_QUERY_CACHE", DEFAULT_SIZE))
    return _cache


def encode_query(text: str, model: str | None = None, *, reader: UUID | None = None) -> Vectors:
    """Return the unit vector (dimensions,) of a query by the default or the named encoder.

    reader: who asks, as in `orgs.principals.reader_of`; others do not profit from the vector.

    Raises EncoderError, whatever the model's library raised.
    """
    encoder = get_encoder(model)

    def encode(question: str) -> Vectors:
        vector: Vectors = encode_measured(encoder, [question], is_query=True)[0]
        return vector

    try:
        return get_query_cache().get(encoder.name, text, encode, reader)
    except EncoderError:
        raise
    except Exception as error:
        # The class alone: a library's message may quote the text.
        raise EncoderError(f"the encoder failed: {type(error).__name__}") from error
