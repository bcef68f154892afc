"""My calendars and mail: the files I uploaded, and what was read from them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.context.connectors import accounts as service
from memories.context.connectors.accounts import TooLarge, TooMany
from memories.context.connectors.models import Account, AccountKind
from memories.context.connectors.parsed import Unreadable
from memories.views.forms.privacy import AccountFileForm, AccountForm
from orgs.errors import AlreadyExists
from orgs.views.access import members_only

READ = {
    AccountKind.CALENDAR: ("event", "events"),
    AccountKind.MAIL: ("mail", "mails"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only()
def accounts(request: HttpRequest) -> HttpResponse:
    """The list, and a form for another one."""
    if request.method != "POST":
        return _page(request)
    form = AccountForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, 422, form=form)
    file = form.cleaned_data["file"]
    try:
        made = service.add_account(
            service.for_member(request.actor),
            kind=form.cleaned_data["kind"],
            name=form.cleaned_data["name"],
            file=file,
            size=file.size,
            now=timezone.now(),
        )
    except (TooLarge, Unreadable) as refused:
        form.add_error("file", str(refused))
    except AlreadyExists as refused:
        form.add_error("name", str(refused))
    except TooMany as refused:
        form.add_error(None, str(refused))
    else:
        messages.success(request, f"{made.name}: {_sentence(made)}")
        return redirect("me-accounts")
    return _page(request, 422, form=form)


@require_POST
@never_cache
@members_only()
def replace(request: HttpRequest, account_id: UUID) -> HttpResponse:
    """Replace the file of an account."""
    principal = service.for_member(request.actor)
    with principal.scope():
        service.account(principal, account_id)
    form = AccountFileForm(request.POST, request.FILES, prefix=account_id.hex)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            found = service.refresh_account(
                principal, account_id, file=file, size=file.size, now=timezone.now()
            )
        except (TooLarge, Unreadable) as refused:
            form.add_error("file", f"{refused} What was there stays.")
        else:
            messages.success(request, f"{found.name}: {_sentence(found)}")
            return redirect("me-accounts")
    return _page(request, 422, wrong=form)


@require_POST
@members_only()
def remove(request: HttpRequest, account_id: UUID) -> HttpResponse:
    """Delete an account with all that was read from it."""
    service.remove_account(service.for_member(request.actor), account_id, now=timezone.now())
    messages.success(request, "Removed, with all that was read of it.")
    return redirect("me-accounts")


def _page(
    request: HttpRequest,
    status: int = 200,
    form: AccountForm | None = None,
    wrong: AccountFileForm | None = None,
) -> HttpResponse:
    """The whole page; `form` and `wrong` are forms with errors to show again."""
    principal = service.for_member(request.actor)
    with principal.scope():
        rows = list(service.accounts(principal).order_by("name"))
    context = {
        "accounts": [_row(row, wrong) for row in rows],
        "form": form or AccountForm(),
        "full": len(rows) >= service.MOST_ACCOUNTS,
        "most": service.MOST_ACCOUNTS,
    }
    return render(request, "memories/privacy/accounts.html", context, status=status)


def _row(row: Account, wrong: AccountFileForm | None) -> dict[str, Any]:
    mine = wrong if wrong is not None and wrong.prefix == row.id.hex else None
    return {
        "name": row.name,
        "kind": AccountKind(row.kind).label,
        "sentence": _sentence(row),
        "refreshed_at": row.refreshed_at,
        "form": mine or AccountFileForm(prefix=row.id.hex),
        "open": mine is not None,
        "replace_url": reverse("me-account-replace", args=[row.id]),
        "remove_url": reverse("me-account-remove", args=[row.id]),
    }


def _sentence(row: Account) -> str:
    """What was read and what was left out: "2 events were read; 1 event could not be read."."""
    one, many = READ[AccountKind(row.kind)]
    read = f"1 {one} was read" if row.entries == 1 else f"{row.entries:,} {many} were read"
    return "; ".join([read, *(problem.rstrip(".") for problem in row.problems)]) + "."
