"""The vector of a question."""

from dataclasses import replace
from uuid import UUID

import numpy as np

from memories.embedding.encoder import EncoderError
from memories.embedding.query_cache import encode_query
from memories.language.query_cues import query_forms
from memories.retrieval.scoring_profiles import TIER_STRATEGIES
from memories.retrieval.search_types import SearchRequest
from memories.retrieval.strategies.registry import needs_vector


def add_vector(question: SearchRequest, reader: UUID) -> SearchRequest:
    """The question with the normalised sum of the vectors of its forms. reader: who asks."""
    if not needs_vector(question):
        return question
    forms = query_forms(question.text, sorted(question.named, key=len, reverse=True))
    try:
        vectors = [encode_query(form, question.encoder, reader=reader) for form in forms]
    except EncoderError:
        # Search goes on by words; the health check reports the missing encoder.
        return replace(question, strategy="keyword")
    vector = sum(vectors[1:], vectors[0])
    question = replace(question, vector=vector / np.linalg.norm(vector))
    if question.tier_strategy is None or question.min_similarity is not None:
        return question
    # Only with a vector: without one no hit has a similarity, and words must still find.
    least = TIER_STRATEGIES[question.tier_strategy].min_similarity
    return replace(question, min_similarity=least)
