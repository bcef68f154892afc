"""Results that answer a question, and folded beneath them those that do not."""

from collections.abc import Sequence
from typing import Any

from memories.retrieval.answering.confidence import NO

Row = dict[str, Any]


def split_irrelevant(rows: Sequence[Row], answered: str) -> dict[str, Any]:
    """For components/folded.html and the list: memories, folded and whether nothing answers.

    Each row says whether it is folded; the order stays within both.
    """
    return {
        "memories": [row for row in rows if not row["folded"]],
        "folded": [row for row in rows if row["folded"]],
        "unanswered": answered == NO and bool(rows),
    }
