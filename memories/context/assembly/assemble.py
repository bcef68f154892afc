"""The context for a prompt: what the asker's memories say about a query, within a token budget.

The sources are read one after the other in one transaction (docs/adr/0015-context.md says why).
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, transaction

from memories.context.assembly.layout import Citation, Context, laid_out
from memories.context.assembly.nearest import nearest_alone
from memories.context.sources.accounts import events, mails
from memories.context.sources.asked import Asked, ContextQuery, Gather
from memories.context.sources.entities import entities
from memories.context.sources.memory_lines import MEMORY
from memories.context.sources.pieces import EMPTY, FAILED, OFF, OK, TIMED_OUT, Section
from memories.context.sources.preferences import preferences
from memories.context.sources.recalled import recalled
from memories.context.sources.recent_messages import recent_messages
from memories.context.sources.tasks import tasks
from memories.retrieval.served import record_served
from orgs.database.time_budget import is_out_of_time, statement_limits
from orgs.principals import Actor, resolve
from robots.access.act_for import act
from robots.access.own_member import act_for_owner

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """A source of pieces. share: the part of the budget (0-1) that is reserved for it."""

    name: str
    title: str
    share: float
    gather: Gather


RECALLED = "memories"
# In the order in which they stand in the text.
SOURCES = [
    Source("preferences", "Preferences", 0.2, preferences),
    Source("recent", "Recent messages, the last first", 0.2, recent_messages),
    Source(RECALLED, "Memories", 0.35, recalled),
    Source("entities", "Entities", 0.05, entities),
    Source("tasks", "Tasks", 0.1, tasks),
    Source("events", "Events", 0.05, events),
    Source("mails", "Mails", 0.05, mails),
]


def register_source(source: Source) -> Source:
    """Register a source of an upper app; its section stands before all others."""
    SOURCES.insert(0, source)
    return source


def context(actor: Actor, query: ContextQuery, *, now: datetime) -> Context:
    """The context for a prompt about the query. Raises NotFound and MissingScope like a recall.

    A source that fails or is too slow is reported in the sections; the others are given. Memories
    in the text count as recalled.
    """
    until = time.monotonic() + settings.CONTEXT_SECONDS
    started = time.perf_counter()
    if query.member is None and query.group is None:
        actor = act_for_owner(actor)
    principal = resolve(act(actor, member=query.member, group=query.group))
    with principal.scope(deposit=(principal.own_audience,), relaxed=True):
        asked = Asked(query=query, principal=principal, now=now)
        with statement_limits() as limit:
            gathered = nearest_alone([_gathered(asked, one, until, limit) for one in SOURCES])
        made = laid_out(_shared(gathered), query.max_tokens)
        took_ms = (time.perf_counter() - started) * 1000
        sections = [
            replace(one, weak=asked.weak) if one.name == RECALLED else one for one in made.sections
        ]
        recall_id = _recorded(asked, made.citations, took_ms)
    return replace(made, recall_id=recall_id, sections=sections)


def _gathered(
    asked: Asked, source: Source, until: float, limit: Callable[[float], None]
) -> Section:
    """The section of a source, also if it fails or is late. until: by time.monotonic(). limit: of
    `statement_limits`."""
    section = Section(name=source.name, title=source.title, share=source.share, status=TIMED_OUT)
    left = until - time.monotonic()
    if left <= 0:
        return section
    try:
        with transaction.atomic():
            limit(left)
            pieces = source.gather(asked)
    except OperationalError as error:
        if is_out_of_time(error):
            return section
        return _failed(section, error)
    except Exception as error:
        return _failed(section, error)
    if pieces is None:
        return replace(section, status=OFF)
    return replace(section, status=OK if pieces else EMPTY, pieces=pieces)


def _shared(sections: Sequence[Section]) -> list[Section]:
    """The sections with shares scaled so that those of sections with pieces are at most 1
    together."""
    total = sum(one.share for one in sections if one.pieces)
    return [replace(one, share=one.share / max(1.0, total)) for one in sections]


def _failed(section: Section, error: Exception) -> Section:
    # The message of the error may quote a text.
    log.error("The source %s of a context failed: %s", section.name, type(error).__name__)
    return replace(section, status=FAILED)


def _recorded(asked: Asked, citations: Sequence[Citation], took_ms: float) -> UUID | None:
    """Record the served memories like a recall. Returns the recall's id, or None if nothing was
    recalled."""
    if asked.served is None:
        return None
    cited = {one.piece.id for one in citations if one.piece.type == MEMORY}
    hits = [hit for hit in asked.served.hits if hit.id in cited]
    served = replace(asked.served, hits=hits, confidence=None)
    return record_served(asked.principal, served, took_ms=took_ms, counts=True, now=asked.now)
