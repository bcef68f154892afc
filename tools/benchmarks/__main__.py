"""`python -m tools.benchmarks [--dataset DIR] [--quick] [--only NAME,...] [--output DIR]`."""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from tools.benchmarks.database import NoServerError, benchmark_database
from tools.benchmarks.report import Report, print_line

PARTS = (
    "texts", "quality", "leaks", "writing", "latency", "exactness", "load", "ageing", "pairs",
    "month", "context", "pollution", "timeframes", "tiers", "teams", "erasure",
    "personal", "million", "abstention", "experts", "pages", "evidence", "changes", "answers",
    "profiles", "neighbours", "languages", "standby", "switch",
)  # fmt: skip
# What a part reads of the dataset.
REQUIRED_FILES = {
    "quality": "queries.jsonl",
    "leaks": "queries.jsonl",
    "pairs": "pairs.jsonl",
    "month": "queries.jsonl",
    "pollution": "queries.jsonl",
    "timeframes": "queries.jsonl",
    "personal": "items.jsonl",
    "million": "memories.jsonl",
    "abstention": "queries.jsonl",
    "experts": "queries.jsonl",
    "evidence": "queries.jsonl",
    "answers": "queries.jsonl",
}


def has_file(folder: Path, name: str) -> bool:
    """Whether the dataset has this file, plain or packed."""
    return any((folder / f"{name}{end}").is_file() for end in ("", ".gz"))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks", description=__doc__)
    parser.add_argument("--dataset", type=Path, help="a folder with memories.jsonl, queries.jsonl")
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run at all")
    parser.add_argument("--only", default="", help=f"of {', '.join(PARTS)}; comma between")
    parser.add_argument("--output", type=Path, help="for reports and cached vectors; DATA_DIR")
    chosen = parser.parse_args()
    chosen.only = [name for name in chosen.only.split(",") if name] or list(PARTS)
    if unknown := set(chosen.only) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    needed = REQUIRED_FILES.get(chosen.only[0], "") if len(chosen.only) == 1 else ""
    needed = needed or "queries.jsonl"
    if chosen.dataset and not has_file(chosen.dataset, needed):
        parser.error(f"{chosen.dataset} has no {needed}")
    return chosen


def main() -> int:
    """Measure each part; what a person can mend is one line and code 2."""
    chosen = parse_arguments()
    # Whoever ends it: the web processes go, and the database with them.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        with benchmark_database():
            return measure(chosen)
    except NoServerError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def measure(chosen: argparse.Namespace) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    from memories.embedding.encoder_loading import get_encoder
    from tools.benchmarks import (
        abstention,
        answers,
        changed_facts,
        context,
        context_evidence,
        contradiction_pairs,
        database,
        erasure,
        exactness,
        experts,
        languages,
        latency,
        leaks,
        load,
        million,
        model_switch,
        month_of_use,
        neighbours,
        noise,
        pages,
        personal_data,
        personal_tiers,
        profiles,
        quality,
        standby,
        teams,
        text_rules,
        tier_moves,
        timeframes,
        writing,
    )

    call_command("migrate", database="owner", verbosity=0, interactive=False)
    parts = {
        "texts": text_rules.run,
        "quality": quality.run,
        "leaks": leaks.run,
        "writing": writing.run,
        "latency": latency.run,
        "exactness": exactness.run,
        "load": load.run,
        "ageing": tier_moves.run,
        "pairs": contradiction_pairs.run,
        "month": month_of_use.run,
        "context": context.run,
        "pollution": noise.run,
        "timeframes": timeframes.run,
        "tiers": personal_tiers.run,
        "teams": teams.run,
        "erasure": erasure.run,
        "personal": personal_data.run,
        "million": million.run,
        "abstention": abstention.run,
        "experts": experts.run,
        "pages": pages.run,
        "evidence": context_evidence.run,
        "changes": changed_facts.run,
        "answers": answers.run,
        "profiles": profiles.run,
        "neighbours": neighbours.run,
        "standby": standby.run,
        "switch": model_switch.run,
        "languages": languages.run,
    }
    folder = chosen.output or Path(settings.DATA_DIR)
    report = Report(folder)
    report.start(
        dataset=chosen.dataset.name if chosen.dataset else None,
        quick=chosen.quick,
        parts=chosen.only,
        server=database.server_version(),
        encoder=get_encoder().name,
    )
    for name in (name for name in PARTS if name in chosen.only):
        if name in REQUIRED_FILES and not (
            chosen.dataset and has_file(chosen.dataset, REQUIRED_FILES[name])
        ):
            print_line(
                f"{name} is left out: it needs {REQUIRED_FILES[name]} (make bench DATASET=folder)."
            )
            continue
        print_line(f"\n{name} (load {os.getloadavg()[0]:.1f}) ...")
        started = time.perf_counter()
        figures, tables = parts[name](chosen, folder)
        report.add(name, figures, tables, time.perf_counter() - started)
    connections.close_all()
    # Or its threads would look for the database after it is gone.
    connections["default"].close_pool()
    print_line(f"\n{folder / 'report.json'} and report.md are written.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
