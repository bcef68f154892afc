"""Rebuild the index layouts of an organisation from its memories, or switch one off."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memories.indexing.organisation_indexes import (
    PROJECTION_OPERATIONS,
    disable_projection,
    enable_projection,
)
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Switch index layouts on and make them anew; with --off switch them off."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument(
            "layouts",
            nargs="*",
            help=f"{', '.join(sorted(PROJECTION_OPERATIONS))}; those switched on if left out",
        )
        parser.add_argument("--off", action="store_true", help="switch off and remove the rows")

    def handle(self, *args: Any, **options: Any) -> None:
        organisation = self.organisation(options["organisation"])
        names = options["layouts"] or [
            n for n in organisation.projections if n in PROJECTION_OPERATIONS
        ]
        if unknown := set(names) - set(PROJECTION_OPERATIONS):
            raise CommandError(f"No such layout: {', '.join(sorted(unknown))}.")
        done: dict[str, Any] = {}
        for name in names:
            if options["off"]:
                disable_projection(organisation.id, name)
                done[name] = "off"
            else:
                done[name] = enable_projection(organisation.id, name)
        self.print_result(done or {"rebuilt": "nothing is switched on"}, as_json=options["json"])
