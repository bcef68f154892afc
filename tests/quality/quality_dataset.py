"""Three conversations of our own making, and questions with what answers them."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class EvidenceQuestion:
    """A question, in which group and by whom it is asked, and the keys of what answers it."""

    group: str
    asker: str
    text: str
    evidence: tuple[str, ...]


def import_lines() -> list[bytes]:
    """The conversations as lines of an import, a minute between two turns."""
    found: list[bytes] = []
    group, at = "", datetime(2026, 1, 1, 9)  # noqa: DTZ001 - an import takes local times
    for line in (HERE / "conversations.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            _, group, day = line.split()
            at = datetime.fromisoformat(day).replace(hour=9)
        elif line and not line.startswith("#"):
            number, speaker, said = line.split(" ", 2)
            at += timedelta(minutes=1)
            row = {"id": number, "group": group, "seq": int(number[1:]), "text": said}
            row |= {"speaker": speaker.rstrip(":"), "timestamp": at.isoformat()}
            found.append(json.dumps(row).encode())
    return found


def questions() -> list[EvidenceQuestion]:
    """Each by somebody of its group: by who speaks first there unless another is named."""
    first: dict[str, str] = {}
    for row in map(json.loads, import_lines()):
        first.setdefault(row["group"], row["speaker"])
    found = []
    for line in (HERE / "questions.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            where, evidence, text = line.split(" ", 2)
            group, _, asker = where.partition("@")
            keys = tuple(evidence.split(","))
            found.append(EvidenceQuestion(group, f"import:{asker or first[group]}", text, keys))
    return found
