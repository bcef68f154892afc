"""Decisions: listed, one with its dissents and its chain, recorded, answered."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from rest_framework.exceptions import ValidationError

from memories.access.audience_labels import list_audience_choices
from memories.access.consent import LearningPausedError, SharingOptOutError
from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import MemoryRequestError, proposes_to_everyone
from memories.curation.decision_records.decision_queries import DecisionCursor, DecisionQuery
from memories.curation.decision_records.dissents import DissentAnswer, add_dissent, answer_dissent
from memories.curation.decision_records.page_context import (
    DecisionPageItem,
    get_decision_item,
    list_decision_items,
    list_similar_decision_items,
)
from memories.curation.decision_records.record_decision import (
    InvalidDecisionError,
    RecordDecisionResult,
    record_decision,
)
from memories.review.models import Proposal
from memories.safety.gate_refusals import GateRefusedError
from memories.store.models.choices import Status
from memories.views.decisions import decision_presenter
from memories.views.forms import memory_forms
from memories.views.forms.decision_forms import (
    DecisionForm,
    DecisionSearchForm,
    DissentAnswerForm,
    DissentForm,
)
from orgs.api.cursors import parse_cursor, sign_cursor
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import lazy_text
from orgs.models.audiences import AudienceType
from orgs.views.page_access import WRITERS, members_only
from robots.people.directory import visible_members

PAGE_SIZE, MAX_MEMBERS = 50, 200
PROPOSED_MESSAGE = lazy_text(
    "Thank you. A curator looks at it before everyone can read it; until then you see it."
)
ANSWERED = lazy_text("Answered. What was said stays as it is.")
WAITS = lazy_text("Thank you. Your answer waits for a curator; you find its state under Review.")
REFUSAL_ERRORS = (
    AlreadyExistsError,
    InvalidDecisionError,
    GateRefusedError,
    LearningPausedError,
    MemoryRequestError,
    ChangeForbiddenError,
    PermissionError,
    RedLineError,
    SharingOptOutError,
)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def decision_list(request: HttpRequest) -> HttpResponse:
    """The newest, or those on a topic like the one that was asked."""
    form = DecisionSearchForm(request.GET)
    form.is_valid()
    asked = {name: form.cleaned_data.get(name) or "" for name in ("topic", "domain")}
    similar = bool(form.cleaned_data.get("similar") and asked["topic"])
    found = _load_decisions(request, asked, similar, form.cleaned_data.get("after") or "")
    last = found[PAGE_SIZE - 1].decision.place if len(found) > PAGE_SIZE else None
    rows = [decision_presenter.decision_row(one) for one in found[:PAGE_SIZE]]
    context = {
        **asked,
        "similar": similar,
        "rows": rows,
        "page": _page_urls(request, asked, last),
        "narrowed": any(asked.values()),
        "url": reverse("decisions"),
        "add_url": reverse("decision-add") if request.actor.role in WRITERS else "",
    }
    whole = not request.htmx or bool(request.htmx.history_restore_request)
    part = "" if whole else "#results"
    return render(request, f"memories/decisions/list.html{part}", context)


def _load_decisions(
    request: HttpRequest, asked: dict[str, str], similar: bool, after: str
) -> list[DecisionPageItem]:
    organisation, now = request.membership[1].name, timezone.now()
    if similar:
        return list_similar_decision_items(
            request.actor,
            DecisionQuery(**asked, limit=PAGE_SIZE),
            organisation=organisation,
            now=now,
        )
    return list_decision_items(
        request.actor,
        DecisionQuery(**asked, limit=PAGE_SIZE + 1),
        after=_parse_cursor(request, after),
        organisation=organisation,
        now=now,
    )


def _parse_cursor(request: HttpRequest, cursor: str) -> DecisionCursor | None:
    """Where the next page begins; the first page for a cursor that was made for somebody else."""
    try:
        return parse_cursor(request.actor, cursor, DecisionCursor.of) if cursor else None
    except ValidationError:
        return None


def _page_urls(
    request: HttpRequest, asked: dict[str, str], last: DecisionCursor | None
) -> dict[str, str]:
    url, query = reverse("decisions"), {k: v for k, v in asked.items() if v}
    page = {"first_url": "", "next_url": ""}
    if "after" in request.GET:
        page["first_url"] = f"{url}?{urlencode(query)}"
    if last is not None:
        after = sign_cursor(request.actor, last.text)
        page["next_url"] = f"{url}?{urlencode(query | {'after': after})}"
    return page


@require_safe
@members_only()
def decision_detail(request: HttpRequest, decision_id: UUID) -> HttpResponse:
    """One decision with claims, dissents, and what came before and after it."""
    return _render_decision(request, decision_id)


def _render_decision(
    request: HttpRequest,
    decision_id: UUID,
    status: int = 200,
    *,
    form: DissentForm | None = None,
    answer_form: DissentAnswerForm | None = None,
    answered: UUID | None = None,
) -> HttpResponse:
    shown = get_decision_item(request.actor, decision_id, organisation=request.membership[1].name)
    one = decision_presenter.decision_detail(shown, request.actor.member_id)
    for said in one["dissents"]:
        wrong = answer_form if answer_form is not None and said["id"] == answered else None
        first = {"rebuttal": said["rebuttal"], "acknowledged": said["acknowledged"]}
        said["open_form"] = wrong is not None
        said["form"] = wrong or DissentAnswerForm(initial=first, prefix=said["id"].hex)
    context = {
        "decision": one,
        "form": form or DissentForm(),
        "form_open": form is not None,
        "back_url": reverse("decisions"),
    }
    return render(request, "memories/decisions/decision.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*WRITERS)
def add_decision(request: HttpRequest) -> HttpResponse:
    """Record a decision, which may replace an older one."""
    older = _find_superseded(request)
    audiences = _audience_choices(request, older)
    first = {"topic": older.decision.memory.topic, "domain": older.decision.record.domain,
             "supersedes": older.decision.memory.id} if older else {}  # fmt: skip
    form = DecisionForm(audiences, _list_members(request), request.POST or None, initial=first)
    if request.method == "POST" and form.is_valid():
        try:
            return _redirect_to_recorded(
                request, record_decision(request.actor, form.draft(), now=timezone.now())
            )
        except REFUSAL_ERRORS as refused:
            form.add_error(None, str(refused))
    context = {
        "form": form,
        "audiences": audiences,
        "older": decision_presenter.decision_link(older.decision) if older else None,
        "cancel_url": reverse("decision-page", args=[older.decision.memory.id])
        if older
        else reverse("decisions"),
    }
    status = 422 if form.errors else 200
    return render(request, "memories/decisions/add.html", context, status=status)


def _find_superseded(request: HttpRequest) -> DecisionPageItem | None:
    """The decision that the new one replaces."""
    given = request.POST.get("supersedes") or request.GET.get("supersedes")
    if not given:
        return None
    try:
        id_ = UUID(given)
    except ValueError:
        return None
    return get_decision_item(request.actor, id_, organisation=request.membership[1].name)


def _audience_choices(request: HttpRequest, older: DecisionPageItem | None) -> list[dict[str, Any]]:
    organisation = request.membership[1]
    chosen = request.POST.get("audience") or "private"
    if older is not None and "audience" not in request.POST:
        readers = older.readers
        chosen = {AudienceType.ORGANISATION: "organisation", AudienceType.MEMBER: "private"}.get(
            AudienceType(readers.kind), f"group:{readers.group}"
        )
    return memory_forms.audience_choices(
        list_audience_choices(request.actor, organisation=organisation.name),
        proposes=proposes_to_everyone(
            request.actor.role, members_publish=organisation.members_publish
        ),
        chosen=chosen,
    )


def _list_members(request: HttpRequest) -> list[tuple[UUID, str]]:
    with organisation_scope(request.actor.organisation_id):
        rows = visible_members(request.actor).order_by("name", "id")
        return list(rows.values_list("id", "name")[:MAX_MEMBERS])


def _redirect_to_recorded(request: HttpRequest, made: RecordDecisionResult) -> HttpResponse:
    if made.status != Status.ACTIVE:
        messages.info(request, PROPOSED_MESSAGE)
    elif made.deduplicated:
        messages.info(request, gettext("This was recorded already. Nothing was added."))
    else:
        messages.success(request, gettext("Recorded."))
    return redirect("decision-page", made.id)


@require_POST
@members_only(*WRITERS)
def add_dissent_view(request: HttpRequest, decision_id: UUID) -> HttpResponse:
    """Put a dissent to it, in one's own name."""
    form = DissentForm(request.POST)
    if form.is_valid():
        try:
            add_dissent(request.actor, decision_id, form.draft(), now=timezone.now())
        except REFUSAL_ERRORS as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, gettext("Your dissent stands beside the decision."))
            return redirect(f"{reverse('decision-page', args=[decision_id])}#dissents")
    return _render_decision(request, decision_id, 422, form=form)


@require_POST
@members_only(*WRITERS)
def answer_dissent_view(request: HttpRequest, decision_id: UUID, dissent_id: UUID) -> HttpResponse:
    """Acknowledge a dissent, or reply to it."""
    form = DissentAnswerForm(request.POST, prefix=dissent_id.hex)
    if form.is_valid():
        try:
            made = answer_dissent(
                request.actor,
                decision_id,
                dissent_id,
                DissentAnswer(**form.cleaned_data),
                now=timezone.now(),
            )
        except REFUSAL_ERRORS as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, WAITS if isinstance(made, Proposal) else ANSWERED)
            return redirect(f"{reverse('decision-page', args=[decision_id])}#dissents")
    return _render_decision(request, decision_id, 422, answer_form=form, answered=dissent_id)
