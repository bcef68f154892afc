"""What the language model was asked for people and robots, counted for each organisation.

Each question is an entry of the audit trail: who asked, which model, how many tokens, what it cost.
Texts have left the machine then, so the trail says so.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from memories.llm.client import ModelUsage
from orgs import audit
from orgs.database.prepared_statements import fetch_all
from orgs.principals import Actor

DAY, MONTH = timedelta(days=1), timedelta(days=30)
_PRICED_TOKENS = 1_000_000
_TOTALS_SQL = """
SELECT count(*), coalesce(sum((detail->>'prompt_tokens')::bigint), 0)::bigint,
    coalesce(sum((detail->>'completion_tokens')::bigint), 0)::bigint,
    coalesce(sum((detail->>'price')::float8), 0)
FROM orgs_auditentry
WHERE organisation_id = %(organisation)s AND action = 'model.asked'
    AND at > %(since)s AND at <= %(now)s
"""


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """The questions of a time, their tokens, and their price by the prices of then."""

    questions: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    price: float = 0.0


def compute_price(usage: ModelUsage) -> float:
    """The price of a question, in the unit of LLM_PRICE_INPUT and LLM_PRICE_OUTPUT, which are for
    a million tokens."""
    prompt = usage.prompt_tokens * settings.LLM_PRICE_INPUT
    return float(prompt + usage.completion_tokens * settings.LLM_PRICE_OUTPUT) / _PRICED_TOKENS


def record_usage(actor: Actor, usage: ModelUsage, *, memories: int, now: datetime) -> None:
    """Record a question; call in a scope of the organisation. memories: how many texts were
    shown."""
    audit.record_entry(
        "model.asked",
        actor=actor,
        now=now,
        model=settings.LLM_MODEL,
        memories=memories,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        price=round(compute_price(usage), 8),
    )


def get_usage(organisation_id: UUID, *, now: datetime, period: timedelta = MONTH) -> UsageTotals:
    """What the organisation has asked in the time before now; call in a scope of it."""
    values = {"organisation": organisation_id, "since": now - period, "now": now}
    [totals] = fetch_all(_TOTALS_SQL, values)
    return UsageTotals(*totals)


def may_ask(organisation_id: UUID, *, now: datetime) -> bool:
    """Whether the organisation has asked less than LLM_ANSWERS questions in the last 24 hours; call
    in a scope of it."""
    most: int = settings.LLM_ANSWERS
    return get_usage(organisation_id, now=now, period=DAY).questions < most
