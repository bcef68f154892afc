"""Documents: what there is, what a new one would bring, import, forget as a whole."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.access.audience_labels import list_audience_choices
from memories.access.visibility import proposes_to_everyone
from memories.curation.documents import document_list, import_document
from memories.curation.documents.plan_document import DocumentPlan, DocumentRequest, plan_document
from memories.ingestion.documents.document_parts import LABELS
from memories.ingestion.documents.parser_slots import ParsersBusyError
from memories.ingestion.file_import.import_job import UnreadableImportError
from memories.views.forms.document_form import DocumentForm
from memories.views.forms.import_forms import READERS_GONE
from memories.views.forms.memory_forms import audience_choices
from orgs.api.problems import RETRY_SECONDS
from orgs.languages.page_text import format_number
from orgs.models.audiences import AudienceType
from orgs.views.page_access import WRITERS, members_only


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*WRITERS)
def documents(request: HttpRequest) -> HttpResponse:
    """The documents that one reads, and a form for another one; sent, the next page says what it
    would bring."""
    audiences = _audience_choices(request)
    form = DocumentForm(audiences, request.POST or None, request.FILES or None)
    busy = False
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            found = import_document.load_document(
                request.actor, file, file.size, name=file.name, format=form.cleaned_data["format"]
            )
        except UnreadableImportError as error:
            form.add_error("file", str(error))
        except ParsersBusyError:
            busy = True
            form.add_error(
                "file",
                gettext(
                    "Other documents are being read at the moment. Send this one again in a few "
                    "seconds."
                ),
            )
        else:
            asked = DocumentRequest(key=form.cleaned_data["key"], **form.placed())
            kept = import_document.store_document_preview(request.actor, found, asked)
            return redirect("document-plan", kept)
    found_list = document_list.list_documents(request.actor)
    context = {
        "form": form,
        "audiences": audiences,
        "documents": [_row(one, audiences) for one in found_list.results],
        "more": found_list.more,
    }
    status = 503 if busy else 422 if form.errors else 200
    response = render(request, "memories/jobs/documents.html", context, status=status)
    if busy:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _audience_choices(request: HttpRequest) -> list[dict[str, Any]]:
    organisation = request.membership[1]
    proposes = proposes_to_everyone(
        request.actor.role, members_publish=organisation.members_publish
    )
    return audience_choices(
        list_audience_choices(request.actor, organisation=organisation.name),
        proposes=proposes,
        chosen=request.POST.get("audience", "private"),
    )


def _row(one: document_list.DocumentSummary, audiences: list[dict[str, Any]]) -> dict[str, Any]:
    private = next(known["label"] for known in audiences if known["value"] == "private")
    return {
        "name": one.name,
        "parts": _part_count_label(one.parts),
        "kind": one.audience_kind,
        "readers": private if one.audience_kind == AudienceType.MEMBER else one.audience_label,
        "author": one.author,
        "at": one.changed_at,
        "url": reverse("thread", args=[one.first]),
        "forget_url": reverse("document-forget", args=[one.id]) if one.forgettable else "",
    }


def _part_count_label(count: int) -> str:
    return ngettext("%(count)s part", "%(count)s parts", count) % {"count": format_number(count)}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*WRITERS)
def document_plan(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    """What a kept document would bring, and who would read it; sent, it is imported."""
    now = timezone.now()
    found, asked = import_document.load_document_preview(request.actor, preview_id)
    wanted = f"{asked.visibility}:{asked.group}" if asked.group else asked.visibility
    readers = next((one for one in _audience_choices(request) if one["value"] == wanted), None)
    if readers is None:
        # They left the group since they chose it.
        messages.error(request, READERS_GONE)
        return redirect("documents")
    if request.method == "POST":
        job = import_document.import_document_preview(request.actor, preview_id, now=now)
        return redirect("job", job.id)
    plan = plan_document(request.actor, found, asked, now=now)
    context = _plan_context(plan) | {"readers": readers}
    return render(request, "memories/jobs/document_plan.html", context)


def _plan_context(plan: DocumentPlan) -> dict[str, Any]:
    counts = (
        (gettext("New"), plan.added),
        (gettext("Changed"), plan.changed),
        (gettext("Of these edited by hand, and replaced"), plan.overwritten),
        (gettext("Unchanged"), plan.unchanged),
        (gettext("Of these edited by hand, and left as they are"), plan.edited),
        (gettext("Of these at another place"), plan.moved),
        (gettext("Forgotten"), plan.vanished),
        (gettext("In it twice, taken once"), plan.repeated),
    )
    facts = [
        (gettext("Read as"), LABELS[plan.format]),
        (gettext("Parts"), format_number(plan.parts)),
    ]
    facts += [(label, format_number(count)) for label, count in counts if count]
    return {
        "plan": plan,
        "facts": facts,
        "hidden": hidden_sentence(plan),
        "writes": bool(plan.steps),
    }


def hidden_sentence(plan: DocumentPlan) -> str:
    """How much was left out because nobody would see it; empty for nothing."""
    if not plan.hidden:
        return ""
    if plan.format == "pdf":
        sentence = ngettext(
            "%(count)s page has text that nobody would see there. It is left out.",
            "%(count)s pages have text that nobody would see there. It is left out.",
            plan.hidden,
        )
    else:
        sentence = ngettext(
            "It has %(count)s piece of text that nobody would see there. That is left out.",
            "It has %(count)s pieces of text that nobody would see there. That is left out.",
            plan.hidden,
        )
    return sentence % {"count": format_number(plan.hidden)}


@require_POST
@members_only(*WRITERS)
def forget_document_view(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Forget all parts of a document."""
    done = document_list.forget_document(request.actor, document_id, now=timezone.now())
    text = gettext("Forgotten: %(parts)s. Importing it again brings them back.") % {
        "parts": _part_count_label(done.forgotten)
    }
    if done.kept:
        stayed = ngettext("%(count)s part stayed.", "%(count)s parts stayed.", done.kept)
        text += " " + stayed % {"count": format_number(done.kept)}
    messages.success(request, text)
    return redirect("documents")
