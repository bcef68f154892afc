"""Make a support administrator, or set a forgotten password, without a mail server."""

import getpass
import secrets
from typing import Any

from django.core.management.base import CommandError, CommandParser

from orgs.management.output import SpeakingCommand
from orgs.models import User


class Command(SpeakingCommand):
    help = "Create a support administrator for /admin/, or give an existing one a new password."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")
        parser.add_argument("--generate", action="store_true", help="print a random password")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["generate"]:
            password = secrets.token_urlsafe(16)
        else:
            password = getpass.getpass()
            if password != getpass.getpass("Again: "):
                raise CommandError("The passwords differ; nothing was changed.")
        email = User.objects.normalise(options["email"])
        user = User.objects.filter(email=email).first()
        if user is None:
            user = User.objects.create_superuser(email, password)
        else:
            user.is_staff = user.is_superuser = True
            user.set_password(password)
            user.save()
        result = {"email": email}
        if options["generate"]:
            result["password"] = password
        self.say(result, as_json=options["json"])
