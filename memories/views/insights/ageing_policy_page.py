"""The automatic policy: everybody reads it; admins change it and see first what it archives."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.lifecycle.ageing_policy import InvalidPolicyError, get_own_policy, update_policy
from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.policy_preview import (
    OVER_CAPACITY,
    PolicyPreview,
    preview_if_more,
    preview_policy_effect,
)
from memories.store.models.choices import ArchiveReason
from memories.views.forms.ageing_policy_form import (
    DAYS_FIELDS,
    TYPE_LABELS,
    AgeingPolicyForm,
    capacity_label,
    half_life_label,
    initial_values,
)
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.page_access import ADMINS, members_only

RULE_LABELS = {
    ArchiveReason.AGE: lazy_text("older than their type may be"),
    ArchiveReason.HALF_LIFE: lazy_text("faded: older than twice the half-life of their tier"),
    ArchiveReason.NUMBER: lazy_text("over the number that is kept"),
    OVER_CAPACITY: lazy_text(
        "over the room of their tier; what belongs together becomes a summary"
    ),
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only()
def ageing_policy(request: HttpRequest) -> HttpResponse:
    """The page. A change that archives more than before is saved once that number was read."""
    if request.method != "POST":
        return _render_page(
            request, AgeingPolicyForm(initial=initial_values(get_own_policy(request.actor)))
        )
    if request.actor.role not in ADMINS:
        raise Http404
    form, now = AgeingPolicyForm(request.POST), timezone.now()
    if not form.is_valid():
        return _render_page(request, form)
    try:
        more = preview_if_more(request.actor, form.changes(), now=now)
        if more and (form.cleaned_data["confirmed"] or 0) < more.archived:
            return _render_page(request, form, confirm=more)
        update_policy(request.actor, form.changes(), now=now)
    except InvalidPolicyError as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        return _render_page(request, form)
    messages.success(request, gettext("Saved. It counts from the next run on."))
    return redirect("tier-policy")


@require_POST
@never_cache
@members_only(*ADMINS)
def preview_ageing_policy(request: HttpRequest) -> HttpResponse:
    """How many memories the next run would archive with the values in the form."""
    form = AgeingPolicyForm(request.POST)
    found = None
    if form.is_valid():
        found = preview_policy_effect(request.actor, form.changes(), now=timezone.now())
    return _render_page(request, form, preview=found)


def _render_page(
    request: HttpRequest,
    form: AgeingPolicyForm,
    *,
    preview: PolicyPreview | None = None,
    confirm: PolicyPreview | None = None,
) -> HttpResponse:
    admin = request.actor.role in ADMINS
    context: dict[str, Any] = {
        "form": form if admin else None,
        "rules": [] if admin else _policy_sentences(get_own_policy(request.actor)),
        "preview": _preview_counts(preview),
        "confirm": _preview_counts(confirm),
        "preview_url": reverse("tier-policy-preview"),
        "tiers_url": reverse("tiers"),
    }
    part = "#form" if request.htmx.target == "policy-form" else ""
    status = 422 if form.errors else 200
    return render(request, f"memories/insights/policy.html{part}", context, status=status)


def _preview_counts(found: PolicyPreview | None) -> dict[str, Any] | None:
    if found is None:
        return None
    numbers = found.by_rule
    rules = [{"number": numbers[rule], "text": text} for rule, text in RULE_LABELS.items()]
    return {"total": found.archived, "rules": [one for one in rules if one["number"]]}


def _policy_sentences(found: AgeingPolicy) -> list[str]:
    """The policy in sentences, for those who cannot change it."""
    ages = [
        ngettext(
            "%(type)s are archived after %(days)s day.",
            "%(type)s are archived after %(days)s days.",
            days,
        )
        % {"type": TYPE_LABELS[type_], "days": format_number(days)}
        for type_ in DAYS_FIELDS.values()
        if (days := found.max_age_days.get(type_.value))
    ]
    if found.past_half_life:
        ages += [
            gettext(
                "What is older in its tier than twice its half-life is archived: "
                "%(half_life_label)s."
            )
            % {"half_life_label": half_life_label()}
        ]
    if found.keep_most is not None:
        ages += [
            gettext("%(keep_most)s memories are kept; the least important are archived first.")
            % {"keep_most": format_number(found.keep_most)}
        ]
    return [
        *(ages or [gettext("Nothing is archived by itself.")]),
        gettext("What is over the room of a tier is summarised and archived.")
        if found.evict
        else gettext("What is over the room of a tier stays; somebody is asked."),
        gettext(
            "What says the same words is merged; what is only nearly the same is left to people."
        )
        if found.merge_duplicates
        else gettext("What says nearly the same stays; somebody is asked."),
        gettext("Each tier has room for those who read the same: %(capacities)s.")
        % {"capacities": capacity_label(found.capacities)},
    ]
