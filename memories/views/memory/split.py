"""Split a memory into facts: a preview of those that would be made or not, then the change."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memories.access.consent import LearningPaused
from memories.curation.split import divide_memory, foresee_division
from memories.language.propositions import Refusal
from memories.library import browse
from memories.review.models import Proposal
from memories.views import presenter
from orgs.errors import AlreadyExists
from orgs.views.access import WRITERS, members_only

WAITS = "The facts wait for a curator. Until then nothing stands beside it."
WHY = {
    "too-short": "It is too short to be a fact.",
    "too-long": "It is too long for one fact.",
    "too-few-words": "It has too few words to be understood alone.",
    "pronoun": "It says who or what is meant only with the sentences around it.",
    "question": "It is a question.",
    "heading": "It is a heading.",
    "too-many": "There are more facts than are kept of one memory.",
    "known": "These readers have it already.",
    "forgotten": "It was forgotten, and stays so.",
}


@require_http_methods(["GET", "POST"])
@members_only(*WRITERS)
def split(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The preview, then the change; a person who may not change the memory sees so."""
    shown = browse.editable(request.actor, memory_id, organisation=request.membership[1].name)
    context: dict[str, Any] = {
        "audience": presenter.audience(shown.readers, shown.memory),
        "waits": not shown.publishes,
    }
    try:
        found = foresee_division(request.actor, memory_id, now=timezone.now())
        if request.method == "POST":
            made = divide_memory(request.actor, memory_id, now=timezone.now())
            waits = isinstance(made, Proposal)
            messages.success(request, WAITS if waits else _done(len(found.rows)))
            return redirect("memory-page", memory_id)
    except (AlreadyExists, LearningPaused) as error:
        context["refusal"] = str(error)
    else:
        context |= {
            "facts": [row.content for row in found.rows],
            "left_out": [_left_out(one) for one in found.refused],
        }
    context["memory"] = presenter.link(shown.memory)
    status = 409 if "refusal" in context else 200
    return render(request, "memories/memory/split.html", context, status=status)


def _done(count: int) -> str:
    if not count:
        return "Nothing was new; everything stays as it is."
    facts = "One fact stands" if count == 1 else f"{count} facts stand"
    return f"{facts} beside it now, for the same readers."


def _left_out(one: Refusal) -> dict[str, str]:
    return {"text": presenter.short(one.text), "why": WHY[one.reason]}
