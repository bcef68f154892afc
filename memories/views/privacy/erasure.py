"""Erase oneself for good, or as an admin somebody else, and read the receipt of an erasure."""

from typing import Any
from uuid import UUID

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib.auth import logout
from django.core.signing import BadSignature
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from memories.privacy.erasure.steps import STEPS
from memories.privacy.my_memories import count_own_to_erase
from memories.privacy.receipts import NoReceipt, check_copy, create_link, get_receipt
from memories.privacy.request_erasure import erase_member
from memories.views.forms.memory_forms import CONFIRM_ERASE_ME, ReceiptForm
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.languages.page_text import lazy_text
from orgs.views.page_access import ADMINS, members_only
from robots.people import people_administration

PAGE, PERSON_PAGE = "memories/privacy/erase_me.html", "memories/privacy/erase_person.html"
# The labels of the counts in the receipt, in their order.
COUNT_LABELS = {
    "memories": lazy_text("Memories"),
    "messages": lazy_text("Messages"),
    "conversations": lazy_text("Conversations"),
    "brought_back": lazy_text("Memories of others that stand for themselves again"),
    "recounted": lazy_text("Memories of others that were counted anew"),
    "accounts": lazy_text("Calendars, mail and feeds"),
    "saved_views": lazy_text("Saved views"),
    "proposals": lazy_text("Proposals"),
    "participants": lazy_text("Parts in decisions of others"),
    "claims": lazy_text("Claims in decisions of others"),
    "dissents": lazy_text("Dissents in decisions of others"),
    "debates": lazy_text("Debates"),
    "recalls": lazy_text("Questions asked"),
    "delegations": lazy_text("Leave given to robots"),
    "assistants": lazy_text("Leave given to assistants"),
    "identities": lazy_text("Names on other platforms"),
    "identity_links": lazy_text("What a robot said about whose account is whose"),
    "jobs": lazy_text("Jobs with their files"),
    "exports": lazy_text("Export files"),
    "log_places": lazy_text("Places in log files"),
    "members": lazy_text("Members"),
    "user_accounts": lazy_text("Accounts"),
}


@never_cache
@require_http_methods(["GET", "POST"])
@members_only()
def erase_me(request: HttpRequest) -> HttpResponse:
    """What goes and what stays; then the member is erased and reads the receipt."""
    member, _ = request.membership
    context = {
        "word": CONFIRM_ERASE_ME,
        "own": count_own_to_erase(request.actor),
        "backup_days": settings.BACKUP_KEEP_DAYS,
    }
    if request.method == "GET":
        return render(request, PAGE, context)
    if request.POST.get("confirm", "").strip() != CONFIRM_ERASE_ME:
        return render(request, PAGE, context | {"error": True}, status=422)
    return _erase(request, member.id, context)


@never_cache
@require_http_methods(["GET", "POST"])
@members_only(*ADMINS)
def erase_person(request: HttpRequest, member_id: UUID) -> HttpResponse:
    """What goes and what stays; then the admin has erased somebody else and reads the receipt."""
    if member_id == request.actor.member_id:
        return redirect("me-erase")
    member, _ = people_administration.get_member_with_groups(request.actor, member_id)
    context = {"person": member, "backup_days": settings.BACKUP_KEEP_DAYS}
    if request.method == "GET":
        return render(request, PERSON_PAGE, context)
    if request.POST.get("confirm", "").split() != member.name.split():
        return render(request, PERSON_PAGE, context | {"error": True}, status=422)
    return _erase(request, member_id, context)


@reauthentication_required
def _erase(request: HttpRequest, member_id: UUID, context: dict[str, Any]) -> HttpResponse:
    """Erase a member, once who asks has shown lately that it is they."""
    own = member_id == request.actor.member_id
    try:
        erasure = erase_member(request.actor, member_id, confirm=str(member_id), now=timezone.now())
    except AlreadyExistsError as error:
        page = PAGE if own else PERSON_PAGE
        return render(request, page, context | {"refusal": str(error)}, status=409)
    if own:
        logout(request)
    return redirect("receipt", create_link(erasure))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def check_receipt(request: HttpRequest) -> HttpResponse:
    """Whether a signed copy of a receipt is genuine; for anybody who has one."""
    page, form = "memories/privacy/check_receipt.html", ReceiptForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, page, {"form": form}, status=422 if form.errors else 200)
    try:
        found = check_copy(form.cleaned_data["copy"])
    except NoReceipt as error:
        form.add_error("copy", str(error))
        return render(request, page, {"form": form}, status=422)
    except BadSignature:
        return render(request, page, {"form": form, "wrong": True})
    facts = {name: parse_datetime(str(found[name] or "")) for name in ("at", "finished_at")}
    return render(request, page, {"form": form, "found": found, "facts": facts})


@never_cache
@require_safe
def erasure_receipt(request: HttpRequest, link: str) -> HttpResponse:
    """When, what and how much; for anybody with the address. ?format=json: signed, to keep."""
    try:
        found = get_receipt(link)
    except NotFoundError as error:
        raise Http404 from error
    if request.GET.get("format") == "json" and found.signature:
        answer = JsonResponse({**found.body, "signature": found.signature})
        answer["Content-Disposition"] = f'attachment; filename="receipt-{found.id}.json"'
        return answer
    context = {
        "receipt": found,
        "counts": [
            (label, found.counts[n]) for n, label in COUNT_LABELS.items() if n in found.counts
        ],
        "hidden": sum(n for name, n in found.counts.items() if name.startswith("masked ")),
        "steps": len(STEPS),
    }
    page = "memories/privacy/receipt.html"
    return render(request, f"{page}#state" if request.htmx else page, context)
