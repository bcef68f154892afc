"""Split a memory into facts: a preview of those that would be made or not, then the change."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memories.access.consent import LearningPausedError
from memories.browsing import memory_pages
from memories.curation.split_memory import preview_split, split_memory
from memories.language.propositions import RejectedText
from memories.review.models import Proposal
from memories.views import memory_presenter
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import lazy_text
from orgs.views.page_access import WRITERS, members_only

WAITS = lazy_text("The facts wait for a curator. Until then nothing stands beside it.")
REJECTION_LABELS = {
    "too-short": lazy_text("It is too short to be a fact."),
    "too-long": lazy_text("It is too long for one fact."),
    "too-few-words": lazy_text("It has too few words to be understood alone."),
    "pronoun": lazy_text("It says who or what is meant only with the sentences around it."),
    "question": lazy_text("It is a question."),
    "heading": lazy_text("It is a heading."),
    "too-many": lazy_text("There are more facts than are kept of one memory."),
    "known": lazy_text("These readers have it already."),
    "forgotten": lazy_text("It was forgotten, and stays so."),
}


@require_http_methods(["GET", "POST"])
@members_only(*WRITERS)
def split_memory_view(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """The preview, then the change; a person who may not change the memory sees so."""
    shown = memory_pages.get_editable_memory(
        request.actor, memory_id, organisation=request.membership[1].name
    )
    context: dict[str, Any] = {
        "audience": memory_presenter.audience_badge(shown.readers, shown.memory),
        "waits": not shown.publishes,
    }
    try:
        found = preview_split(request.actor, memory_id, now=timezone.now())
        if request.method == "POST":
            made = split_memory(request.actor, memory_id, now=timezone.now())
            waits = isinstance(made, Proposal)
            messages.success(request, WAITS if waits else _done_message(len(found.rows)))
            return redirect("memory-page", memory_id)
    except (AlreadyExistsError, LearningPausedError) as error:
        context["refusal"] = str(error)
    else:
        context |= {
            "facts": [row.content for row in found.rows],
            "left_out": [_rejected_row(one) for one in found.refused],
        }
    context["memory"] = memory_presenter.memory_link(shown.memory)
    status = 409 if "refusal" in context else 200
    return render(request, "memories/memory/split.html", context, status=status)


def _done_message(count: int) -> str:
    if not count:
        return gettext("Nothing was new; everything stays as it is.")
    facts = (
        gettext("One fact stands")
        if count == 1
        else gettext("%(count)s facts stand") % {"count": count}
    )
    return gettext("%(facts)s beside it now, for the same readers.") % {"facts": facts}


def _rejected_row(one: RejectedText) -> dict[str, str]:
    return {"text": memory_presenter.short_text(one.text), "why": REJECTION_LABELS[one.reason]}
