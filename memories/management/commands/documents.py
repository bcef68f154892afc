"""Import a document as a member, list documents, or forget one as a whole."""

from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.access.visibility import MemoryRequestError
from memories.curation.documents.document_list import forget_document, list_documents
from memories.curation.documents.import_document import enqueue_document, load_document
from memories.curation.documents.plan_document import DocumentRequest, plan_document
from memories.ingestion.documents.parser_slots import ParsersBusyError
from memories.ingestion.documents.read_document import AUTO, FORMATS
from memories.ingestion.file_import.import_job import UnreadableImportError
from orgs.errors import NotFoundError
from orgs.management.output import ResultCommand
from orgs.principals import Actor


class Command(ResultCommand):
    help = "Import a document (PDF, DOCX, HTML, Markdown) as a member, list or forget documents."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("act", choices=["import", "list", "forget"])
        parser.add_argument("what", nargs="?", default="", help="a file, or the id of a document")
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument("--as", dest="email", required=True, help="e-mail of the member")
        parser.add_argument("--format", choices=FORMATS, default=AUTO)
        parser.add_argument("--key", default="", help="by which it is known again; else its name")
        parser.add_argument(
            "--readers", default="private", help="private, organisation, or group:<external id>"
        )
        parser.add_argument("--dry-run", action="store_true", help="write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = self.member(self.organisation(options["organisation"]), options["email"])
        try:
            result = getattr(self, f"_{options['act']}")(actor, options)
        except (
            UnreadableImportError, MemoryRequestError, PermissionError, ParsersBusyError,
        ) as error:  # fmt: skip
            raise CommandError(str(error)) from error
        except (NotFoundError, ValueError, OSError) as error:
            raise CommandError(f"There is no {options['what'] or 'such thing'}.") from error
        self.print_result(result, as_json=options["json"])

    def _import(self, actor: Actor, options: dict[str, Any]) -> dict[str, Any]:
        path, now = Path(options["what"]), timezone.now()
        visibility, _, group = options["readers"].partition(":")
        asked = DocumentRequest(options["key"], visibility, group or None)
        with path.open("rb") as file:
            size = path.stat().st_size
            found = load_document(actor, file, size, name=path.name, format=options["format"])
        if options["dry_run"]:
            plan = asdict(plan_document(actor, found, asked, now=now))
            shown = (
                "id", "name", "parts", "added", "changed", "overwritten", "unchanged", "edited",
                "vanished", "hidden",
            )  # fmt: skip
            return {name: str(plan[name]) for name in shown}
        job = enqueue_document(actor, found, asked, now=now)
        return {"job": str(job.id), "document": job.parameters["document"]["id"]}

    def _list(self, actor: Actor, _options: dict[str, Any]) -> dict[str, Any]:
        return {
            str(one.id): f"{one.name}: {one.parts} parts, {one.audience_label}"
            for one in list_documents(actor).results
        }

    def _forget(self, actor: Actor, options: dict[str, Any]) -> dict[str, Any]:
        done = forget_document(actor, UUID(options["what"]), now=timezone.now())
        return {"forgotten": done.forgotten, "kept": done.kept}
