"""Delete an organisation with every row of it, or finish what an earlier run left."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from orgs.management.output import ResultCommand
from orgs.organisations.organisation_removal import remove_organisation
from orgs.placement.all_organisations import list_removed_ids


class Command(ResultCommand):
    help = "Delete an organisation for good; with --unfinished those that are half deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("organisation", nargs="?", help="slug, id or name")
        parser.add_argument("--confirm", default="", help="the slug again: nothing brings it back")
        parser.add_argument("--unfinished", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["organisation"]) == options["unfinished"]:
            raise CommandError("Name an organisation, or say --unfinished.")
        if options["unfinished"]:
            chosen = list_removed_ids(using="owner")
        else:
            found = self.organisation(options["organisation"])
            if options["confirm"] != found.slug:
                raise CommandError(f"This deletes {found.name}. Say --confirm {found.slug}.")
            chosen = [found.id]
        for organisation_id in chosen:
            remove_organisation(organisation_id, now=timezone.now(), say=self.stderr.write)
        self.print_result({"removed": chosen}, as_json=options["json"])
