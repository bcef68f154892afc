"""Let a person choose a new password, without a mail server."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import CommandError, CommandParser

from orgs.accounts.password_reset import reset_url
from orgs.accounts.sessions import end_sign_ins
from orgs.management.output import ResultCommand
from orgs.models.users import User


class Command(ResultCommand):
    help = "Print a link by which a person sets a new password: it works once, for three days."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email")
        parser.add_argument(
            "--forget-second-step",
            action="store_true",
            help="also remove their authenticator app, passkeys and recovery codes",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email=User.objects.normalise(options["email"])).first()
        if user is None or not user.is_active:
            raise CommandError(f"No account has the address {options['email']}.")
        if options["forget_second_step"]:
            Authenticator.objects.filter(user=user).delete()
        end_sign_ins(user)
        self.print_result(
            {"email": user.email, "reset_url": reset_url(user)}, as_json=options["json"]
        )
