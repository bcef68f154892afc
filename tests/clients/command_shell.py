"""Runs the command `commonmind`: in this process, or in one of its own."""

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from commonmind.cli.main import run

from tests.architecture.source import ROOT

OK, REFUSED, USAGE, AWAY, STOPPED, PIPE_CLOSED = 0, 1, 2, 3, 130, 141


class Ended(NamedTuple):
    """What a run of the command left."""

    returncode: int
    stdout: bytes
    stderr: bytes


class _Errors(io.TextIOWrapper):
    """What the command writes: the threads of the site, which run in this process as well, write
    past it when a client goes away."""

    def write(self, text: str) -> int:
        if "process_request_thread" in threading.current_thread().name:
            return len(text)
        return super().write(text)


class Shell:
    """A home folder and an environment in which the command runs."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.environment = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "COMMONMIND_URL": "",
            "COMMONMIND_KEY": "",
            **environment,
        }

    def __call__(self, *words: str, given: bytes = b"", **environment: str) -> Ended:
        """Run it in this process: ten times as fast, and the same but for the streams."""
        output, errors = io.BytesIO(), io.BytesIO()
        with (
            patch.dict(os.environ, {**self.environment, **environment}),
            patch("sys.stdin", io.TextIOWrapper(io.BytesIO(given))),
            patch("sys.stdout", io.TextIOWrapper(output, write_through=True)),
            patch("sys.stderr", _Errors(errors, write_through=True)),
        ):
            code = run(words)
            return Ended(code, output.getvalue(), errors.getvalue())

    def json(self, *words: str, given: bytes = b"") -> list[Any]:
        """The lines of JSON that it prints; it has to succeed."""
        done = self(*words, "--json", given=given)
        assert done.returncode == OK, done.stderr.decode()
        return [json.loads(line) for line in done.stdout.splitlines()]

    def start(self, *words: str, **options: Any) -> "subprocess.Popen[bytes]":
        """Run it in a process of its own."""
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "clients/python/src"),
            "LANG": "C.UTF-8",
            **self.environment,
            **options.pop("environment", {}),
        }
        command = [sys.executable, "-m", "commonmind", *words]
        return subprocess.Popen(command, env=environment, **options)


def lines(*values: Any) -> bytes:
    """Lines of JSON; bytes are a line as they are."""
    written = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in values)
    return b"".join(line + b"\n" for line in written)
