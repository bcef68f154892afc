"""The pages for whoever runs the server, under /operate/: superusers alone, no text of a tenant.

Limits, backups and removals are commands, because the web process has no role that may do them; the
pages name the commands.
"""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST, require_safe

from config.archive.status import find_rehearsal
from config.monitoring.archive_state import find_archive_status
from config.monitoring.diagnosis import FAULT, OK, WARNING, diagnose
from config.monitoring.server_overview import (
    PAGE_SIZE,
    OrganisationSize,
    ServerTotals,
    get_organisation_size,
    get_server_totals,
    list_organisation_sizes,
)
from config.version import VERSION
from orgs.accounts.login_attempt_cache import count_failed_sign_ins
from orgs.database import erasure_ledger
from orgs.database.backup.create import find_last_backup
from orgs.errors import NotFoundError
from orgs.languages.page_text import format_decimal, format_number, lazy_text
from orgs.models.organisations import MAX_SUSPENSION_REASON_LENGTH
from orgs.organisations.suspension import set_suspended
from orgs.views.support.support_access import support_only
from orgs.views.support.tables import Cell, Table, badge_cell, text_cell, time_cell
from robots.access.robot_administration import revoke_leaked_key

View = Callable[..., HttpResponse]
_TONES = {OK: "good", WARNING: "warn", FAULT: "bad"}
_STATES = {OK: lazy_text("In order"), WARNING: lazy_text("Look at it"), FAULT: lazy_text("Broken")}


class SearchForm(forms.Form):
    q = forms.CharField(required=False, max_length=200)
    after = forms.IntegerField(required=False, min_value=0, max_value=1_000_000)


class SuspensionForm(forms.Form):
    reason = forms.CharField(
        label=lazy_text("What its people are told"),
        help_text=lazy_text(
            "A short reason, such as \u201cThe invoice of May is open\u201d. May be empty."
        ),
        required=False,
        max_length=MAX_SUSPENSION_REASON_LENGTH,
    )


