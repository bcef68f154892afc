"""Figures as tables for the terminal and Markdown; and the machine that they come from."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a title; numbers are shown with as many digits as they need."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def markdown(self) -> str:
        """A heading, the note and a table."""
        lines = [f"### {self.title}", ""]
        if self.note:
            lines += [self.note, ""]
        lines += [_format_row(self.columns), _format_row(["---"] * len(self.columns))]
        return "\n".join(
            [*lines, *(_format_row([format_cell(c) for c in row]) for row in self.rows), ""]
        )


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def format_cell(cell: Cell) -> str:
    """A number with three significant digits, or all of a larger one."""
    if cell is None:
        return "-"
    if not isinstance(cell, float):
        return f"{cell:,}" if isinstance(cell, int) else cell
    size = abs(cell)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{cell:,.{digits}f}"


def describe_machine() -> dict[str, Any]:
    """The machine on which this runs: processor, memory and versions."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        model = platform.processor()
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.platform(),
    }
