"""Encrypt everything sensitive with the newest key, and report what older keys still encrypt."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memories.encryption.rotate import rotate_keys
from memories.lifecycle.consolidation.pattern_evidence import every_organisation
from memories.store.encryption.keys import NoEncryptionKey, keyring
from orgs.management.output import SpeakingCommand

_FIGURES = ("encrypted", "memories", "versions", "unreadable", "refused")


class Command(SpeakingCommand):
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
            newest = keyring().newest.id
            chosen = [self.organisation(given).id] if given else every_organisation()
            for organisation_id in chosen:
                found = rotate_keys(organisation_id, now=timezone.now())
                held.update(found.held)
                done.update({name: getattr(found, name) for name in _FIGURES})
        except NoEncryptionKey as error:
            raise CommandError("; ".join(keyring().faults) or str(error)) from error
        keys = [
            {
                "key": id_,
                "rows": held[id_],
                "newest": id_ == newest,
                "there": keyring().find(id_) is not None,
            }
            for id_ in dict.fromkeys([*(key.id for key in keyring().keys), *sorted(held)])
        ]
        said: dict[str, Any] = {"organisations": len(chosen)} | {
            name: done[name] for name in _FIGURES
        }
        if options["json"]:
            self.say(said | {"keys": keys}, as_json=True)
            return
        self.say(said, as_json=False)
        for key in keys:
            self.stdout.write(f"key {key['key']}: {_state(key)}")


def _state(key: dict[str, Any]) -> str:
    """What an operator may do with a key, in words."""
    rows = f"{key['rows']:,} texts"
    if not key["there"]:
        return f"{rows}, and the key is missing: nobody reads them"
    if key["newest"]:
        return f"{rows}, the newest"
    return rows if key["rows"] else f"{rows}, so it can go"
