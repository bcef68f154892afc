"""Which topics of a persona come up more and more often, or less.

A topic is a term of what was said for the persona. It counts each time that somebody says or
confirms it (the log of operations has the day), in WINDOWS windows of a week that end now.
Summaries that a worker made do not count.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.errors import NotFoundError
from orgs.models.audiences import AudienceType
from orgs.principals import Actor, resolve_principal
from personas.blocks.teachers import with_few_teachers
from personas.learning.topics import MentionCounts, TopicTrend, count_topics, rank_topics
from personas.registry.personas import get_persona

WINDOW_COUNT, WINDOW_LENGTH = 8, timedelta(days=7)
# The most memories that are read, the newest ones.
MAX_MEMORIES = 5_000

_MENTIONS_SQL = """
SELECT o.memory_id, floor(extract(epoch FROM %(now)s - o.at) / %(window)s)::int, count(*)
FROM memories_operation o
WHERE o.organisation_id = %(organisation)s AND o.audience_id = %(audience)s
    AND o.verb = 'remember' AND o.at > %(since)s AND o.at <= %(now)s
GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class PersonaTrends:
    """windows: when each ends, the oldest first. topics: in the order of `topics.ranked`.

    few_teachers: too few people taught the persona, so there are no topics.
    """

    windows: tuple[datetime, ...]
    topics: tuple[TopicTrend, ...]
    few_teachers: bool = False


def available_windows() -> int:
    """How many whole windows the log of operations holds; WINDOWS at most."""
    kept: int = settings.OPERATIONS_DAYS // WINDOW_LENGTH.days
    return max(0, min(WINDOW_COUNT, kept))


def compute_trends(actor: Actor, handle: str, *, now: datetime) -> PersonaTrends:
    """The trends of a persona. Raises NotFoundError for one whose audience the asker does not
    read."""
    principal = resolve_principal(actor)
    many = available_windows()
    with principal.scope():
        persona = get_persona(principal.organisation_id, handle)
        audience_id = principal.named.get((AudienceType.PERSONA, str(persona.id)))
        if audience_id is None or audience_id not in principal.audiences:
            raise NotFoundError("no such persona")
        ends = tuple(now - WINDOW_LENGTH * ago for ago in reversed(range(many)))
        if with_few_teachers(principal.organisation_id, [audience_id]):
            return PersonaTrends(ends, (), few_teachers=True)
        said = _fetch_mentions(principal.organisation_id, audience_id, many, now)
        rows = Memory.objects.filter(
            organisation_id=principal.organisation_id,
            id__in=said,
            audience_id=audience_id,
            status__in=(Status.ACTIVE, Status.ARCHIVED),
            sensitive=False,
        )
        texts = dict(rows.order_by("-id").values_list("id", "content")[:MAX_MEMORIES])
    return PersonaTrends(ends, rank_topics(count_topics(texts, said, many)))


def _fetch_mentions(
    organisation_id: UUID, audience_id: UUID, many: int, now: datetime
) -> MentionCounts:
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "audience": audience_id,
        "now": now,
        "since": now - WINDOW_LENGTH * many,
        "window": WINDOW_LENGTH.total_seconds(),
    }
    found: dict[UUID, dict[int, int]] = defaultdict(dict)
    for memory_id, ago, times in fetch_all(_MENTIONS_SQL, values):
        found[memory_id][ago] = times
    return found
