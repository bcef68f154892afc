"""A conversation in words: its title, and the one line in which a list has its turns."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from memories.access.audience_summary import format_people_count
from memories.browsing.conversation_pages.conversation_page import MAX_TURNS, ConversationStats
from memories.browsing.conversation_pages.folded_list import FoldedConversation
from memories.store.models.memory import Memory
from memories.store.speakers.document_source import document_of
from memories.views.origin_presenter import clamp_datetime
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.time_formats import day


def conversation_title(memory: Memory) -> str:
    """The title, from a turn of it; without the group if the reader may not know it."""
    if document := document_of(memory):
        return str(document["name"])
    return (
        gettext("Conversation in %(name)s") % {"name": memory.place.name}
        if memory.place
        else gettext("Conversation")
    )


def conversation_url(memory_id: object) -> str:
    """The page of the conversation, opened at this turn."""
    return reverse("thread", args=[memory_id])


def document_stats_labels(found: ConversationStats) -> list[str]:
    """ "14 parts", "1 to 3 May"."""
    parts = (
        gettext("more than %(max_turns)s parts") % {"max_turns": format_number(MAX_TURNS)}
        if found.more
        else ngettext("%(count)s part", "%(count)s parts", int(found.turns))
        % {"count": format_number(found.turns)}
    )
    return [parts, date_span(found)]


def stats_labels(found: ConversationStats) -> list[str]:
    """ "14 turns", "3 people", "1 to 3 May"; without people where nobody's words are given."""
    turns = (
        gettext("more than %(max_turns)s turns") % {"max_turns": format_number(MAX_TURNS)}
        if found.more
        else ngettext("%(count)s turn", "%(count)s turns", int(found.turns))
        % {"count": format_number(found.turns)}
    )
    people = [format_people_count(found.people)] if found.people else []
    return [turns, *people, date_span(found)]


def date_span(found: ConversationStats) -> str:
    """From the first day to the last."""
    first, last = day(clamp_datetime(found.first)), day(clamp_datetime(found.last))
    return (
        last if first == last else gettext("%(first)s to %(last)s") % {"first": first, "last": last}
    )


# By the order of a list: which of the folded turns the line quotes.
QUOTED_TURN_LABELS = {
    "": lazy_text("last"),
    "-age": lazy_text("last"),
    "age": lazy_text("first"),
    "-use": lazy_text("most used"),
    "use": lazy_text("least used"),
}


def conversation_line(found: FoldedConversation, order: str) -> dict[str, Any]:
    """For components/conversation_line.html: what differs from the line of the turn itself.

    "14 turns in #launch, 3 people, 12 May", or "3 of 14 turns" where the list has no more.
    """
    turns, *others = stats_labels(found.figures)
    held = (
        gettext("more than %(max_turns)s") % {"max_turns": format_number(MAX_TURNS)}
        if found.more
        else format_number(found.held)
    )
    if (found.held, found.more) != (found.figures.turns, found.figures.more):
        turns = gettext("%(held)s of %(turns)s") % {"held": held, "turns": turns}
    place = (
        gettext(" in %(name)s") % {"name": found.turn.place.name}
        if found.turn.place
        else gettext(" of a conversation")
    )
    return {
        "conversation": True,
        "url": conversation_url(found.turn.id),
        "figures": ", ".join([turns + place, *others]),
        "quoted": QUOTED_TURN_LABELS.get(order, ""),
        "same_readers": found.same_readers,
    }


def conversation_row(found: FoldedConversation) -> dict[str, Any]:
    """For components/conversation_row.html."""
    return {
        "folded": True,
        "url": conversation_url(found.figures.opening),
        "title": conversation_title(found.turn),
        "figures": stats_labels(found.figures),
    }