class LeakedKeyForm(forms.Form):
    key = forms.CharField(
        label=lazy_text("The key, or its beginning"),
        help_text=lazy_text(
            "Such as cmk_01a2\u2026_c06f\u2026: the last part, its secret, may be left out."
        ),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


def superusers_only(view: View) -> View:
    """Let superusers in; the page does not exist for others."""

    @support_only
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_superuser:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@superusers_only
def server(request: HttpRequest) -> HttpResponse:
    """All organisations, what waits, and when the last backup was made."""
    return _render_server(request, LeakedKeyForm())


def _render_server(
    request: HttpRequest, key_form: LeakedKeyForm, status: int = 200
) -> HttpResponse:
    form = SearchForm(request.GET)
    asked = form.cleaned_data if form.is_valid() else {}
    words, after = asked.get("q") or "", asked.get("after") or 0
    rows, more = list_organisation_sizes(request.user, words=words, after=after)
    totals, backup = get_server_totals(request.user), find_last_backup()
    erased = erasure_ledger.find_last_entry()
    context = {
        "totals": totals,
        "closed_words": _closed_words(totals),
        "text_words": gettext("%(bytes)s of text") % {"bytes": filesizeformat(totals.bytes)},
        "database_size": filesizeformat(totals.database_bytes),
        "vectors_waiting": totals.vectors.get("waiting", 0) + totals.vectors.get("leased", 0),
        "vectors_dead": totals.vectors.get("dead", 0),
        "failed_sign_ins": count_failed_sign_ins(),
        "backup": backup,
        "backup_size": filesizeformat(backup.bytes) if backup else "",
        "archive": find_archive_status(),
        "rehearsed_at": find_rehearsal(settings.DATA_DIR),
        "erased_at": datetime.fromisoformat(erased["at"]) if erased else None,
        "version": VERSION,
        "words": words,
        "table": _organisation_table(rows),
        "pages": {
            "first_url": _page_url(words, 0) if after else "",
            "next_url": _page_url(words, after + PAGE_SIZE) if more else "",
        },
        "key_form": key_form,
    }
    return render(request, "operate/server.html", context, status=status)


def _closed_words(totals: ServerTotals) -> str:
    counts = (
        (totals.suspended, gettext("suspended")),
        (totals.being_removed, gettext("being removed")),
    )
    return ", ".join(f"{format_number(count)} {words}" for count, words in counts if count)


def _page_url(words: str, after: int) -> str:
    told = {name: value for name, value in (("q", words), ("after", after)) if value}
    return f"{reverse('operate')}?{urlencode(told)}"


def _organisation_table(rows: list[OrganisationSize]) -> Table:
    return Table(
        gettext("Organisations"),
        (
            gettext("Name"),
            gettext("Memories"),
            gettext("Texts"),
            gettext("People"),
            gettext("Robots"),
            gettext("Last call of a robot"),
            gettext("State"),
        ),
        [
            [
                text_cell(one.name, url=reverse("operate-organisation", args=[one.id])),
                _amount_cell(format_number(one.memories), one.memories, one.most_memories),
                _amount_cell(filesizeformat(one.bytes), one.bytes, one.most_bytes),
                text_cell(format_number(one.members)),
                text_cell(format_number(one.robots)),
                time_cell(one.robots_active_at, gettext("never")),
                _state_cell(one),
            ]
            for one in rows
        ],
        gettext("No organisation is called so."),
    )


def _amount_cell(words: str, used: int, most: int | None) -> Cell:
    note = (
        gettext("%(used)s of what it may keep") % {"used": format_decimal(used / most, ".0%")}
        if most
        else ""
    )
    return text_cell(words, note=note)


def _state_cell(one: OrganisationSize) -> Cell:
    if one.suspended_at:
        return badge_cell(gettext("Suspended"), "warn")
    if one.given_up:
        return badge_cell(gettext("Work given up"), "bad", note=format_number(one.given_up))
    if one.waiting:
        return badge_cell(
            gettext("Indexing"),
            note=gettext("%(waiting)s wait") % {"waiting": format_number(one.waiting)},
        )
    return badge_cell(gettext("In order"), "good")


@require_GET
@superusers_only
def checks(request: HttpRequest) -> HttpResponse:
    """What `manage.py doctor` finds; it takes seconds, because it waits for the workers."""
    found: dict[bool, list[dict[str, str]]] = {True: [], False: []}
    for one in diagnose():
        shown = {"state": _STATES[one.state], "tone": _TONES[one.state]}
        found[one.state == OK].append(one.as_dict() | shown)
    name = "operate/findings.html" if request.htmx else "operate/checks.html"
    return render(request, name, {"findings": found[False], "fine": found[True]})


@require_safe
@superusers_only
def organisation(request: HttpRequest, organisation_id: UUID) -> HttpResponse:
    """One organisation: how much there is of it, what it may keep, and whether it is open."""
    return _render_organisation(request, organisation_id, SuspensionForm())


def _render_organisation(
    request: HttpRequest, organisation_id: UUID, form: SuspensionForm, status: int = 200
) -> HttpResponse:
    one = _get(request, organisation_id)
    facts = [
        (gettext("Short name"), text_cell(one.slug)),
        (gettext("Made"), time_cell(one.created_at)),
        (
            gettext("Memories"),
            _amount_cell(format_number(one.memories), one.memories, one.most_memories),
        ),
        (gettext("Texts"), _amount_cell(filesizeformat(one.bytes), one.bytes, one.most_bytes)),
        (gettext("People who sign in"), text_cell(format_number(one.members))),
        (gettext("Groups"), text_cell(format_number(one.groups))),
        (gettext("Robots"), text_cell(format_number(one.robots))),
        (gettext("Last call of a robot"), time_cell(one.robots_active_at, gettext("never"))),
        (gettext("Wait to be indexed"), text_cell(format_number(one.waiting))),
        (
            gettext("Given up"),
            text_cell(format_number(one.given_up), note=gettext("vectors and jobs")),
        ),
    ]
    context = {
        "one": one,
        "facts": facts,
        "form": form,
        "back": (gettext("Server"), reverse("operate")),
    }
    return render(request, "operate/organisation.html", context, status=status)


def _get(request: HttpRequest, organisation_id: UUID) -> OrganisationSize:
    try:
        return get_organisation_size(request.user, organisation_id)
    except NotFoundError as error:
        raise Http404 from error


@require_POST
@superusers_only
def suspend(request: HttpRequest, organisation_id: UUID) -> HttpResponse:
    """Close it to everybody, or open it again (`resume`)."""
    one = _get(request, organisation_id)
    form = SuspensionForm(request.POST)
    if not form.is_valid():
        return _render_organisation(request, organisation_id, form, 422)
    suspends = "resume" not in request.POST
    set_suspended(
        one.id,
        suspended=suspends,
        reason=" ".join(form.cleaned_data["reason"].split()),
        now=timezone.now(),
        staff=request.user.pk,
    )
    told = (
        gettext("is suspended: nobody reads or writes in it.")
        if suspends
        else gettext("is open again.")
    )
    messages.success(request, f"{one.name} {told}")
    return redirect("operate-organisation", organisation_id)


@require_POST
@superusers_only
def revoke_key(request: HttpRequest) -> HttpResponse:
    """Revoke a key that leaked."""
    form = LeakedKeyForm(request.POST)
    if form.is_valid():
        try:
            key = revoke_leaked_key(
                form.cleaned_data["key"], staff=request.user.pk, now=timezone.now()
            )
        except NotFoundError:
            form.add_error("key", gettext("No robot here has a key that begins so."))
            # It may be a secret: the page does not show it again.
            form.data = {}
        else:
            one = _get(request, key.organisation_id)
            messages.success(
                request,
                gettext("The key of a robot of %(name)s opens nothing any more.")
                % {"name": one.name},
            )
            return redirect("operate-organisation", one.id)
    return _render_server(request, form, 422)
