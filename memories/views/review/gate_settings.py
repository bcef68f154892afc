"""What the gates know: names that curators keep, and how strict an admin wants them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from memories.safety.gate_policy import get_gate_policy, set_gate_policy
from memories.safety.models import TermType
from memories.safety.names.known_names import (
    InvalidTermError,
    add_term,
    list_terms,
    remove_term,
)
from memories.views.forms.gate_forms import (
    ALWAYS_CHECKED_HELP,
    POLICY_LABELS,
    GatePolicyForm,
    TermForm,
)
from memories.views.review import gate_figures
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import choice_label
from orgs.views.page_access import ADMINS, MODERATOR_ROLES, members_only


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*MODERATOR_ROLES)
def gate_settings(request: HttpRequest) -> HttpResponse:
    """The page; a name that is sent is added."""
    if request.method != "POST":
        return _render_page(request, TermForm())
    form = TermForm(request.POST)
    if form.is_valid():
        try:
            row = add_term(request.actor, **form.cleaned_data, now=timezone.now())
        except (AlreadyExistsError, InvalidTermError) as error:
            form.add_error("term", str(error))
        else:
            messages.success(
                request, gettext("“%(term)s” stays inside from now on.") % {"term": row.term}
            )
            return redirect("gates")
    return _render_page(request, form, 422)


@require_POST
@members_only(*MODERATOR_ROLES)
def remove_term_view(request: HttpRequest, term_id: UUID) -> HttpResponse:
    """Take a name off the list."""
    remove_term(request.actor, term_id, now=timezone.now())
    messages.success(request, gettext("Removed. New texts may have the name."))
    return redirect("gates")


@require_POST
@members_only(*ADMINS)
def set_gate_policy_view(request: HttpRequest) -> HttpResponse:
    """How strict the gates are."""
    form = GatePolicyForm(request.POST)
    if not form.is_valid():
        return _render_page(request, TermForm(), 422, strictness=form)
    set_gate_policy(request.actor, form.cleaned_data["personal"], now=timezone.now())
    messages.success(request, gettext("Saved. It counts for every new text."))
    return redirect("gates")


def _render_page(
    request: HttpRequest, form: TermForm, status: int = 200, **more: Any
) -> HttpResponse:
    personal = get_gate_policy(request.actor)
    asks = GatePolicyForm(initial={"personal": personal.value})
    context = {
        "form": form,
        "terms": [
            {
                "id": row.id,
                "term": row.term,
                "kind": choice_label(TermType(row.kind)),
                "at": row.added_at,
            }
            for row in list_terms(request.actor)
        ],
        "strictness": asks if request.actor.role in ADMINS else None,
        "strictness_now": POLICY_LABELS[personal],
        "always": ALWAYS_CHECKED_HELP,
        "measured": {
            "orders": gate_figures.ORDERS,
            "alarms_aside": gate_figures.ORDINARY_ASIDE,
            "orders_unseen": gate_figures.ORDERS_UNSEEN,
            "orders_in_code": gate_figures.ORDERS_IN_CODE,
            "personal": gate_figures.PERSONAL_UNSEEN,
            "alarms": gate_figures.ORDINARY_UNSEEN_AS_ORDERS,
            "personal_alarms": gate_figures.ORDINARY_UNSEEN_AS_PERSONAL,
        },
        **more,
    }
    return render(request, "memories/review/gates.html", context, status=status)
