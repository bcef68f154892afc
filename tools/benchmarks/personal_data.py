"""The detector of personal data over sentences whose personal parts are marked.

items.jsonl: {text, spans: [{start, end, type}]}. A sentence counts as caught if anything found
overlaps a mark of a type in TYPES. Of what was stopped it is right where the sentence has such a
mark. Beside the rules alone the extra `presidio` is measured where it is installed.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from memories.evaluation.report.tables import Table
from memories.safety import presidio
from memories.safety.personal_data.known_names_type import KnownNames
from memories.safety.personal_data.light_detector import find_personal_data
from memories.safety.plain_text import PlainText, to_plain_text
from memories.safety.required_checks import Finding
from tools.benchmarks.report import print_line

FILE = "items.jsonl"
TYPES = frozenset(
    {
        "PERSON",
        "STREET_ADDRESS",
        "EMAIL_ADDRESS",
        "PHONE_NUMBER",
        "CREDIT_CARD",
        "IBAN_CODE",
        "IP_ADDRESS",
        "US_SSN",
        "ORGANIZATION",
    }
)
QUICK = 200
Detector = Callable[[PlainText, KnownNames], list[Finding]]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[dict[str, Any], list[Table]]:
    lines = (chosen.dataset / FILE).read_text(encoding="utf-8").splitlines()
    items = [orjson.loads(line) for line in lines[: QUICK if chosen.quick else None]]
    detectors: dict[str, Detector] = {"light": find_personal_data}
    if presidio.is_installed():
        detectors["presidio"] = presidio.find_personal_data
    figures = {name: measured(find, items) for name, find in detectors.items()}
    for name, found in figures.items():
        print_line(f"{name}: " + ", ".join(f"{key} {value}" for key, value in found.items()))
    rows = [[name, *found.values()] for name, found in figures.items()]
    columns = ["detector", *figures["light"]]
    note = f"{len(items):,} sentences; milliseconds of the processor a text, normalising included."
    return figures, [Table("Personal data found in marked sentences", columns, rows, note)]


def measured(find: Detector, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Recall and precision by sentence, recall by type, and milliseconds a text."""
    nobody = KnownNames()
    find(to_plain_text("What is loaded at first is not measured: Anna Weber."), nobody)
    marked = caught = stopped = right = 0
    seconds: list[float] = []
    types: dict[str, list[bool]] = {}
    for item in items:
        began = time.process_time()
        found = find(to_plain_text(item["text"]), nobody)
        seconds.append(time.process_time() - began)
        marks = [mark for mark in item["spans"] if mark["type"] in TYPES]
        hits = [any(f.start < m["end"] and m["start"] < f.end for f in found) for m in marks]
        for mark, was_hit in zip(marks, hits, strict=True):
            types.setdefault(mark["type"], []).append(was_hit)
        marked += bool(marks)
        caught += any(hits)
        stopped += bool(found)
        right += bool(found and marks)
    seconds.sort()
    by_type = {f"recall {name}": round(sum(of) / len(of), 3) for name, of in sorted(types.items())}
    return {
        "recall": round(caught / marked, 4) if marked else 0.0,
        "precision": round(right / stopped, 4) if stopped else 0.0,
        "marked": marked,
        "stopped": stopped,
        "median ms": round(1000 * seconds[len(seconds) // 2], 3),
        "p95 ms": round(1000 * seconds[int(0.95 * len(seconds))], 3),
        **by_type,
    }
