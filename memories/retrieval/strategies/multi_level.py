"""Architecture 5: the complexity of a question decides how widely it is searched.

A simple question by its words, at most 5 hits; a medium one by meaning among memories about
individuals, at most 10; a complex one among individuals (10), groups (5) and cross-group memories
(3), where memories of several levels that say the same are served once.
"""

from dataclasses import replace

from memories.retrieval.candidates.scan_rows import SearchTable
from memories.retrieval.ranking.merge_duplicates import load_facts, merge_all
from memories.retrieval.ranking.rank_pass import rank_hits
from memories.retrieval.search_types import Hit, SearchRequest, SearchResult
from memories.retrieval.strategies.query_complexity import (
    MEDIUM_BELOW,
    SIMPLE_BELOW,
    score_complexity,
)

SIMPLE_LIMIT, MEDIUM_LIMIT = 5, 10
LEVEL_LIMITS = (10, 5, 3)

# The level of a memory is derived: individual with a member, else group, else cross_group. For some
# kinds the kind decides; for the others the memory itself must be read.
_HAS_MEMBER_SQL = (
    "EXISTS (SELECT 1 FROM memories_memory m WHERE m.organisation_id = n.organisation_id "
    "AND m.id = n.memory_id AND m.member_id IS NOT NULL)"
)
_ANY_LEVEL_SQL = "n.kind IN ('direct', 'organisation', 'internal')"
INDIVIDUAL_TABLE = SearchTable(
    conditions=(f"(n.kind IN ('user', 'interaction') OR ({_ANY_LEVEL_SQL} AND {_HAS_MEMBER_SQL}))",)
)
GROUP_TABLE = SearchTable(
    conditions=(
        (
            f"(n.kind = 'group' OR ({_ANY_LEVEL_SQL} AND n.group_id IS NOT NULL AND NOT "
            f"{_HAS_MEMBER_SQL}))"
        ),
    )
)
CROSS_GROUP_TABLE = SearchTable(
    conditions=(_ANY_LEVEL_SQL, "n.group_id IS NULL", f"NOT {_HAS_MEMBER_SQL}")
)


def search_multi_level(question: SearchRequest) -> SearchResult:
    """Answer by the branch that the question's complexity chooses."""
    weight = score_complexity(question.text)
    if weight < SIMPLE_BELOW:
        return SearchResult(rank_by_words(question), question.strategy)
    if weight < MEDIUM_BELOW:
        return SearchResult(rank_by_meaning(question), question.strategy)
    return SearchResult(rank_all_levels(question), question.strategy)


def needs_meaning(text: str) -> bool:
    """Whether the branch of the question uses vectors."""
    return score_complexity(text) >= SIMPLE_BELOW


def rank_by_words(question: SearchRequest) -> list[Hit]:
    """Up to SIMPLE hits by words, of everything readable."""
    return rank_hits(replace(question, strategy="keyword", limit=min(SIMPLE_LIMIT, question.limit)))


def rank_by_meaning(question: SearchRequest) -> list[Hit]:
    """Up to MEDIUM hits by meaning, of memories about individuals."""
    narrowed = replace(question, strategy="vector", limit=min(MEDIUM_LIMIT, question.limit))
    return rank_hits(narrowed, [INDIVIDUAL_TABLE])


def rank_all_levels(question: SearchRequest) -> list[Hit]:
    """Up to LEVELS hits of each level, by both arms, each thing once."""
    wanted = replace(question, strategy="hybrid", limit=sum(LEVEL_LIMITS))
    hits = rank_hits(wanted, [INDIVIDUAL_TABLE, GROUP_TABLE, CROSS_GROUP_TABLE], LEVEL_LIMITS)
    found = merge_all(hits, load_facts(question, hits, near=True), near=question.near_duplicate)
    return found if question.whole else found[: question.limit]
