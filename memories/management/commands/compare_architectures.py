"""Compare the architectures by measuring them on generated data, which is removed afterwards."""

import signal
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memories.evaluation.compare_architectures import (
    ARCHITECTURES,
    BATCHES,
    QUESTIONS_PER_SCENARIO,
    Comparison,
    ComparisonPlan,
    compare_architectures,
    list_architectures,
)
from memories.evaluation.report.write_report import write_report
from orgs.management.output import ResultCommand

EXIT_LEAKED = 1


class Command(ResultCommand):
    help = "Carry out the test plan of the five architectures; ends with code 1 if one leaks."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--groups", default="1,10", help="sizes, comma between; 500 messages a group"
        )
        parser.add_argument("--output", help="folder for the report; DATA_DIR/architectures")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--strategies", default="", help=f"of {', '.join(ARCHITECTURES)}; all that are built"
        )
        parser.add_argument(
            "--questions",
            type=int,
            default=QUESTIONS_PER_SCENARIO,
            help="for each scenario, if there are so many",
        )
        parser.add_argument(
            "--batches", type=int, default=BATCHES, help="inserts of 500 timed by architecture"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        plan = self._plan(options)
        folder = Path(options["output"] or Path(settings.DATA_DIR) / "architectures")
        # Also on a signal the generated data is removed.
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        found = compare_architectures(
            plan,
            say=self._note(options["json"]),
            keep_report=lambda found: self._write_report(found, folder),
        )
        report = found.report()
        self.print_result(
            {
                "recommendation": report["recommendation"],
                "leakage": sum(run["leakage"] for run in report["runs"]),
                "report": str(folder / "report.json"),
            },
            as_json=options["json"],
        )
        if found.leaked:
            self.stderr.write("Rows were served that the asker may not read: see `leaks` there.")
            sys.exit(EXIT_LEAKED)

    def _write_report(self, found: Comparison, folder: Path) -> None:
        write_report(found.report(), folder)

    def _note(self, quiet: bool) -> Any:
        return (lambda text: None) if quiet else self._print_report

    def _print_report(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _plan(self, options: dict[str, Any]) -> ComparisonPlan:
        try:
            groups = sorted({int(word) for word in options["groups"].split(",") if word.strip()})
        except ValueError as error:
            raise CommandError("--groups takes numbers with commas between.") from error
        if not groups or groups[0] < 1:
            raise CommandError("--groups needs at least one number above 0.")
        if options["questions"] < 2 or options["batches"] < 1:
            raise CommandError("--questions needs at least 2, --batches at least 1.")
        built = list_architectures()
        wanted = [name for name in options["strategies"].split(",") if name] or built
        if unknown := set(wanted) - set(ARCHITECTURES):
            raise CommandError(f"No architecture is called {', '.join(sorted(unknown))}.")
        for name in ARCHITECTURES:
            if name not in built and (name in wanted or not options["strategies"]):
                self.stderr.write(f"{name} is left out: it is not built.")
        chosen = [name for name in wanted if name in built]
        if not chosen:
            raise CommandError("None of these architectures is built.")
        return ComparisonPlan(
            groups=groups,
            strategies=chosen,
            seed=options["seed"],
            each=options["questions"],
            batches=options["batches"],
        )
