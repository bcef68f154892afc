"""Every strategy by its name.

Each takes the question inside the asker's scope and returns Served. The database alone decides what
is readable; a strategy only chooses where to search and how to rank.
"""

from collections.abc import Callable

from memories.retrieval.search_types import SearchRequest, SearchResult
from memories.retrieval.strategies.default_strategy import DEFAULT_STRATEGY
from memories.retrieval.strategies.graph import search_by_graph
from memories.retrieval.strategies.multi_level import needs_meaning, search_multi_level
from memories.retrieval.strategies.partitions import search_partitions
from memories.retrieval.strategies.privacy_scoped import search_privacy_zones
from memories.retrieval.strategies.single_pass import search_single_pass, search_triple_tenant

STRATEGIES: dict[str, Callable[[SearchRequest], SearchResult]] = {
    "keyword": search_single_pass,
    "vector": search_single_pass,
    "hybrid": search_single_pass,
    "triple_tenant": search_triple_tenant,
    "partitioned": search_partitions,
    "graph": search_by_graph,
    "privacy_scoped": search_privacy_zones,
    "multi_level": search_multi_level,
}
# A strategy that needs no index layout.
FALLBACK_STRATEGY = "hybrid"
# Other names that callers may use.
ALIASES = {"auto": DEFAULT_STRATEGY, "fulltext": "keyword"}
STRATEGY_NAMES = ("auto", "fulltext", *STRATEGIES)


def needs_vector(question: SearchRequest) -> bool:
    """Whether the question needs a vector."""
    if question.strategy == "multi_level":
        return needs_meaning(question.text)
    return question.strategy != "keyword"
