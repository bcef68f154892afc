"""Architecture 2: group, user and interaction rows lie apart, each with indexes of its own.

What the group knows, what is known of the asker, and what was said between the asker and another
are searched one after the other; the candidates are then judged together and ranked as one list.
Direct, organisation's and internal rows fit none of the three and are searched in the narrow
tables, so that what everyone knows is found as well.
"""

from collections.abc import Iterator
from dataclasses import replace

from memories.retrieval.candidates.scan import Source
from memories.retrieval.ranking.rank import rank
from memories.retrieval.strategies.projection_required import require
from memories.retrieval.types import Question, Served

TABLE = "memories_partition"
_GROUP = ("n.kind = 'group'",)
_USER = ("n.kind = 'user'",)
_MINE = ("n.kind = 'user'", "n.owner = %(me)s")
_INTERACTION = ("n.kind = 'interaction'",)
_AMONG = ("n.kind = 'interaction'", "%(me)s = ANY(n.parties)")
_REST = ("n.kind IN ('direct', 'organisation', 'internal')",)
_PARTITIONED = {"group", "user", "interaction"}


def partitioned(question: Question) -> Served:
    """Group; user = me; interaction where I spoke or listened. Raises ProjectionOff.

    A robot that asks for nobody is no user: what it may read of users and of interactions is
    searched whole.
    """
    require(question.organisation_id, "partitions")
    hits = rank(replace(question, strategy="hybrid"), list(sources(question)))
    return Served(hits, question.strategy)


def sources(question: Question) -> Iterator[Source]:
    """Where the asker's question is searched, without what its filters leave out anyway."""
    kinds = set(question.filters.kinds)
    me = question.asker
    values = {"me": me} if me else {}
    if not kinds or "group" in kinds:
        yield Source(TABLE, _GROUP)
    if not kinds or "user" in kinds:
        yield Source(TABLE, _MINE if me else _USER, values)
    if not kinds or "interaction" in kinds:
        yield Source(TABLE, _AMONG if me else _INTERACTION, values)
    if not kinds or kinds - _PARTITIONED:
        yield Source(conditions=_REST)
