"""The pipeline of a recall: run the strategy over the wanted tiers, in the asker's scope."""

from dataclasses import replace
from uuid import UUID

from prometheus_client import Counter, Histogram

from memories.retrieval.answering.confidence import HITS_CONSIDERED, max_confidence
from memories.retrieval.ranking.current_facts import current_first
from memories.retrieval.ranking.rank_pass import select_nearest_audience, window_sizes
from memories.retrieval.scoring_profiles import TIERS
from memories.retrieval.search_types import Expert, Hit, SearchRequest, SearchResult
from memories.retrieval.strategies.registry import FALLBACK_STRATEGY, STRATEGIES, ProjectionOffError
from orgs.trace_spans import span

# Metrics for the operator, without any organisation, person or text.

BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)

RECALL_SECONDS = Histogram(
    "commonmind_recall_seconds",
    "Time to find and read an answer, whoever asks.",
    ["strategy"],
    buckets=BUCKETS,
)
RERANKS = Counter(
    "commonmind_reranks_total",
    "Answers that were to be re-ordered by the cross-encoder, by what came of it.",
    ["outcome"],
)


def run_search(question: SearchRequest) -> SearchResult:
    """The best `limit` memories of the scope for the question, each fact once, the newest of one
    matter first, with the confidence that one of the first answers, which does not depend on the
    limit."""
    with span("search", strategy=question.strategy):
        return _search_in_windows(question)


def _search_in_windows(question: SearchRequest) -> SearchResult:
    looked_at, hits = 0, list[Hit]()
    for most in (*window_sizes(question), None):
        wide = _with_limit(question, most)
        served = search_with_duplicates(wide, question)
        hits = select_nearest_audience(question, served.hits, looked_at=looked_at)
        if most is None or question.whole or len(hits) >= question.limit:
            break
        if len(served.hits) < most:
            # There are no more hits.
            break
        looked_at = most
    hits = current_first(question, hits)
    # A hit that is not served may have moved another one and marked it as what holds now.
    judged = dict.fromkeys(hit.id for hit in (*served.hits[:HITS_CONSIDERED], *hits))
    hits = hits if question.whole else hits[: question.limit]
    return replace(served, hits=hits, confidence=max_confidence(served.hits), judged=tuple(judged))


def _with_limit(question: SearchRequest, most: int | None) -> SearchRequest:
    """The question with limit `most`; without a limit if it is None."""
    if most is None:
        return replace(question, whole=True)
    return replace(question, limit=max(most, HITS_CONSIDERED))


def search_with_duplicates(wide: SearchRequest, question: SearchRequest) -> SearchResult:
    """The best `wide.limit` hits, without removing equal facts of several audiences. question: with
    the original limit."""
    if wide.tier_strategy == "fast_first":
        return _search_fast_first(wide, question)
    return _run_strategy(wide)


def _search_fast_first(wide: SearchRequest, question: SearchRequest) -> SearchResult:
    """Search tier by tier, each ranked by itself; a slower one only while the answer has room.

    An explanation searches all tiers, to give the rank in a slower one.
    """
    hits: list[Hit] = []
    people: dict[UUID, Expert] = {}
    strategy = wide.strategy
    for tier in [one for one in TIERS if one in (question.filters.tiers or TIERS)]:
        if not wide.whole and len(select_nearest_audience(question, hits)) >= question.limit:
            break
        alone = replace(wide, filters=replace(question.filters, tiers=(tier,)))
        served = _run_strategy(alone)
        hits, strategy = hits + served.hits, served.strategy
        for person in served.people:
            people.setdefault(person.node, person)
    hits = hits if wide.whole else hits[: wide.limit]
    return SearchResult(hits, strategy, people=tuple(people.values()))


def _run_strategy(question: SearchRequest) -> SearchResult:
    """Run the strategy once over the tiers of the filters.

    A strategy that the caller named raises ProjectionOffError if its layout is off; an automatic
    one falls back to hybrid.
    """
    try:
        return STRATEGIES[question.strategy](question)
    except ProjectionOffError:
        if not question.automatic:
            raise
        return STRATEGIES[FALLBACK_STRATEGY](replace(question, strategy=FALLBACK_STRATEGY))
