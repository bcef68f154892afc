"""Update the cross-group memories of an organisation now."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memories.lifecycle.consolidation.promote_patterns import promote_patterns
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Promote what was seen of members in two groups or more, and withdraw what was not."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")

    def handle(self, *args: Any, **options: Any) -> None:
        organisation = self.organisation(options["organisation"])
        done = promote_patterns(organisation.id, now=timezone.now())
        self.print_result(asdict(done), as_json=options["json"])
