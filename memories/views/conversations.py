"""A conversation in words: its title, and the one line in which a list has its turns."""

from typing import Any

from django.urls import reverse

from memories.library.threads.figures import MOST, ThreadFigures
from memories.library.threads.folded import FoldedConversation
from memories.store.models.memory import Memory
from memories.views.origins import in_range
from orgs.views.moments import day


def title(memory: Memory) -> str:
    """The title, from a turn of it; without the group if the reader may not know it."""
    return f"Conversation in {memory.place.name}" if memory.place else "Conversation"


def url(memory_id: object) -> str:
    """The page of the conversation, opened at this turn."""
    return reverse("thread", args=[memory_id])


def figures(found: ThreadFigures) -> list[str]:
    """ "14 turns", "3 people", "1 to 3 May"; without people where nobody's words are given."""
    turns = f"more than {MOST:,} turns" if found.more else _count(found.turns, "turn", "turns")
    people = [_count(found.people, "person", "people")] if found.people else []
    return [turns, *people, days(found)]


def days(found: ThreadFigures) -> str:
    """From the first day to the last."""
    first, last = day(in_range(found.first)), day(in_range(found.last))
    return last if first == last else f"{first} to {last}"


def _count(number: int, one: str, several: str) -> str:
    return f"1 {one}" if number == 1 else f"{number:,} {several}"


# By the order of a list: which of the folded turns the line quotes.
QUOTED = {
    "": "last",
    "-age": "last",
    "age": "first",
    "-use": "most used",
    "use": "least used",
}


def line(found: FoldedConversation, order: str) -> dict[str, Any]:
    """For components/conversation_line.html: what differs from the line of the turn itself.

    "14 turns in #launch, 3 people, 12 May", or "3 of 14 turns" where the list has no more.
    """
    turns, *others = figures(found.figures)
    held = f"more than {MOST:,}" if found.more else f"{found.held:,}"
    if (found.held, found.more) != (found.figures.turns, found.figures.more):
        turns = f"{held} of {turns}"
    place = f" in {found.turn.place.name}" if found.turn.place else " of a conversation"
    return {
        "conversation": True,
        "url": url(found.turn.id),
        "figures": ", ".join([turns + place, *others]),
        "quoted": QUOTED.get(order, ""),
        "same_readers": found.same_readers,
    }


def row(found: FoldedConversation) -> dict[str, Any]:
    """For components/conversation_row.html."""
    return {
        "folded": True,
        "url": url(found.figures.opening),
        "title": title(found.turn),
        "figures": figures(found.figures),
    }
