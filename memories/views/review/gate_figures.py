"""How much the gates find of wordings, in figures. Pure.

The figures are counted from the files in tests/memories/safety/measured/, and
tests/memories/safety/test_measured.py counts them again. Whoever changes a rule has somebody write
new wordings who has not seen the rules: a gate finds all that it was taught.

The wordings of today were written by somebody who had not read the rules but knew the misses of an
earlier set, and no rule was changed after they were measured. Aimed at are 70 % of orders and of
personal data.
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


ORDERS = Measure(37, 60)
PERSONAL_DATA = Measure(31, 40)
# Ordinary sentences of work, which should pass.
ORDINARY_AS_ORDERS = Measure(0, 100)
ORDINARY_AS_PERSONAL = Measure(0, 100)
