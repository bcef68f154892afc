"""Who knows what: people by topic with what shows it, as a picture, as a list and as a table."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.browsing import memory_pages
from memories.language.excerpts import excerpt, highlight_parts, query_stems
from memories.retrieval.experts.evidence_sentences import select_evidence_sentence
from memories.retrieval.experts.rank_experts import ExpertWithEvidence
from memories.retrieval.experts.topic_map import TopicPage, load_topic_page
from memories.store.models.memory import Memory
from memories.views import origin_presenter
from memories.views.experts.graph_drawing import draw_graphs, expert_name, initials
from orgs.views.page_access import members_only

MAX_TOPIC_CHARACTERS = 300
MAX_PEOPLE, MAX_QUOTES = 10, 3


class ExpertsForm(forms.Form):
    """The topic and the group in the address."""

    topic = forms.CharField(required=False, max_length=MAX_TOPIC_CHARACTERS)
    group = forms.CharField(required=False, max_length=400)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def experts(request: HttpRequest) -> HttpResponse:
    """Search as you type; without a topic what people have lately spoken about."""
    form = ExpertsForm(request.GET)
    fits = form.is_valid()
    topic, group = (form.cleaned_data.get(name, "") for name in ("topic", "group"))
    whole = not request.htmx or bool(request.htmx.history_restore_request)
    asked = {"topic": topic, "group": group or None, "limit": MAX_PEOPLE, "shown": MAX_QUOTES}
    found = load_topic_page(request.actor, **asked, now=timezone.now())
    context = _results_context(request, found, topic, group)
    if not fits:
        context["empty"] = _too_long_state()
    if whole:
        context |= _filters_context(request, group)
    return render(request, f"memories/experts/experts.html{'' if whole else '#results'}", context)


def _results_context(
    request: HttpRequest, found: TopicPage, topic: str, group: str
) -> dict[str, Any]:
    heaviest = max((one.expert.weight for one in found.known), default=1) or 1
    people = [
        _person_row(request, one, place, heaviest, topic)
        for place, one in enumerate(found.known, start=1)
    ]
    by_words = [one for one in people if one["by"] == "words"]
    return {
        "topic": topic,
        "people": people,
        "by_words": by_words,
        "by_meaning": [one for one in people if one["by"] == "meaning"],
        "summary": _summary_sentence(len(by_words), len(people) - len(by_words), topic),
        "pictures": draw_graphs(topic, found.around, group) if found.around else [],
        "topics": [{"name": name, "url": _topic_url(name, group)} for name in found.topics],
        "empty": None if people else _empty_state(request, found, topic, group),
    }


def _filters_context(request: HttpRequest, group: str) -> dict[str, Any]:
    options = [
        {"value": one.id, "label": one.name, "selected": group in (str(one.id), one.external_id)}
        for one in memory_pages.list_readable_groups(request.actor)
    ]
    filters = (
        [{"name": "group", "label": gettext("Any group"), "options": options}] if options else []
    )
    return {"experts_url": reverse("experts"), "filters": filters}


def _person_row(
    request: HttpRequest,
    known: ExpertWithEvidence,
    place: int,
    heaviest: float,
    topic: str,
) -> dict[str, Any]:
    one, wanted = known.expert, frozenset(query_stems(topic))
    you = one.member is not None and one.member == request.actor.member_id
    return {
        "id": f"person-{place}",
        "name": gettext("You") if you else expert_name(one),
        "initials": initials(one.name),
        "url": reverse("person", args=[one.member])
        if one.member and request.actor.role == "admin"
        else "",
        "share": one.weight / heaviest,
        "times": one.times,
        "memories": one.memories,
        "weight": one.weight,
        "last_at": min(
            max(one.last_at, origin_presenter.MIN_DATETIME), origin_presenter.MAX_DATETIME
        ),
        "by": one.by,
        "unknown": one.member is None,
        "quotes": [_quote_row(row, topic, wanted) for row in known.evidence],
    }


def _quote_row(row: Memory, topic: str, wanted: frozenset[str]) -> dict[str, Any]:
    text = excerpt(select_evidence_sentence(row.content, topic), set(wanted), 240)
    return {
        "url": reverse("memory-page", args=[row.id]),
        "parts": highlight_parts(text, set(wanted)),
        "at": origin_presenter.memory_time(row),
        "group": row.place.name if row.place else "",
    }


def _topic_url(topic: str, group: str) -> str:
    return (
        f"{reverse('experts')}?{urlencode({'topic': topic} | ({'group': group} if group else {}))}"
    )


def _summary_sentence(by_words: int, by_meaning: int, topic: str) -> str:
    if by_words:
        who = (
            gettext("1 person shows")
            if by_words == 1
            else gettext("%(by_words)s people show") % {"by_words": by_words}
        )
        return gettext("%(who)s what they know about %(topic)s, most first") % {
            "who": who,
            "topic": topic,
        }
    return (
        gettext("Nobody said “%(topic)s”; these come close in meaning") % {"topic": topic}
        if by_meaning
        else ""
    )


def _empty_state(request: HttpRequest, found: TopicPage, topic: str, group: str) -> dict[str, str]:
    """Nothing asked, nothing kept, nobody known, or the graph is switched off."""
    if "graph" not in request.membership[1].projections:
        text = gettext(
            "Who knows what is not kept in this organisation. Whoever runs the server can switch "
            "the graph on and fill it."
        )
        return {"title": gettext("Switched off"), "text": text}
    if topic:
        text = gettext(
            "No memory that you may read shows that somebody knows about “%(topic)s”. Who only "
            "asks about a thing is not counted."
        ) % {"topic": topic}
        more = {"action_url": _topic_url(topic, ""), "action_label": gettext("Look in all groups")}
        return {
            "title": gettext("Nobody has shown it yet"),
            "text": text,
            **(more if group else {}),
        }
    if found.topics:
        text = gettext(
            "Write what you need help with, or take one of the topics that people spoke about."
        )
        return {"title": gettext("Ask for a topic"), "text": text}
    text = gettext(
        "As soon as people say what they know where you may read it, you find them here."
    )
    return {"title": gettext("Nothing here yet"), "text": text}


def _too_long_state() -> dict[str, str]:
    text = gettext(
        "A topic can have %(max_topic_characters)s characters. Shorten it and ask again."
    ) % {"max_topic_characters": MAX_TOPIC_CHARACTERS}
    return {"title": gettext("We could not use this topic"), "text": text}
