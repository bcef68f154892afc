"""Add a person to an organisation; prints the link by which they set their password."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.core.validators import validate_email
from django.utils import timezone

from orgs.errors import (
    AlreadyExistsError,
    InvalidNameError,
    LookalikeNameError,
)
from orgs.management.output import ResultCommand
from orgs.members.invitations import create_member
from orgs.models.memberships import Member, Role


class Command(ResultCommand):
    help = "Add a member to an organisation."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument("--email", required=True)
        parser.add_argument("--name", default="")
        parser.add_argument("--role", choices=Role.values, default=Role.MEMBER)

    def handle(self, *args: Any, **options: Any) -> None:
        organisation = self.organisation(options["organisation"])
        try:
            validate_email(options["email"])
            member, secret = create_member(
                organisation_id=organisation.id,
                email=options["email"],
                name=options["name"],
                role=options["role"],
                beside=Member.objects.filter(organisation_id=organisation.id),
                now=timezone.now(),
            )
        except ValidationError as error:
            raise CommandError(f"{options['email']} is not an e-mail address.") from error
        except (
            AlreadyExistsError,
            LookalikeNameError,
            InvalidNameError,
        ) as error:
            raise CommandError(f"Nothing done: {error}".rstrip(".") + ".") from error
        result = {
            "id": member.id,
            "organisation": organisation.slug,
            "email": options["email"],
            "name": member.name,
            "role": member.role,
            "url": settings.PUBLIC_URL,
        }
        if secret:
            result["invite_url"] = f"{settings.PUBLIC_URL}/invite/{organisation.id}/{secret}"
        self.print_result(result, as_json=options["json"])
