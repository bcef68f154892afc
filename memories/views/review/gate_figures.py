"""How much the gates find of wordings, in figures. Pure.

The figures are counted from the files in tests/memories/safety/measured/, and
tests/memories/safety/test_measured.py counts them again. Whoever changes a rule has somebody write
new wordings who has not seen the rules: a gate finds all that it was taught.

The orders and the personal data were written by somebody who had not read the rules but knew the
misses of an earlier set. The rules of 26 November 2026 about demands on an answer were made without
the misses of this set; they raised it from 37 to 38, and the one of 27 November about sentences
that nobody can read to 43. The orders set aside are half of sixty that
were written before those rules, by the person who then made them and who knew which kinds were
asked for; they were not looked at while the rules were made: 10 of 30 before, 22 after.

The unseen ones were written on 27 November 2026 by somebody who knew neither rules nor misses, and
who hides what is meant: few of them name an assistant. No rule was made for those in plain words.
The rule about sentences that nobody can read was made after the 22 in a code were seen (3 were
held); of 46,000 real messages and turns it holds none. Two false alarms about persons of 200 were
mended after they were seen. Aimed at are 70 % of orders and of personal data.
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


ORDERS = Measure(43, 60)
ORDERS_ASIDE = Measure(22, 30)
ORDERS_UNSEEN = Measure(15, 102)
ORDERS_IN_CODE = Measure(22, 22)
PERSONAL_DATA = Measure(31, 40)
PERSONAL_UNSEEN = Measure(55, 80)
# Ordinary sentences of work, which should pass.
ORDINARY_AS_ORDERS = Measure(0, 100)
ORDINARY_AS_PERSONAL = Measure(0, 100)
# Near misses of the new rules, set aside likewise.
ORDINARY_ASIDE = Measure(3, 50)
ORDINARY_UNSEEN_AS_ORDERS = Measure(0, 200)
ORDINARY_UNSEEN_AS_PERSONAL = Measure(1, 200)
