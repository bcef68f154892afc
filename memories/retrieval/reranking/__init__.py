"""Reranking on request: a cross-encoder reorders the first hits of an answer."""
