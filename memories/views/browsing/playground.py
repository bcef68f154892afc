"""Try a question as somebody else would ask it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from memories.browsing import memory_pages
from memories.browsing.playground_recall import PlaygroundHit, list_impersonable, recall_as
from memories.language.excerpts import query_stems
from memories.views import memory_presenter
from memories.views.forms.memory_forms import PlaygroundForm
from memories.views.memory_presenter import split_irrelevant
from orgs.errors import NotFoundError
from orgs.organisations.references import parse_uuid
from orgs.views.page_access import MODERATOR_ROLES, members_only

MAX_HITS = 10


@require_http_methods(["GET", "POST"])
@members_only(*MODERATOR_ROLES)
def playground(request: HttpRequest) -> HttpResponse:
    """A question is a POST: it is recorded in the audit trail that it was asked, not what."""
    members, robots = list_impersonable(request.actor)
    groups = memory_pages.list_readable_groups(request.actor)
    given = {name: request.GET.get(name, "") for name in ("as_whom", "group")}
    form = PlaygroundForm(members, robots, groups, request.POST or None, initial=given)
    context: dict[str, Any] = {"form": form, "playground_url": reverse("playground")}
    if request.method == "POST" and form.is_valid():
        try:
            context |= _answer_context(request, form)
        except NotFoundError:
            form.add_error("group", gettext("Whom you ask as is not in this group."))
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "memories/browsing/playground.html", context, status=status)


def _answer_context(request: HttpRequest, form: PlaygroundForm) -> dict[str, Any]:
    text, (who, as_whom) = form.cleaned_data["question"], form.asked_as()
    found = recall_as(
        request.actor,
        text,
        organisation=request.membership[1].name,
        limit=MAX_HITS,
        now=timezone.now(),
        group=parse_uuid(form.cleaned_data["group"]),
        **as_whom,
    )
    rows = _hit_rows(request, found.memories, text)
    return {"asked": text, "who": who, **split_irrelevant(rows, found.answered)}


def _hit_rows(request: HttpRequest, found: list[PlaygroundHit], text: str) -> list[dict[str, Any]]:
    me, now, wanted = request.actor.member_id, timezone.now(), frozenset(query_stems(text))
    rows = []
    for one in found:
        row = memory_presenter.memory_row(one.shown, me=me, now=now, wanted=wanted, part=one.part)
        row |= {"reasons": one.reasons, "kept_for": one.kept_for, "folded": one.folded}
        row |= {"edit_url": "", "forget_url": ""}
        rows.append(row)
    return rows
