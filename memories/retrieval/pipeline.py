"""Recall: the strategy that was asked for searches the tiers it may, in the asker's scope."""

from dataclasses import replace

from memories.retrieval.answering.confidence import LOOKED_AT, surest
from memories.retrieval.profiles import TIERS
from memories.retrieval.ranking.nearest_audience import nearest, windows
from memories.retrieval.strategies.projection_required import ProjectionOff
from memories.retrieval.strategies.registry import PLAIN, STRATEGIES
from memories.retrieval.types import Hit, Question, Served


def search(question: Question) -> Served:
    """The best `limit` memories that the scope holds for the question, each fact once, and how sure
    it is that one of the first answers; the same for every limit."""
    looked_at, hits = 0, list[Hit]()
    for most in (*windows(question), None):
        wide = _wide(question, most)
        served = ranked(wide, question)
        hits = nearest(question, served.hits, looked_at=looked_at)
        if most is None or question.whole or len(hits) >= question.limit:
            break
        if len(served.hits) < most:
            # There is no more.
            break
        looked_at = most
    return replace(served, hits=hits, confidence=surest(served.hits))


def _wide(question: Question, most: int | None) -> Question:
    """The question with room for `most` hits, for all without."""
    if most is None:
        return replace(question, whole=True)
    return replace(question, limit=max(most, LOOKED_AT))


def ranked(wide: Question, question: Question) -> Served:
    """The best `wide.limit` hits, whoever reads the same elsewhere. question: without that room."""
    if wide.tier_strategy == "fast_first":
        return _fast_first(wide, question)
    return _searched(wide)


def _fast_first(wide: Question, question: Question) -> Served:
    """Tier by tier, each ranked by itself; a slower one only while there is room in the answer.

    An explanation looks on, to tell what a place in a slower tier is.
    """
    hits: list[Hit] = []
    strategy = wide.strategy
    for tier in [one for one in TIERS if one in (question.filters.tiers or TIERS)]:
        if not wide.whole and len(nearest(question, hits)) >= question.limit:
            break
        alone = replace(wide, filters=replace(question.filters, tiers=(tier,)))
        served = _searched(alone)
        hits, strategy = hits + served.hits, served.strategy
    return Served(hits if wide.whole else hits[: wide.limit], strategy)


def _searched(question: Question) -> Served:
    """One pass over the tiers that the filters leave.

    What was asked for by name is done or refused (ProjectionOff); what was chosen here, because
    nothing was named, gives way to the hybrid.
    """
    try:
        return STRATEGIES[question.strategy](question)
    except ProjectionOff:
        if not question.automatic:
            raise
        return STRATEGIES[PLAIN](replace(question, strategy=PLAIN))
