"""Text to vectors. The only place that knows a model library.

`get_encoder()` gives the process's encoder, `encode_query()` a cached vector of one query.
"""

from memories.encoders.base import (
    Encoder,
    EncoderError,
    get_encoder,
    is_built_in,
    model_id,
    refuse_unfit,
)
from memories.encoders.cache import encode_query, query_cache
from memories.encoders.known import Model, known_model

__all__ = [
    "Encoder",
    "EncoderError",
    "Model",
    "encode_query",
    "get_encoder",
    "is_built_in",
    "known_model",
    "model_id",
    "query_cache",
    "refuse_unfit",
]
