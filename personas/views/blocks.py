"""Blocks: their text changed by people, what changed from version to version, entries confirmed."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.access.red_lines import RedLine
from orgs.errors import AlreadyExists
from orgs.models.memberships import Role
from orgs.views.access import MODERATORS, WRITERS, members_only
from personas.block_writes.overflow import CONSOLIDATE, REFUSE
from personas.block_writes.personal_data import SANITISE, STOP
from personas.block_writes.write import Wanted, Written, confirm_entry, write_text
from personas.blocks.blocks import BlockView, agent_block
from personas.errors import AssociationFirst, BlockOutdated, OverLimit, PersonalData
from personas.library.blocks import block_to_edit
from personas.library.versions import block_history
from personas.models.blocks import Layer
from personas.views import words
from personas.views.forms import BlockForm
from personas.views.personas import shown as persona_shown
from robots.views.teams import tabs_of

ASSOCIATION_FIRST = "Say first which persona you have: robots do not read it before."


@require_http_methods(["GET", "HEAD", "POST"])
@members_only(*WRITERS)
def edit(request: HttpRequest, block_id: UUID) -> HttpResponse:
    """The text of a block, a line an entry; somebody else's change is shown, never overwritten."""
    shown = block_to_edit(request.actor, block_id, now=timezone.now())
    about = words.block(shown)
    form = BlockForm(
        request.POST or None,
        initial={"text": about["text"], "version": shown.version},
        limit=shown.limit,
        label="The text" if shown.block.layer == Layer.AGENT else "The entries, one a line",
    )
    if request.method == "POST" and form.is_valid():
        response = _saved(request, shown, form)
        if response is not None:
            return response
    return _page(request, shown, form, 422 if form.errors else 200)


def _page(
    request: HttpRequest, shown: BlockView, form: BlockForm, status: int, **more: Any
) -> HttpResponse:
    request.stands_under = words.page_of(shown.block)
    context = {"form": form, "shown": words.block(shown), "version": form["version"].value()}
    return render(request, "personas/block_edit.html", context | more, status=status)


def _saved(request: HttpRequest, shown: BlockView, form: BlockForm) -> HttpResponse | None:
    """The redirect after saving; None if the form is to be shown again with errors."""
    data = form.cleaned_data
    wanted = Wanted(
        on_overflow=data["on_overflow"] or REFUSE,
        on_personal_data=data["on_personal_data"] or STOP,
    )
    try:
        done = write_text(
            request.actor, shown.block.id, data["text"], version=data["version"], wanted=wanted,
            now=timezone.now(),
        )  # fmt: skip
    except BlockOutdated as error:
        return _conflict(request, shown, form, error)
    except OverLimit as error:
        return _over(request, shown, form, error)
    except PersonalData as error:
        return _gated(request, shown, form, error)
    except AssociationFirst:
        form.add_error("text", ASSOCIATION_FIRST)
    except (RedLine, AlreadyExists) as error:
        form.add_error("text", str(error))
    else:
        _tell(request, done)
        return redirect(words.page_of(shown.block))
    return None


def _tell(request: HttpRequest, done: Written) -> None:
    held = len(done.held)
    if held:
        waits = "One line waits" if held == 1 else f"{held:,} lines wait"
        messages.info(request, f"Saved. {waits} under Review: the gate found something in it.")
    else:
        messages.success(request, "Saved. Robots read it from their next question on.")


def _conflict(
    request: HttpRequest, shown: BlockView, form: BlockForm, error: BlockOutdated
) -> HttpResponse:
    """The form again with a word diff of their text and ours; saving again replaces theirs."""
    now = error.more["current"]
    return _page(request, shown, form, 409, diff=error.more["diff"], version=now["version"])


def _over(
    request: HttpRequest, shown: BlockView, form: BlockForm, error: OverLimit
) -> HttpResponse:
    more = error.length - error.limit
    form.add_error(
        "text",
        f"This is {error.length:,} characters, {more:,} more than the block holds. Nothing was "
        "saved: shorten it.",
    )
    room = CONSOLIDATE if shown.block.layer != Layer.AGENT else ""
    return _page(request, shown, form, 422, overflow=room)


def _gated(
    request: HttpRequest, shown: BlockView, form: BlockForm, error: PersonalData
) -> HttpResponse:
    found = words.found(error.kinds)
    form.add_error(
        "text", f"Nothing personal stands here, and the gate found {found}. Nothing was saved."
    )
    return _page(request, shown, form, 422, sanitise=SANITISE)


@require_safe
@members_only()
def versions(request: HttpRequest, block_id: UUID) -> HttpResponse:
    """What each version added and removed."""
    found = block_history(request.actor, block_id, now=timezone.now())
    request.stands_under = words.page_of(found.view.block)
    context = {
        "shown": words.block(found.view),
        "versions": words.versions(found.versions),
        "more": found.more,
        "writes": found.writes,
    }
    return render(request, "personas/versions.html", context)


@require_POST
@members_only(*MODERATORS)
def confirm(request: HttpRequest, block_id: UUID, entry_id: UUID) -> HttpResponse:
    """Confirm an entry: it counts in full from now on."""
    done = confirm_entry(request.actor, block_id, entry_id, now=timezone.now())
    if request.htmx:
        return persona_shown(request, done.view.handle)
    messages.success(request, "Noted: it counts in full again.")
    return redirect(words.page_of(done.view.block))


@require_safe
@members_only(*MODERATORS)
def instructions(request: HttpRequest) -> HttpResponse:
    """What every robot of the organisation is told; an admin changes it."""
    shown = agent_block(request.actor, now=timezone.now())
    context = {
        "tabs": tabs_of("instructions"),
        "shown": words.block(shown),
        "writes": request.actor.role == Role.ADMIN,
    }
    return render(request, "personas/instructions.html", context)
