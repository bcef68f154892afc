"""The complexity of a question, which decides how widely it is searched. Pure, English.

In tenths: 3 for more than ten words, else 1 for more than five; 2 for each of the words below that
occurs; at most 10. So it is 0 for a name, and 1 for a comparison of several things.
"""

import re

LONG_QUERY_WORDS, LONG_QUERY_TENTHS = 10, 3
MEDIUM_QUERY_WORDS, MEDIUM_QUERY_TENTHS = 5, 1
COMPLEX_WORDS = ("who", "what", "how", "why", "explain", "compare", "between", "across")
TENTHS_PER_WORD, MAX_TENTHS = 2, 10
# Below the first limit words are searched, below the second meaning, from there on every level.
SIMPLE_BELOW, MEDIUM_BELOW = 0.3, 0.7

_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def score_complexity(question: str) -> float:
    """The complexity in 0-1, in steps of .1."""
    words = _WORD.findall(question.casefold())
    tenths = (
        LONG_QUERY_TENTHS
        if len(words) > LONG_QUERY_WORDS
        else MEDIUM_QUERY_TENTHS
        if len(words) > MEDIUM_QUERY_WORDS
        else 0
    )
    tenths += TENTHS_PER_WORD * len(set(COMPLEX_WORDS).intersection(words))
    return min(tenths, MAX_TENTHS) / 10
