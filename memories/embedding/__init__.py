"""Text to vectors: the only place that knows a model library."""
