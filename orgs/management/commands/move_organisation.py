"""Move an organisation to another database server while it works, or say how far that is."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from orgs.database.driver.servers import HOME, list_servers
from orgs.management.output import ResultCommand
from orgs.members.settle_accounts import settle_due_copies
from orgs.placement.moving.admin_connections import MoveError
from orgs.placement.moving.move_organisation import (
    PAUSE_SECONDS,
    cancel_move,
    delete_copy,
    describe_moves,
    move_organisation,
)

HOME_NAME = "home"


class Command(ResultCommand):
    help = "Move an organisation to another server of DATABASE_SERVERS (docs/scaling.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("organisation", nargs="?", help="slug, id or name")
        parser.add_argument("--to", help=f"a name of DATABASE_SERVERS, or {HOME_NAME}")
        parser.add_argument(
            "--pause",
            type=float,
            default=PAUSE_SECONDS,
            help="seconds for which writes may be refused at the end",
        )
        parser.add_argument("--status", action="store_true", help="moves that are not finished")
        parser.add_argument("--cancel", action="store_true", help="give a move up")
        parser.add_argument(
            "--delete-copy-on", metavar="SERVER", help="delete the rows that a clone has left there"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        named = [options["to"] is not None, options["delete_copy_on"] is not None]
        if sum([*named, options["status"], options["cancel"]]) != 1:
            raise CommandError(
                "Say one of --to SERVER, --status, --cancel and --delete-copy-on SERVER."
            )
        try:
            if options["status"]:
                self._print_status(as_json=options["json"])
                return
            if not options["organisation"]:
                raise CommandError("Name an organisation.")
            self._act(options)
        except MoveError as error:
            raise CommandError(str(error)) from error
        if not options["status"]:
            # Copies of accounts that nobody needs any more; the workers would do it in a minute.
            settle_due_copies()

    def _print_status(self, *, as_json: bool) -> None:
        moves = describe_moves()
        if as_json:
            self.print_result({"moves": moves}, as_json=True)
        for move in [] if as_json else moves:
            self.print_result(move, as_json=False)
        if not moves and not as_json:
            self.stdout.write("No organisation is on its way.")

    def _act(self, options: dict[str, Any]) -> None:
        found = self.organisation(options["organisation"])
        if options["cancel"]:
            cancel_move(found.id, say=self.stderr.write)
            self.print_result({"cancelled": found.slug}, as_json=options["json"])
            return
        if (copied_to := options["delete_copy_on"]) is not None:
            rows = delete_copy(found.id, _server(copied_to), say=self.stderr.write)
            told = {"organisation": found.slug, "deleted_rows": rows}
            self.print_result(told, as_json=options["json"])
            return
        named = options["to"]
        result = move_organisation(
            found.id,
            found.slug,
            _server(named),
            now=timezone.now(),
            pause=options["pause"],
            say=self.stderr.write,
        )
        refused = result.refused_seconds
        self.print_result(
            {
                "moved": found.slug,
                "to": named,
                "seconds": round(result.seconds, 1),
                "writes_refused_seconds": None if refused is None else round(refused, 2),
            },
            as_json=options["json"],
        )


def _server(named: str) -> str:
    """The server of that name; an unknown name stays as it is, and is refused."""
    return HOME if named == HOME_NAME and named not in list_servers() else named
