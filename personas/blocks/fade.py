"""How much an entry counts that nobody has confirmed for long. Pure."""

from datetime import timedelta


def weight(age: timedelta, *, fresh_for: timedelta) -> float:
    """1 while it was confirmed within `fresh_for`, then halved with each `fresh_for` more.

    At 90 days: 1 to day 90, .5 at day 180, .25 at day 270.
    """
    over = age - fresh_for
    if over <= timedelta(0):
        return 1.0
    return float(0.5 ** (over / fresh_for))


def is_stale(age: timedelta, *, fresh_for: timedelta) -> bool:
    """Whether it is time to archive it: nobody has confirmed it for three times `fresh_for`."""
    return age > 3 * fresh_for
