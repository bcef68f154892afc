"""Who lets curators see their questions that nothing answered."""

from datetime import UTC, datetime, time
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memories.questions.consent import (
    find_member_consent,
    find_robot_consent,
    get_consenting_robot,
    set_member_consent,
    set_robot_consent,
)
from memories.questions.record_question import KEPT_DAYS
from memories.questions.work_list import list_own_questions
from orgs.errors import NotFoundError
from orgs.languages.page_text import lazy_text
from orgs.models.memberships import Role
from orgs.views.page_access import members_only

TEMPLATE = "memories/privacy/question_consent.html"
SHOWN = lazy_text("Curators see what nothing answers from now on.")
WITHHELD = lazy_text("Curators see no more questions. What was kept is deleted.")


@require_http_methods(["GET", "POST"])
@never_cache
@members_only()
def own_question_consent(request: HttpRequest) -> HttpResponse:
    """Agree for oneself, or no more; and what is kept."""
    if request.method == "POST":
        agrees = request.POST.get("on") == "1"
        set_member_consent(request.actor, agrees=agrees, now=timezone.now())
        messages.success(request, SHOWN if agrees else WITHHELD)
        return redirect("me-questions")
    since = find_member_consent(request.actor)
    kept = list_own_questions(request.actor) if since else []
    rows = [
        {"text": one.text, "at": datetime.combine(one.asked_on, time.min, UTC), "seen": one.seen}
        for one in kept
    ]
    return render(request, TEMPLATE, {"since": since, "kept": rows, "days": KEPT_DAYS})


@require_http_methods(["GET", "POST"])
@never_cache
@members_only(Role.ADMIN)
def robot_question_consent(request: HttpRequest, robot_id: UUID) -> HttpResponse:
    """Agree for a robot that is nobody's own, or no more."""
    try:
        robot = get_consenting_robot(request.actor, robot_id)
    except NotFoundError as error:
        raise Http404 from error
    if request.method == "POST":
        agrees = request.POST.get("on") == "1"
        set_robot_consent(request.actor, robot_id, agrees=agrees, now=timezone.now())
        messages.success(request, SHOWN if agrees else WITHHELD)
        return redirect("robot-questions", robot_id)
    since = find_robot_consent(request.actor, robot_id)
    return render(request, TEMPLATE, {"robot": robot, "since": since, "days": KEPT_DAYS})
