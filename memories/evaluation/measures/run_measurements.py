"""Ask every question with every architecture, and insert with each: ranks, times, leaks.

The time of a question is that of the recall service, from the actor to the rows of the answer, with
the encoder: the cache of query vectors is emptied before each question. Each question goes to all
architectures in turn, and another one is first each time, so that none finds the caches warm more
often.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from memories.embedding.query_cache import get_query_cache
from memories.evaluation.dataset.fill_organisation import MessageNotStoredError, remember_messages
from memories.evaluation.dataset.scenarios import FORBIDDEN, SCENARIOS, EvaluationQuestion, may_read
from memories.evaluation.dataset.synthetic_organisation import (
    SyntheticOrganisation,
    ensure_message_audiences,
    set_projections,
)
from memories.evaluation.measures.metrics import (
    mean,
    ndcg_at,
    percentiles,
    recall_at,
    reciprocal_rank,
)
from memories.ingestion.drafts import RememberResult
from memories.ingestion.remember import remember
from memories.retrieval.answer_rows import fetch_answer_rows
from memories.retrieval.recall import RecallResult, recall
from memories.retrieval.resolve_filters import Query
from orgs.principals import Actor

LIMIT = 10
WARM_UP = 10
RECALL_CUTOFFS = (1, 5, 10)
SINGLE_INSERTS, SINGLE_WARM_UP, BATCHES = 30, 5, 3

AskFunction = Callable[[Actor, Query], RecallResult]


@dataclass(slots=True)
class QuestionResult:
    """What one architecture served for one question: keys in order, the milliseconds, the forbidden
    keys."""

    asked: EvaluationQuestion
    served: list[str]
    ms: float
    forbidden: list[str] = field(default_factory=list)


def ask_service(actor: Actor, query: Query) -> RecallResult:
    """The product's recall."""
    return recall(actor, query, now=timezone.now(), load=fetch_answer_rows)


def ask_questions(
    place: SyntheticOrganisation,
    questions: Sequence[EvaluationQuestion],
    strategies: Sequence[str],
    ask: AskFunction = ask_service,
) -> dict[str, list[QuestionResult]]:
    """The results of every question, by strategy, after WARM_UP questions that are not counted."""
    found: dict[str, list[QuestionResult]] = defaultdict(list)
    for strategy in strategies:
        for asked in questions[:: max(1, len(questions) // WARM_UP)][:WARM_UP]:
            _ask_question(place, asked, strategy, ask)
    for turn, asked in enumerate(questions):
        first = turn % len(strategies)
        for strategy in (*strategies[first:], *strategies[:first]):
            found[strategy].append(_ask_question(place, asked, strategy, ask))
    return found


def _ask_question(
    place: SyntheticOrganisation, asked: EvaluationQuestion, strategy: str, ask: AskFunction
) -> QuestionResult:
    actor, query = place.actor(asked), place.query(asked, strategy=strategy, limit=LIMIT)
    get_query_cache().clear()
    started = time.perf_counter()
    answer = ask(actor, query)
    ms = (time.perf_counter() - started) * 1000
    served = [row.key for _, row in answer.hits]
    return QuestionResult(
        asked, served, ms, [key for key in served if is_forbidden(place, asked, key)]
    )


def is_forbidden(place: SyntheticOrganisation, asked: EvaluationQuestion, key: str) -> bool:
    """Whether the asker may not read the message of this key, by the data."""
    message = place.world.message(key)
    return not may_read(place.world, asked.way, asked.group, asked.member, message)


def compute_measures(outcomes: Sequence[QuestionResult]) -> dict[str, Any]:
    """Means over the questions that have an answer; times and leaks over all of them."""
    told = [o for o in outcomes if o.asked.scenario != FORBIDDEN]
    return {
        "questions": len(told),
        "recall": {
            str(k): mean([recall_at(o.served, o.asked.gold, k) for o in told])
            for k in RECALL_CUTOFFS
        },
        "ndcg10": mean([ndcg_at(o.served, o.asked.gains, 10) for o in told]),
        "mrr": mean([reciprocal_rank(o.served, o.asked.gold) for o in told]),
        "query_ms": percentiles([o.ms for o in outcomes]),
        "leakage": count_leaks(outcomes),
    }


def count_leaks(outcomes: Sequence[QuestionResult]) -> int:
    """How many rows were served that their askers may not read."""
    return sum(len(one.forbidden) for one in outcomes)


def compute_measures_by_scenario(outcomes: Sequence[QuestionResult]) -> dict[str, dict[str, Any]]:
    """`judged` and `compute_recall_by_wording` for each scenario."""
    found = {}
    for scenario in SCENARIOS:
        some = [o for o in outcomes if o.asked.scenario == scenario]
        if some:
            found[scenario] = compute_measures(some) | compute_recall_by_wording(some)
    return found


def compute_recall_by_wording(outcomes: Sequence[QuestionResult]) -> dict[str, float]:
    """recall@10 of the questions in the words of the memory, and of the paraphrased ones."""
    told = [o for o in outcomes if o.asked.scenario != FORBIDDEN]
    return {
        name: mean(
            [
                recall_at(o.served, o.asked.gold, 10)
                for o in told
                if o.asked.paraphrased is paraphrased
            ]
        )
        for name, paraphrased in (("recall10_direct", False), ("recall10_paraphrased", True))
    }


def compute_random_recall(questions: Sequence[EvaluationQuestion]) -> dict[str, float]:
    """recall@k of a random order of the readable rows: min(1, k / n), for each k."""
    told = [one for one in questions if one.scenario != FORBIDDEN]
    return {str(k): mean([min(1.0, k / one.readable) for one in told]) for k in RECALL_CUTOFFS}


def measure_inserts(
    place: SyntheticOrganisation, needs: Mapping[str, Sequence[str]], *, batches: int, now: datetime
) -> dict[str, dict[str, Any]]:
    """By strategy: milliseconds for one memory, and rows a second in batches of a group.

    Uses the spare groups: one for single inserts, one for each batch. Each architecture writes only
    the projections in `needs`.
    """
    spare = iter(range(place.world.groups, place.world.groups + place.world.spare))
    found = {}
    for strategy, projections in needs.items():
        set_projections(place, projections)
        messages = place.world.messages(next(spare))
        ensure_message_audiences(place, messages)
        times = []
        for message in messages[: SINGLE_WARM_UP + SINGLE_INSERTS]:
            started = time.perf_counter()
            outcome = remember(place.scribe, place.draft(message), now=now)
            times.append((time.perf_counter() - started) * 1000)
            if not isinstance(outcome, RememberResult):
                raise MessageNotStoredError("a single message was not kept")
        rates = []
        for _ in range(batches):
            batch = place.world.messages(next(spare))
            ensure_message_audiences(place, batch)
            _, seconds = remember_messages(place, batch, now=now)
            rates.append(len(batch) / seconds)
        single = percentiles(times[SINGLE_WARM_UP:])
        found[strategy] = {
            "insert_ms": single["p50"],
            "insert_ms_p95": single["p95"],
            "insert_n": len(times) - SINGLE_WARM_UP,
            "batch_rows_per_s": sorted(rates)[len(rates) // 2],
            "batch_size": len(messages),
            "batches": batches,
        }
    return found
