"""Strategies with one pass over one table, by one arm or both."""

from dataclasses import replace

from memories.retrieval.ranking.rank_pass import rank_hits
from memories.retrieval.search_types import SearchRequest, SearchResult


def search_single_pass(question: SearchRequest) -> SearchResult:
    """keyword, vector and hybrid: one pass over everything that is readable."""
    return SearchResult(rank_hits(question), question.strategy)


def search_triple_tenant(question: SearchRequest) -> SearchResult:
    """Architecture 1: one table keyed by organisation, robot, group and member.

    The rows of all tenants that the asker may read are searched at once; the keys are columns
    that filters narrow by.
    """
    return SearchResult(rank_hits(replace(question, strategy="hybrid")), question.strategy)
