"""How long each rule over text takes at worst, over 100,000 characters of ten kinds.

Seconds of the processor, so that other work on the machine does not count. Of texts that almost
match a rule's own patterns the slow tests take care (tests/texts).
"""

import argparse
from pathlib import Path
from typing import Any

from memories.evaluation.report.tables import Table
from tests.texts.growth import processor_seconds
from tests.texts.text_generators import TEXT_GENERATORS
from tests.texts.text_rules import list_rules
from tools.benchmarks.report import print_line

LENGTH, QUICK_LENGTH = 100_000, 10_000
# Milliseconds for any rule and any text.
TARGET = 250.0
TRIES, SHOWN = 3, 12


def run(chosen: argparse.Namespace, folder: Path) -> tuple[list[dict[str, Any]], list[Table]]:
    length = QUICK_LENGTH if chosen.quick else LENGTH
    made = [(kind, make(length)) for kind, makes in TEXT_GENERATORS.items() for make in makes]
    found = []
    for name, call in list_rules():
        worst, kind, text = max((processor_seconds(call, text), kind, text) for kind, text in made)
        # Once more: the first time may have been somebody else's.
        worst = min([worst, *(processor_seconds(call, text) for _ in range(TRIES - 1))])
        found.append({"rule": name, "ms": round(1000 * worst, 2), "kind": kind, "text": text[:24]})
    found.sort(key=lambda one: -one["ms"])
    over = [one["rule"] for one in found if one["ms"] > TARGET]
    print_line(f"{len(found)} rules, {len(over)} over {TARGET:.0f} ms {' '.join(over)}")
    rows = [[one["rule"], one["kind"], repr(one["text"]), one["ms"]] for one in found[:SHOWN]]
    columns = ["rule", "kind of text", "begins", "ms"]
    note = f"{len(found)} rules over {len(made)} texts of {length:,} characters; the slowest."
    return found, [Table(f"Rules over text, target {TARGET:.0f} ms", columns, rows, note)]
