"""The demo's text file, read into entries. The head of the file explains its signs."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

SCRIPT = Path(__file__).with_name("halyard.txt")
_HEADER_FIELD = re.compile(r"(\w+)=(\S+)")
_ACT = re.compile(r" (!!|\?\?|--|\+\+) (\w+)(?:: (.+))?$")
_SPOKEN_LINE = re.compile(r"([A-Z]\w+): (.+)")
REPORTED, CORRECTED, FORGOTTEN, PROTECTED = "!!", "??", "--", "++"


@dataclass(frozen=True, slots=True)
class ScriptEntry:
    """One memory of the script. header: the facts of its section; position: its place in a chat.

    edits: later texts in their order. done: (sign, who, words) of one act on it, or None.
    """

    at: datetime
    header: dict[str, str]
    text: str
    speaker: str = ""
    position: int = 0
    edits: tuple[str, ...] = ()
    done: tuple[str, str, str] | None = None
    said: bool = field(default=False)


def read_script(now: datetime) -> list[ScriptEntry]:
    """All entries, the oldest first; all are before `now`."""
    entries: list[ScriptEntry] = []
    header: dict[str, str] = {}
    place = 0
    for line in SCRIPT.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            header, place = dict(_HEADER_FIELD.findall(line)), 0
        elif line and not line.startswith("#"):
            entries.append(_parse_entry(line, header, place, now))
            place += 1
    return sorted(entries, key=lambda entry: entry.at)


def _parse_entry(line: str, header: dict[str, str], place: int, now: datetime) -> ScriptEntry:
    step, start = int(header["step"]), now - timedelta(days=int(header["days"]))
    if "chat" in header:
        hour, minute = map(int, header["at"].split(":"))
        begun = start.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if begun > now - timedelta(hours=1):
            begun -= timedelta(days=1)
        match = _SPOKEN_LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"nobody says this: {line}")
        at = begun + timedelta(minutes=step * place)
        return ScriptEntry(at, header, match[2], match[1], place, said=True)
    at = min(start + timedelta(days=step * place), now - timedelta(minutes=30 - place))
    done = _ACT.search(line)
    texts = (line[: done.start()] if done else line).split(" => ")
    return ScriptEntry(
        at,
        header,
        texts[0],
        position=place,
        edits=tuple(texts[1:]),
        done=(done[1], done[2], done[3] or "") if done else None,
    )
