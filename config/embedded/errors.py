"""The one error this package shows to a person."""

import sys
from collections.abc import Callable
from typing import Any


class EmbeddedError(Exception):
    """Something a person can act on; its text is one line and is printed without a traceback."""


def run_command(command: Callable[[], Any]) -> int:
    """The exit code of a command. An error that a person can fix is one line on stderr, with exit
    code 1."""
    try:
        return int(command())
    except EmbeddedError as error:
        print(f"commonmind: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
