"""How much the gates find of wordings, in figures. Pure.

The figures are counted from the files in tests/memories/safety/measured/, and
tests/memories/safety/test_measured.py counts them again. Whoever changes a rule has somebody write
new wordings who has not seen the rules: a gate finds all that it was taught.

The wordings of today were written before the last rules, and those rules were made with their
misses in view, so their figures are too good; new ones replace them with the next measurement.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """held: how many of `total` texts a gate held."""

    held: int
    total: int

    @property
    def percent(self) -> int:
        """The share, rounded to whole percents."""
        return round(100 * self.held / self.total)


ORDERS = Measure(55, 62)
PERSONAL_DATA = Measure(38, 40)
# Ordinary sentences of work, which should pass.
ORDINARY_AS_ORDERS = Measure(0, 100)
ORDINARY_AS_PERSONAL = Measure(0, 100)
