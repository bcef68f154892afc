"""The client of an optional language model. What it is asked lives with its capability."""
