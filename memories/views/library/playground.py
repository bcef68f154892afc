"""Try a question as somebody else would ask it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memories.language.excerpts import stems
from memories.library import browse
from memories.library.ask_as import Tried, ask_as, others
from memories.views import presenter
from memories.views.fold import fold
from memories.views.forms.memories import PlaygroundForm
from orgs.errors import NotFound
from orgs.organisations.references import as_uuid
from orgs.views.access import MODERATORS, members_only

HITS = 10


@require_http_methods(["GET", "POST"])
@members_only(*MODERATORS)
def playground(request: HttpRequest) -> HttpResponse:
    """A question is a POST: it is recorded in the audit trail that it was asked, not what."""
    members, robots = others(request.actor)
    groups = browse.groups_to_ask_in(request.actor)
    given = {name: request.GET.get(name, "") for name in ("as_whom", "group")}
    form = PlaygroundForm(members, robots, groups, request.POST or None, initial=given)
    context: dict[str, Any] = {"form": form, "playground_url": reverse("playground")}
    if request.method == "POST" and form.is_valid():
        try:
            context |= _answer(request, form)
        except NotFound:
            form.add_error("group", "Whom you ask as is not in this group.")
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "memories/library/playground.html", context, status=status)


def _answer(request: HttpRequest, form: PlaygroundForm) -> dict[str, Any]:
    text, (who, as_whom) = form.cleaned_data["question"], form.asked_as()
    found = ask_as(
        request.actor,
        text,
        organisation=request.membership[1].name,
        limit=HITS,
        now=timezone.now(),
        group=as_uuid(form.cleaned_data["group"]),
        **as_whom,
    )
    rows = _rows(request, found.memories, text)
    return {"asked": text, "who": who, **fold(rows, found.answered)}


def _rows(request: HttpRequest, found: list[Tried], text: str) -> list[dict[str, Any]]:
    me, now, wanted = request.actor.member_id, timezone.now(), frozenset(stems(text))
    rows = []
    for one in found:
        row = presenter.row(one.shown, me=me, now=now, wanted=wanted)
        row |= {"reasons": one.reasons, "kept_for": one.kept_for, "folded": one.folded}
        row |= {"edit_url": "", "forget_url": ""}
        rows.append(row)
    return rows
