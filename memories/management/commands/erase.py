"""Erase a member, a memory or everything from one source, and print the receipt."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.jobs.job_queue import JobTimeSlice, finish_job, requeue_job
from memories.jobs.organisation_run import run_time_slice
from memories.privacy.erasure.begin_erasure import preview_erasure
from memories.privacy.erasure.erasure_run import Erasure, ErasureTarget
from memories.privacy.receipts import create_link, get_receipt
from memories.privacy.request_erasure import (
    claim_job,
    erase_member_unchecked,
    erase_memory_unchecked,
    erase_source_unchecked,
    parse_source,
)
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.management.output import ResultCommand, progress_bar
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.organisations.references import get_member
from orgs.principals import Actor


class Command(ResultCommand):
    help = (
        "Erase for good, from every table, index, file and cache. It asks for --yes; with "
        "--dry-run it says what would go. A run that breaks off goes on when it is called again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--member", help="an id, an e-mail address or platform:identifier")
        which.add_argument("--memory", help="an id")
        which.add_argument(
            "--source", help="robot:ID, key:ID, conversation:ID, import:ID, group:ID"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would go")
        parser.add_argument("--yes", action="store_true", help="do it")

    def handle(self, *args: Any, **options: Any) -> None:
        organisation = self.organisation(options["organisation"])
        what, target, source = self._target(organisation, options)
        now = timezone.now()
        if options["dry_run"]:
            found = preview_erasure(organisation.id, what, target, source=source, now=now)
            self.print_result({"dry_run": True, **asdict(found)}, as_json=options["json"])
            return
        if not options["yes"]:
            raise CommandError("Nothing was erased. Add --yes to do it, or --dry-run to look.")
        erasure = self._begin(organisation, what, target, options)
        self._run(erasure)
        receipt = get_receipt(create_link(erasure))
        self.print_result(
            {
                **receipt.body,
                "signature": receipt.signature,
                "link": f"/receipts/{create_link(erasure)}/",
            },
            as_json=options["json"],
        )

    def _target(
        self, organisation: Organisation, options: dict[str, Any]
    ) -> tuple[ErasureTarget, UUID, str]:
        try:
            if options["member"]:
                return ErasureTarget.MEMBER, self._member(organisation, options["member"]).id, ""
            if options["memory"]:
                return ErasureTarget.MEMORY, UUID(options["memory"]), ""
            source = parse_source(options["source"])
        except NotFoundError as error:
            raise CommandError(f"{organisation.name} has no such member.") from error
        except ValueError as error:
            raise CommandError(
                "That is no id, or no source. Sources are robot:ID, key:ID, conversation:ID, "
                "import:ID and group:ID."
            ) from error
        return ErasureTarget.SOURCE, source.id, str(source.kind)

    def _member(self, organisation: Organisation, reference: str) -> Member:
        with organisation_scope(organisation.id):
            rows = Member.objects.filter(organisation_id=organisation.id, erased_at=None)
            by_mail = rows.filter(user__email__iexact=reference).order_by("id").first()
            return by_mail or get_member(
                organisation.id, reference, among=rows, claimed=True, removed=True
            )

    def _begin(
        self, organisation: Organisation, what: ErasureTarget, target: UUID, options: dict[str, Any]
    ) -> Erasure:
        nobody, now = Actor(organisation_id=organisation.id), timezone.now()
        try:
            if what == ErasureTarget.MEMBER:
                return erase_member_unchecked(nobody, target, now=now, at_once=True)
            if what == ErasureTarget.MEMORY:
                return erase_memory_unchecked(nobody, target, now=now)
            source = parse_source(options["source"])
            return erase_source_unchecked(nobody, source, now=now, at_once=True)
        except NotFoundError as error:
            raise CommandError(f"{organisation.name} has no such {what.value}.") from error
        except AlreadyExistsError as error:
            raise CommandError(f"Nothing was erased. {error}") from error

    def _run(self, erasure: Erasure) -> None:
        job = claim_job(erasure, now=timezone.now())
        if job is None:
            raise CommandError("A worker is at it. Call this again to see the receipt.")
        with progress_bar() as progress:
            bar = progress.add_task("Erase", total=job.total or None)
            whole = run_time_slice(
                job,
                now=timezone.now(),
                turn=JobTimeSlice(float("inf")),
                shows=lambda done, total: progress.update(bar, completed=done, total=total),
            )
        if not whole:
            requeue_job(None, job)
            raise CommandError("It was stopped. What is done stays; call this again to go on.")
        finish_job(None, job)
