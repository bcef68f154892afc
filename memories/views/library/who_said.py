"""Which robots said something about a topic, and when: the same as /said and /timeline."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from memories.language.excerpts import excerpt, marked, stems
from memories.retrieval.who_said import RobotCount, Said, timeline, who_said
from orgs.views.access import members_only
from robots.registry.robots import IMPORT, WEB
from robots.registry.who_taught import A_PERSONAL_ROBOT

LONGEST = 500
# The newest memories of the topic; one more tells whether there are others.
MOST = 200
# So many robots have a bar at once; the others are folded.
FIRST = 12
LONGEST_QUOTE = 400
# The built-in robots, as people know them; no other robot can have their names.
BUILT_IN = {WEB: "Typed in here", IMPORT: "Imported"}


class TopicForm(forms.Form):
    """The topic in the address."""

    topic = forms.CharField(required=False, max_length=LONGEST)


@require_safe
@vary_on_headers("HX-Request")
@members_only()
def said(request: HttpRequest) -> HttpResponse:
    """Search as you type: who brought it, with counts, and what was said when."""
    form = TopicForm(request.GET)
    fits = form.is_valid()
    topic = form.cleaned_data.get("topic", "")
    asked = {"topic": topic, "limit": MOST, "now": timezone.now()}
    moments = timeline(request.actor, **asked) if topic else []
    robots = who_said(request.actor, **asked) if moments else []
    context = {
        "topic": topic,
        "said_url": reverse("said-page"),
        "most": MOST if len(moments) == MOST else 0,
        "moments": [_moment(one, frozenset(stems(topic))) for one in moments],
        "summary": _summary(len(robots), len(moments)),
        "empty": None if moments else _why_empty(topic, fits),
        **_bars(robots),
    }
    whole = not request.htmx or bool(request.htmx.history_restore_request)
    return render(request, f"memories/library/who_said.html{'' if whole else '#results'}", context)


def _bars(robots: Sequence[RobotCount]) -> dict[str, Any]:
    """The robots, the busiest first, those after the first dozen apart."""
    rows = [{"name": BUILT_IN.get(one.name, one.name), "count": one.count} for one in robots]
    return {
        "robots": rows[:FIRST],
        "others": rows[FIRST:],
        "largest": max((one.count for one in robots), default=1),
    }


def _moment(one: Said, wanted: frozenset[str]) -> dict[str, Any]:
    return {
        "at": one.at,
        "url": reverse("memory-page", args=[one.memory_id]),
        "speaker": one.shown_speaker or _robot(one),
        "heard": _heard(one) if one.speaker else "",
        "parts": marked(excerpt(one.content, set(wanted), LONGEST_QUOTE), set(wanted)),
    }


def _robot(one: Said) -> str:
    name = one.robot_name or A_PERSONAL_ROBOT
    return BUILT_IN.get(name, name)


def _heard(one: Said) -> str:
    """How a speaker's words were recorded: "to Aria", ", imported"; of a mere name ", said
    Aria"."""
    name = one.robot_name or A_PERSONAL_ROBOT.lower()
    if built_in := BUILT_IN.get(name):
        return f", {built_in.lower()}"
    return f" to {name}" if one.member_id else f", said {name}"


def _summary(robots: int, moments: int) -> str:
    memories = "1 memory" if moments == 1 else f"{moments:,} memories"
    return f"{memories} from {'1 robot' if robots == 1 else f'{robots:,} robots'}"


def _why_empty(topic: str, fits: bool) -> dict[str, str]:
    if not fits:
        text = f"A topic can have {LONGEST} characters. Shorten it and ask again."
        return {"title": "We could not use this topic", "text": text}
    if topic:
        text = "No memory that you may read has all of these words. Try fewer, or put “or” between."
        return {"title": "No match", "text": text}
    text = "Write a topic to see which robots brought memories about it, and what was said when."
    return {"title": "Nothing asked yet", "text": text}
