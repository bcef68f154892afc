"""How far a turn of a conversation adds its words and its vector to the turns around it. Pure.

The same reach decides which turns are indexed together, cleaned and indexed again.
"""

from datetime import datetime

# By distance in turns, from 1 on: the weight of a word and of a vector of another turn.
WORD_WEIGHTS = (0.7, 0.5, 0.3, 0.3, 0.3)
VECTOR_WEIGHTS = (0.3, 0.15, 0.1)
MAX_DISTANCE = max(len(WORD_WEIGHTS), len(VECTOR_WEIGHTS))


def can_be_context(expires_at: datetime | None, to_expire_at: datetime | None) -> bool:
    """Whether a turn with the first expiry is part of the index of a turn with the second.

    Only if it does not expire before the other: otherwise its words would outlive it.
    """
    if expires_at is None:
        return True
    return to_expire_at is not None and to_expire_at <= expires_at
