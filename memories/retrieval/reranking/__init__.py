"""Better on request: the first hits of an answer, read again by a cross-encoder and re-ordered."""
