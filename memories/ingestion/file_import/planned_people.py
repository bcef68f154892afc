"""The groups, members and audiences that an import would use, by the importer's rules; nothing is
written."""

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID, uuid4

from memories.ingestion.file_import.import_people import ImportPeople, ScopedName
from orgs.models.audiences import Audience, AudienceType
from orgs.organisations.audience_rows import ReaderKey, readers_digest


@dataclass(frozen=True, slots=True)
class PlannedAudience:
    """A planned audience: everyone, a group, or a list of members and groups inside a group."""

    kind: str
    group: UUID | None = None
    readers: frozenset[ReaderKey] = frozenset()


class PlannedPeople(ImportPeople):
    """The groups and members that an import would create, with temporary ids.

    made: external ids of new groups, by id. born: names of new members, by id. joining: ids of
    members who would join, by group, also members with an account, whom the import does not add to
    groups that its author does not read (see `closed`). planned: the audiences by id.
    """

    def __init__(self, *args: object, **named: object) -> None:
        self.made: dict[UUID, str] = {}
        self.born: dict[UUID, str] = {}
        self.joining: dict[UUID, set[UUID]] = defaultdict(set)
        self.planned: dict[UUID, PlannedAudience] = {}
        super().__init__(*args, **named)  # type: ignore[arg-type]

    def closed(self, group_id: UUID) -> bool:
        """Whether the import adds no member with an account to this group."""
        return self._closed(group_id)

    def known(self) -> dict[UUID, str]:
        """The existing members whom the file has named so far: {id: name in the file}."""
        return {
            id_: name[1]
            for name, id_ in self._members.items()
            if name in self._met and id_ not in self.born
        }

    def member(self, name: str, group: str | None) -> UUID:
        """`ImportedPeople.member`, and note that the name was used."""
        self._met.add(self._name(name, group))
        return super().member(name, group)

    def _know(self) -> None:
        self._met: set[ScopedName] = set()
        super()._know()

    def _made(self, external_id: str) -> UUID:
        id_ = uuid4()
        self.made[id_] = external_id
        self.new_groups += 1
        return id_

    def _new_member(self, known: ScopedName) -> UUID:
        id_ = uuid4()
        self.born[id_] = known[1]
        return id_

    def _put(self, group_id: UUID, new: list[UUID]) -> None:
        self.joining[group_id].update(new)

    def _of_kind(self, kind: str, key: str, group_id: UUID | None) -> UUID:
        return self._plan(PlannedAudience(kind, group_id))

    def _listed(self, readers: set[ReaderKey], group_id: UUID | None) -> UUID:
        return self._plan(PlannedAudience(AudienceType.EXPLICIT, group_id, frozenset(readers)))

    def _plan(self, audience: PlannedAudience) -> UUID:
        id_ = uuid4()
        self.planned[id_] = audience
        return id_

    def settle(self) -> None:
        """Replace the temporary ids of audiences that exist by their own ids; call inside the
        scope."""
        keys = {id_: _audience_key(one) for id_, one in self.planned.items()}
        rows = Audience.objects.filter(
            organisation_id=self.organisation.id, key__in={key for _, key in keys.values()}
        )
        there = {(kind, key): id_ for id_, kind, key in rows.values_list("id", "kind", "key")}
        own = {id_: there.get(key, id_) for id_, key in keys.items()}
        self.planned = {own[id_]: one for id_, one in self.planned.items()}
        self._audiences = {place: own[id_] for place, id_ in self._audiences.items()}


def _audience_key(audience: PlannedAudience) -> tuple[str, str]:
    """(kind, key), which identify an audience."""
    if audience.kind == AudienceType.EXPLICIT:
        return audience.kind, readers_digest(audience.readers, audience.group)
    return audience.kind, str(audience.group) if audience.group else ""
