"""My calendars and mail: the files I uploaded, and what was read from them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.context.connectors import accounts as service
from memories.context.connectors.accounts import FileTooLargeError, TooManyAccountsError
from memories.context.connectors.models import Account, AccountType
from memories.context.connectors.parse_result import UnreadableFileError
from memories.views.forms.my_memories_forms import AccountFileForm, AccountForm
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import choice_label, format_number
from orgs.views.page_access import members_only

ENTRY_LABELS = {
    AccountType.CALENDAR: ("event", "events"),
    AccountType.MAIL: ("mail", "mails"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only()
def account_list(request: HttpRequest) -> HttpResponse:
    """The list, and a form for another one."""
    if request.method != "POST":
        return _render_page(request)
    form = AccountForm(request.POST, request.FILES)
    if not form.is_valid():
        return _render_page(request, 422, form=form)
    file = form.cleaned_data["file"]
    try:
        made = service.add_account(
            service.resolve_member_principal(request.actor),
            kind=form.cleaned_data["kind"],
            name=form.cleaned_data["name"],
            file=file,
            size=file.size,
            now=timezone.now(),
        )
    except (FileTooLargeError, UnreadableFileError) as refused:
        form.add_error("file", str(refused))
    except AlreadyExistsError as refused:
        form.add_error("name", str(refused))
    except TooManyAccountsError as refused:
        form.add_error(None, str(refused))
    else:
        messages.success(request, f"{made.name}: {_result_sentence(made)}")
        return redirect("me-accounts")
    return _render_page(request, 422, form=form)


@require_POST
@never_cache
@members_only()
def replace_account_file(request: HttpRequest, account_id: UUID) -> HttpResponse:
    """Replace the file of an account."""
    principal = service.resolve_member_principal(request.actor)
    with principal.scope():
        service.get_account(principal, account_id)
    form = AccountFileForm(request.POST, request.FILES, prefix=account_id.hex)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            found = service.refresh_account(
                principal, account_id, file=file, size=file.size, now=timezone.now()
            )
        except (FileTooLargeError, UnreadableFileError) as refused:
            form.add_error(
                "file", gettext("%(refused)s What was there stays.") % {"refused": refused}
            )
        else:
            messages.success(request, f"{found.name}: {_result_sentence(found)}")
            return redirect("me-accounts")
    return _render_page(request, 422, wrong=form)


@require_POST
@members_only()
def remove_account_view(request: HttpRequest, account_id: UUID) -> HttpResponse:
    """Delete an account with all that was read from it."""
    service.delete_account(
        service.resolve_member_principal(request.actor), account_id, now=timezone.now()
    )
    messages.success(request, gettext("Removed, with all that was read of it."))
    return redirect("me-accounts")


def _render_page(
    request: HttpRequest,
    status: int = 200,
    form: AccountForm | None = None,
    wrong: AccountFileForm | None = None,
) -> HttpResponse:
    """The whole page; `form` and `wrong` are forms with errors to show again."""
    principal = service.resolve_member_principal(request.actor)
    with principal.scope():
        rows = list(service.member_accounts(principal).order_by("name"))
    context = {
        "accounts": [_account_row(row, wrong) for row in rows],
        "form": form or AccountForm(),
        "full": len(rows) >= service.MAX_ACCOUNTS,
        "most": service.MAX_ACCOUNTS,
    }
    return render(request, "memories/privacy/accounts.html", context, status=status)


def _account_row(row: Account, wrong: AccountFileForm | None) -> dict[str, Any]:
    mine = wrong if wrong is not None and wrong.prefix == row.id.hex else None
    return {
        "name": row.name,
        "kind": choice_label(AccountType(row.kind)),
        "sentence": _result_sentence(row),
        "refreshed_at": row.refreshed_at,
        "form": mine or AccountFileForm(prefix=row.id.hex),
        "open": mine is not None,
        "replace_url": reverse("me-account-replace", args=[row.id]),
        "remove_url": reverse("me-account-remove", args=[row.id]),
    }


def _result_sentence(row: Account) -> str:
    """What was read and what was left out: "2 events were read; 1 event could not be read."."""
    one, many = ENTRY_LABELS[AccountType(row.kind)]
    read = (
        gettext("1 %(one)s was read") % {"one": one}
        if row.entries == 1
        else gettext("%(entries)s %(many)s were read")
        % {"entries": format_number(row.entries), "many": many}
    )
    return "; ".join([read, *(problem.rstrip(".") for problem in row.problems)]) + "."
