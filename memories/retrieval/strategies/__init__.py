"""The interchangeable ways to search one store, by name.

Each takes the question inside the asker's scope and serves the same kind of answer. What is
readable is decided by the database alone; a strategy only chooses where to look and how to rank.
"""

from collections.abc import Callable

from memories.retrieval.strategies.partitioned import partitioned
from memories.retrieval.strategies.plain import single, triple_tenant
from memories.retrieval.strategies.recommended import RECOMMENDED
from memories.retrieval.types import Question, Served

STRATEGIES: dict[str, Callable[[Question], Served]] = {
    "keyword": single,
    "vector": single,
    "hybrid": single,
    "triple_tenant": triple_tenant,
    "partitioned": partitioned,
    "graph": triple_tenant,
    "privacy_scoped": triple_tenant,
    "multi_level": triple_tenant,
}
# Other words that a caller may say.
ALIASES = {"auto": RECOMMENDED, "fulltext": "keyword"}
NAMES = ("auto", "fulltext", *STRATEGIES)
