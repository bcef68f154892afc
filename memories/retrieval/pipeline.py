"""The pipeline of a recall: run the strategy over the wanted tiers, in the asker's scope."""

from dataclasses import replace

from memories.retrieval.answering.confidence import LOOKED_AT, surest
from memories.retrieval.profiles import TIERS
from memories.retrieval.ranking.nearest_audience import nearest, windows
from memories.retrieval.strategies.projection_required import ProjectionOff
from memories.retrieval.strategies.registry import PLAIN, STRATEGIES
from memories.retrieval.types import Hit, Question, Served


def search(question: Question) -> Served:
    """The best `limit` memories of the scope for the question, each fact once, with the confidence
    that one of the first answers, which does not depend on the limit."""
    looked_at, hits = 0, list[Hit]()
    for most in (*windows(question), None):
        wide = _wide(question, most)
        served = ranked(wide, question)
        hits = nearest(question, served.hits, looked_at=looked_at)
        if most is None or question.whole or len(hits) >= question.limit:
            break
        if len(served.hits) < most:
            # There are no more hits.
            break
        looked_at = most
    return replace(served, hits=hits, confidence=surest(served.hits))


def _wide(question: Question, most: int | None) -> Question:
    """The question with limit `most`; without a limit if it is None."""
    if most is None:
        return replace(question, whole=True)
    return replace(question, limit=max(most, LOOKED_AT))


def ranked(wide: Question, question: Question) -> Served:
    """The best `wide.limit` hits, without removing equal facts of several audiences. question: with
    the original limit."""
    if wide.tier_strategy == "fast_first":
        return _fast_first(wide, question)
    return _searched(wide)


def _fast_first(wide: Question, question: Question) -> Served:
    """Search tier by tier, each ranked by itself; a slower one only while the answer has room.

    An explanation searches all tiers, to give the rank in a slower one.
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
    """Run the strategy once over the tiers of the filters.

    A strategy that the caller named raises ProjectionOff if its layout is off; an automatic one
    falls back to hybrid.
    """
    try:
        return STRATEGIES[question.strategy](question)
    except ProjectionOff:
        if not question.automatic:
            raise
        return STRATEGIES[PLAIN](replace(question, strategy=PLAIN))
