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

from memories.context.assembly.filter_contradicted import filter_contradicted_pieces
from memories.context.assembly.layout import Citation, PromptContext, lay_out_context
from memories.context.sources.context_query import (
    MEMORY,
    ContextBuildState,
    ContextQuery,
    SourceLoader,
)
from memories.context.sources.further_sources import (
    PROFILE_SHARE,
    load_entities,
    load_events,
    load_mails,
    load_open_tasks,
    load_own_description,
    load_preferences,
    load_profile,
    load_recent_messages,
)
from memories.context.sources.pieces import (
    EMPTY,
    FAILED,
    OFF,
    OK,
    TIMED_OUT,
    ContextPiece,
    ContextSection,
)
from memories.context.sources.recalled_memories import (
    build_recall_query,
    load_recalled_memories,
    search_reranked,
)
from memories.language.query_cues import ends_with_question_mark
from memories.questions.record_question import AskedQuestion
from memories.retrieval.answering.confidence import classify_confidence
from memories.retrieval.recall import resolve_timeframe
from memories.retrieval.recall_log import record_reads, record_recall
from orgs.database.rls import unless_unwritable
from orgs.database.time_budget import is_out_of_time, statement_limits
from orgs.models.memberships import load_member_zone
from orgs.principals import Actor, resolve_principal
from orgs.trace_spans import span
from orgs.wired_functions import wired
from robots.access.acting_for_members import resolve_actor
from robots.access.personal_robot_actor import resolve_owner_actor

log = logging.getLogger("commonmind.context")


@dataclass(frozen=True, slots=True)
class ContextSource:
    """A source of pieces. share: the part of the budget (0-1) that it may fill before the memories.
    fills: whether it gets what the others leave."""

    name: str
    title: str
    share: float
    gather: SourceLoader
    fills: bool = False


@wired
def load_block_pieces(asked: ContextBuildState) -> Sequence[ContextPiece] | None:
    """The asker's blocks as pieces; None if there is no source of them."""
    raise NotImplementedError


MEMORIES_SOURCE = "memories"
# In the order in which they stand in the text.
SOURCES = (
    ContextSource("you", "You", 0.15, load_own_description),
    ContextSource("blocks", "Blocks", 0.25, load_block_pieces),
    ContextSource("preferences", "Preferences", 0.2, load_preferences),
    ContextSource("profile", "About the member", PROFILE_SHARE, load_profile),
    ContextSource("recent", "Recent messages", 0.2, load_recent_messages),
    ContextSource(MEMORIES_SOURCE, "Memories", 0.35, load_recalled_memories, fills=True),
    ContextSource("entities", "Entities", 0.05, load_entities),
    ContextSource("tasks", "Tasks", 0.1, load_open_tasks),
    ContextSource("events", "Events", 0.05, load_events),
    ContextSource("mails", "Mails", 0.05, load_mails),
)


def build_context(actor: Actor, query: ContextQuery, *, now: datetime) -> PromptContext:
    """The context for a prompt about the query. Raises NotFoundError, MissingScopeError and
    TimeframeError like a recall.

    A source that fails or is too slow is reported in the sections; the others are given. Memories
    in the text count as recalled.
    """
    started = time.perf_counter()
    if query.member is None and query.group is None:
        actor = resolve_owner_actor(actor)
    acting = resolve_actor(
        actor,
        member=query.member,
        group=query.group,
        include_direct=bool(query.include_direct),
        told=query.include_direct is not False,
    )
    principal = resolve_principal(acting)
    asked = ContextBuildState(query=query, principal=principal, now=now)
    asked.recall_query = resolve_timeframe(principal, build_recall_query(query), now)
    why_not = None
    if query.rerank:
        # Outside the transaction of the sources, because the model takes longer than all of them.
        asked.reranked, why_not = search_reranked(principal, asked.recall_query, now=now)
    until = time.monotonic() + settings.CONTEXT_SECONDS
    with principal.scope(deposit=(principal.own_audience,), relaxed=True):
        asked.zone = load_member_zone(principal.organisation_id, principal.actor.member_id)
        with statement_limits() as limit:
            gathered = filter_contradicted_pieces(
                [_run_source(asked, one, until, limit) for one in SOURCES]
            )
        made = lay_out_context(_normalise_shares(gathered), query.max_tokens, str(asked.zone))
        took_ms = (time.perf_counter() - started) * 1000
        sections = [
            replace(one, weak=asked.weak) if one.name == MEMORIES_SOURCE else one
            for one in made.sections
        ]
        recall_id = _record_recall(asked, made.citations, took_ms)
    return replace(
        made,
        recall_id=recall_id,
        sections=sections,
        confidence=asked.served.confidence if asked.served else None,
        not_reranked=why_not,
    )


def _run_source(
    asked: ContextBuildState, source: ContextSource, until: float, limit: Callable[[float], None]
) -> ContextSection:
    """The section of a source, also if it fails or is late. until: by time.monotonic(). limit: of
    `statement_limits`."""
    section = ContextSection(
        name=source.name,
        title=source.title,
        share=source.share,
        status=TIMED_OUT,
        fills=source.fills,
        most=asked.query.max_memories if source.name == MEMORIES_SOURCE else None,
    )
    left = until - time.monotonic()
    if left <= 0:
        return section
    try:
        with span("context source", source=source.name), transaction.atomic():
            limit(left)
            pieces = source.gather(asked)
    except OperationalError as error:
        if is_out_of_time(error):
            return section
        return _failed_section(section, error)
    except Exception as error:
        return _failed_section(section, error)
    if pieces is None:
        return replace(section, status=OFF)
    return replace(section, status=OK if pieces else EMPTY, pieces=pieces)


def _normalise_shares(sections: Sequence[ContextSection]) -> list[ContextSection]:
    """The sections with shares scaled so that those of sections with pieces are at most 1
    together."""
    total = sum(one.share for one in sections if one.pieces)
    return [replace(one, share=one.share / max(1.0, total)) for one in sections]


def _failed_section(section: ContextSection, error: Exception) -> ContextSection:
    # The message of the error may quote a text.
    log.error("The source %s of a context failed: %s", section.name, type(error).__name__)
    return replace(section, status=FAILED)


def _record_recall(
    asked: ContextBuildState, citations: Sequence[Citation], took_ms: float
) -> UUID | None:
    """Record the served memories like a recall. Returns the recall's id, or None if nothing was
    recalled."""
    lines = sorted({one.piece.id for one in citations if one.piece.of_block})
    if asked.served is None:
        with unless_unwritable():
            record_reads(asked.principal, lines, now=asked.now)
        return None
    cited = {one.piece.id for one in citations if one.piece.type == MEMORY}
    hits = [hit for hit in asked.served.hits if hit.id in cited]
    served = replace(asked.served, hits=hits, confidence=None)
    return record_recall(
        asked.principal,
        served,
        took_ms=took_ms,
        counts=True,
        now=asked.now,
        reads=lines,
        asked=_find_question(asked),
    )


def _find_question(asked: ContextBuildState) -> AskedQuestion | None:
    """What a context was asked for, if it is a question: most are made for any message."""
    text, served = asked.query.text, asked.served
    if served is None or served.confidence is None or not ends_with_question_mark(text):
        return None
    if asked.recall_query is None or not asked.recall_query.asks_everywhere:
        return None
    return AskedQuestion(text, classify_confidence(served.confidence))
