"""Every strategy by its name.

Each takes the question inside the asker's scope and returns Served. The database alone decides what
is readable; a strategy only chooses where to search and how to rank.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import UUID

import numpy as np

from memories.retrieval.answering.confidence import speaker_margin
from memories.retrieval.candidates.candidate_features import load_features
from memories.retrieval.candidates.expert_evidence import evidence_values, find_people
from memories.retrieval.candidates.graph_walk import search_graph
from memories.retrieval.candidates.scan_rows import SearchTable, merge_candidates
from memories.retrieval.candidates.search import find_candidates, load_candidates
from memories.retrieval.ranking.cues import Scores, compute_final_score, fuse, score_candidates
from memories.retrieval.ranking.merge_duplicates import load_facts, merge_all
from memories.retrieval.ranking.rank_pass import build_hit, likely_ids, rank_hits, top_indexes
from memories.retrieval.search_types import (
    CandidateFeatures,
    Candidates,
    Expert,
    Floats,
    Hit,
    SearchRequest,
    SearchResult,
)
from memories.retrieval.strategies.privacy_scoped import search_privacy_zones
from memories.retrieval.strategies.query_complexity import (
    MEDIUM_BELOW,
    SIMPLE_BELOW,
    score_complexity,
)
from orgs.database.prepared_statements import fetch_all

# Strategies with one pass over one table, by one arm or both.


def search_single_pass(question: SearchRequest) -> SearchResult:
    """keyword, vector and hybrid: one pass over everything that is readable."""
    return SearchResult(rank_hits(question), question.strategy)


def search_triple_tenant(question: SearchRequest) -> SearchResult:
    """Architecture 1: one table keyed by organisation, robot, group and member.

    The rows of all tenants that the asker may read are searched at once; the keys are columns
    that filters narrow by.
    """
    return SearchResult(rank_hits(replace(question, strategy="hybrid")), question.strategy)


# The strategy of `auto`.

# What the comparison of the architectures recommends (docs/architectures/report.json; a test holds
# the two together): one table, both arms, fused by scores. `auto` names it in the answer.
DEFAULT_STRATEGY = "triple_tenant"


# The check that a strategy's index layout is switched on.

_IS_ON_SQL = """
SELECT %(name)s::text = ANY(projections) FROM orgs_organisation WHERE id = %(organisation)s
"""


class ProjectionOffError(ValueError):
    """The index layout of the strategy is off for this organisation."""


def check_projection(organisation_id: UUID, name: str) -> None:
    """Raise ProjectionOffError, with what to do, if the layout is off. One query in the
    organisation's scope."""
    values = {"organisation": organisation_id, "name": name}
    if fetch_all(_IS_ON_SQL, values) != [(True,)]:
        raise ProjectionOffError(
            f"This organisation keeps no layout “{name}”. Who curates or administers it switches "
            f"it on: on the page Architectures, or by PUT /api/v1/projections/{name}. Whoever runs "
            f"the machine: manage.py rebuild_projections --organisation <slug> {name}"
        )


# Architecture 3: memories and people that the graph reaches, besides the memories of both arms.
# A walk begins at the entities that the question names and at the memories nearest to it in
# meaning. It reaches the people who know about these entities and the messages that mention them,
# near the asker and along heavy edges first. Such a message need not share a word with the
# question. Its score in the walk is one part of its relevance:
# relevance = (hybrid + WALKED x walk) / (1 + WALKED), walk = score / the best walk's, all in 0-1.

WALK_WEIGHT = 0.3
# How many of the reached memories are candidates.
MAX_GRAPH_HITS = 50
# At how many of the nearest memories the walk begins, and the weight of the nearest there; of the
# others by their inner product. A named entity has at most .59.
NEAREST_SEEDS, NEAREST_WEIGHT = 4, 0.3
# In how many of the best memories people are looked for, and how many are named.
PEOPLE_EVIDENCE, MAX_PEOPLE = 40, 10


def search_by_graph(question: SearchRequest) -> SearchResult:
    """Both arms and the walk, scored as one list, and the people whom the best of it shows to know
    something. Raises ProjectionOffError."""
    check_projection(question.organisation_id, "graph")
    wanted = replace(question, strategy="hybrid")
    [by_arms] = find_candidates(wanted)
    reached = search_graph(
        question.organisation_id,
        question.text,
        now=question.now,
        asker=question.asker,
        limit=MAX_GRAPH_HITS,
        include_expired=question.include_expired,
        near=nearest_memories(by_arms, question.meaning_floor),
    )
    found, _ = merge_candidates([by_arms, load_candidates(wanted, [one.id for one in reached])])
    pool, _ = load_features(wanted, found, front=likely_ids(wanted, found))
    fused = fuse(pool, wanted.strategy, wanted.fusion, wanted.meaning_floor)
    judged = score_candidates(wanted, pool, fused, speaker_margin(wanted, found))
    walk = walk_scores(pool, {one.id: one.score for one in reached})
    judged = add_walk_scores(wanted, pool, judged, walk)
    places = top_indexes(question, pool, judged)
    hits = [build_hit(pool, judged, place) for place in places]
    return SearchResult(hits, question.strategy, people=_find_people(question, pool, judged))


