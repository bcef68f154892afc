#!/usr/bin/env python
"""Django's command line, from any Python: without Django the one in .venv takes over."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> None:
    """Run the command that the arguments name.

    A missing setting or a database that does not answer is one sentence on stderr and code 1;
    `--traceback` shows the whole error.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    if sys.argv[1:2] != ["runserver"]:
        # A pool is for a web process. Under a command it would retry for ten seconds, and log that.
        os.environ["DATABASE_POOL_SIZE"] = "0"
    if importlib.util.find_spec("django") is None:
        _use_own_environment()
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        _end(str(error), error)
    except OperationalError as error:
        # An error that the server sent has a code; without one, nobody answered.
        if getattr(error.__cause__, "sqlstate", None):
            raise
        _end(f"The database does not answer ({' '.join(str(error).split())}).", error)


def _end(sentence: str, error: Exception) -> NoReturn:
    if "--traceback" in sys.argv:
        raise error
    sys.exit(f"{Path(sys.argv[0]).name}: {sentence}")


def _use_own_environment() -> None:
    """Start again with the Python of .venv; end with one line when there is none."""
    folder = Path(__file__).resolve().parent / ".venv"
    python = folder / "bin" / "python"
    if not python.exists() or Path(sys.prefix).resolve() == folder:
        sys.exit("Django is not installed: run `make setup` first.")
    os.execv(python, [str(python), *sys.argv])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
