"""Build and rebuild the indexes of large organisations now, without blocking writers."""

from typing import Any

from memories.indexing.organisation_indexes import maintain_indexes
from orgs.management.output import ResultCommand


class Command(ResultCommand):
    help = "Build the search indexes that large organisations need."

    def handle(self, *args: Any, **options: Any) -> None:
        touched = maintain_indexes()
        self.print_result({"built": touched or "nothing was missing"}, as_json=options["json"])
