"""What the record of a recall kept of each hit, and what some of these hits say. Pure.

A hit is noted (`retrieval.served`) as [id, score], and where it was judged as [id, score, sure,
word]: how sure it was that it answers (0-1), and the place in ANSWERED of what was said of it. The
word is kept with it, because the limits between the words may change. Who reads some of the hits is
told what these say; what was said of all of them would tell of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memories.retrieval.answering.confidence import ANSWERED, LOOKED_AT, NO


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedHit:
    """score and sure in 0-1; sure is None and answered empty where nobody judged it."""

    id: UUID
    score: float
    sure: float | None = None
    answered: str = ""

    @property
    def folded(self) -> bool:
        """Whether it was said of it that it does not answer."""
        return self.answered == NO


def recorded(hits: Sequence[Sequence[Any]]) -> list[RecordedHit]:
    """What was kept, in the order in which it was served."""
    return [
        RecordedHit(
            id=UUID(id_),
            score=score,
            sure=judged[0] if judged else None,
            answered=ANSWERED[judged[1]] if judged else "",
        )
        for id_, score, *judged in hits
    ]


def said(hits: Sequence[RecordedHit]) -> tuple[str, float | None]:
    """The word and how sure it is, of these hits alone; ("", None) where none was judged."""
    judged = [(hit.sure, hit.answered) for hit in hits[:LOOKED_AT] if hit.sure is not None]
    if not judged:
        return "", None
    sure, word = max(judged)
    return word, sure
