"""The list of My memories in words: tabs, rows, who sees what is private, who read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from memories.browsing.conversation_pages.folded_list import FoldedConversation
from memories.insights.operations import RobotRecallCount
from memories.privacy import my_memories
from memories.views import conversation_presenter, memory_presenter, origin_presenter
from orgs.languages.page_text import format_number, join_names, lazy_text
from orgs.models.memberships import Role
from orgs.principals import Principal
from orgs.views import time_formats
from orgs.wired_functions import wired


@wired
def own_personas_section(request: HttpRequest, principal: Principal) -> dict[str, Any]:
    """What personas/my_section.html shows below the list, as `section`. principal: what the member
    reads now."""
    raise NotImplementedError


TAB_LABELS = {
    "about": lazy_text("About me"),
    "by": lazy_text("By me"),
    "shared": lazy_text("Shared"),
    "forgotten": lazy_text("Forgotten"),
}
EMPTY_STATES = {
    "about": (
        lazy_text("Nothing yet"),
        lazy_text("No robot keeps anything about you that you may see."),
    ),
    "by": (lazy_text("Nothing yet"), lazy_text("What you write down yourself is listed here.")),
    "shared": (
        lazy_text("Nothing is shared"),
        lazy_text("Nothing that is about you or by you has other readers."),
    ),
    "forgotten": (
        lazy_text("Nothing forgotten"),
        lazy_text("What you forget is listed here, and you can bring it back."),
    ),
}
BULK_ACTIONS = (
    {"label": lazy_text("Take back from sharing"), "action": "withdraw"},
    {"label": lazy_text("Forget"), "action": "forget", "caution": True},
)
# So many who keep something are drawn.
MAX_KEEPERS = 8
# So many robots are named in a row.
MAX_ROBOTS_NAMED = 2
WEEK_DAYS = 7


@dataclass(frozen=True, slots=True)
class PageQuery:
    """What the address asks for."""

    view: str
    q: str
    everything: bool

    def url(self, **more: Any) -> str:
        """The page with all of it, and what is given instead."""
        parts = {"show": self.view, "q": self.q, "all": "1" if self.everything else ""} | more
        return f"{reverse('me')}?{urlencode({k: v for k, v in parts.items() if v})}"


def parse_query(cleaned: Mapping[str, Any]) -> PageQuery:
    """From the form of the address; what makes no sense in it is left out."""
    view = cleaned.get("show") or "about"
    return PageQuery(view, cleaned.get("q") or "", bool(cleaned.get("all")))


def page_context(
    request: HttpRequest, found: my_memories.MyMemoriesPage, wanted: PageQuery, alone: str
) -> dict[str, Any]:
    """alone: who sees what is private to the member."""
    title, text = EMPTY_STATES[wanted.view]
    if wanted.q:
        title, text = (
            gettext("No match"),
            gettext("None of your memories here has these words. Try fewer."),
        )
    folds = any(isinstance(row, FoldedConversation) for row in found.rows)
    return {
        "opening": found.overview,
        "alone": alone,
        "shared_with": _shared_label(found.overview),
        "tabs": [
            {"label": label, "url": wanted.url(show=name), "current": name == wanted.view}
            for name, label in TAB_LABELS.items()
        ],
        "q": wanted.q,
        "show": wanted.view,
        "everything": wanted.everything,
        "fold_url": wanted.url(all="") if wanted.everything else "",
        "all_url": wanted.url(all="1") if folds else "",
        "memories": [_list_row(request, found, row) for row in found.rows],
        "page": {"next_url": wanted.url(before=found.before) if found.before else ""},
        "reads_days": settings.OPERATIONS_DAYS if found.reads else 0,
        "empty": {"title": title, "text": text},
        **_bulk_context(request, wanted),
    }


def keepers_chart(keepers: Sequence[my_memories.MemoryKeeper]) -> dict[str, Any]:
    """By whom what is kept about the member was written, for components/chart.html."""
    since = min(one.since for one in keepers)
    return {
        "kind": "bars",
        "title": gettext("By whom, since when"),
        "sentence": gettext("The first of it was kept on %(since)s.")
        % {"since": time_formats.day(since)},
        "unit": gettext("memories"),
        "first_column": gettext("By whom"),
        "max": max(one.memories for one in keepers),
        "values": [
            {
                "label": one.robot or gettext("People, imports and others"),
                "value": one.memories,
                "text": gettext("%(memories)s since %(since)s")
                % {"memories": format_number(one.memories), "since": time_formats.day(one.since)},
            }
            for one in keepers[:MAX_KEEPERS]
        ],
    }


def _list_row(request: HttpRequest, found: my_memories.MyMemoriesPage, row: Any) -> dict[str, Any]:
    if isinstance(row, FoldedConversation):
        return conversation_presenter.conversation_row(row)
    me, now = request.actor.member_id, timezone.now()
    drawn = memory_presenter.memory_row(row, me=me, now=now, wanted=frozenset())
    drawn["url"] += "?from=me"
    drawn["learned"] = origin_presenter.origin_sentence(row.memory, me)
    drawn["read"] = read_sentence(found.reads.get(row.memory.id, ()), me, now)
    return drawn


def _bulk_context(request: HttpRequest, wanted: PageQuery) -> dict[str, Any]:
    if wanted.view == "forgotten":
        return {}
    # Who only reads forgets what is theirs, and no more.
    may = BULK_ACTIONS[1:] if request.actor.role == Role.VIEWER else BULK_ACTIONS
    url = reverse("memories-change")
    parts = {"show": wanted.view, "q": wanted.q, "all": "1" if wanted.everything else ""}
    return {
        "bulk_actions": [{**one, "url": f"{url}?action={one['action']}"} for one in may],
        "bulk_query": urlencode({k: v for k, v in parts.items() if v}),
    }


def read_sentence(reads: Sequence[RobotRecallCount], me: object, now: datetime) -> str:
    """ "Read by Aria 4 times, last on Monday"; empty where nobody was served it."""
    if not reads:
        return ""
    parts = [
        f"{_reader_name(one, me)} {_times_label(one.times)}" for one in reads[:MAX_ROBOTS_NAMED]
    ]
    rest = sum(one.times for one in reads[MAX_ROBOTS_NAMED:])
    if rest:
        parts.append(gettext("others %(rest)s") % {"rest": _times_label(rest)})
    several = join_names(parts)
    return gettext("Read by %(several)s, last %(value)s") % {
        "several": several,
        "value": _last_label(max(one.last for one in reads), now),
    }


def _reader_name(one: RobotRecallCount, me: object) -> str:
    if one.robot is None:
        return gettext("people or their own robots")
    return gettext("your robot") if me and one.robot.owner_id == me else one.robot.name


def _times_label(number: int) -> str:
    return (
        gettext("once")
        if number == 1
        else gettext("%(number)s times") % {"number": format_number(number)}
    )


def _last_label(at: datetime, now: datetime) -> str:
    days = (time_formats.local_time(now).date() - time_formats.local_time(at).date()).days
    if days <= 0:
        return gettext("today")
    if days == 1:
        return gettext("yesterday")
    if days < WEEK_DAYS:
        return gettext("on %(at)s") % {"at": time_formats.weekday(at)}
    return gettext("on %(at)s") % {"at": time_formats.day(at)}


def _shared_label(found: my_memories.MemberOverview) -> str:
    groups = (
        gettext("1 group")
        if found.groups == 1
        else gettext("%(groups)s groups") % {"groups": format_number(found.groups)}
    )
    parts = [groups] if found.groups else []
    parts += [gettext("some people")] if found.people else []
    parts += [gettext("everyone")] if found.everyone else []
    return join_names(parts)
