#!/usr/bin/env python
"""Django's command line, from any Python: without Django the one in .venv takes over."""

import importlib.util
import os
import sys
from pathlib import Path


def main() -> None:
    """Run the command that the arguments name."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    if importlib.util.find_spec("django") is None:
        _use_own_environment()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


def _use_own_environment() -> None:
    """Start again with the Python of .venv; end with one line when there is none."""
    folder = Path(__file__).resolve().parent / ".venv"
    python = folder / "bin" / "python"
    if not python.exists() or Path(sys.prefix).resolve() == folder:
        sys.exit("Django is not installed: run `make setup` first.")
    os.execv(python, [str(python), *sys.argv])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
