"""A conversation: its turns in order, beside them what was derived from them."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.library.threads.thread import Learnt, Thread
from memories.library.threads.thread import thread as read_thread
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import with_marked_speaker
from memories.views import conversations, presenter
from memories.views.forms.library import ThreadForm
from memories.views.origins import said_by, teller_name, when
from orgs.views.access import members_only


@require_safe
@members_only()
def thread(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """A page of the conversation that this memory is a turn of."""
    form = ThreadForm(request.GET)
    form.is_valid()
    found = read_thread(
        request.actor,
        memory_id,
        before=form.cleaned_data.get("before"),
        after=form.cleaned_data.get("after"),
        now=timezone.now(),
    )
    return render(request, "memories/memory/thread.html", _context(request, found))


def _context(request: HttpRequest, found: Thread) -> dict[str, Any]:
    me, url = request.actor.member_id, conversations.url(found.anchor.id)
    turns = [_turn(row, found, me) for row in found.turns]
    return {
        "title": conversations.title(found.anchor),
        "figures": conversations.figures(found.figures),
        "turns": turns,
        "restated": [turn for turn in turns if turn["restated"]],
        "learnt": [_learnt(one, found) for one in found.learnt],
        "pages": {
            "earlier_url": f"{url}?before={found.earlier}" if found.earlier else "",
            "later_url": f"{url}?after={found.later}" if found.later else "",
        },
        "first_url": conversations.url(found.figures.opening),
        "library_url": reverse("library"),
    }


def _turn(row: Memory, found: Thread, me: object) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": said_by(row, me) or teller_name(row) or "Somebody",
        "at": when(row),
        "text": row.content,
        "url": reverse("memory-page", args=[row.id]),
        "current": row.id == found.anchor.id,
        "restated": with_marked_speaker(row, found.restated.get(row.id, "")),
    }


def _learnt(one: Learnt, found: Thread) -> dict[str, Any]:
    number = {turn.id: place for place, turn in enumerate(found.turns, start=1)}
    return {
        **presenter.link(one.memory),
        "kind": _kind(one.memory),
        "turns": [f"#turn-{id_}" for id_ in one.sources if id_ in number],
    }


def _kind(memory: Memory) -> str:
    """What it is, in a word: its category where it has one."""
    if is_summary(memory):
        return "Summary"
    fallback = "Fact" if is_proposition(memory) else memory.get_type_display()
    return presenter.category(memory) or fallback
