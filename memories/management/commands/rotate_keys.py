"""Encrypt everything sensitive with the newest key, and report what older keys still encrypt."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.encryption.rotate_keys import rotate_keys
from memories.store.encryption.keys import MissingEncryptionKeyError, load_keyring
from orgs.management.output import ResultCommand
from orgs.placement.all_organisations import list_organisation_ids

_COUNT_NAMES = ("encrypted", "memories", "versions", "unreadable", "refused")


class Command(ResultCommand):
    help = (
        "Encrypt sensitive memories under the newest key, also those that are stored in plain. A "
        "run that broke off is finished by the next one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organisation", help="slug, id or name; without it all of them")

    def handle(self, *args: Any, **options: Any) -> None:
        given = options["organisation"]
        done: Counter[str] = Counter()
        held: Counter[str] = Counter()
        try:
            newest = load_keyring().newest.id
            chosen = [self.organisation(given).id] if given else list_organisation_ids()
            for organisation_id in chosen:
                found = rotate_keys(organisation_id, now=timezone.now())
                held.update(found.held)
                done.update({name: getattr(found, name) for name in _COUNT_NAMES})
        except MissingEncryptionKeyError as error:
            raise CommandError("; ".join(load_keyring().faults) or str(error)) from error
        keys = [
            {
                "key": id_,
                "rows": held[id_],
                "newest": id_ == newest,
                "there": load_keyring().find(id_) is not None,
            }
            for id_ in dict.fromkeys([*(key.id for key in load_keyring().keys), *sorted(held)])
        ]
        said: dict[str, Any] = {"organisations": len(chosen)} | {
            name: done[name] for name in _COUNT_NAMES
        }
        if options["json"]:
            self.print_result(said | {"keys": keys}, as_json=True)
            return
        self.print_result(said, as_json=False)
        for key in keys:
            self.stdout.write(f"key {key['key']}: {_describe_key(key)}")


def _describe_key(key: dict[str, Any]) -> str:
    """What an operator may do with a key, in words."""
    rows = f"{key['rows']:,} texts"
    if not key["there"]:
        return f"{rows}, and the key is missing: nobody reads them"
    if key["newest"]:
        return f"{rows}, the newest"
    return rows if key["rows"] else f"{rows}, so it can go"
