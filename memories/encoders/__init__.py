"""Text to vectors. The only place that knows a model library.

`get_encoder()` gives the process's encoder, `encode_query()` a cached vector of one query.
"""

from memories.encoders.base import Encoder, EncoderError, get_encoder, model_id
from memories.encoders.cache import encode_query, query_cache

__all__ = ["Encoder", "EncoderError", "encode_query", "get_encoder", "model_id", "query_cache"]
