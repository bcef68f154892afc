"""Architecture 5: the complexity of a question decides how widely it is searched.

A simple question by its words, at most 5 hits; a medium one by meaning among memories about
individuals, at most 10; a complex one among individuals (10), groups (5) and cross-group memories
(3), where memories of several levels that say the same are served once.
"""

from dataclasses import replace

from memories.retrieval.candidates.scan import Source
from memories.retrieval.ranking.rank import rank
from memories.retrieval.ranking.same_answer import consolidated, facts
from memories.retrieval.strategies.query_complexity import MEDIUM_BELOW, SIMPLE_BELOW, complexity
from memories.retrieval.types import Hit, Question, Served

SIMPLE, MEDIUM = 5, 10
LEVELS = (10, 5, 3)

# The level of a memory is derived: individual with a member, else group, else cross_group. For some
# kinds the kind decides; for the others the memory itself must be read.
_HAS_MEMBER = (
    "EXISTS (SELECT 1 FROM memories_memory m WHERE m.organisation_id = n.organisation_id "
    "AND m.id = n.memory_id AND m.member_id IS NOT NULL)"
)
_OPEN = "n.kind IN ('direct', 'organisation', 'internal')"
INDIVIDUAL = Source(
    conditions=(f"(n.kind IN ('user', 'interaction') OR ({_OPEN} AND {_HAS_MEMBER}))",)
)
GROUP = Source(
    conditions=(
        f"(n.kind = 'group' OR ({_OPEN} AND n.group_id IS NOT NULL AND NOT {_HAS_MEMBER}))",
    )
)
CROSS_GROUP = Source(conditions=(_OPEN, "n.group_id IS NULL", f"NOT {_HAS_MEMBER}"))


def multi_level(question: Question) -> Served:
    """Answer by the branch that the question's complexity chooses."""
    weight = complexity(question.text)
    if weight < SIMPLE_BELOW:
        return Served(by_words(question), question.strategy)
    if weight < MEDIUM_BELOW:
        return Served(by_meaning(question), question.strategy)
    return Served(on_all_levels(question), question.strategy)


def needs_meaning(text: str) -> bool:
    """Whether the branch of the question uses vectors."""
    return complexity(text) >= SIMPLE_BELOW


def by_words(question: Question) -> list[Hit]:
    """Up to SIMPLE hits by words, of everything readable."""
    return rank(replace(question, strategy="keyword", limit=min(SIMPLE, question.limit)))


def by_meaning(question: Question) -> list[Hit]:
    """Up to MEDIUM hits by meaning, of memories about individuals."""
    narrowed = replace(question, strategy="vector", limit=min(MEDIUM, question.limit))
    return rank(narrowed, [INDIVIDUAL])


def on_all_levels(question: Question) -> list[Hit]:
    """Up to LEVELS hits of each level, by both arms, each thing once."""
    wanted = replace(question, strategy="hybrid", limit=sum(LEVELS))
    hits = rank(wanted, [INDIVIDUAL, GROUP, CROSS_GROUP], LEVELS)
    found = consolidated(hits, facts(question, hits, near=True), near=question.near_duplicate)
    return found if question.whole else found[: question.limit]
