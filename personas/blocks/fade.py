"""How much an entry counts that nobody has confirmed for long. Pure."""

from datetime import timedelta

import numpy as np

from memories.lifecycle.decay import confirmed_share

# It is archived when nobody has confirmed it for so many times `fresh_for`.
STALE = 3
_DAY = timedelta(days=1)


def weight(age: timedelta, *, fresh_for: timedelta) -> float:
    """1 while it was confirmed within `fresh_for`, then halved with each `fresh_for` more.

    At 90 days: 1 to day 90, .5 at day 180, .25 at day 270.
    """
    return float(confirmed_share(np.array(age / _DAY), fresh_for / _DAY))


def is_stale(age: timedelta, *, fresh_for: timedelta) -> bool:
    """Whether it is time to archive it: nobody has confirmed it for STALE times `fresh_for`."""
    return age > STALE * fresh_for
