"""What was measured, as tables on the terminal, as Markdown and as JSON."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table as Drawn

from memories.evaluation.report.tables import Table, describe_machine, format_cell

console = Console(width=None if os.isatty(1) else 150, highlight=False)


def print_line(words: str) -> None:
    """One line on the terminal."""
    console.print(words, markup=False)


def print_table(table: Table) -> None:
    """A table on the terminal."""
    drawn = Drawn(title=table.title, title_justify="left", caption=table.note or None)
    drawn.caption_justify = "left"
    for index, column in enumerate(table.columns):
        drawn.add_column(column, justify="right" if index else "left")
    for row in table.rows:
        drawn.add_row(*(format_cell(cell) for cell in row))
    console.print(drawn)


def describe_commit() -> str:
    """The commit that is measured, with a plus sign where files differ from it."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, check=True, text=True)
    return done.stdout.strip()


@dataclass(slots=True)
class Report:
    """Collects the tables and the raw figures of every part."""

    folder: Path
    facts: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)

    def start(self, **facts: Any) -> None:
        self.facts = {
            "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "commit": describe_commit(),
            **describe_machine(),
            "load_at_start": list(os.getloadavg()),
            **facts,
        }

    def add(self, name: str, figures: Any, tables: Sequence[Table], seconds: float) -> None:
        """Keep a part's figures, draw its tables, and write what there is so far."""
        load = [round(value, 2) for value in os.getloadavg()]
        self.results[name] = {"seconds": round(seconds, 1), "load_after": load, "figures": figures}
        self.tables += tables
        for table in tables:
            print_table(table)
        self.write()

    def write(self) -> None:
        """report.json and report.md in the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        option = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
        whole = {"facts": self.facts, "results": self.results}
        (self.folder / "report.json").write_bytes(orjson.dumps(whole, option=option))
        facts = [f"- {name}: {value}" for name, value in self.facts.items()]
        parts = ["# Benchmarks", "\n".join(facts), *(t.markdown() for t in self.tables)]
        (self.folder / "report.md").write_text("\n\n".join(parts), encoding="utf-8")
