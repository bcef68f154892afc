"""The weight of an entry by the time since it was confirmed. Pure."""

from datetime import timedelta

import numpy as np

from memories.lifecycle.decay import confirmed_share

# An entry is archived when it was not confirmed for this many times `fresh_period`.
STALE_FACTOR = 3
_DAY = timedelta(days=1)


def entry_weight(age: timedelta, *, fresh_for: timedelta) -> float:
    """0-1: 1 up to an age of `fresh_period`, then halved with each further `fresh_period`.

    With 90 days: 1 to day 90, .5 at day 180, .25 at day 270.
    """
    return float(confirmed_share(np.array(age / _DAY), fresh_for / _DAY))


def is_stale(age: timedelta, *, fresh_for: timedelta) -> bool:
    """Whether to archive an entry: it was not confirmed for STALE times `fresh_period`."""
    return age > STALE_FACTOR * fresh_for
