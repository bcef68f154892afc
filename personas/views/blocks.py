"""Blocks: their text changed by people, what changed from version to version, entries confirmed."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import trigger_client_event

from memories.access.audience_summary import AudienceSummary, format_robot_count
from memories.access.permissions import RedLineError
from orgs.errors import AlreadyExistsError
from orgs.languages.page_text import format_number, lazy_text
from orgs.models.memberships import Role
from orgs.views.page_access import MODERATOR_ROLES, WRITERS, members_only
from personas.block_writes.block_updates import (
    WriteOptions,
    WriteResult,
    confirm_entry,
    update_block_text,
)
from personas.block_writes.overflow import CONSOLIDATE, REFUSE
from personas.block_writes.personal_data_check import REVIEW, SANITISE
from personas.blocks.block_views import BlockView, get_agent_block_view
from personas.browsing.block_history import get_block_history
from personas.browsing.blocks import get_editable_block, summarise_block_readers
from personas.errors import (
    BlockOutdatedError,
    BlockTooLongError,
    MissingAssociationError,
    PersonalDataError,
)
from personas.models.blocks import Layer
from personas.views import labels
from personas.views.forms import BlockForm
from personas.views.personas import render_entries
from robots.views.teams import robot_tabs

MISSING_ASSOCIATION = lazy_text("Say first which persona you have: robots do not read it before.")


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*WRITERS)
def edit(request: HttpRequest, block_id: UUID) -> HttpResponse:
    """The text of a block, a line an entry; somebody else's change is shown, never overwritten."""
    shown = get_editable_block(request.actor, block_id, now=timezone.now())
    about = labels.block_context(shown)
    form = BlockForm(
        request.POST or None,
        initial={"text": about["text"], "version": shown.version},
        limit=shown.limit,
        label=gettext("The text")
        if shown.block.layer == Layer.AGENT
        else gettext("The entries, one a line"),
    )
    if request.method == "POST" and form.is_valid():
        response = _save(request, shown, form)
        if response is not None:
            return response
    return _render_form(request, shown, form, 422 if form.errors else 200)


def _render_form(
    request: HttpRequest, shown: BlockView, form: BlockForm, status: int, **more: Any
) -> HttpResponse:
    request.stands_under = labels.block_url(shown.block)
    context = {
        "form": form,
        "shown": labels.block_context(shown),
        "version": form["version"].value(),
    }
    return render(request, "personas/block_edit.html", context | more, status=status)


def _save(request: HttpRequest, shown: BlockView, form: BlockForm) -> HttpResponse | None:
    """The redirect after saving; None if the form is to be shown again with errors."""
    data = form.cleaned_data
    wanted = WriteOptions(
        on_overflow=data["on_overflow"] or REFUSE,
        on_personal_data=data["on_personal_data"] or REVIEW,
    )
    try:
        done = update_block_text(
            request.actor, shown.block.id, data["text"], version=data["version"], wanted=wanted,
            now=timezone.now(),
        )  # fmt: skip
    except BlockOutdatedError as error:
        return _render_conflict(request, shown, form, error)
    except BlockTooLongError as error:
        return _render_too_long(request, shown, form, error)
    except PersonalDataError as error:
        return _render_personal_data(request, shown, form, error)
    except MissingAssociationError:
        form.add_error("text", MISSING_ASSOCIATION)
    except (RedLineError, AlreadyExistsError) as error:
        form.add_error("text", str(error))
    else:
        _add_saved_message(request, shown, done)
        return redirect(labels.block_url(shown.block))
    return None


def _add_saved_message(request: HttpRequest, shown: BlockView, done: WriteResult) -> None:
    held = len(done.held)
    if held:
        waits = (
            gettext("One line waits")
            if held == 1
            else gettext("%(held)s lines wait") % {"held": format_number(held)}
        )
        messages.info(
            request,
            gettext("Saved. %(waits)s under Review: the gate found something in it.")
            % {"waits": waits},
        )
        return
    readers = summarise_block_readers(request.actor, shown, organisation=request.membership[1].name)
    messages.success(request, gettext("Saved. %(readers)s") % {"readers": robots_sentence(readers)})


def robots_sentence(readers: AudienceSummary) -> str:
    """Which robots read a text from now on, and who else does where none does."""
    number = readers.robots + readers.helpers
    if not number:
        return gettext("No robot reads it yet. %(sentence)s") % {"sentence": readers.sentence}
    return ngettext(
        "%(robots)s reads it from its next question on.",
        "%(robots)s read it from their next question on.",
        number,
    ) % {"robots": format_robot_count(number)}


def _render_conflict(
    request: HttpRequest, shown: BlockView, form: BlockForm, error: BlockOutdatedError
) -> HttpResponse:
    """The form again with a word diff of their text and ours; saving again replaces theirs."""
    now = error.more["current"]
    return _render_form(request, shown, form, 409, diff=error.more["diff"], version=now["version"])


def _render_too_long(
    request: HttpRequest, shown: BlockView, form: BlockForm, error: BlockTooLongError
) -> HttpResponse:
    more = error.length - error.limit
    form.add_error(
        "text",
        gettext(
            "This is %(length)s characters, %(more)s more than the block holds. Nothing was "
            "saved: shorten it."
        )
        % {"length": format_number(error.length), "more": format_number(more)},
    )
    room = CONSOLIDATE if shown.block.layer != Layer.AGENT else ""
    return _render_form(request, shown, form, 422, overflow=room)


def _render_personal_data(
    request: HttpRequest, shown: BlockView, form: BlockForm, error: PersonalDataError
) -> HttpResponse:
    found = labels.findings_phrase(error.kinds)
    form.add_error(
        "text",
        gettext("Nothing personal stands here, and the gate found %(found)s. Nothing was saved.")
        % {"found": found},
    )
    return _render_form(request, shown, form, 422, sanitise=SANITISE)


@require_safe
@members_only()
def versions(request: HttpRequest, block_id: UUID) -> HttpResponse:
    """What each version added and removed."""
    found = get_block_history(request.actor, block_id, now=timezone.now())
    request.stands_under = labels.block_url(found.view.block)
    context = {
        "shown": labels.block_context(found.view),
        "versions": labels.version_rows(found.versions),
        "more": found.more,
        "writes": found.writes,
    }
    return render(request, "personas/versions.html", context)


@require_POST
@members_only(*MODERATOR_ROLES)
def confirm(request: HttpRequest, block_id: UUID, entry_id: UUID) -> HttpResponse:
    """Confirm an entry: it counts in full from now on."""
    done = confirm_entry(request.actor, block_id, entry_id, now=timezone.now())
    noted = gettext("Noted: it counts in full again.")
    if request.htmx:
        # With few teachers the row itself shows no day.
        shown = render_entries(request, done.view)
        return trigger_client_event(shown, "toast", {"text": noted, "undo": "", "level": "success"})
    messages.success(request, noted)
    return redirect(labels.block_url(done.view.block))


@require_safe
@members_only(*MODERATOR_ROLES)
def instructions(request: HttpRequest) -> HttpResponse:
    """What every robot of the organisation is told; an admin changes it."""
    shown = get_agent_block_view(request.actor, now=timezone.now())
    context = {
        "tabs": robot_tabs("instructions", request.actor),
        "shown": labels.block_context(shown),
        "writes": request.actor.role == Role.ADMIN,
    }
    return render(request, "personas/instructions.html", context)
