"""An import that writes nothing and says what it would bring, for a whole file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memories.ingestion.file_import.import_lines import ImportLine
from memories.ingestion.file_import.plan_import import (
    EXAMPLE_CHARACTERS,
    MAX_EXAMPLES,
    PlanningImporter,
    plan_audience,
    skip_paused,
)
from memories.ingestion.file_import.planned_readers import PlannedAudience
from orgs.database.rls import organisation_scope
from orgs.models.audiences import AudienceType
from orgs.models.organisations import Group

MAX_NAMES = 12


@dataclass(frozen=True, slots=True)
class ImportExample:
    """One line as it would be remembered."""

    text: str
    speaker: str
    readers: str
    at: str


@dataclass(slots=True)
class ImportRehearsal:
    """What an import would bring, before it is known which of it exists already.

    readers: (who they are, in words, and the number of lines), the most first; groups: (name,
    lines, whether it is new); new_people: names of members that would be created; reasons: why
    lines are skipped, and how many.
    """

    taken: int = 0
    skipped: int = 0
    readers: list[tuple[str, int]] = field(default_factory=list)
    groups: list[tuple[str, int, bool]] = field(default_factory=list)
    new_people: list[str] = field(default_factory=list)
    reasons: list[tuple[str, int]] = field(default_factory=list)
    examples: list[ImportExample] = field(default_factory=list)


class RehearsingImporter(PlanningImporter):
    """Counts what `Importer` would write."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._audiences: Counter[UUID] = Counter()
        self._groups: Counter[str] = Counter()
        self._examples: list[tuple[ImportLine, UUID]] = []
        # The default group, which the file does not name.
        asked = [id_ for id_ in [self.cast.default_group] if id_]
        with organisation_scope(self.organisation.id):
            rows = Group.objects.filter(organisation_id=self.organisation.id, id__in=asked)
            self._named = dict(rows.values_list("id", "name"))

    def _import(self, lines: Sequence[ImportLine]) -> None:
        with organisation_scope(self.organisation.id):
            for line in lines:
                self.cast.seat(line)
            for line in skip_paused(self, lines):
                audience = plan_audience(self.cast, line)
                self._audiences[audience] += 1
                if line.group:
                    self._groups[line.group] += 1
                if len(self._examples) < MAX_EXAMPLES:
                    self._examples.append((line, audience))

    def summarise(self) -> ImportRehearsal:
        """What the lines that were read would bring."""
        cast = self.cast
        groups = [
            (cast.group_names.get(name, name), lines, cast.groups.get(name) in cast.made)
            for name, lines in self._groups.most_common()
        ]
        readers: Counter[str] = Counter()
        for id_, lines in self._audiences.items():
            readers[self._readers(id_)] += lines
        return ImportRehearsal(
            taken=self._audiences.total(),
            skipped=self.report.skipped,
            readers=readers.most_common(),
            groups=groups,
            new_people=sorted(cast.born.values()),
            reasons=self.report.reasons.most_common(),
            examples=[
                ImportExample(
                    " ".join(line.text.split())[:EXAMPLE_CHARACTERS],
                    line.speaker or ("whoever imports" if line.own_words else ""),
                    self._readers(id_),
                    line.at.isoformat() if line.at else "",
                )
                for line, id_ in self._examples
            ],
        )

    def _readers(self, id_: UUID) -> str:
        audience: PlannedAudience = self.cast.planned[id_]
        groups = {
            id_: self.cast.group_names.get(name, name) for name, id_ in self.cast.groups.items()
        } | self._named
        if audience.kind == AudienceType.ORGANISATION:
            return "everyone in the organisation"
        if audience.kind == AudienceType.GROUP and audience.group:
            return f"the group {groups[audience.group]}"
        people = self.cast.known() | self.cast.born
        names = sorted(
            groups[id_] if kind == "group" else people.get(id_, "whoever imports")
            for kind, id_ in audience.readers
        )
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        return f"only {', '.join(names[:MAX_NAMES])}{more}"
