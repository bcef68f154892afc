"""Uploaded files are read in a separate process with a limit of time and memory.

A calendar file of 200 bytes can keep a parser busy for a minute, and a mailbox can be made to fill
gigabytes. Then only this process is ended, and the server goes on.
"""

import resource
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import orjson

from memories.context.connectors.calendar_files import parse_calendar
from memories.context.connectors.feed_files import parse_feed
from memories.context.connectors.mail_files import parse_mails
from memories.context.connectors.parse_result import ParsedEntry, ParseResult, UnreadableFileError

CALENDAR, MAIL, FEED = "calendar", "mail", "feed"
# The parsers stop by themselves after two seconds; what one of them cannot stop ends here.
MAX_CPU_SECONDS, TIMEOUT_SECONDS = 5, 30
MAX_MEMORY_BYTES = 1_000_000_000
LIMIT_EXCEEDED = "The file takes too long to read, or too much memory."
_ROOT = Path(__file__).resolve().parents[3]


def parse_file(kind: str, path: Path, *, now: datetime, zone: str) -> ParseResult:
    """The entries of a file. kind: CALENDAR, MAIL or FEED; zone: of the member, by name.

    Raises UnreadableImportError.
    """
    try:
        done = subprocess.run(  # noqa: S603 - this very module
            [sys.executable, "-m", __name__, kind, str(path), now.isoformat(), zone],
            cwd=_ROOT,
            # The process gets none of the server's keys and addresses.
            env={"PYTHONUTF8": "1"},
            capture_output=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableFileError(LIMIT_EXCEEDED) from error
    if done.returncode:
        raise UnreadableFileError(LIMIT_EXCEEDED)
    found = orjson.loads(done.stdout)
    if why := found.get("unreadable"):
        raise UnreadableFileError(why)
    return ParseResult(
        entries=[_to_entry(one) for one in found["entries"]], problems=found["problems"]
    )


def _to_entry(given: dict[str, object]) -> ParsedEntry:
    times = {
        name: datetime.fromisoformat(str(given[name])) if given[name] else None
        for name in ("at", "until")
    }
    return ParsedEntry(**{**given, **times})  # type: ignore[arg-type]


def _main(kind: str, path: str, now: str, zone: str) -> dict[str, object]:
    at = datetime.fromisoformat(now)
    try:
        if kind == MAIL:
            found = parse_mails(Path(path), now=at)
        elif kind == FEED:
            found = parse_feed(Path(path).read_bytes(), now=at)
        else:
            found = parse_calendar(Path(path).read_bytes(), now=at, zone=ZoneInfo(zone))
    except UnreadableFileError as error:
        return {"unreadable": str(error)}
    return {"entries": found.entries, "problems": found.problems}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    sys.stdout.buffer.write(orjson.dumps(_main(*sys.argv[1:])))
