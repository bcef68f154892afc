"""Jobs that import a file or a document, or look through a folder, in words."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from memories.ingestion.folder_import.run_folder import LATER, LEFT_OUT, REFUSED, TAKEN
from memories.ingestion.folder_import.subscriptions import FOLDER_KEY
from memories.jobs.models import Job
from memories.store.speakers.document_source import DOCUMENT_KEY
from orgs.languages.page_text import format_decimal, format_number, lazy_text

IMPORT_COUNTS = {
    "imported": lazy_text("New"),
    "already": lazy_text("There already"),
    "skipped": lazy_text("Not taken"),
    "groups": lazy_text("New groups"),
    "members": lazy_text("New people"),
}
DOCUMENT_COUNTS = {
    "imported": lazy_text("New"),
    "changed": lazy_text("Changed"),
    "already": lazy_text("Unchanged"),
    "forgotten": lazy_text("Forgotten"),
    "waiting": lazy_text("Waiting for somebody"),
    "skipped": lazy_text("Not taken"),
}
FOLDER_COUNTS = {
    TAKEN: lazy_text("Files to import"),
    REFUSED: lazy_text("Files refused"),
    LATER: lazy_text("Files for the next run"),
    LEFT_OUT: lazy_text("Links and the like, left out"),
}


def import_title(job: Any) -> str:
    """What a job of the list does. job: with `file` and `folder`."""
    if job.folder:
        return gettext("Look through the folder %(file)s") % {"file": job.file}
    return gettext("Import %(file)s") % {"file": job.file or gettext("a file")}


def _concerns(found: Any, key: str) -> bool:
    """Whether a job is that of a document or folder; of a list it is known without the
    parameters."""
    return bool(getattr(found, key) if hasattr(found, key) else found.parameters.get(key))


def import_progress_label(found: Job) -> str:
    """How far an import is; empty before it began."""
    if _concerns(found, FOLDER_KEY):
        if not found.total:
            return ""
        return gettext("%(done)s of %(total)s files") % {
            "done": format_number(found.done),
            "total": format_number(found.total),
        }
    if _concerns(found, DOCUMENT_KEY):
        if not found.done:
            return ""
        return gettext("%(done)s of %(total)s changes") % {
            "done": format_number(found.done),
            "total": format_number(found.total),
        }
    unit, size = ("MB", 1e6) if found.total >= 1e6 else ("kB", 1e3)
    return gettext("%(done)s of %(total)s %(unit)s") % {
        "done": format_decimal(found.done / size, ".1f"),
        "total": format_decimal(found.total / size, ".1f"),
        "unit": unit,
    }


def import_result_rows(found: Job) -> list[tuple[str, str]]:
    """(what, how many) of a job that is over."""
    labels = DOCUMENT_COUNTS if DOCUMENT_KEY in found.parameters else IMPORT_COUNTS
    if FOLDER_KEY in found.parameters:
        labels = FOLDER_COUNTS
    return [
        (str(label), format_number(found.result.get(name, 0))) for name, label in labels.items()
    ]


def import_source_links(found: Job) -> dict[str, str]:
    """Where the documents or folders are; empty for other jobs."""
    if FOLDER_KEY in found.parameters:
        label = gettext("Folders on the server")
        return {"see_url": f"{reverse('import')}#folders", "see_label": label}
    if DOCUMENT_KEY in found.parameters:
        return {"see_url": reverse("documents"), "see_label": gettext("See the documents")}
    return {}
