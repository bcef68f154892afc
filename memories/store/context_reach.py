"""How far a turn of a conversation lends its words and its meaning to those around it. Pure.

Who lends, who is cleaned when a turn goes, and who is made anew all go by the same reach.
"""

from datetime import datetime

# By distance in turns, from 1 on: what a lent word is worth, and what a lent vector.
WORDS = (0.7, 0.5, 0.3, 0.3, 0.3)
MEANING = (0.3, 0.15, 0.1)
REACH = max(len(WORDS), len(MEANING))


def lends(expires_at: datetime | None, to_expire_at: datetime | None) -> bool:
    """Whether a turn that expires at one time lends to one that expires at the other.

    What is lent is gone with the lender without anybody having to act.
    """
    if expires_at is None:
        return True
    return to_expire_at is not None and to_expire_at <= expires_at
