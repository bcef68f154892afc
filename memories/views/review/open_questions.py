"""Questions that nothing answered, for curators: write an answer, or leave it."""

from datetime import UTC, datetime, time
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memories.questions.record_question import KEPT_DAYS
from memories.questions.work_list import AlikeQuestions, close_questions, list_questions
from orgs.errors import NotFoundError
from orgs.languages.page_text import format_number
from orgs.principals import MODERATOR_ROLES
from orgs.views.page_access import members_only


@require_safe
@never_cache
@members_only(*MODERATOR_ROLES)
def open_questions(request: HttpRequest) -> HttpResponse:
    """The list, alike ones together, the newest first."""
    found = list_questions(request.actor, now=timezone.now())
    context = {"questions": [question_row(one) for one in found], "days": KEPT_DAYS}
    return render(request, "memories/review/open_questions.html", context)


def question_row(one: AlikeQuestions) -> dict[str, Any]:
    """One line of the list, and what stands above the answer to it."""
    # Without `audience` the form would choose the writer alone.
    asked = urlencode({"question": one.id, "audience": ""})
    reasons = [
        *([gettext("Nothing answered it")] if one.unanswered else []),
        *([gettext("Its answer was rated badly")] if one.rated else []),
    ]
    return {
        "id": one.id,
        "text": one.texts[0],
        "others": one.texts[1:],
        "reason": ". ".join(reasons),
        "rated": one.rated,
        "times": gettext("%(times)s times or more") % {"times": format_number(one.times)}
        if one.times > 1
        else "",
        "at": datetime.combine(one.day, time.min, UTC),
        "group": one.group,
        "answer_url": f"{reverse('memory-add')}?{asked}",
    }


@require_POST
@members_only(*MODERATOR_ROLES)
def leave_question(request: HttpRequest, question_id: UUID) -> HttpResponse:
    """Take a question, and those like it, off the list without an answer."""
    try:
        close_questions(request.actor, question_id, answered=False, now=timezone.now())
    except NotFoundError as error:
        raise Http404 from error
    messages.success(request, gettext("Left without an answer. Its words are deleted."))
    return redirect("open-questions")
