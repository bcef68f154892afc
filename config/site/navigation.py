"""The navigation in the frame of every page; only pages that this person may open.

It uses what `orgs.views.page_access` has looked up already, and shows nothing outside the product's
pages. It has one query of its own: how much waits for this person. Fragments of pages, which have
no frame, do not run it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, pgettext

from config.site.support_frame import is_support_console, support_context
from memories.review.waiting_count import MAX_COUNT, count_waiting
from orgs.languages.page_text import choice_label, lazy_text
from orgs.models.memberships import Role
from orgs.principals import MODERATOR_ROLES

Item = dict[str, Any]


def navigation_context(request: HttpRequest) -> dict[str, Any]:
    """The variables that templates/frame.html names."""
    if is_support_console(request):
        return support_context(request)
    membership = getattr(request, "membership", None)
    if membership is None:
        return {}
    member, organisation = membership
    several = getattr(request, "_memberships", [membership])
    return {
        "nav": _nav_items(request, member.role),
        "organisation": {
            "id": organisation.id,
            "name": organisation.name,
            "url": reverse("organisation", args=[organisation.slug]),
        },
        "organisations": [
            {
                "name": other.name,
                "url": reverse("organisation", args=[other.slug]),
                "current": other.id == organisation.id,
            }
            for _, other in several
        ],
        "palette_url": reverse("palette"),
        "commands": _commands(member.role),
        "member": {
            "id": member.id,
            "name": member.name,
            "email": request.user.email,
            "role": choice_label(Role(member.role)),
        },
        "search_url": reverse("library"),
        "me_url": reverse("me"),
        "news_url": reverse("news"),
        "live_url": reverse("live"),
        "sign_out_url": reverse("account_logout"),
        "account_url": reverse("account"),
        "choose_url": reverse("organisations") if len(several) > 1 else "",
    }


def _nav_items(request: HttpRequest, role: str) -> list[Item]:
    """The pages by name, with the one that is open."""
    found = [_item(request, "home", gettext("Overview"), "overview")]
    views = getattr(request, "saved_views", [])
    short = pgettext("short", "Memories")
    found.append(
        _item(request, "library", gettext("Memories"), "memories")
        | {"views": views, "short": short}
    )
    waiting = {"count": _waiting_count(request), "live": "review", "live_label": gettext("waiting")}
    found.append(_item(request, "review", gettext("Review"), "review") | waiting)
    # Its number is asked for once the page is there, so that no page waits for it.
    news = {"short": gettext("Mine"), "live": "news", "live_label": gettext("news")}
    found.append(_item(request, "me", gettext("My memories"), "me") | news)
    if role in MODERATOR_ROLES:
        questions = _item(request, "open-questions", gettext("Open questions"), "question")
        found.append(questions | {"short": gettext("Questions")})
    shared = _item(request, "knowledge", gettext("Shared knowledge"), "aud-organisation")
    found.append(shared | {"short": gettext("Shared")})
    found.append(_item(request, "map", gettext("Knowledge map"), "map") | {"short": gettext("Map")})
    found.append(
        _item(request, "experts", gettext("Who knows what"), "experts")
        | {"short": gettext("Experts")}
    )
    found.append(
        _item(request, "said-page", gettext("Who said what"), "quote") | {"short": gettext("Said")}
    )
    found.append(_item(request, "decisions", gettext("Decisions"), "decisions"))
    found.append(_item(request, "personas-page", gettext("Personas"), "personas"))
    found.append(
        _item(request, "people", gettext("People and groups"), "people")
        | {"short": gettext("People")}
    )
    if role in MODERATOR_ROLES:
        found.append(_item(request, "playground", gettext("Playground"), "eye"))
        found.append(_item(request, "robots-page", gettext("Robots"), "robots"))
    if role != Role.VIEWER:
        found.append(_item(request, "documents", gettext("Documents"), "copy", "below"))
        found.append(_item(request, "jobs", gettext("Jobs"), "jobs", "below"))
        found.append(_item(request, "trash", gettext("Trash"), "forget", "below"))
    found.append(_item(request, "tiers", gettext("Tiers"), "history", "below"))
    if role == Role.ADMIN:
        found.append(_item(request, "audit", gettext("Audit"), "audit", "below"))
        found.append(_item(request, "import", gettext("Import"), "transfer", "below"))
        found.append(_item(request, "webhooks", gettext("Webhooks"), "external", "below"))
    if request.user.is_staff:
        found.append(_item(request, "design", gettext("Design"), "eye", "below"))
        found.append(_item(request, "support", gettext("Support"), "shield", "below"))
    return found


# What one may want to do, as one would say it, with the page that does it; for these roles.
_EVERYBODY = (*MODERATOR_ROLES, Role.MEMBER, Role.VIEWER)
_WRITERS = (*MODERATOR_ROLES, Role.MEMBER)
_COMMANDS = (
    (lazy_text("New memory: write something down"), "memory-add", "", "plus", _WRITERS),
    (lazy_text("Record a decision"), "decision-add", "", "decisions", _WRITERS),
    (lazy_text("Time zone: change mine"), "me", "?zone=1#more", "history", _EVERYBODY),
    (lazy_text("Sharing: opt out or in again"), "me-sharing", "", "share", _EVERYBODY),
    (
        lazy_text("Questions: who sees mine that nothing answered"),
        "me-questions",
        "",
        "question",
        _EVERYBODY,
    ),
    (lazy_text("Give a robot leave"), "me", "?trust=1#robots", "robots", _EVERYBODY),
    (lazy_text("Forget everything about me"), "me-forget", "", "forget", _EVERYBODY),
    (lazy_text("Erase me for good"), "me-erase", "", "warning", _EVERYBODY),
    (lazy_text("Sign out"), "account_logout", "", "signout", _EVERYBODY),
    (lazy_text("Index layouts"), "index-layouts", "", "decisions", MODERATOR_ROLES),
)


def _commands(role: str) -> list[dict[str, str]]:
    """Pages and acts that the palette finds though the rail has no line for them."""
    return [
        {"label": label, "url": f"{reverse(name)}{query}", "icon": icon}
        for label, name, query, icon, roles in _COMMANDS
        if role in roles
    ]


def _item(request: HttpRequest, name: str, label: str, icon: str, section: str = "main") -> Item:
    url = reverse(name)
    # `request.stands_under` names the entry of a page whose address does not begin with it.
    path = getattr(request, "stands_under", request.path)
    here = path == url if url == "/" else path.startswith(url)
    return {"label": label, "url": url, "icon": icon, "section": section, "current": here}


def _waiting_count(request: HttpRequest) -> Callable[[], str]:
    """How much waits for this person, in words. The query runs once, when it is shown, and not if
    the view knows it already (`request.waiting`)."""

    @cache
    def words() -> str:
        known = getattr(request, "waiting", None)
        count = count_waiting(request.actor) if known is None else known
        return f"{MAX_COUNT - 1}+" if count >= MAX_COUNT else str(count or "")

    return words
