"""Every strategy by its name.

Each takes the question inside the asker's scope and returns Served. The database alone decides what
is readable; a strategy only chooses where to search and how to rank.
"""

from collections.abc import Callable

from memories.retrieval.strategies.graph import graph
from memories.retrieval.strategies.multi_level import multi_level, needs_meaning
from memories.retrieval.strategies.partitioned import partitioned
from memories.retrieval.strategies.privacy_scoped import privacy_scoped
from memories.retrieval.strategies.recommended import RECOMMENDED
from memories.retrieval.strategies.single_pass import single, triple_tenant
from memories.retrieval.types import Question, Served

STRATEGIES: dict[str, Callable[[Question], Served]] = {
    "keyword": single,
    "vector": single,
    "hybrid": single,
    "triple_tenant": triple_tenant,
    "partitioned": partitioned,
    "graph": graph,
    "privacy_scoped": privacy_scoped,
    "multi_level": multi_level,
}
# A strategy that needs no index layout.
PLAIN = "hybrid"
# Other names that callers may use.
ALIASES = {"auto": RECOMMENDED, "fulltext": "keyword"}
NAMES = ("auto", "fulltext", *STRATEGIES)


def needs_vector(question: Question) -> bool:
    """Whether the question needs a vector."""
    if question.strategy == "multi_level":
        return needs_meaning(question.text)
    return question.strategy != "keyword"
