"""Architecture 4: public, protected and private zones are searched separately and then merged.

public: audiences of groups and everyone; protected: lists of readers; private: the asker's own.
Equal texts of several zones are served once, from the nearest audience.
"""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

from memories.retrieval.candidates.scan import Source
from memories.retrieval.ranking.rank import rank
from memories.retrieval.ranking.same_answer import consolidated, facts
from memories.retrieval.types import Hit, Question, Served
from orgs.database.prepared_statements import fetched

PUBLIC, PRIVATE = ("group", "organisation"), ("member", "robot")
# This many times the limit is fetched, because equal texts are merged.
ROOM = 3

_KINDS = """
SELECT id, kind FROM orgs_audience
WHERE organisation_id = %(organisation)s AND id = ANY(%(audiences)s)
"""
_IN_ZONE = ("n.audience_id = ANY(%(zone)s)",)


def privacy_scoped(question: Question) -> Served:
    """The candidates of all zones, scored as one list, each text once."""
    zones = list(sources(question))
    if not zones:
        return Served([], question.strategy)
    wanted = replace(question, strategy="hybrid", limit=question.limit * ROOM)
    hits = rank(wanted, zones)
    found = _once(question, hits)
    if len(found) < question.limit and len(hits) == wanted.limit:
        found = _once(question, rank(replace(wanted, whole=True), zones))
    return Served(found if question.whole else found[: question.limit], question.strategy)


def _once(question: Question, hits: list[Hit]) -> list[Hit]:
    return consolidated(hits, facts(question, hits))


def sources(question: Question) -> Iterator[Source]:
    """One source for each zone in which the asker reads anything."""
    for zone in zones(question):
        if zone:
            yield Source(conditions=_IN_ZONE, values={"zone": zone})


def zones(question: Question) -> tuple[list[UUID], list[UUID], list[UUID]]:
    """The asker's audiences as public, protected and private; one query in their scope."""
    values = {
        "organisation": question.organisation_id,
        "audiences": sorted(question.audiences),
    }
    found: tuple[list[UUID], list[UUID], list[UUID]] = ([], [], [])
    for id_, kind in fetched(_KINDS, values):
        found[0 if kind in PUBLIC else 2 if kind in PRIVATE else 1].append(id_)
    return found
