"""Make a key by which a superuser makes and removes organisations, or revoke all of an account."""

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from orgs.management.output import ResultCommand
from orgs.models.users import User
from orgs.support.superuser_keys import create_superuser_key, revoke_superuser_keys


class Command(ResultCommand):
    help = "Print a key of a superuser's account, once; with --revoke end all keys of the account."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")
        parser.add_argument("--days", type=int, help="after how many days it ends; else never")
        parser.add_argument("--revoke", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        email, now = User.objects.normalise(options["email"]), timezone.now()
        user = User.objects.filter(email=email).first()
        if user is None:
            raise CommandError(f"There is no account {email}.")
        if options["revoke"]:
            revoked = revoke_superuser_keys(user, now=now)
            self.print_result({"email": email, "revoked": revoked}, as_json=options["json"])
            return
        if options["days"] is not None and options["days"] < 1:
            raise CommandError("--days is 1 or more.")
        ends = now + timedelta(days=options["days"]) if options["days"] else None
        try:
            key, secret = create_superuser_key(user, now=now, expires_at=ends)
        except PermissionError as error:
            raise CommandError(f"Nothing was made. {error}") from error
        self.print_result(
            {"email": email, "id": key.id, "expires_at": ends, "key": secret},
            as_json=options["json"],
        )
