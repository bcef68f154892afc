"""Whom an import would name, by the same rules as the import itself; nothing is written."""

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID, uuid4

from memories.ingestion.file_import.people import ImportedPeople, Name
from orgs.models.audiences import Audience, AudienceKind
from orgs.organisations.audiences import Reader, readers_digest


@dataclass(frozen=True, slots=True)
class PlannedAudience:
    """Who would read: everyone, a group, or a list of members and groups inside a group."""

    kind: str
    group: UUID | None = None
    readers: frozenset[Reader] = frozenset()


class PlannedPeople(ImportedPeople):
    """The people and places that an import would make, with ids that nobody keeps.

    made: new groups by id, with the external id. born: new members by id, with the name. joining:
    who would be put into which group, with those as whom somebody signs in and whom the import
    leaves out of groups that its author does not read (see `closed`). planned: the audiences.
    """

    def __init__(self, *args: object, **named: object) -> None:
        self.made: dict[UUID, str] = {}
        self.born: dict[UUID, str] = {}
        self.joining: dict[UUID, set[UUID]] = defaultdict(set)
        self.planned: dict[UUID, PlannedAudience] = {}
        super().__init__(*args, **named)  # type: ignore[arg-type]

    def closed(self, group_id: UUID) -> bool:
        """Whether the import adds nobody to this group who can sign in."""
        return self._closed(group_id)

    def known(self) -> dict[UUID, str]:
        """Members of before whom the file names so far, with the name in the file."""
        return {
            id_: name[1]
            for name, id_ in self._members.items()
            if name in self._met and id_ not in self.born
        }

    def member(self, name: str, group: str | None) -> UUID:
        """See `ImportedPeople.member`; who comes up is noted."""
        self._met.add(self._name(name, group))
        return super().member(name, group)

    def _know(self) -> None:
        self._met: set[Name] = set()
        super()._know()

    def _made(self, external_id: str) -> UUID:
        id_ = uuid4()
        self.made[id_] = external_id
        self.new_groups += 1
        return id_

    def _new_member(self, known: Name) -> UUID:
        id_ = uuid4()
        self.born[id_] = known[1]
        return id_

    def _put(self, group_id: UUID, new: list[UUID]) -> None:
        self.joining[group_id].update(new)

    def _of_kind(self, kind: str, key: str, group_id: UUID | None) -> UUID:
        return self._plan(PlannedAudience(kind, group_id))

    def _listed(self, readers: set[Reader], group_id: UUID | None) -> UUID:
        return self._plan(PlannedAudience(AudienceKind.EXPLICIT, group_id, frozenset(readers)))

    def _plan(self, audience: PlannedAudience) -> UUID:
        id_ = uuid4()
        self.planned[id_] = audience
        return id_

    def settle(self) -> None:
        """Give the audiences that are there already their own ids; call inside the scope."""
        keys = {id_: _key_of(one) for id_, one in self.planned.items()}
        rows = Audience.objects.filter(
            organisation_id=self.organisation.id, key__in={key for _, key in keys.values()}
        )
        there = {(kind, key): id_ for id_, kind, key in rows.values_list("id", "kind", "key")}
        own = {id_: there.get(key, id_) for id_, key in keys.items()}
        self.planned = {own[id_]: one for id_, one in self.planned.items()}
        self._audiences = {place: own[id_] for place, id_ in self._audiences.items()}


def _key_of(audience: PlannedAudience) -> tuple[str, str]:
    """Kind and key, by which an audience is kept."""
    if audience.kind == AudienceKind.EXPLICIT:
        return audience.kind, readers_digest(audience.readers, audience.group)
    return audience.kind, str(audience.group) if audience.group else ""
