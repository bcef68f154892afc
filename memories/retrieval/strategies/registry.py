"""Every strategy by its name.

Each takes the question inside the asker's scope and serves the same kind of answer. What is
readable is decided by the database alone; a strategy only chooses where to look and how to rank.
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
# Needs no layout of its own.
PLAIN = "hybrid"
# Other words that a caller may say.
ALIASES = {"auto": RECOMMENDED, "fulltext": "keyword"}
NAMES = ("auto", "fulltext", *STRATEGIES)


def needs_vector(question: Question) -> bool:
    """Whether the question has to be encoded."""
    if question.strategy == "multi_level":
        return needs_meaning(question.text)
    return question.strategy != "keyword"
