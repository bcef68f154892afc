"""Which robots said something about a topic, and when: the same as /said and /timeline."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.language.excerpts import excerpt, highlight_parts, query_stems
from memories.retrieval.robot_mentions import (
    RobotCount,
    TimelineEntry,
    count_by_robot,
    list_newest,
    list_timeline,
    load_timeline_marks,
)
from memories.views.browsing.draw_lanes import LaneMark, draw_lanes
from orgs.languages.page_text import format_number, inside_sentence, lazy_text
from orgs.principals import Actor
from orgs.views.excerpts import truncatechars
from orgs.views.page_access import members_only
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME
from robots.registry.robots import IMPORT, WEB

MAX_TOPIC_CHARACTERS = 500
# The newest memories of the topic; one more tells whether there are others.
MAX_MEMORIES = 200
# So many of them are listed where nothing is asked.
MAX_LAST = 30
# So many robots have a bar at once; the others are folded.
MAX_BARS = 12
MAX_QUOTE_CHARACTERS = 400
MAX_TITLE_CHARACTERS = 120
# The built-in robots, as people know them; no other robot can have their names.
BUILTIN_LABELS = {WEB: lazy_text("Typed in here"), IMPORT: lazy_text("Imported")}


class TopicForm(forms.Form):
    """The topic in the address."""

    topic = forms.CharField(required=False, max_length=MAX_TOPIC_CHARACTERS)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def robot_mentions(request: HttpRequest) -> HttpResponse:
    """Search as you type: who brought it, with counts, and what was said when."""
    form = TopicForm(request.GET)
    fits = form.is_valid()
    topic = form.cleaned_data.get("topic", "")
    now = timezone.now()
    moments: Sequence[TimelineEntry] = ()
    robots: Sequence[RobotCount] = ()
    if topic:
        moments = list_timeline(request.actor, topic=topic, limit=MAX_MEMORIES, now=now)
        robots = count_by_robot(request.actor, topic=topic, now=now) if moments else []
    elif fits:
        moments, robots = list_newest(request.actor, limit=MAX_MEMORIES, now=now)
    # Without a topic the picture is the page; the list has its end.
    listed = moments if topic else moments[-MAX_LAST:]
    context = {
        "topic": topic,
        "said_url": reverse("said-page"),
        "most": MAX_MEMORIES if len(moments) == MAX_MEMORIES else 0,
        "moments": [_timeline_row(one, frozenset(query_stems(topic))) for one in listed],
        "last": len(listed) if len(listed) < len(moments) else 0,
        "summary": _summary_sentence(robots, moments),
        "empty": None if moments else _empty_state(topic, fits),
        **_robot_bars(robots),
        **(_lanes(request.actor, moments, now) if moments else {}),
    }
    whole = not request.htmx or bool(request.htmx.history_restore_request)
    return render(request, f"memories/browsing/who_said.html{'' if whole else '#results'}", context)


def _lanes(actor: Actor, moments: Sequence[TimelineEntry], now: datetime) -> dict[str, Any]:
    """The picture: lanes, ticks, and how many decisions and changed memories are in it."""
    kinds = load_timeline_marks(actor, [one.memory_id for one in moments], now=now)
    marks = [
        LaneMark(
            one.shown_speaker or _robot_name(one),
            one.at,
            kinds.get(one.memory_id, ""),
            reverse("memory-page", args=[one.memory_id]),
            truncatechars(one.content, MAX_TITLE_CHARACTERS),
        )
        for one in moments
    ]
    lanes, ticks = draw_lanes(marks)
    return {
        "lanes": lanes,
        "ticks": ticks,
        "decisions": sum(one.kind == "decision" for one in marks),
        "changed": sum(one.kind == "changed" for one in marks),
    }


def _robot_bars(robots: Sequence[RobotCount]) -> dict[str, Any]:
    """The robots, the busiest first, those after the first dozen apart."""
    rows = [{"name": BUILTIN_LABELS.get(one.name, one.name), "count": one.count} for one in robots]
    return {
        "robots": rows[:MAX_BARS],
        "others": rows[MAX_BARS:],
        "largest": max((one.count for one in robots), default=1),
    }


def _timeline_row(one: TimelineEntry, wanted: frozenset[str]) -> dict[str, Any]:
    return {
        "at": one.at,
        "url": reverse("memory-page", args=[one.memory_id]),
        "speaker": one.shown_speaker or _robot_name(one),
        "heard": (_source_label(one) if one.speaker else "")
        + (gettext(", reworded since") if one.reworded else ""),
        "parts": highlight_parts(
            excerpt(one.content, set(wanted), MAX_QUOTE_CHARACTERS), set(wanted)
        ),
    }


def _robot_name(one: TimelineEntry) -> str:
    name = one.robot_name or gettext(HIDDEN_ROBOT_NAME)
    return BUILTIN_LABELS.get(name, name)


def _source_label(one: TimelineEntry) -> str:
    """How a speaker's words were recorded: "to Aria", ", imported"; of a mere name ", said
    Aria"."""
    name = one.robot_name or gettext("a personal robot")
    if built_in := BUILTIN_LABELS.get(name):
        return f", {inside_sentence(built_in)}"
    return (
        gettext(" to %(name)s") % {"name": name}
        if one.member_id
        else gettext(", said %(name)s") % {"name": name}
    )


def _summary_sentence(robots: Sequence[RobotCount], moments: Sequence[TimelineEntry]) -> str:
    """How many memories and robots. What was typed in or imported is of no robot, and who serves
    one member is not named."""
    number, named = len(moments), {one.name for one in robots} - BUILTIN_LABELS.keys()
    memories = (
        gettext("1 memory")
        if number == 1
        else gettext("%(moments)s memories") % {"moments": format_number(number)}
    )
    if not named:
        return memories
    values = {"memories": memories, "count": format_number(len(named))}
    if all(one.robot_name in named for one in moments):
        return (
            ngettext(
                "%(memories)s from %(count)s robot",
                "%(memories)s from %(count)s robots",
                len(named),
            )
            % values
        )
    return (
        ngettext(
            "%(memories)s from %(count)s robot and others",
            "%(memories)s from %(count)s robots and others",
            len(named),
        )
        % values
    )


def _empty_state(topic: str, fits: bool) -> dict[str, str]:
    if not fits:
        text = gettext(
            "A topic can have %(max_topic_characters)s characters. Shorten it and ask again."
        ) % {"max_topic_characters": MAX_TOPIC_CHARACTERS}
        return {"title": gettext("We could not use this topic"), "text": text}
    if topic:
        text = gettext(
            "No memory that you may read has all of these words. Try fewer, or put “or” between."
        )
        return {"title": gettext("No match"), "text": text}
    text = gettext("What robots and people say appears here, as far as you may read it.")
    return {"title": gettext("Nothing said yet"), "text": text}
