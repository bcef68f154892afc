"""What the references of a call mean to its caller: ids, external ids, platform:identifier.

What the caller may not know of is not found, like what does not exist. Otherwise a caller could
guess names, or address people whom it does not know.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from memories.access.readers_named import NamedReaders
from orgs.errors import NotFound
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.organisations.audiences import Reader
from orgs.organisations.references import find_member
from orgs.principals import Actor
from robots.access.writer_identity import Person
from robots.models.keys import KeyScope
from robots.models.robots import Robot
from robots.models.teams import Team
from robots.people.directory import find_known_group, known_members
from robots.registry.robots import find_robot
from robots.teams.teams import find_team, is_in

Found = TypeVar("Found")


@dataclass(slots=True)
class References:
    """Looks each reference up once; call inside the organisation's scope."""

    actor: Actor
    _kept: dict[tuple[object, ...], object] = field(default_factory=dict)

    def robot(self, reference: str) -> Robot:
        """Robots are known to everyone in the organisation. Raises NotFound."""
        return self._once(
            ("robot", reference), lambda: find_robot(self.actor.organisation_id, reference)
        )

    def team(self, reference: str) -> Team:
        """Teams are known to everyone in the organisation, as their robots are. Raises NotFound."""
        return self._once(
            ("team", reference), lambda: find_team(self.actor.organisation_id, reference)
        )

    def own_team(self, reference: str) -> Team:
        """A team to which the asking robot belongs. Raises NotFound."""
        team = self.team(reference)
        if not self._once(("is in", team.id), lambda: is_in(self.actor, team.id)):
            raise NotFound("no such team")
        return team

    def group(self, reference: str) -> Group:
        """A group that the caller reads. Raises NotFound."""
        return self._once(("group", reference), lambda: self._find_group(reference))

    def member(self, reference: str, group: Group | None = None) -> Member:
        """A member. Without the scope act_for only one whom the caller knows. Raises NotFound."""
        place = ("member", reference, group.id if group else None)
        return self._once(place, lambda: self._find_member(reference, group))

    def person(self, reference: str, group: Group | None = None) -> Person | None:
        """The same as id and name, or None: how the services look for a speaker."""
        try:
            found = self.member(reference, group)
        except NotFound:
            return None
        return found.id, found.name

    def readers(self, readers: NamedReaders, group: Group | None = None) -> set[Reader]:
        """The entries of an access list. Raises NotFound."""
        found: set[Reader] = {("member", self.member(r, group).id) for r in readers.members}
        found |= {("robot", self.robot(r).id) for r in readers.robots}
        found |= {("team", self.team(r).id) for r in readers.teams}
        return found | {("group", self.group(r).id) for r in readers.groups}

    def _find_group(self, reference: str) -> Group:
        return find_known_group(self.actor, reference)

    def _find_member(self, reference: str, group: Group | None) -> Member:
        free = KeyScope.ACT_FOR in self.actor.scopes
        among = None if free else known_members(self.actor)
        return find_member(self.actor.organisation_id, reference, group, among)

    def _once(self, place: tuple[object, ...], find: Callable[[], Found]) -> Found:
        if place not in self._kept:
            try:
                self._kept[place] = find()
            except NotFound as error:
                self._kept[place] = error
        kept = self._kept[place]
        if isinstance(kept, NotFound):
            raise kept
        return kept  # type: ignore[return-value]
