"""My calendars, mail and feeds: files I uploaded, what is fetched, and what was read of both."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from memories.context.connectors import accounts as service
from memories.context.connectors import subscriptions
from memories.context.connectors.accounts import FileTooLargeError, TooManyAccountsError
from memories.context.connectors.models import Account, AccountType, PauseReason
from memories.context.connectors.parse_result import UnreadableFileError
from memories.views.forms.my_memories_forms import (
    AccountFileForm,
    AccountForm,
    FetchedForm,
    MailboxForm,
    MailboxPasswordForm,
    SubscriptionForm,
    period_label,
)
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import choice_label, format_number, lazy_text
from orgs.outbound.url_rules import InvalidUrlError
from orgs.views.page_access import members_only

ENTRY_LABELS = {
    AccountType.CALENDAR: ("event", "events"),
    AccountType.MAIL: ("mail", "mails"),
    AccountType.FEED: ("entry", "entries"),
}
PAUSE_LABELS: dict[str, str] = {
    PauseReason.ASKED: lazy_text("You paused it."),
    PauseReason.SECRET: lazy_text("Its address cannot be decrypted; remove it and add it anew."),
    PauseReason.ADDRESS: lazy_text("The settings of the server do not allow its address."),
    PauseReason.TIMEOUT: lazy_text("Five times its server did not answer in time."),
    PauseReason.UNREACHABLE: lazy_text("Five times its server could not be reached."),
    PauseReason.REDIRECT: lazy_text("Its address leads to another one; add that one instead."),
    PauseReason.REFUSED: lazy_text("Five times its server refused to send it."),
    PauseReason.TOO_LARGE: lazy_text("It is too large."),
    PauseReason.ENCODED: lazy_text("Its server sends it compressed, which is not read."),
    PauseReason.UNREADABLE: lazy_text("Five times its server sent what cannot be read."),
    PauseReason.CREDENTIALS: lazy_text(
        "Its server does not accept the user and password; give it a new password."
    ),
    PauseReason.FOLDER: lazy_text("Its server has no folder of this name."),
    PauseReason.UNENCRYPTED: lazy_text("Its server does not offer an encrypted connection."),
}
FETCHED_NOW: str = lazy_text("%(name)s is fetched now; load the page again in a moment.")
# The form of one account, with the account's id as prefix.
RowForm = AccountFileForm | MailboxPasswordForm
SUBSCRIBE_PREFIX, MAILBOX_PREFIX = "subscribe", "mailbox"


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
def subscribe(request: HttpRequest) -> HttpResponse:
    """Add an account that is fetched from an address."""
    form = SubscriptionForm(request.POST, prefix=SUBSCRIBE_PREFIX)
    if form.is_valid():
        made = _add_fetched(
            request, form, partial(subscriptions.subscribe_to_address, **form.cleaned_data)
        )
        if made:
            return made
    return _render_page(request, 422, subscription=form)


@require_POST
@never_cache
@members_only()
@sensitive_post_parameters()
def add_mailbox(request: HttpRequest) -> HttpResponse:
    """Add an account of mail that is fetched by IMAP."""
    form = MailboxForm(request.POST, prefix=MAILBOX_PREFIX)
    if form.is_valid():
        given = {name: form.cleaned_data[name] for name in ("name", "period_minutes")}
        add = partial(subscriptions.subscribe_to_mailbox, mailbox=form.mailbox(), **given)
        made = _add_fetched(request, form, add)
        if made:
            return made
    return _render_page(request, 422, mailbox=form)


def _add_fetched(
    request: HttpRequest, form: FetchedForm, add: Callable[..., Account]
) -> HttpResponse | None:
    """Lead on to the list; None if it was refused, which the form says then."""
    try:
        made = add(service.resolve_member_principal(request.actor), now=timezone.now())
    except InvalidUrlError as refused:
        _add_address_errors(form, refused)
    except AlreadyExistsError as refused:
        form.add_error("name", str(refused))
    except TooManyAccountsError as refused:
        form.add_error(None, str(refused))
    else:
        messages.success(request, FETCHED_NOW % {"name": made.name})
        return redirect("me-accounts")
    return None


def _add_address_errors(form: forms.Form, refused: InvalidUrlError) -> None:
    for error in refused.errors:
        form.add_error(error["field"], error["detail"])


@require_POST
@members_only()
def change_subscription_view(request: HttpRequest, account_id: UUID) -> HttpResponse:
    """Pause a subscription, or fetch it now and each period again."""
    is_paused = request.POST.get("act") == "pause"
    found = subscriptions.change_subscription(
        service.resolve_member_principal(request.actor),
        account_id,
        now=timezone.now(),
        paused=is_paused,
    )
    said = gettext("%(name)s is paused; what was read of it stays.")
    if not is_paused:
        said = FETCHED_NOW
    messages.success(request, said % {"name": found.name})
    return redirect("me-accounts")


@require_POST
@never_cache
@members_only()
@sensitive_post_parameters()
def change_mailbox_password(request: HttpRequest, account_id: UUID) -> HttpResponse:
    """Give a mailbox another password, and fetch it now."""
    principal = service.resolve_member_principal(request.actor)
    with principal.scope():
        service.get_account(principal, account_id)
    form = MailboxPasswordForm(request.POST, prefix=account_id.hex)
    if form.is_valid():
        try:
            found = subscriptions.change_subscription(
                principal, account_id, now=timezone.now(), password=form.cleaned_data["password"]
            )
        except InvalidUrlError as refused:
            _add_address_errors(form, refused)
        else:
            messages.success(request, FETCHED_NOW % {"name": found.name})
            return redirect("me-accounts")
    return _render_page(request, 422, wrong=form)


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
    wrong: RowForm | None = None,
    subscription: SubscriptionForm | None = None,
    mailbox: MailboxForm | None = None,
) -> HttpResponse:
    """The whole page; those given are forms with errors to show again."""
    principal = service.resolve_member_principal(request.actor)
    with principal.scope():
        rows = list(service.member_accounts(principal).order_by("name"))
    context = {
        "accounts": [_account_row(row, wrong) for row in rows],
        "form": form or AccountForm(),
        "subscription": subscription or SubscriptionForm(prefix=SUBSCRIBE_PREFIX),
        "mailbox": mailbox or MailboxForm(prefix=MAILBOX_PREFIX),
        "full": len(rows) >= service.MAX_ACCOUNTS,
        "most": service.MAX_ACCOUNTS,
        "may_add": not principal.actor.only_reads,
    }
    return render(request, "memories/privacy/accounts.html", context, status=status)


def _row_form(row: Account, wrong: RowForm | None) -> RowForm | None:
    """For another file, or for another password; a calendar or feed that is fetched has neither."""
    if wrong is not None and wrong.prefix == row.id.hex:
        return wrong
    if not row.url:
        return AccountFileForm(prefix=row.id.hex)
    return MailboxPasswordForm(prefix=row.id.hex) if row.kind == AccountType.MAIL else None


def _account_row(row: Account, wrong: RowForm | None) -> dict[str, Any]:
    form = _row_form(row, wrong)
    return {
        "name": row.name,
        "kind": choice_label(AccountType(row.kind)),
        "sentence": _result_sentence(row),
        "refreshed_at": row.refreshed_at,
        "form": form,
        "open": form is not None and form is wrong,
        "replace_url": reverse("me-account-replace", args=[row.id]),
        "password_url": reverse("me-account-password", args=[row.id]),
        "remove_url": reverse("me-account-remove", args=[row.id]),
        "fetched": _subscription_row(row) if row.url else None,
    }


def _subscription_row(row: Account) -> dict[str, Any]:
    return {
        "often": period_label(row.period_minutes),
        "next_run_at": row.next_run_at,
        "paused_for": PAUSE_LABELS.get(row.paused_for, ""),
        "failures": row.failures,
        "url": reverse("me-account-subscription", args=[row.id]),
    }


def _result_sentence(row: Account) -> str:
    """What was read and what was left out: "2 events were read; 1 event could not be read."."""
    if row.url and row.refreshed_at == row.created_at:
        return gettext("Nothing was read yet.")
    one, many = ENTRY_LABELS[AccountType(row.kind)]
    read = (
        gettext("1 %(one)s was read") % {"one": one}
        if row.entries == 1
        else gettext("%(entries)s %(many)s were read")
        % {"entries": format_number(row.entries), "many": many}
    )
    return "; ".join([read, *(problem.rstrip(".") for problem in row.problems)]) + "."