def nearest_memories(found: Candidates, floor: float) -> dict[UUID, float]:
    """{id: weight in 0-1} of the candidates that are nearest in meaning, above the floor."""
    near = np.flatnonzero(np.nan_to_num(found.product, nan=-np.inf) > floor)
    order = np.lexsort((found.ids[near], -found.product[near]))
    near = near[order[:NEAREST_SEEDS]]
    best = found.product[near[0]] if len(near) else 1.0
    return {
        # numpy drops trailing zero bytes.
        UUID(bytes=bytes(found.ids[place]).ljust(16, b"\0")): float(
            NEAREST_WEIGHT * found.product[place] / best
        )
        for place in near
    }


def _find_people(
    question: SearchRequest, pool: CandidateFeatures, judged: Scores
) -> tuple[Expert, ...]:
    """The people whom the best candidates show to know something, by the relevance of these."""
    wanted = replace(question, whole=False, limit=PEOPLE_EVIDENCE)
    shown = [build_hit(pool, judged, place) for place in top_indexes(wanted, pool, judged)]
    values = evidence_values(
        question.organisation_id,
        group=question.context_group,
        open_audience=question.organisation_audience,
        limit=MAX_PEOPLE,
        now=question.now,
    )
    ids, relevance = [hit.id for hit in shown], [hit.relevance for hit in shown]
    return tuple(find_people(ids, relevance, values))


def walk_scores(pool: CandidateFeatures, scores: dict[UUID, float]) -> Floats:
    """The score of each candidate in the walk, in 0-1; 0 if the walk did not reach it."""
    best = max(scores.values(), default=0.0)
    # numpy drops trailing zero bytes of ids, in both arrays alike.
    known = {id_.bytes.rstrip(b"\0"): score for id_, score in scores.items()}
    near = np.array([known.get(bytes(id_), 0.0) for id_ in pool.ids], dtype=np.float64)
    return near / best if best > 0 else near


def add_walk_scores(
    question: SearchRequest, pool: CandidateFeatures, judged: Scores, walk: Floats
) -> Scores:
    """The scores with the walk as a part of the relevance."""
    relevance = (judged.relevance + WALK_WEIGHT * walk) / (1 + WALK_WEIGHT)
    score = compute_final_score(question, pool, relevance=relevance, strength=judged.strength)
    return judged._replace(score=score, relevance=relevance)


# Architecture 5: the complexity of a question decides how widely it is searched.
# A simple question by its words, at most 5 hits; a medium one by meaning among memories about
# individuals, at most 10; a complex one among individuals (10), groups (5) and what is beyond
# groups (3), where memories of several levels that say the same are served once.

SIMPLE_LIMIT, MEDIUM_LIMIT = 5, 10
LEVEL_LIMITS = (10, 5, 3)

# The level of a memory is derived (`store.models.levels`). For most kinds the kind decides; for the
# others the memory itself must be read. What belongs to no group and nobody is one source:
# cross_group and organisation.
_HAS_MEMBER_SQL = (
    "EXISTS (SELECT 1 FROM memories_memory m WHERE m.organisation_id = n.organisation_id "
    "AND m.id = n.memory_id AND m.member_id IS NOT NULL)"
)
_ANY_LEVEL_SQL = "n.kind IN ('organisation', 'internal')"
INDIVIDUAL_TABLE = SearchTable(
    conditions=(
        (
            "(n.kind IN ('user', 'interaction', 'direct') OR (n.kind = 'internal' "
            f"AND n.group_id IS NULL) OR ({_ANY_LEVEL_SQL} AND {_HAS_MEMBER_SQL}))"
        ),
    )
)
GROUP_TABLE = SearchTable(
    conditions=(
        (
            f"(n.kind = 'group' OR ({_ANY_LEVEL_SQL} AND n.group_id IS NOT NULL AND NOT "
            f"{_HAS_MEMBER_SQL}))"
        ),
    )
)
BEYOND_GROUPS_TABLE = SearchTable(
    conditions=("n.kind = 'organisation'", "n.group_id IS NULL", f"NOT {_HAS_MEMBER_SQL}")
)


