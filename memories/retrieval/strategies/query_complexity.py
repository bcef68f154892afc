"""The complexity of a question, which decides how widely it is searched. Pure, English.

In tenths: 3 for more than ten words, else 1 for more than five; 2 for each of the words below that
occurs; at most 10. So it is 0 for a name, and 1 for a comparison of several things.
"""

import re

MANY_WORDS, MANY = 10, 3
SOME_WORDS, SOME = 5, 1
ASKING = ("who", "what", "how", "why", "explain", "compare", "between", "across")
EACH, MOST = 2, 10
# Below the first limit words are searched, below the second meaning, from there on every level.
SIMPLE_BELOW, MEDIUM_BELOW = 0.3, 0.7

_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def complexity(question: str) -> float:
    """The complexity in 0-1, in steps of .1."""
    words = _WORD.findall(question.casefold())
    tenths = MANY if len(words) > MANY_WORDS else SOME if len(words) > SOME_WORDS else 0
    tenths += EACH * len(set(ASKING).intersection(words))
    return min(tenths, MOST) / 10
