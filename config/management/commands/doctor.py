"""Say what is wrong with this service, and what to do about it."""

import json
from typing import Any

from django.core.management.base import CommandError

from config.monitoring.diagnosis import FAULT, diagnose
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Look at roles, protection, extensions, migrations, queue, disk, clocks and versions."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one line a part. Raises CommandError, so that the exit code is 1, for a fault."""
        found = diagnose()
        if options["json"]:
            self.stdout.write(json.dumps([one.as_dict() for one in found]))
        else:
            for one in found:
                self.stdout.write(f"{one.state:7}  {one.part}: {one.text}")
                if one.advice:
                    self.stdout.write(f"         {one.advice}")
        if faults := [one.part for one in found if one.state == FAULT]:
            raise CommandError(f"Something is wrong with: {', '.join(faults)}.")
