"""One ranking pass: candidates, fusion, scoring, top.

Runs inside the asker's scope, so every stage reads only permitted rows.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memories.retrieval.answering.confidence import speaker_margin
from memories.retrieval.candidates.candidate_features import load_features
from memories.retrieval.candidates.scan_rows import (
    MAIN_TABLE,
    SearchTable,
    merge_candidates,
    select_candidates,
)
from memories.retrieval.candidates.search import arm_size, find_candidates
from memories.retrieval.candidates.search_conditions import (
    NOT_ORGANISATION_WIDE_SQL,
    ORGANISATION_WIDE_SQL,
)
from memories.retrieval.ranking.cues import Scores, fuse, score_candidates, select_shortlist
from memories.retrieval.ranking.merge_duplicates import load_facts, merge_across_audiences
from memories.retrieval.search_types import (
    CandidateFeatures,
    Candidates,
    ComparedText,
    Floats,
    Hit,
    Ids,
    SearchRequest,
    decode_part,
)

# Combine private and shared knowledge in one answer.
# prefer_personal: if facts of different audiences say the same, the one of the nearest audience
# (see `audience_distance`) is served, at the rank of the best; the others are named beside it.
# Repeats within one audience stay, and so do turns of conversations. shared_limit: the most
# memories that everyone in the organisation reads.
# A free place goes to the next hit; scores and order are those of ranking.

# How many hits more than the limit are examined first, and the factor for the next try.
EXTRA_HITS, WINDOW_GROWTH = 5, 3


def window_sizes(question: SearchRequest) -> list[int]:
    """The numbers of hits to examine, one after the other, until the answer is complete.

    Never more than an arm chooses, because a larger pool would change the scores; after the last
    number all candidates are examined.
    """
    if not question.prefer_personal and question.shared_limit is None:
        return [min(question.limit + EXTRA_HITS, arm_size(question))]
    first = question.limit + EXTRA_HITS
    return sorted({min(most, arm_size(question)) for most in (first, first * WINDOW_GROWTH)})


def select_nearest_audience(
    question: SearchRequest, hits: Sequence[Hit], *, looked_at: int = 0
) -> list[Hit]:
    """The hits of the answer, best first: `limit` and EXTRA_HITS, or all if question.whole.

    hits: ranked. looked_at: a number of hits that was not enough before. One query in the asker's
    scope for each window, and none if no facts may be equal.
    """
    sizes = [size for size in window_sizes(question) if looked_at < size < len(hits)]
    for size in [*sizes, len(hits)]:
        head = _merge_duplicates(question, hits[:size])
        if len(_apply_shared_limit(question, head)) >= question.limit:
            break
    found = _apply_shared_limit(question, [*head, *hits[size:]])
    return found if question.whole else found[: question.limit + EXTRA_HITS]


def _merge_duplicates(question: SearchRequest, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with each fact once, if prefer_personal."""
    alike = duplicate_candidates(question, hits) if question.prefer_personal else []
    if not alike:
        return list(hits)
    return merge_across_audiences(hits, load_facts(question, alike))


def duplicate_candidates(question: SearchRequest, hits: Sequence[Hit]) -> list[Hit]:
    """The facts that may equal a fact of another audience. Pure.

    If the words of one are unknown, these are all facts, unless all have one audience.
    """
    told = [hit for hit in hits if hit.readers is not None]
    if len({hit.readers for hit in told}) < 2:
        return []
    if any(hit.wording is None for hit in told):
        return told
    audiences: dict[float | None, set[float | None]] = defaultdict(set)
    for hit in told:
        audiences[hit.wording].add(hit.readers)
    return [hit for hit in told if len(audiences[hit.wording]) > 1]


