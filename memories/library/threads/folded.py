"""A list in which the turns of a chat stand as one line, where their conversation last spoke."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Case, Q, When

from memories.library.threads.figures import (
    ThreadFigures,
    conversation_figures,
    figures_from,
)
from memories.store.models.chatter import chatter, telling
from memories.store.models.memory import Memory, MemoryQuerySet


@dataclass(frozen=True, slots=True)
class FoldedConversation:
    """One line: a conversation with a turn of the list. newest: that turn, with its names."""

    newest: Memory
    figures: ThreadFigures


@dataclass(frozen=True, slots=True)
class FoldedPage:
    """In the order of the list: memories that say something, and conversations. older_than: where
    the next page goes on, None at the end."""

    rows: list[Memory | FoldedConversation]
    older_than: UUID | None = None


def folded(
    rows: MemoryQuerySet,
    *,
    page: int,
    before: UUID | None = None,
    now: datetime,
) -> FoldedPage:
    """A page of what `rows` has, the newest first; two queries, in the scope.

    A conversation stands once, at its newest turn among `rows`; its figures are those of the whole
    conversation as far as the asker reads it.
    """
    ids = _order(rows, before, page + 1)
    kept = ids[:page]
    figures = Case(When(chatter(), then=conversation_figures(now)), default=None)
    known = rows.with_names().annotate(figures=figures).in_bulk(kept) if kept else {}
    found = [_line(known[id_]) for id_ in kept if id_ in known]
    return FoldedPage(found, kept[-1] if len(ids) > page else None)


def _order(rows: MemoryQuerySet, before: UUID | None, most: int) -> list[UUID]:
    """What says something and the newest turn of each conversation, the newest first."""
    talk = rows.filter(chatter()).order_by("conversation", "group_id", "-id")
    newest = talk.distinct("conversation", "group_id").values("id")
    found = rows.filter(telling() | Q(id__in=newest))
    found = found.filter(id__lt=before) if before else found
    return list(found.order_by("-id").values_list("id", flat=True)[:most])


def _line(row: Memory) -> Memory | FoldedConversation:
    figures = figures_from(row.figures)  # type: ignore[attr-defined]  # of `folded`
    return FoldedConversation(row, figures) if figures else row
