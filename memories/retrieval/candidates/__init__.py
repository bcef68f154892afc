"""Which rows may answer: by meaning, by words, by the graph."""
