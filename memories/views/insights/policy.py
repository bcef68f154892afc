"""The automatic policy: everybody reads it; admins change it and see first what it archives."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.policies import NoPolicy, own_policy, set_policy
from memories.lifecycle.policy_foresight import FULL, Foreseen, foresee, foresee_more
from memories.store.models.choices import ArchivedFor
from memories.views.forms.policy import DAYS, TYPES, PolicyForm, half_lives, initial, room
from orgs.views.access import ADMINS, members_only

RULES = {
    ArchivedFor.AGE: "older than their type may be",
    ArchivedFor.HALF_LIFE: "faded: older than twice the half-life of their tier",
    ArchivedFor.NUMBER: "over the number that is kept",
    FULL: "over the room of their tier; what belongs together becomes a summary",
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only()
def policy(request: HttpRequest) -> HttpResponse:
    """The page. A change that archives more than before is saved once that number was read."""
    if request.method != "POST":
        return _page(request, PolicyForm(initial=initial(own_policy(request.actor))))
    if request.actor.role not in ADMINS:
        raise Http404
    form, now = PolicyForm(request.POST), timezone.now()
    if not form.is_valid():
        return _page(request, form)
    try:
        more = foresee_more(request.actor, form.changes(), now=now)
        if more and (form.cleaned_data["confirmed"] or 0) < more.archived:
            return _page(request, form, confirm=more)
        set_policy(request.actor, form.changes(), now=now)
    except NoPolicy as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        return _page(request, form)
    messages.success(request, "Saved. It counts from the next run on.")
    return redirect("tier-policy")


@require_POST
@never_cache
@members_only(*ADMINS)
def preview(request: HttpRequest) -> HttpResponse:
    """How many memories the next run would archive with the values in the form."""
    form = PolicyForm(request.POST)
    found = None
    if form.is_valid():
        found = foresee(request.actor, form.changes(), now=timezone.now())
    return _page(request, form, preview=found)


def _page(
    request: HttpRequest,
    form: PolicyForm,
    *,
    preview: Foreseen | None = None,
    confirm: Foreseen | None = None,
) -> HttpResponse:
    admin = request.actor.role in ADMINS
    context: dict[str, Any] = {
        "form": form if admin else None,
        "rules": [] if admin else _rules(own_policy(request.actor)),
        "preview": _numbers(preview),
        "confirm": _numbers(confirm),
        "preview_url": reverse("tier-policy-preview"),
        "tiers_url": reverse("tiers"),
    }
    part = "#form" if request.htmx.target == "policy-form" else ""
    status = 422 if form.errors else 200
    return render(request, f"memories/insights/policy.html{part}", context, status=status)


def _numbers(found: Foreseen | None) -> dict[str, Any] | None:
    if found is None:
        return None
    numbers = found.by_rule
    rules = [{"number": numbers[rule], "text": text} for rule, text in RULES.items()]
    return {"total": found.archived, "rules": [one for one in rules if one["number"]]}


def _rules(found: AgeingPolicy) -> list[str]:
    """The policy in sentences, for those who cannot change it."""
    ages = [
        f"{TYPES[type_]} are archived after {days:,} day{'' if days == 1 else 's'}."
        for type_ in DAYS.values()
        if (days := found.max_age_days.get(type_.value))
    ]
    if found.past_half_life:
        ages += [f"What is older in its tier than twice its half-life is archived: {half_lives()}."]
    if found.keep_most is not None:
        ages += [f"{found.keep_most:,} memories are kept; the least important are archived first."]
    return [
        *(ages or ["Nothing is archived by itself."]),
        "What is over the room of a tier is summarised and archived."
        if found.evict
        else "What is over the room of a tier stays; somebody is asked.",
        "What says the same words is merged; what is only nearly the same is left to people."
        if found.merge_duplicates
        else "What says nearly the same stays; somebody is asked.",
        f"Each tier has room for those who read the same: {room(found.capacities)}.",
    ]
