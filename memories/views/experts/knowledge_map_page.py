"""The knowledge map: what this organisation knows, as a picture and as a table."""

from datetime import date
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.insights.knowledge_map import (
    MAX_PERIODS,
    NEW_DAYS,
    KnowledgeMap,
    MapPerson,
    MapRequest,
    MapTopic,
    load_knowledge_map,
)
from memories.views import memory_presenter
from memories.views.experts.draw_map import draw_maps
from memories.views.experts.graph_drawing import initials
from orgs.languages.page_text import format_number
from orgs.views.page_access import members_only
from orgs.views.time_formats import short_day


class KnowledgeMapForm(forms.Form):
    """The day, or the place of the slider, and the chosen topic or person."""

    until = forms.DateField(required=False)
    period = forms.IntegerField(required=False, min_value=1, max_value=MAX_PERIODS)
    topic = forms.UUIDField(required=False)
    person = forms.UUIDField(required=False)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def knowledge_map(request: HttpRequest) -> HttpResponse:
    """The whole page; for the slider only the map and the list."""
    form = KnowledgeMapForm(request.GET)
    form.is_valid()
    wanted = MapRequest(**{name: form.cleaned_data.get(name) for name in form.fields})
    found = load_knowledge_map(
        request.actor, wanted, organisation=request.membership[1].name, now=timezone.now()
    )
    whole = not request.htmx or bool(request.htmx.history_restore_request)
    context = _page_context(request, found, wanted) if found.topics else _empty_state(request)
    return render(request, f"memories/experts/map.html{'' if whole else '#map'}", context)


def _page_context(request: HttpRequest, found: KnowledgeMap, wanted: MapRequest) -> dict[str, Any]:
    topic = next((one for one in found.topics if one.node == wanted.topic), None)
    person = None
    if topic is None:
        person = next((one for one in found.people if one.node == wanted.person), None)
    until = found.until if found.until != found.periods[-1].last else None

    def url(**chosen: Any) -> str:
        parts = {"until": until, **chosen}
        query = urlencode({k: str(v) for k, v in parts.items() if v})
        return f"{reverse('map')}?{query}" if query else reverse("map")

    me = request.actor.member_id
    return {
        "pictures": draw_maps(
            found,
            lambda one: url() if one.node == wanted.topic else url(topic=one.node),
            topic.node if topic else None,
            person,
        ),
        "topics": [_topic_row(one, found, url(topic=one.node), me) for one in found.topics],
        "people": [
            {
                "name": _person_name(one, me),
                "initials": initials(one.name.strip("“”")),
                "memories": one.memories,
                "url": url() if one is person else url(person=one.node),
                "chosen": one is person,
            }
            for one in found.people
        ],
        "counted": found.counted,
        "capped": found.capped,
        "until": found.until,
        "until_label": short_day(found.until, year=True) if found.until else "",
        "new_days": NEW_DAYS,
        "all_url": url() if topic or person else "",
        "chosen_hidden": {"topic": topic.node}
        if topic
        else {"person": person.node}
        if person
        else {},
        "map_url": reverse("map"),
        **_time_context(found, topic, person),
        **_list_context(request, found, topic, person),
    }


def _topic_row(topic: MapTopic, found: KnowledgeMap, url: str, me: object) -> dict[str, Any]:
    showed = [one for one in found.people if topic.node in one.by_topic]
    showed.sort(key=lambda one: -one.by_topic[topic.node])
    return {
        "name": topic.name,
        "memories": topic.memories,
        "recent": topic.recent,
        "url": url,
        "people": [
            {"name": _person_name(one, me), "memories": one.by_topic[topic.node]} for one in showed
        ],
    }


def _person_name(person: MapPerson, me: object) -> str:
    return gettext("You") if person.member and person.node == me else person.name


def _time_context(
    found: KnowledgeMap, topic: MapTopic | None, person: MapPerson | None
) -> dict[str, Any]:
    """The slider and the columns above it."""
    chosen = {"topic": topic.node} if topic else {"person": person.node} if person else {}
    at = next(
        place
        for place, one in enumerate(found.periods, start=1)
        if found.until is None or one.last >= found.until
    )
    return {
        "periods": [
            {
                "label": _period_label(one.first, one.last),
                "memories": one.memories,
                "later": place > at,
                "url": f"{reverse('map')}?{urlencode({'until': one.last, **chosen})}",
            }
            for place, one in enumerate(found.periods, start=1)
        ],
        "most": max(one.memories for one in found.periods) or 1,
        "period": at,
    }


def _period_label(first: date, last: date) -> str:
    label = short_day(last, year=True)
    return (
        label
        if first == last
        else gettext("%(first)s to %(label)s") % {"first": short_day(first), "label": label}
    )


def _list_context(
    request: HttpRequest,
    found: KnowledgeMap,
    topic: MapTopic | None,
    person: MapPerson | None,
) -> dict[str, Any]:
    if not (topic or person):
        return {}
    me, now = request.actor.member_id, timezone.now()
    rows = [
        memory_presenter.memory_row(one, me=me, now=now, wanted=frozenset()) for one in found.listed
    ]
    total = topic.memories if topic else person.memories if person else 0
    number = (
        gettext("1 memory")
        if total == 1
        else gettext("%(total)s memories") % {"total": format_number(total)}
    )
    if topic:
        title = topic.name
        summary = ngettext("%(number)s names it", "%(number)s name it", total) % {"number": number}
        experts = f"{reverse('experts')}?{urlencode({'topic': topic.name})}"
    else:
        title = _person_name(person, me) if person else ""
        summary = ngettext(
            "%(number)s shows what they know", "%(number)s show what they know", total
        ) % {"number": number}
        experts = ""
    if total > len(rows):
        summary += gettext(", the newest %(rows)s of them here") % {"rows": len(rows)}
    return {"title": title, "summary": summary, "memories": rows, "experts_url": experts}


def _empty_state(request: HttpRequest) -> dict[str, Any]:
    if "graph" not in request.membership[1].projections:
        text = gettext(
            "What memories are about is not kept in this organisation. Whoever runs the server can "
            "switch the graph on and fill it."
        )
        return {
            "empty": {
                "title": gettext("Switched off"),
                "text": text,
            }
        }
    text = gettext("As soon as you may read memories that name a topic, they are drawn here.")
    return {"empty": {"title": gettext("Nothing here yet"), "text": text}}
