"""The candidates of a question: by meaning, by words, by the graph."""
