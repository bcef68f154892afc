"""What the references of a call mean to its caller: ids, external ids, platform:identifier.

What the caller may not know of is not found, like what does not exist. Otherwise a caller could
guess names, or address people whom it does not know.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.organisations.audience_rows import ReaderKey
from orgs.organisations.references import find_members
from orgs.principals import Actor
from robots.access.writer_identity import Person
from robots.models.keys import KeyScope
from robots.models.robots import Robot
from robots.models.teams import Team
from robots.people.directory import (
    find_known_groups,
    get_visible_group_in_scope,
    visible_members,
    visible_robots,
)
from robots.registry.robots import find_robots
from robots.teams.teams import find_teams, is_team_robot, visible_teams

# The readers that a caller names, as references.


@dataclass(frozen=True, slots=True)
class ReaderReferences:
    """References (ids, external ids, platform:id) of who else may read."""

    members: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.members or self.robots or self.groups or self.teams)


T = TypeVar("T")


@dataclass(slots=True)
class ReferenceLookup:
    """Looks each reference up once; call inside the organisation's scope."""

    actor: Actor
    _kept: dict[tuple[object, ...], object] = field(default_factory=dict)

    def robot(self, reference: str) -> Robot:
        """One of `visible_robots`. Raises NotFoundError."""
        return self._once(
            ("robot", reference), lambda: _find_one("robot", reference, self._find_robots)
        )

    def team(self, reference: str) -> Team:
        """One of `visible_teams`. Raises NotFoundError."""
        return self._once(
            ("team", reference), lambda: _find_one("team", reference, self._find_teams)
        )

    def own_team(self, reference: str) -> Team:
        """A team to which the asking robot belongs. Raises NotFoundError."""
        team = self.team(reference)
        if not self._once(("is in", team.id), lambda: is_team_robot(self.actor, team.id)):
            raise ReferenceNotFoundError("team", reference)
        return team

    def group(self, reference: str) -> Group:
        """A group that the caller reads. Raises NotFoundError."""
        return self._once(
            ("group", reference), lambda: get_visible_group_in_scope(self.actor, reference)
        )

    def member(self, reference: str, group: Group | None = None) -> Member:
        """A member. Without the scope act_for, or beyond the groups of a limited key, only one whom
        the caller knows. Raises NotFoundError."""
        place = ("member", reference, group.id if group else None)
        return self._once(
            place,
            lambda: _find_one("member", reference, lambda some: self._find_members(some, group)),
        )

    def person(self, reference: str, group: Group | None = None) -> Person | None:
        """The same as id and name, or None: how the services look for a speaker."""
        try:
            found = self.member(reference, group)
        except NotFoundError:
            return None
        return found.id, found.name

    def foresee(
        self,
        *,
        members: Iterable[str] = (),
        robots: Iterable[str] = (),
        groups: Iterable[str] = (),
        teams: Iterable[str] = (),
        group: Group | None = None,
    ) -> None:
        """Look many references up at once, so that each of them later needs no statement.

        group: in which the members are named. Unknown ones are remembered as such.
        """
        inside = group.id if group else None
        self._store_found("member", members, lambda some: self._find_members(some, group), inside)
        self._store_found("robot", robots, self._find_robots)
        self._store_found("team", teams, self._find_teams)
        self._store_found("group", groups, lambda some: find_known_groups(self.actor, some))

    def readers(self, readers: ReaderReferences, group: Group | None = None) -> set[ReaderKey]:
        """The entries of an access list. Raises NotFoundError."""
        self.foresee(
            members=readers.members,
            robots=readers.robots,
            groups=readers.groups,
            teams=readers.teams,
            group=group,
        )
        found: set[ReaderKey] = {("member", self.member(r, group).id) for r in readers.members}
        found |= {("robot", self.robot(r).id) for r in readers.robots}
        found |= {("team", self.team(r).id) for r in readers.teams}
        return found | {("group", self.group(r).id) for r in readers.groups}

    def _find_robots(self, references: Collection[str]) -> dict[str, Robot]:
        return find_robots(self.actor.organisation_id, references, visible_robots(self.actor))

    def _find_teams(self, references: Collection[str]) -> dict[str, Team]:
        return find_teams(self.actor.organisation_id, references, visible_teams(self.actor))

    def _find_members(self, references: Collection[str], group: Group | None) -> dict[str, Member]:
        # A key that acts for members knows them all, but a limited one only those in its groups.
        everyone = KeyScope.ACT_FOR in self.actor.scopes and self.actor.key_groups is None
        among = None if everyone else visible_members(self.actor)
        return find_members(self.actor.organisation_id, references, group, among)

    def _store_found(
        self,
        kind: str,
        references: Iterable[str],
        find: Callable[[Collection[str]], Mapping[str, object]],
        *inside: object,
    ) -> None:
        """Look up those of the references that are not known yet. inside: what else names them."""
        new = [one for one in dict.fromkeys(references) if (kind, one, *inside) not in self._kept]
        # A single one is looked up where it is needed, which may be nowhere.
        found = find(new) if len(new) > 1 else {}
        for reference in new if len(new) > 1 else ():
            place = (kind, reference, *inside)
            self._kept[place] = found.get(reference) or ReferenceNotFoundError(kind, reference)

    def _once(self, place: tuple[object, ...], find: Callable[[], T]) -> T:
        if place not in self._kept:
            try:
                self._kept[place] = find()
            except NotFoundError as error:
                self._kept[place] = error
        kept = self._kept[place]
        if isinstance(kept, NotFoundError):
            raise kept
        return kept  # type: ignore[return-value]


def _find_one(kind: str, reference: str, find: Callable[[Collection[str]], Mapping[str, T]]) -> T:
    found = find([reference])
    if reference not in found:
        raise ReferenceNotFoundError(kind, reference)
    return found[reference]