def search_multi_level(question: SearchRequest) -> SearchResult:
    """Answer by the branch that the question's complexity chooses."""
    weight = score_complexity(question.text)
    if weight < SIMPLE_BELOW:
        return SearchResult(rank_by_words(question), question.strategy)
    if weight < MEDIUM_BELOW:
        return SearchResult(rank_by_meaning(question), question.strategy)
    return SearchResult(rank_all_levels(question), question.strategy)


def needs_meaning(text: str) -> bool:
    """Whether the branch of the question uses vectors."""
    return score_complexity(text) >= SIMPLE_BELOW


def rank_by_words(question: SearchRequest) -> list[Hit]:
    """Up to SIMPLE hits by words, of everything readable."""
    return rank_hits(replace(question, strategy="keyword", limit=min(SIMPLE_LIMIT, question.limit)))


def rank_by_meaning(question: SearchRequest) -> list[Hit]:
    """Up to MEDIUM hits by meaning, of memories about individuals."""
    narrowed = replace(question, strategy="vector", limit=min(MEDIUM_LIMIT, question.limit))
    return rank_hits(narrowed, [INDIVIDUAL_TABLE])


def rank_all_levels(question: SearchRequest) -> list[Hit]:
    """Up to LEVELS hits of each level, by both arms, each thing once."""
    wanted = replace(question, strategy="hybrid", limit=sum(LEVEL_LIMITS))
    hits = rank_hits(wanted, [INDIVIDUAL_TABLE, GROUP_TABLE, BEYOND_GROUPS_TABLE], LEVEL_LIMITS)
    found = merge_all(hits, load_facts(question, hits))
    return found if question.whole else found[: question.limit]


# Architecture 2: partitions for group, user and interaction rows, each with its own indexes.
# Memories of the group, about the asker, and between the asker and others are searched by one
# message to the database; the candidates are scored together and ranked as one list. Direct,
# organisation and internal rows have no partition and are searched in the narrow tables, so that
# shared memories are found as well.

PARTITION_TABLE = "memories_partition"
_GROUP_SQL = ("n.kind = 'group'",)
_USER_SQL = ("n.kind = 'user'",)
_ASKER_SQL = ("n.kind = 'user'", "n.owner = %(me)s")
_INTERACTION_SQL = ("n.kind = 'interaction'",)
_ASKER_INTERACTION_SQL = ("n.kind = 'interaction'", "%(me)s = ANY(n.parties)")
_UNPARTITIONED_SQL = ("n.kind IN ('direct', 'organisation', 'internal')",)
_PARTITIONED_KINDS = {"group", "user", "interaction"}


def search_partitions(question: SearchRequest) -> SearchResult:
    """The hits of all partitions: group; user = the asker; interactions in which the asker spoke or
    listened. Raises ProjectionOffError.

    A robot that asks for nobody is no user, so all user and interaction rows that it may read are
    searched.
    """
    check_projection(question.organisation_id, "partitions")
    hits = rank_hits(replace(question, strategy="hybrid"), list(iter_search_tables(question)))
    return SearchResult(hits, question.strategy)


def iter_search_tables(question: SearchRequest) -> Iterator[SearchTable]:
    """The sources for the question, without those that its filters exclude anyway."""
    kinds = set(question.filters.kinds)
    me = question.asker
    values = {"me": me} if me else {}
    if not kinds or "group" in kinds:
        yield SearchTable(PARTITION_TABLE, _GROUP_SQL)
    if not kinds or "user" in kinds:
        yield SearchTable(PARTITION_TABLE, _ASKER_SQL if me else _USER_SQL, values)
    if not kinds or "interaction" in kinds:
        yield SearchTable(
            PARTITION_TABLE, _ASKER_INTERACTION_SQL if me else _INTERACTION_SQL, values
        )
    if not kinds or kinds - _PARTITIONED_KINDS:
        yield SearchTable(conditions=_UNPARTITIONED_SQL)


STRATEGIES: dict[str, Callable[[SearchRequest], SearchResult]] = {
    "keyword": search_single_pass,
    "vector": search_single_pass,
    "hybrid": search_single_pass,
    "triple_tenant": search_triple_tenant,
    "partitioned": search_partitions,
    "graph": search_by_graph,
    "privacy_scoped": search_privacy_zones,
    "multi_level": search_multi_level,
}
# A strategy that needs no index layout.
FALLBACK_STRATEGY = "hybrid"
# Other names that callers may use.
ALIASES = {"auto": DEFAULT_STRATEGY, "fulltext": "keyword"}
STRATEGY_NAMES = ("auto", "fulltext", *STRATEGIES)


def needs_vector(question: SearchRequest) -> bool:
    """Whether the question needs a vector."""
    if question.strategy == "multi_level":
        return needs_meaning(question.text)
    return question.strategy != "keyword"
