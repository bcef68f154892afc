"""When a message that was not taken is sent again."""

from collections.abc import Callable
from datetime import timedelta

MAX_ATTEMPTS = 12
FIRST_DELAY, LONGEST_DELAY = timedelta(seconds=5), timedelta(hours=24)
GROWTH = 4
# Each delay is up to this share shorter or longer, so that not all return at once.
JITTER = 0.2

# An endpoint that failed is left alone at first for FIRST_DELAY, at most for so long: a receiver
# that hangs costs a worker little, however much waits for it.
LONGEST_PAUSE = timedelta(minutes=5)


def compute_pause(failures: int) -> timedelta:
    """The time for which an endpoint is left alone after so many failures without a success."""
    factor: int = 2 ** min(max(failures - 1, 0), 16)
    return min(FIRST_DELAY * factor, LONGEST_PAUSE)


def compute_delay(attempts: int, draw: Callable[[], float]) -> timedelta | None:
    """The time until the next attempt after so many; None if there is none: 5 s, 20 s, 80 s and so
    on up to a day, five days together. draw: a random number from 0 to 1."""
    if attempts >= MAX_ATTEMPTS:
        return None
    factor: int = GROWTH ** max(attempts - 1, 0)
    delay = min(FIRST_DELAY * factor, LONGEST_DELAY)
    return delay * (1 + JITTER * (2 * draw() - 1))