def _apply_shared_limit(question: SearchRequest, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with at most `shared_limit` memories that everyone reads."""
    if question.shared_limit is None:
        return list(hits)
    kept, left = [], question.shared_limit
    for hit in hits:
        if hit.shared:
            if left == 0:
                continue
            left -= 1
        kept.append(hit)
    return kept


# This many times the limit, by relevance, most likely contain all served memories.
FRONT_FACTOR = 3


def rank_hits(
    question: SearchRequest,
    sources: Sequence[SearchTable] = (MAIN_TABLE,),
    caps: Sequence[int] | None = None,
) -> list[Hit]:
    """The best `limit` memories of the sources for the question, as one list.

    question.strategy: keyword, vector or hybrid. Each source is searched by itself; the candidates
    are scored together. caps: how many may come from each source. With a shared_limit, memories
    that everyone reads are searched separately, so that they displace nothing else.
    """
    parts = list(sources)
    if question.shared_limit is not None:
        parts = [part for source in sources for part in split_shared(question, source)]
    found, origins = merge_candidates(find_candidates(question, parts))
    if question.shared_limit is not None:
        origins //= 2
    if caps is None and _can_use_shortlist(question):
        hits = _rank_shortlist(question, found)
        if hits is not None:
            return hits
    pool, places = load_features(question, found, front=likely_ids(question, found))
    fused = fuse(pool, question.strategy, question.fusion, question.meaning_floor)
    judged = score_candidates(question, pool, fused, speaker_margin(question, found))
    best = top_indexes(question, pool, judged)
    if caps is not None:
        best = _apply_caps(
            top_indexes(replace(question, whole=True), pool, judged), origins[places], caps
        )
        best = best if question.whole else best[: question.limit]
    return [build_hit(pool, judged, place) for place in best]


def split_shared(question: SearchRequest, source: SearchTable) -> list[SearchTable]:
    """The source split in two: without memories that everyone in the organisation reads, and only
    these."""
    values = {**source.values, "organisation_audience": question.organisation_audience}
    return [
        replace(source, conditions=(*source.conditions, condition), values=values)
        for condition in (NOT_ORGANISATION_WIDE_SQL, ORGANISATION_WIDE_SQL)
    ]


def _can_use_shortlist(question: SearchRequest) -> bool:
    """Whether `select_shortlist` can bound how much the unread facts can raise a score."""
    balanced = question.profile == "balanced" and question.tier_strategy != "weighted"
    as_found = question.fusion == "minmax" and question.min_similarity is None
    return balanced and as_found and not question.whole


def likely_ids(question: SearchRequest, found: Candidates) -> Ids:
    """The ids of the candidates that are most likely served, by relevance without cues."""
    fused = fuse(found, question.strategy, question.fusion, question.meaning_floor)
    return found.ids[np.argsort(-fused, kind="stable")[: FRONT_FACTOR * question.limit]]


def _rank_shortlist(question: SearchRequest, found: Candidates) -> list[Hit] | None:
    """The hits from a shortlist of possible best ones; None if the shortlist is not safe.

    It is not safe if a candidate drops out, which changes the normalisation of the others, or if
    one does not hold or is faded, which lowers it more than the shortlist assumes.
    """
    fused = fuse(found, question.strategy, question.fusion, question.meaning_floor)
    short = select_shortlist(question, found, fused, question.limit)
    likely = short[np.argsort(-fused[short], kind="stable")[: FRONT_FACTOR * question.limit]]
    pool, places = load_features(question, select_candidates(found, short), front=found.ids[likely])
    faded = (pool.unconfirmed > question.fresh_days).any()
    if len(places) < len(short) or (pool.superseded | pool.upcoming).any() or faded:
        return None
    judged = score_candidates(question, pool, fused[short][places], speaker_margin(question, found))
    return [build_hit(pool, judged, place) for place in top_indexes(question, pool, judged)]


def _apply_caps(places: list[int], origins: NDArray[np.intp], caps: Sequence[int]) -> list[int]:
    left, kept = list(caps), []
    for place in places:
        origin = int(origins[place])
        if left[origin] > 0:
            left[origin] -= 1
            kept.append(place)
    return kept


def top_indexes(question: SearchRequest, pool: CandidateFeatures, judged: Scores) -> list[int]:
    """The places of the best, equal scores by id, so that the order is deterministic."""
    order = np.lexsort((pool.ids, -judged.score))
    if question.min_similarity is not None:
        order = order[np.nan_to_num(pool.similarity[order]) >= question.min_similarity]
    places: list[int] = order[: None if question.whole else question.limit].tolist()
    return places


def build_hit(pool: CandidateFeatures, judged: Scores, place: int) -> Hit:
    """The hit of a candidate, with the parts of its score."""
    return Hit(
        # numpy drops trailing zero bytes.
        id=UUID(bytes=bytes(pool.ids[place]).ljust(16, b"\0")),
        relevance=float(judged.relevance[place]),
        score=float(judged.score[place]),
        vector=value_or_none(pool.product, place),
        keyword=value_or_none(pool.words, place),
        similarity=value_or_none(pool.similarity, place),
        cues=float(judged.cues[place]),
        strength=float(judged.strength[place]),
        answers=float(judged.answers[place]),
        unconfirmed=float(pool.unconfirmed[place]),
        shared=bool(pool.shared[place]),
        readers=value_or_none(pool.readers, place),
        wording=value_or_none(pool.wording, place),
        superseded=bool(pool.superseded[place]),
        upcoming=bool(pool.upcoming[place]),
        turn=bool(pool.turn[place]),
        part=decode_part(int(pool.part[place])),
        said=_compared_text(pool, place),
    )


def _compared_text(pool: CandidateFeatures, place: int) -> ComparedText | None:
    text = pool.texts[place]
    if not text:
        return None
    facts = (pool.said_at, pool.subject, pool.speaker, pool.proven)
    return ComparedText(text, *(float(column[place]) for column in facts))


def value_or_none(column: Floats, place: int) -> float | None:
    """The value at a place, or None if it is NaN."""
    value = float(column[place])
    # Only NaN differs from itself; `np.isnan` of one number costs five times as much.
    return None if value != value else value  # noqa: PLR0124
