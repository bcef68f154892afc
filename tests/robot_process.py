"""A robot in a process of its own: `python -m tests.robot_process KEY` calls the API as it is told.

stdin: a line for each call, {method, path, body?, until?}. With `until` the call is made again
until the answer holds that text. stdout: a line for each, {status, body, at}; at: when the last
answer was there, on the machine's clock that no process sets (CLOCK_MONOTONIC, in seconds).
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

# So long a text is waited for, in seconds.
MAX_WAIT_SECONDS = 30


class RobotProcess:
    """The other end: starts the process, asks it, ends it."""

    def __init__(self, key: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.robot_process", key],
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, method: str, path: str, body: Any = None, until: str = "") -> None:
        """Tell it what to call, and go on."""
        assert self.process.stdin is not None
        job = {"method": method, "path": path, "body": body, "until": until}
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """What the call that was begun last was answered."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the robot's process has ended")
        found: dict[str, Any] = json.loads(line)
        return found

    def call(self, method: str, path: str, body: Any = None, until: str = "") -> dict[str, Any]:
        """Both of them."""
        self.begin(method, path, body, until)
        return self.answer()

    def kill(self) -> None:
        """As `kill -9` does: nothing is said good-bye to."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def main() -> None:
    import django

    django.setup()
    from rest_framework.test import APIClient

    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {sys.argv[1]}", HTTP_HOST="localhost")
    for line in sys.stdin:
        job = json.loads(line)
        call, began = getattr(client, job["method"]), time.monotonic()
        while True:
            answer = call(job["path"], job["body"], format="json")
            text, at = answer.content.decode(), time.monotonic()
            if not job["until"] or job["until"] in text or at - began > MAX_WAIT_SECONDS:
                break
        body = json.loads(text) if text else None
        sys.stdout.write(json.dumps({"status": answer.status_code, "body": body, "at": at}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
