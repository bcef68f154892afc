"""How the work of a rule grows with its text: processor time, looked at again before it counts.

Time is compared with time of the same rule on the same kind of text, so that a slow or busy machine
changes nothing: four times the text may take MOST_GROWTH times as long. Twice the time for twice
the text is 4; the square of the length is 16.
"""

import sys
import time
from collections.abc import Callable
from functools import cache, lru_cache
from inspect import signature
from typing import Any

MOST_GROWTH = 10.0
# Below so many seconds the clock and the machine's other work are seen, not the rule.
MIN_SECONDS = 0.05
TRIES = 12
# A quarter of the text that takes less shows that the whole will not be seen: the whole would take
# a hundred times as long, which is the length to the power of 3.3.
NEGLIGIBLE_SECONDS = MIN_SECONDS / 100


def processor_seconds(call: Callable[[str], Any], text: str) -> float:
    """Seconds of the processor that a rule takes for a text, with nothing remembered."""
    for clear in _caches(len(sys.modules)):
        clear()
    began = time.process_time()
    call(text)
    return time.process_time() - began


@cache
def _caches(modules: int) -> list[Callable[[], None]]:
    """How to empty each cache of the product; looked up again when a module was loaded.

    What takes nothing is kept: it holds a model or a list, no text, and to load it again takes so
    long that no growth could be seen beside it.
    """
    loaded = [m for n, m in sys.modules.items() if n.startswith(("memories.", "robots."))]
    things = [thing for module in loaded for thing in vars(module).values()]
    return [
        thing.cache_clear
        for thing in things
        if hasattr(thing, "cache_clear") and signature(thing).parameters
    ]


# Sixty rules are given the same texts, and making one costs as much as most rules.
@lru_cache(64)
def _text(make: Callable[[int], str], length: int) -> str:
    return make(length)


def measure_growth(call: Callable[[str], Any], make: Callable[[int], str], length: int) -> float:
    """How many times longer four times the text takes; 0 where it takes too little to be seen."""
    quarter = _text(make, length // 4)
    if processor_seconds(call, quarter) < NEGLIGIBLE_SECONDS:
        return 0.0
    found = float("inf")
    for _ in range(TRIES):
        whole = processor_seconds(call, _text(make, length))
        if whole < MIN_SECONDS:
            return 0.0
        found = min(found, whole / max(processor_seconds(call, quarter), MIN_SECONDS / 16))
        if found < MOST_GROWTH:
            break
    return found
