"""Text to vectors. The only place that knows a model library.

`get_encoder()` gives the process's encoder, `encode_query()` a cached vector of one query.
"""

from memories.embedding.encoders import get_encoder, is_built_in, model_id, refuse_unfit
from memories.embedding.interface import Encoder, EncoderError
from memories.embedding.known_models import Model, known_model
from memories.embedding.query_cache import encode_query, query_cache

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
