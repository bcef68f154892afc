"""Collect the styles and scripts that `make run` serves, if one of them has changed."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand

FINGERPRINT_FILE = ".collected"


class Command(BaseCommand):
    help = "Collect the static files under their hashes, compressed; nothing if none has changed."

    def handle(self, *args: Any, **options: Any) -> None:
        mark = Path(settings.STATIC_ROOT) / FINGERPRINT_FILE
        found = static_fingerprint()
        if mark.exists() and mark.read_text() == found:
            return
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        mark.write_text(found)


def static_fingerprint() -> str:
    """A text that changes if a file is added, removed or written."""
    digest = sha256(settings.STORAGES["staticfiles"]["BACKEND"].encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            stat = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
