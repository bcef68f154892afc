"""Whether a signed copy of a receipt of an erasure is genuine."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.signing import BadSignature

from memories.privacy.receipts import NoReceipt, check_copy
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Say whether this service signed a receipt and nothing in it was changed since."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", help="the signed copy that was kept, JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["file"])
        try:
            found = check_copy(path.read_bytes())
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        except NoReceipt as error:
            raise CommandError(f"{path} is no signed copy of a receipt. {error}") from error
        except BadSignature as error:
            raise CommandError(
                "The signature is wrong: something in it was changed, or another service signed it."
            ) from error
        self.print_result({"genuine": True} | found, as_json=options["json"])
