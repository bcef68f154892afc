"""Register a robot and print a key for it, once. On an existing name it adds groups."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.errors import InvalidNameError, LookalikeNameError, NotFoundError
from orgs.management.output import ResultCommand
from orgs.models.organisations import Group
from orgs.organisations.references import get_group
from robots.access.key_limits import parse_networks
from robots.access.keys import KeyLimits, create_key
from robots.errors import InvalidKeyLimitError
from robots.models.keys import MAX_KEY_GROUPS, KeyScope
from robots.models.robots import Robot
from robots.registry.robots import add_robot_to_groups, ensure_robot


class Command(ResultCommand):
    help = "Register a robot with a key."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", required=True, help="slug, id or name")
        parser.add_argument("--name", required=True)
        parser.add_argument("--groups", default="", help="ids or external ids, with commas")
        parser.add_argument("--act-for-members", action="store_true")
        parser.add_argument("--manage", action="store_true", help="may make groups and members")
        parser.add_argument(
            "--only-groups",
            action="store_true",
            help="the key opens what is in --groups and nothing else",
        )
        parser.add_argument(
            "--networks", default="", help="from which the key opens anything, as CIDR, with commas"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        organisation = self.organisation(options["organisation"])
        now = timezone.now()
        if options["only_groups"] and (options["manage"] or not options["groups"]):
            raise CommandError("--only-groups needs --groups and does not go with --manage.")
        try:
            networks = parse_networks(_split_names(options["networks"]))
        except InvalidKeyLimitError as error:
            raise CommandError(f"Nothing was made. {error}") from error
        with organisation_scope(organisation.id):
            groups = [self._group(organisation.id, g) for g in _split_names(options["groups"])]
            if options["only_groups"] and len(groups) > MAX_KEY_GROUPS:
                raise CommandError(f"A key is limited to at most {MAX_KEY_GROUPS} groups.")
            robot = Robot.objects.filter(
                organisation_id=organisation.id, name=options["name"], builtin__isnull=True
            ).first()
            if robot is None:
                robot = self._registered(organisation.id, options["name"], now)
            add_robot_to_groups(
                organisation_id=organisation.id,
                robot_id=robot.id,
                group_ids=[group.id for group in groups],
            )
            scopes = [KeyScope.READ, KeyScope.WRITE]
            scopes += [KeyScope.ACT_FOR] if options["act_for_members"] else []
            scopes += [KeyScope.MANAGE] if options["manage"] else []
            _, secret = create_key(
                organisation_id=organisation.id,
                robot_id=robot.id,
                scopes=scopes,
                limits=KeyLimits(
                    groups=sorted({group.id for group in groups})
                    if options["only_groups"]
                    else None,
                    networks=networks or None,
                ),
                now=now,
            )
            seats = list(
                Group.objects.filter(
                    organisation_id=organisation.id, robot_memberships__robot_id=robot.id
                ).values_list("external_id", flat=True)
            )
        self.print_result(
            {
                "id": robot.public_id,
                "organisation": organisation.slug,
                "name": robot.name,
                "groups": seats,
                "scopes": [str(scope) for scope in scopes],
                "key": secret,
            },
            as_json=options["json"],
        )

    def _registered(self, organisation_id: Any, name: str, now: Any) -> Robot:
        try:
            return ensure_robot(organisation_id=organisation_id, name=name, now=now)[0]
        except (LookalikeNameError, InvalidNameError) as error:
            raise CommandError(f"Nothing was made. {error}") from error

    def _group(self, organisation_id: Any, reference: str) -> Group:
        called = Group.objects.filter(organisation_id=organisation_id, external_id=reference)
        if len(ids := [str(id_) for id_ in called.values_list("id", flat=True)]) > 1:
            raise CommandError(
                f"Several groups are called {reference}; say which by id: {', '.join(ids)}."
            )
        try:
            return get_group(organisation_id, reference)
        except NotFoundError as error:
            raise CommandError(f"There is no group {reference}; nothing was made.") from error


def _split_names(text: str) -> list[str]:
    return [name for name in (part.strip() for part in text.split(",")) if name]
