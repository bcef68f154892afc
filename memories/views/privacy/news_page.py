"""What happened that concerns a member, whether they have it by mail, and what an open page is told
anew."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from memories.browsing.selection import NEWEST_FIRST
from memories.jobs.models import Job, JobState
from memories.language.excerpts import excerpt
from memories.news import member_news, news_mail
from memories.review.models import Proposal
from memories.review.waiting_count import MAX_COUNT, count_waiting
from memories.views.browsing import list_filters
from memories.views.forms.search_forms import MemoryFilterForm
from memories.views.jobs.jobs_page import KIND_LABELS
from memories.views.review.item_presenter import state_badge, visible_text
from orgs.errors import NotFoundError
from orgs.languages.page_text import choice_label, lazy_text
from orgs.members.member_settings import set_news_mail
from orgs.organisations.references import parse_uuid
from orgs.outbound.mail import can_send_mail
from orgs.views.page_access import members_only
from orgs.wired_functions import wired


@wired
def list_persona_news(request: HttpRequest, *, most: int) -> list[dict[str, Any]]:
    """The lines about personas that others say the member has, `most` at most. `answered`: whether
    the member has said so too; it is new no more then."""
    raise NotImplementedError


_JOB_SENTENCES = {
    JobState.DONE: lazy_text("is done"),
    JobState.DEAD: lazy_text("stopped before its end"),
}


@require_safe
@never_cache
@members_only()
def news_page(request: HttpRequest) -> HttpResponse:
    """Proposals of theirs that others decided, reports about what they wrote, what others say that
    they do, jobs that are over.

    To look at it changes nothing; a press says that it was seen.
    """
    news, me = member_news.load_news(request.actor), request.actor.member_id
    lines = [
        *(_decided_line(item, me) for item in news.decided),
        *(_reported_line(item) for item in news.reported),
        *(_job_line(job) for job in news.jobs),
        *list_persona_news(request, most=member_news.MAX_LINES),
    ]
    lines.sort(key=lambda line: line["at"], reverse=True)
    for line in lines:
        unseen = news.seen_at is None or line["at"] > news.seen_at
        line["new"] = unseen and not line.get("answered")
    member = request.membership[0]
    context = {
        "lines": lines,
        "unseen": sum(line["new"] for line in lines),
        "may_mail": can_send_mail(),
        "mail_since": member.news_mail_since,
        "address": request.user.email,
    }
    return render(request, "memories/privacy/news.html", context)


def _decided_line(item: Proposal, me: object) -> dict[str, Any]:
    who = item.decided_by.name if item.decided_by and item.decided_by_id != me else ""
    return {
        "what": gettext("Your proposal"),
        "text": excerpt(item.content or visible_text(item), set(), 140),
        "state": state_badge(item),
        "by": who,
        "reason": item.decision,
        "at": item.decided_at,
        "url": reverse("review-item", args=[item.id]),
    }


def _reported_line(item: Proposal) -> dict[str, Any]:
    return {
        "what": gettext("Somebody reported what you wrote"),
        "text": excerpt(visible_text(item), set(), 140),
        "state": state_badge(item),
        "at": item.created_at,
        "url": reverse("review-item", args=[item.id]),
    }


def _job_line(job: Job) -> dict[str, Any]:
    good = job.state == JobState.DONE
    return {
        "what": gettext("Your job %(job_sentences)s")
        % {"job_sentences": _JOB_SENTENCES[JobState(job.state)]},
        "text": KIND_LABELS[job.kind],
        "state": {"label": choice_label(JobState(job.state)), "tone": "good" if good else "bad"},
        "at": job.finished_at,
        "url": reverse("job", args=[job.id]),
    }


@require_POST
@members_only()
def mark_news_seen(request: HttpRequest) -> HttpResponse:
    """All that happened until now was seen."""
    member_news.mark_seen(request.actor, now=timezone.now())
    return redirect("news")


@require_POST
@members_only()
def set_news_mail_view(request: HttpRequest) -> HttpResponse:
    """Have the news by mail, or no more."""
    on = request.POST.get("on") == "1"
    if on and not can_send_mail():
        messages.error(request, gettext("This server sends no mail. Ask who runs it."))
        return redirect("news")
    set_news_mail(request.actor, on=on, now=timezone.now())
    said = (
        gettext("News go to %(email)s, once a day at most.") % {"email": request.user.email}
        if on
        else gettext("No more mails.")
    )
    messages.success(request, said)
    return redirect("news")


@csrf_exempt  # A mail program presses it (RFC 8058); the address itself is the proof.
@never_cache
def end_news_mail(request: HttpRequest, token: str) -> HttpResponse:
    """End the mails of whoever has the address from one of them, without signing in."""
    try:
        member, organisation = news_mail.find_mailed_member(token)
    except NotFoundError as error:
        raise Http404 from error
    if request.method == "POST":
        news_mail.end_mails(member, now=timezone.now())
        member.news_mail_since = None
    context = {"ended": member.news_mail_since is None, "from_organisation": organisation}
    return render(request, "memories/privacy/news_mail_end.html", context)


@require_safe
@never_cache
@members_only()
def live_counts(request: HttpRequest) -> HttpResponse:
    """What a page shows anew while it is open: how much waits and is unseen, in words, and with
    `newest` how many memories match its filters that came after that one."""
    waiting = count_waiting(request.actor)
    answer: dict[str, Any] = {
        "review": _capped(waiting, MAX_COUNT),
        "news": _capped(member_news.count_unseen(request.actor), member_news.MAX_LINES),
    }
    form, newest = MemoryFilterForm(request.GET), parse_uuid(request.GET.get("newest", ""))
    chosen = form.cleaned_data if form.is_valid() else {"q": True}
    if newest and not chosen.get("q") and (chosen.get("sort") or NEWEST_FIRST) == NEWEST_FIRST:
        selection = list_filters.parse_selection(request.actor, form)
        count = member_news.count_newer(request.actor, selection, newest, now=timezone.now())
        answer["newer"] = _capped(count, member_news.MAX_NEWER)
    return JsonResponse(answer)


def _capped(number: int, most: int) -> str:
    """In words; empty for none."""
    return f"{most - 1}+" if number >= most else str(number or "")
