"""How commands speak: one JSON object with --json, a few plain lines without."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.organisations.organisations import find_organisation
from orgs.principals import Actor


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

    def member(self, organisation: Organisation, email: str) -> Actor:
        """A member by e-mail address, with the rights that they have now; else a CommandError."""
        with organisation_scope(organisation.id):
            members = Member.objects.filter(organisation_id=organisation.id, removed_at=None)
            found = members.filter(user__email__iexact=email).order_by("id").first()
        if found is None:
            raise CommandError(f"{organisation.name} has no member {email}.")
        return actor_of(found)


def progress_bar() -> Progress:
    """How far longer work is, on the terminal; nothing of it is left, or goes into a file."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
