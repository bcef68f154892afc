"""The client of an optional language model. Each capability has its own questions."""
