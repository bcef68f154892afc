"""What is known about me: the facts that hold, as far as I may see them."""

from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.profiles.build_profile import MAX_TOKENS, ProfileFact, build_profile
from memories.profiles.fact_rules import ProfileTopic
from memories.views import memory_presenter, origin_presenter
from orgs.languages.page_text import lazy_text
from orgs.principals import resolve_principal
from orgs.views.page_access import WRITERS, members_only

TOPIC_LABELS = {
    ProfileTopic.HOME: lazy_text("Home"),
    ProfileTopic.WORK: lazy_text("Work"),
    ProfileTopic.FAMILY: lazy_text("Family and animals"),
    ProfileTopic.HEALTH: lazy_text("Health and food"),
    ProfileTopic.LIKES: lazy_text("What you like"),
    ProfileTopic.SKILLS: lazy_text("What you can do"),
    ProfileTopic.HABITS: lazy_text("Habits"),
    ProfileTopic.BELONGINGS: lazy_text("What you have"),
    ProfileTopic.CONTACT: lazy_text("How to reach you"),
    ProfileTopic.PLANS: lazy_text("Plans"),
    ProfileTopic.OTHER: lazy_text("Other"),
}


@require_safe
@never_cache
@members_only()
def own_profile_page(request: HttpRequest) -> HttpResponse:
    """The facts by topic, each with what can be done about it."""
    member, organisation = request.membership
    now = timezone.now()
    principal = resolve_principal(request.actor)
    with principal.scope():
        found = build_profile(principal, member, max_tokens=MAX_TOKENS, now=now, zone=member.zone)
        memories = {fact.memory.id: fact.memory for fact in found.facts}
        rows = to_listed_memories(principal, list(memories.values()), organisation.name)
    listed = {row.memory.id: row for row in rows}
    topics = [
        {
            "label": TOPIC_LABELS[topic],
            "memories": [_fact_row(request, fact, listed[fact.memory.id]) for fact in facts],
        }
        for topic, facts in groupby(found.facts, key=lambda fact: fact.topic)
    ]
    context = {"topics": topics, "outdated": found.outdated, "left_out": found.left_out}
    return render(request, "memories/privacy/known.html", context)


def _fact_row(request: HttpRequest, fact: ProfileFact, shown: ListedMemory) -> dict[str, Any]:
    me = request.actor.member_id
    row = memory_presenter.memory_row(shown, me=me, now=timezone.now(), wanted=frozenset())
    row |= {
        "content": fact.text,
        "learned": origin_presenter.origin_sentence(fact.memory, me),
        "category": "",
        "strength": None,
    }
    if fact.contradicted_by is not None:
        row["held"] = gettext("Something newer may say otherwise")
    if not row["edit_url"] and request.actor.role in WRITERS:
        row["suggest_url"] = reverse("memory-suggest", args=[row["id"]])
    return row
