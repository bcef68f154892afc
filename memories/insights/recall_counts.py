"""How often the asker's own recalls have results."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from orgs.database.prepared_statements import fetch_all
from orgs.principals import Principal

MONTH = timedelta(days=30)

_RECALL_COUNTS_SQL = """
SELECT count(*), count(*) FILTER (WHERE jsonb_array_length(hits) > 0)
FROM memories_recall
WHERE organisation_id = %(organisation)s AND member_id = %(me)s
  AND created_at > %(month)s AND created_at <= %(now)s
"""


@dataclass(frozen=True, slots=True)
class RecallCounts:
    """The number of the asker's own recalls in 30 days; `answered` of them had a result."""

    asked: int = 0
    answered: int = 0

    @property
    def hit_rate(self) -> float:
        """The share of recalls with a result, 0-1; 0 without a recall."""
        return self.answered / self.asked if self.asked else 0.0


def count_recalls(principal: Principal, now: datetime) -> RecallCounts:
    """The recalls of the last 30 days; call inside the principal's scope."""
    values = {
        "organisation": principal.organisation_id,
        "me": principal.actor.member_id,
        "month": now - MONTH,
        "now": now,
    }
    [counts] = fetch_all(_RECALL_COUNTS_SQL, values)
    return RecallCounts(*counts)
