"""How much the gates find of wordings that their rules were not written for. Pure.

The figures are counted from the files in tests/memories/safety/measured/, and
tests/memories/safety/test_measured.py counts them again. The wordings were written after the rules,
and no rule was changed for one of them before it was counted. Whoever changes a rule because of
them writes new ones first: a gate finds all that it was taught.
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


ORDERS = Measure(47, 62)
PERSONAL_DATA = Measure(37, 40)
# Ordinary sentences of work, which should pass.
ORDINARY_AS_ORDERS = Measure(0, 100)
ORDINARY_AS_PERSONAL = Measure(2, 100)
