"""Recall: the strategy that was asked for searches, in the asker's scope."""

from dataclasses import replace

from memories.retrieval.strategies.projection_required import ProjectionOff
from memories.retrieval.strategies.registry import PLAIN, STRATEGIES
from memories.retrieval.types import Question, Served


def search(question: Question) -> Served:
    """The best `limit` memories that the scope holds for the question.

    What was asked for by name is done or refused (ProjectionOff); what was chosen here, because
    nothing was named, gives way to the hybrid.
    """
    try:
        return STRATEGIES[question.strategy](question)
    except ProjectionOff:
        if not question.automatic:
            raise
        return STRATEGIES[PLAIN](replace(question, strategy=PLAIN))
