"""Say what an upgrade of the database will do, and do it."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import connections

from config.releases.database_release import refuse_newer_database
from config.releases.statement_effects import MOMENT, NOBODY
from config.releases.upgrade_plan import (
    Step,
    describe,
    estimate,
    list_steps,
    pending_migrations,
    read_sizes,
)
from config.version import VERSION
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Migrate the database to this release; with --check say what would be done."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--check", action="store_true", help="change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError if the database is of a newer release."""
        alias = "owner" if "owner" in connections.settings else "default"
        connection = connections[alias]
        if reason := refuse_newer_database(connection):
            raise CommandError(f"Nothing was done: {reason}")
        pending = pending_migrations(connection)
        sizes = read_sizes(connection)
        steps = list(list_steps(connection, pending)) if pending else []
        summary = _summary(len(pending), steps, sizes)
        if options["json"]:
            listed = [_to_json(step, sizes) for step in steps]
            self.print_result({**summary, "steps": listed}, as_json=True)
        else:
            for step in steps:
                self.stdout.write(f"{step.migration}: {step.operation}")
                for effect in step.effects:
                    self.stdout.write(f"    {describe(effect, estimate(effect, sizes))}")
            self.print_result(summary, as_json=False)
        if not options["check"] and pending:
            if alias != "owner":
                raise CommandError("Nothing was done: DATABASE_OWNER_URL is not set.")
            call_command("migrate", database=alias, interactive=False, stdout=self.stderr)


def _summary(
    pending: int, steps: list[Step], sizes: dict[str, tuple[int, int]]
) -> dict[str, object]:
    """seconds, room: of all together. blocks: whom something blocks for longer than a moment."""
    effects = [effect for step in steps for effect in step.effects]
    costs = [estimate(effect, sizes) for effect in effects]
    longer = {e.blocks for e in effects if e.work != MOMENT and e.blocks != NOBODY}
    return {
        "release": VERSION,
        "migrations": pending,
        "seconds": round(sum(cost.seconds or 0 for cost in costs)),
        "unknown_steps": sum(cost.seconds is None for cost in costs),
        "room_bytes": sum(cost.room for cost in costs),
        "blocks": " and ".join(sorted(longer)) or NOBODY,
    }


def _to_json(step: Step, sizes: dict[str, tuple[int, int]]) -> dict[str, object]:
    effects = []
    for effect in step.effects:
        cost = estimate(effect, sizes)
        effects.append({
            "table": effect.table, "work": effect.work, "blocks": effect.blocks,
            "seconds": cost.seconds, "rows": cost.rows, "room_bytes": cost.room,
        })  # fmt: skip
    return {"migration": step.migration, "operation": step.operation, "effects": effects}
