"""Architecture 4: public, protected and private zones are searched separately and then merged.

public: audiences of groups and everyone; protected: lists of readers; private: the asker's own.
Equal texts of several zones are served once, from the nearest audience.
"""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

from memories.retrieval.candidates.scan_rows import SearchTable
from memories.retrieval.ranking.merge_duplicates import load_facts, merge_all
from memories.retrieval.ranking.rank_pass import rank_hits
from memories.retrieval.search_types import Hit, SearchRequest, SearchResult
from orgs.database.prepared_statements import fetch_all

PUBLIC_AUDIENCE_TYPES, PRIVATE_AUDIENCE_TYPES = ("group", "organisation"), ("member", "robot")
# This many times the limit is fetched, because equal texts are merged.
LIMIT_FACTOR = 3

_AUDIENCE_TYPES_SQL = """
SELECT id, kind FROM orgs_audience
WHERE organisation_id = %(organisation)s AND id = ANY(%(audiences)s)
"""
_IN_ZONE_SQL = ("n.audience_id = ANY(%(zone)s)",)


def search_privacy_zones(question: SearchRequest) -> SearchResult:
    """The candidates of all zones, scored as one list, each text once."""
    zones = list(iter_search_tables(question))
    if not zones:
        return SearchResult([], question.strategy)
    wanted = replace(question, strategy="hybrid", limit=question.limit * LIMIT_FACTOR)
    hits = rank_hits(wanted, zones)
    found = _merge_duplicates(question, hits)
    if len(found) < question.limit and len(hits) == wanted.limit:
        found = _merge_duplicates(question, rank_hits(replace(wanted, whole=True), zones))
    return SearchResult(found if question.whole else found[: question.limit], question.strategy)


def _merge_duplicates(question: SearchRequest, hits: list[Hit]) -> list[Hit]:
    return merge_all(hits, load_facts(question, hits))


def iter_search_tables(question: SearchRequest) -> Iterator[SearchTable]:
    """One source for each zone in which the asker reads anything."""
    for zone in load_zones(question):
        if zone:
            yield SearchTable(conditions=_IN_ZONE_SQL, values={"zone": zone})


def load_zones(question: SearchRequest) -> tuple[list[UUID], list[UUID], list[UUID]]:
    """The asker's audiences as public, protected and private; one query in their scope."""
    values = {
        "organisation": question.organisation_id,
        "audiences": sorted(question.audiences),
    }
    found: tuple[list[UUID], list[UUID], list[UUID]] = ([], [], [])
    for id_, kind in fetch_all(_AUDIENCE_TYPES_SQL, values):
        found[
            0 if kind in PUBLIC_AUDIENCE_TYPES else 2 if kind in PRIVATE_AUDIENCE_TYPES else 1
        ].append(id_)
    return found
