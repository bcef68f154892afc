"""List the organisations of this server, suspend one, or end that."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from orgs.management.output import ResultCommand
from orgs.models.organisations import MAX_SUSPENSION_REASON_LENGTH, Organisation
from orgs.organisations.quotas import get_usage
from orgs.organisations.suspension import set_suspended
from orgs.placement.all_organisations import list_organisations


class Command(ResultCommand):
    help = "List organisations with what they keep, suspend one, or end its suspension."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="all of them, with what they keep")
        suspend = acts.add_parser("suspend", help="close one to everybody; nothing is deleted")
        suspend.add_argument("organisation", help="slug, id or name")
        suspend.add_argument("--reason", default="", help="what its people are told")
        resume = acts.add_parser("resume", help="open a suspended one again")
        resume.add_argument("organisation", help="slug, id or name")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["act"] == "list":
            found = {one.slug: _describe(one) for one in list_organisations()}
            self.print_result(found, as_json=options["json"])
            return
        organisation = self.organisation(options["organisation"])
        reason = " ".join(options.get("reason", "").split())
        if len(reason) > MAX_SUSPENSION_REASON_LENGTH:
            raise CommandError(f"--reason: at most {MAX_SUSPENSION_REASON_LENGTH} characters.")
        suspends = options["act"] == "suspend"
        is_new = set_suspended(
            organisation.id, suspended=suspends, reason=reason, now=timezone.now()
        )
        state = "suspended" if suspends else "open"
        result = {"organisation": organisation.slug, "state": state, "changed": is_new}
        self.print_result(result, as_json=options["json"])


def _describe(organisation: Organisation) -> dict[str, Any]:
    kept = {one.resource: one.used for one in get_usage(organisation.id)}
    since = organisation.suspended_at
    return {"name": organisation.name, **kept, "suspended_at": since.isoformat() if since else None}
