"""Recall: the strategy that was asked for searches, in the asker's scope."""

from memories.retrieval.strategies import STRATEGIES
from memories.retrieval.types import Question, Served


def search(question: Question) -> Served:
    """The best `limit` memories that the scope holds for the question."""
    return STRATEGIES[question.strategy](question)
