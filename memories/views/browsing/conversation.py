"""A conversation: its turns in order, beside them what was derived from them."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from memories.browsing.conversation_pages.conversation_page import ConversationPage, DerivedMemory
from memories.browsing.conversation_pages.conversation_page import (
    get_conversation_page as read_thread,
)
from memories.store.dependents import is_proposition, is_summary
from memories.store.models.choices import Type
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import with_marked_speaker
from memories.store.speakers.document_source import document_of
from memories.views import conversation_presenter, memory_presenter
from memories.views.forms.search_forms import ConversationCursorForm
from memories.views.origin_presenter import memory_time, voice_name
from orgs.languages.page_text import choice_label
from orgs.views.page_access import members_only


@require_safe
@members_only()
def conversation(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """A page of the conversation that this memory is a turn of."""
    form = ConversationCursorForm(request.GET)
    form.is_valid()
    found = read_thread(
        request.actor,
        memory_id,
        before=form.cleaned_data.get("before"),
        after=form.cleaned_data.get("after"),
        now=timezone.now(),
    )
    return render(request, "memories/memory/thread.html", _page_context(request, found))


def _page_context(request: HttpRequest, found: ConversationPage) -> dict[str, Any]:
    me, url = request.actor.member_id, conversation_presenter.conversation_url(found.anchor.id)
    turns = [_turn_row(row, found, me) for row in found.turns]
    return {
        "title": conversation_presenter.conversation_title(found.anchor),
        "figures": conversation_presenter.document_stats_labels(found.figures)
        if document_of(found.anchor)
        else conversation_presenter.stats_labels(found.figures),
        "turns": turns,
        "restated": [turn for turn in turns if turn["restated"]],
        "learnt": [_derived_row(one, found) for one in found.learnt],
        "pages": {
            "earlier_url": f"{url}?before={found.earlier}" if found.earlier else "",
            "later_url": f"{url}?after={found.later}" if found.later else "",
        },
        "first_url": conversation_presenter.conversation_url(found.figures.opening),
        "library_url": reverse("library"),
    }


def _turn_row(row: Memory, found: ConversationPage, me: object) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": voice_name(row, me),
        "at": memory_time(row),
        "text": row.content,
        "url": reverse("memory-page", args=[row.id]),
        "current": row.id == found.anchor.id,
        "restated": with_marked_speaker(row, found.restated.get(row.id, "")),
    }


def _derived_row(one: DerivedMemory, found: ConversationPage) -> dict[str, Any]:
    number = {turn.id: place for place, turn in enumerate(found.turns, start=1)}
    return {
        **memory_presenter.memory_link(one.memory),
        "kind": _type_label(one.memory),
        "turns": [f"#turn-{id_}" for id_ in one.sources if id_ in number],
    }


def _type_label(memory: Memory) -> str:
    """What it is, in a word: its category where it has one."""
    if is_summary(memory):
        return gettext("Summary")
    fallback = gettext("Fact") if is_proposition(memory) else choice_label(Type(memory.type))
    return memory_presenter.memory_category_label(memory) or fallback
