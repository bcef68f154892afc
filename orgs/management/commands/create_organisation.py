"""Create an organisation with its audience and built-in robots."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from orgs.errors import (
    AlreadyExistsError,
    InvalidLanguageError,
    InvalidNameError,
    UnknownServerError,
)
from orgs.management.output import ResultCommand
from orgs.organisations.organisations import create_organisation


class Command(ResultCommand):
    help = "Create an organisation."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name")
        parser.add_argument("--slug", default="")
        parser.add_argument("--server", default="", help="of DATABASE_SERVERS (docs/scaling.md)")
        parser.add_argument("--language", default="english", help="text-search configuration")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["name"].strip():
            raise CommandError("An organisation needs a name.")
        try:
            organisation = create_organisation(
                name=options["name"],
                slug=options["slug"],
                language=options["language"],
                server=options["server"],
                now=timezone.now(),
            )
        except AlreadyExistsError as error:
            raise CommandError(f"There is already {error}.") from error
        except (InvalidLanguageError, InvalidNameError, UnknownServerError) as error:
            raise CommandError(f"Nothing was made. {error}") from error
        self.print_result(
            {"id": organisation.id, "name": organisation.name, "slug": organisation.slug},
            as_json=options["json"],
        )
