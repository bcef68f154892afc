"""How commands speak: one JSON object with --json, a few plain lines without."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from orgs.errors import NotFound
from orgs.models.organisations import Organisation
from orgs.organisations.organisations import find_organisation


class SpeakingCommand(BaseCommand):
    """A command that prints what it made."""

    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def say(self, result: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(result, default=str))
            return
        for name, value in result.items():
            self.stdout.write(f"{name.replace('_', ' ')}: {value}")

    def organisation(self, reference: str) -> Organisation:
        """By slug, id or name; a CommandError names what is wrong."""
        try:
            return find_organisation(reference)
        except NotFound as error:
            raise CommandError(str(error)) from error
