"""Strategies with one pass over one table, by one arm or both."""

from dataclasses import replace

from memories.retrieval.ranking.rank import rank
from memories.retrieval.types import Question, Served


def single(question: Question) -> Served:
    """keyword, vector and hybrid: one pass over everything that is readable."""
    return Served(rank(question), question.strategy)


def triple_tenant(question: Question) -> Served:
    """Architecture 1: one table keyed by organisation, robot, group and member.

    The rows of all tenants that the asker may read are searched at once; the keys are columns
    that filters narrow by.
    """
    return Served(rank(replace(question, strategy="hybrid")), question.strategy)
