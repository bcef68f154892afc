"""Show or change how much an organisation may keep."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from orgs.errors import QUOTA_LABELS
from orgs.management.output import ResultCommand
from orgs.organisations.quotas import RESOURCES, ResourceUsage, get_usage, set_quota


class Command(ResultCommand):
    help = "Show how much an organisation keeps; with a number, change how much it may keep."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("organisation", help="slug, id or name")
        for name in RESOURCES:
            parser.add_argument(
                f"--{name}",
                metavar="N",
                help=f"the most {QUOTA_LABELS[name]}; `none` for any number",
            )

    def handle(self, *args: Any, **options: Any) -> None:
        found = self.organisation(options["organisation"])
        wanted = {name: _parse_limit(name, options[name]) for name in RESOURCES if options[name]}
        kept = set_quota(found.id, wanted, now=timezone.now()) if wanted else get_usage(found.id)
        result = {one.resource: _render_usage(one, as_json=options["json"]) for one in kept}
        self.print_result({"organisation": found.slug} | result, as_json=options["json"])


# What a column of the database holds.
_MOST = 2**63 - 1


def _parse_limit(name: str, text: str) -> int | None:
    """The number of an option; None for `none`. Raises CommandError."""
    if text == "none":
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= _MOST):
        raise CommandError(f"--{name}: a whole number from 0 on, or none.")
    return int(text)


def _render_usage(one: ResourceUsage, *, as_json: bool) -> Any:
    if as_json:
        return {"used": one.used, "allowed": one.allowed}
    return f"{one.used:,} of {'any number' if one.allowed is None else f'{one.allowed:,}'}"
