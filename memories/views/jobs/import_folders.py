"""Folders on the server whose new files are imported: their part of the page Import."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from memories.ingestion.file_import.formats.sources import ConversionError
from memories.ingestion.file_import.import_job import list_reading_groups
from memories.ingestion.folder_import import subscriptions
from memories.ingestion.folder_import.models import FolderPauseReason, LineReaders
from memories.ingestion.folder_import.server_folder import InvalidFolderError, has_import_folder
from memories.ingestion.folder_import.subscriptions import (
    MAX_SUBSCRIPTIONS,
    NoImportFolderError,
    SubscriptionSummary,
    TooManySubscriptionsError,
)
from memories.views.forms.import_folder_form import ImportFolderForm
from memories.views.forms.import_forms import READERS_GONE, ImportForm
from memories.views.forms.my_memories_forms import period_label
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.page_access import ADMINS, members_only

FOLDER_PREFIX = "folder"
WHOLE_FOLDER = lazy_text("The whole folder")
PAUSE_LABELS: dict[str, str] = {
    FolderPauseReason.ASKED: lazy_text("An admin paused it."),
    FolderPauseReason.AUTHOR: lazy_text(
        "Whoever added it may not import any more; remove it and add it anew."
    ),
    FolderPauseReason.GROUP: lazy_text(
        "Whoever added it does not read the group any more; remove it and add it anew."
    ),
    FolderPauseReason.SETTING: lazy_text("Five times the server had no folder for imports."),
    FolderPauseReason.FOLDER: lazy_text("Five times it was not there, or a link led to it."),
    FolderPauseReason.UNREADABLE: lazy_text("Five times the server was not allowed to read it."),
    FolderPauseReason.TOO_MANY: lazy_text("Five times it held too many files."),
    FolderPauseReason.FILES: lazy_text("Five times files were refused."),
}


def import_page_context(
    request: HttpRequest,
    *,
    form: ImportForm | None = None,
    folder_form: ImportFolderForm | None = None,
) -> dict[str, Any]:
    """Everything on the page Import. The forms: with errors to show again."""
    groups = list_reading_groups(request.actor)
    rows = subscriptions.list_subscriptions(request.actor)
    return {
        "form": form or ImportForm(groups),
        "folder_form": folder_form or ImportFolderForm(groups, prefix=FOLDER_PREFIX),
        "folders": [_folder_row(row) for row in rows],
        "has_folder": has_import_folder(),
        "folder_name": request.membership[1].slug,
        "full": len(rows) >= MAX_SUBSCRIPTIONS,
        "most": MAX_SUBSCRIPTIONS,
    }


def _folder_row(found: SubscriptionSummary) -> dict[str, Any]:
    row = found.row
    return {
        "folder": row.folder or WHOLE_FOLDER,
        "author": found.author,
        "readers": _readers_label(found),
        "taken": ngettext("%(count)s file imported", "%(count)s files imported", found.taken)
        % {"count": format_number(found.taken)},
        "refused": ngettext("%(count)s file refused", "%(count)s files refused", found.refused)
        % {"count": format_number(found.refused)}
        if found.refused
        else "",
        "problems": found.problems,
        "often": period_label(row.period_minutes),
        "next_run_at": row.next_run_at,
        "failures": row.failures,
        "paused_for": PAUSE_LABELS.get(row.paused_for, ""),
        "change_url": reverse("import-folder-change", args=[row.id]),
        "remove_url": reverse("import-folder-remove", args=[row.id]),
    }


def _readers_label(found: SubscriptionSummary) -> str:
    if found.row.readers == LineReaders.ORGANISATION:
        return gettext("What names no reader is for everyone")
    if found.row.readers == LineReaders.PRIVATE:
        return gettext("What names no reader is for whom it is about or who said it")
    if found.group is None:
        return gettext("What names no reader is for a group that you do not read")
    return gettext("What names no reader is for the group %(name)s") % {"name": found.group.name}


@require_POST
@members_only(*ADMINS)
def add(request: HttpRequest) -> HttpResponse:
    """Have a folder looked through now and each period."""
    form = ImportFolderForm(list_reading_groups(request.actor), request.POST, prefix=FOLDER_PREFIX)
    if form.is_valid() and _subscribe(request, form):
        messages.success(
            request, gettext("The folder is looked through now; load the page again in a moment.")
        )
        return redirect(f"{reverse('import')}#folders")
    context = import_page_context(request, folder_form=form)
    return render(request, "memories/jobs/import.html", context, status=422)


def _subscribe(request: HttpRequest, form: ImportFolderForm) -> bool:
    """Whether it was added; else the form says why not."""
    try:
        subscriptions.subscribe_to_folder(
            request.actor,
            form.cleaned_data["folder"],
            form.options(),
            period_minutes=form.cleaned_data["period_minutes"],
            now=timezone.now(),
        )
    except (InvalidFolderError, AlreadyExistsError) as error:
        form.add_error("folder", str(error))
    except ConversionError as error:
        form.add_error("time_zone", str(error))
    except NotFoundError:
        form.add_error("readers", READERS_GONE)
    except (NoImportFolderError, TooManySubscriptionsError) as error:
        form.add_error(None, str(error))
    return not form.errors


@require_POST
@members_only(*ADMINS)
def change(request: HttpRequest, subscription_id: UUID) -> HttpResponse:
    """Pause it, or look through the folder now and each period again."""
    is_paused = request.POST.get("act") == "pause"
    found = subscriptions.change_folder_subscription(
        request.actor, subscription_id, now=timezone.now(), paused=is_paused
    )
    if is_paused:
        messages.success(request, gettext("The folder is paused; what was imported stays."))
    elif found.next_run_at is None:
        messages.error(request, str(PAUSE_LABELS[found.paused_for]))
    else:
        messages.success(
            request, gettext("The folder is looked through now; load the page again in a moment.")
        )
    return redirect(f"{reverse('import')}#folders")


@require_POST
@members_only(*ADMINS)
def remove(request: HttpRequest, subscription_id: UUID) -> HttpResponse:
    """Remove it; what it imported stays."""
    subscriptions.remove_folder_subscription(request.actor, subscription_id, now=timezone.now())
    messages.success(request, gettext("Removed. What was imported stays, and so do the files."))
    return redirect(f"{reverse('import')}#folders")
