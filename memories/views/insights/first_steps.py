"""Getting going: what the product does, the first steps, the stories of the demo, and its end."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memories.access.audience_labels import list_audience_choices
from memories.access.visibility import proposes_to_everyone
from memories.browsing.memory_pages import ListedMemory
from memories.demo.delete_demo import NotADemoError, delete_demo
from memories.insights.overview import Overview
from memories.views import memory_presenter
from memories.views.forms.memory_forms import audience_choices
from orgs.accounts.sessions import select_organisation
from orgs.models.memberships import Role
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor
from orgs.views.page_access import ADMINS, MODERATOR_ROLES, members_only

CONFIRM_WORD = "remove"


def list_first_steps(found: Overview, role: str) -> list[dict[str, str]]:
    """What is left to do before there is anything to see: {title, text, url}; none after that."""
    done = dict(found.steps)
    if done.get("remember", True):
        return []
    steps = [
        (
            "robot",
            gettext("Make a robot"),
            gettext("It gets a key and commands to try it with."),
            "robots-page",
        ),
        (
            "remember",
            gettext("Remember something"),
            gettext("A sentence of your own, or what a robot says."),
            "memory-add",
        ),
        (
            "import",
            gettext("Import a talk"),
            gettext("A file of conversations, or the example."),
            "import",
        ),
        (
            "invite",
            gettext("Invite somebody"),
            gettext("They get a link; nobody can sign up."),
            "invitations",
        ),
    ]
    if role == Role.ADMIN:
        done["import"] = False
    return [
        {"title": title, "text": text, "url": reverse(url)}
        for name, title, text, url in steps
        if not done.get(name, True)
    ]


def first_example(request: HttpRequest, found: Overview) -> dict[str, Any] | None:
    """What the product does, tried with a sentence of the reader's own; None once there is
    something to read.

    While there is nothing: the form for that sentence (`audiences`). After it was written: the
    sentence (`written`, `url`), where to ask for it, and who reads it (`audience`).
    """
    if "first" in request.GET:
        return _written_example(request.actor, found, request.GET["first"])
    if dict(found.steps).get("remember", True):
        return None
    organisation = request.membership[1]
    choices = list_audience_choices(request.actor, organisation=organisation.name)
    proposes = proposes_to_everyone(
        request.actor.role, members_publish=organisation.members_publish
    )
    offered = audience_choices(choices, proposes=proposes, chosen="private")
    return {"audiences": [one for one in offered if one["value"] in ("private", "organisation")]}


def _written_example(actor: Actor, found: Overview, first: str) -> dict[str, Any] | None:
    """The sentence that was written a moment ago, if it is among the newest that they read."""
    memory_id = parse_uuid(first)
    listed = (one for one in found.latest if isinstance(one, ListedMemory))
    shown = next((one for one in listed if one.memory.id == memory_id), None)
    if shown is None or shown.memory.author_id != actor.member_id:
        return None
    return {
        "written": memory_presenter.memory_context(shown.memory, actor.member_id),
        "url": reverse("memory-page", args=[shown.memory.id]),
        "ask_url": reverse("library"),
        "audience": memory_presenter.audience_badge(shown.readers, shown.memory),
    }


def _search_url(question: str) -> str:
    return f"{reverse('library')}?{urlencode({'q': question})}"


def _correcting_phrase(role: str) -> str:
    """What this role can do about a wrong memory that others wrote."""
    if role in MODERATOR_ROLES:
        return gettext("correct it")
    return gettext("report it") if role == Role.VIEWER else gettext("suggest a correction")


def demo_stories(role: str) -> list[dict[str, str]]:
    """Stories of the demo that can be followed."""
    stories = [
        {
            "title": gettext("Find the wrong one"),
            "text": gettext(
                "How long can a customer return a bag? Two answers come up, and one is out "
                "of date. Open it and %(role)s."
            )
            % {"role": _correcting_phrase(role)},
            "url": _search_url("How long can customers return a bag?"),
        },
        {
            "title": gettext("See how a date moved"),
            "text": gettext(
                "When does the Spinnaker go on sale? Open the answer and look at its versions."
            ),
            "url": _search_url("When does the Spinnaker go on sale?"),
        },
        {
            "title": gettext("Decide what waits")
            if role in MODERATOR_ROLES
            else gettext("See what waits"),
            "text": gettext("Proposals, corrections, reports: each with who would newly read it."),
            "url": reverse("review"),
        },
        {
            "title": gettext("Look at what is kept about you"),
            "text": gettext("Who sees it, and how to take it back or opt out."),
            "url": reverse("me"),
        },
    ]
    if role in MODERATOR_ROLES:
        ask_as = {
            "title": gettext("Ask as somebody else"),
            "text": gettext(
                "Ledger keeps the credit line for #finance alone. Ask for “credit line” as "
                "Mina: other things come up, that does not."
            ),
            "url": reverse("playground"),
        }
        stories.insert(3, ask_as)
    return stories


def example_requests() -> str:
    """Requests to copy."""
    url = settings.PUBLIC_URL
    head = "  -H 'Authorization: Bearer cmk_…' -H 'Content-Type: application/json' \\\n"
    return (
        f"curl -s {url}/api/v1/memories \\\n{head}"
        """  -d '{"content": "The office closes at six on Fridays."}'\n\n"""
        f"curl -s {url}/api/v1/recall \\\n{head}"
        """  -d '{"query": "When does the office close?"}'"""
    )


@require_http_methods(["GET", "POST"])
@never_cache
@members_only(*ADMINS)
def remove_demo_view(request: HttpRequest) -> HttpResponse:
    """Remove the demo with all its rows; asked for by a typed word."""
    if not request.membership[1].demo:
        raise Http404
    context = {"word": CONFIRM_WORD}
    if request.method != "POST":
        return render(request, "memories/insights/demo_remove.html", context)
    if request.POST.get("confirm", "").strip() != CONFIRM_WORD:
        return render(
            request, "memories/insights/demo_remove.html", context | {"error": True}, status=422
        )
    return _remove_and_redirect(request, timezone.now())


def _remove_and_redirect(request: HttpRequest, now: datetime) -> HttpResponse:
    try:
        left = delete_demo(request.actor, request.user, now=now)
    except NotADemoError as error:
        raise Http404 from error
    if left is None:
        return redirect("account_login")
    select_organisation(request, left.id)
    messages.success(request, gettext("The demo is gone. This is %(name)s.") % {"name": left.name})
    return redirect("home")
