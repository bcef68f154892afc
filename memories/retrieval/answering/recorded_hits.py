"""The recorded hits of a recall, and what some of them say. Pure.

A hit is recorded (`retrieval.served`) as [id, score], and if it was judged as [id, score, sure,
word]: the confidence that it answers (0-1), and the place of its word in ANSWERED. The word is
recorded because the limits between the words may change. An asker who reads only some of the hits
gets the judgement of these; that of all hits would reveal the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memories.retrieval.answering.confidence import ANSWERED_VALUES, HITS_CONSIDERED, NO


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedHit:
    """A recorded hit. score and sure in 0-1; sure is None and answered empty if it was not
    judged."""

    id: UUID
    score: float
    sure: float | None = None
    answered: str = ""

    @property
    def folded(self) -> bool:
        """Whether it was judged not to answer."""
        return self.answered == NO


def parse_recorded_hits(hits: Sequence[Sequence[Any]]) -> list[RecordedHit]:
    """The recorded hits, in the order in which they were served."""
    return [
        RecordedHit(
            id=UUID(id_),
            score=score,
            sure=judged[0] if judged else None,
            answered=ANSWERED_VALUES[judged[1]] if judged else "",
        )
        for id_, score, *judged in hits
    ]


def classify_hits(hits: Sequence[RecordedHit]) -> tuple[str, float | None]:
    """(word, confidence) from these hits alone; ("", None) if none was judged."""
    judged = [(hit.sure, hit.answered) for hit in hits[:HITS_CONSIDERED] if hit.sure is not None]
    if not judged:
        return "", None
    sure, word = max(judged)
    return word, sure
