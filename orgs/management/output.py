"""The output of commands: one JSON object with --json, else a few plain lines."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.memberships import Member
from orgs.models.organisations import Organisation
from orgs.organisations.organisations import get_organisation
from orgs.principals import Actor


class ResultCommand(BaseCommand):
    """A command that prints its result, and finds organisations and members."""

    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def print_result(self, result: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(result, default=str))
            return
        for name, value in result.items():
            self.stdout.write(f"{name.replace('_', ' ')}: {value}")

    def organisation(self, reference: str) -> Organisation:
        """An organisation by slug, id or name. Raises CommandError."""
        try:
            return get_organisation(reference)
        except NotFoundError as error:
            raise CommandError(str(error)) from error

    def member(self, organisation: Organisation, email: str) -> Actor:
        """A member by e-mail address, as an actor with their present rights. Raises
        CommandError."""
        with organisation_scope(organisation.id):
            members = Member.objects.filter(organisation_id=organisation.id, removed_at=None)
            found = members.filter(user__email__iexact=email).order_by("id").first()
        if found is None:
            raise CommandError(f"{organisation.name} has no member {email}.")
        return actor_of(found)


def progress_bar() -> Progress:
    """A progress bar for long work; on a terminal only, and erased at the end."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
