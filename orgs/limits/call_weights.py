"""For how many calls a dear call counts in the limits, by the fields of its body.

The figures are how much more of a processor such a call takes than a plain recall or a memory that
is remembered (docs/benchmarks.md). A body is not yet checked here: what is no list has no items.
"""

from collections.abc import Mapping
from typing import Any

# So many items of a batch cost what one call costs.
ITEMS_PER_CALL = 5
CONTEXT_WEIGHT = 2
# Reading the first twenty results again, by the second model.
RERANK_WEIGHT = 10


def weigh_items(body: Mapping[str, Any]) -> int:
    """A batch: one for each five items that it has begun."""
    items = body.get("items")
    return max(1, -(-len(items) // ITEMS_PER_CALL)) if isinstance(items, list) else 1


def weigh_question(body: Mapping[str, Any]) -> int:
    """A question: one, and what reranking takes."""
    return 1 + RERANK_WEIGHT * (body.get("rerank") is True)


def weigh_context(body: Mapping[str, Any]) -> int:
    """A context or an answer: more than its recall."""
    return CONTEXT_WEIGHT - 1 + weigh_question(body)
