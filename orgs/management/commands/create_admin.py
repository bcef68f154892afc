"""Make a support administrator, or set a forgotten password, without a mail server."""

import getpass
import secrets
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from orgs.management.output import ResultCommand
from orgs.models.users import User


class Command(ResultCommand):
    help = "Create a support administrator for /admin/, or give an existing one a new password."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")
        parser.add_argument("--generate", action="store_true", help="print a random password")

    def handle(self, *args: Any, **options: Any) -> None:
        password = secrets.token_urlsafe(16) if options["generate"] else _prompt_password()
        email = User.objects.normalise(options["email"])
        user = User.objects.filter(email=email).first()
        if user is None:
            user = User.objects.create_superuser(email, password)
        else:
            user.is_staff = user.is_superuser = True
            user.set_password(password)
            user.save()
        result = {"email": email, "url": f"{settings.PUBLIC_URL}/admin/"}
        if options["generate"]:
            result["password"] = password
        self.print_result(result, as_json=options["json"])


def _prompt_password() -> str:
    """A password, typed twice. Raises CommandError without a terminal, or if the two differ."""
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to type a password into; use --generate.")
    try:
        password = getpass.getpass()
        again = getpass.getpass("Again: ")
    except (EOFError, KeyboardInterrupt):
        raise CommandError("No password was typed; nothing was changed.") from None
    if not password or password != again:
        raise CommandError("The passwords differ or are empty; nothing was changed.")
    return password
