"""Who is meant by the references of a batch: three queries, however many references there are.

Only people of the conversation are found. Any other name stays a text, whether or not somebody
elsewhere has it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from orgs.models.memberships import ExternalIdentity, Member
from orgs.organisations.references import parse_uuid
from robots.models.conversations import Conversation
from robots.models.robots import Robot, RobotGroup
from robots.people.directory import group_members

Person = tuple[UUID, str]


@dataclass(slots=True)
class Participants:
    """Members of a conversation by reference and by name, and the names of its robots."""

    _references: dict[str, Person] = field(default_factory=dict)
    _names: dict[str, set[Person]] = field(default_factory=lambda: defaultdict(set))
    _claimed: dict[str, set[Person]] = field(default_factory=lambda: defaultdict(set))
    _robots: set[str] = field(default_factory=set)

    def speaker(self, reference: str) -> Person | None:
        """By id or platform:identifier. Not by name: anybody may call themselves by a member's
        name."""
        return self._references.get(reference)

    def called(self, reference: str) -> Person | None:
        """By reference, or by a name that only one person here has.

        An unconfirmed identifier counts only if it is nobody's member name or confirmed identifier.
        """
        if found := self._references.get(reference):
            return found
        name = reference.casefold()
        same = self._names.get(name) or self._claimed.get(name) or set()
        return next(iter(same)) if len(same) == 1 else None

    def others(self, name: str, than: UUID) -> bool:
        """Whether somebody else here has this name."""
        return any(id_ != than for id_, _ in self._names.get(name.casefold(), ()))

    def is_robot(self, reference: str) -> bool:
        """Whether it is the name or the id of a robot of the conversation."""
        return reference.casefold() in self._robots


def load_participants(
    conversation: Conversation, references: Iterable[str], robot: Robot | None
) -> Participants:
    """Look up all references; call inside the poster's scope.

    robot: the one that posts, None for a person.
    """
    wanted, found = set(references), Participants()
    ids: dict[UUID, list[str]] = defaultdict(list)
    for ref in wanted:
        if id_ := parse_uuid(ref):
            ids[id_].append(ref)
    identities = _fetch_identities(conversation, wanted)
    here = _fetch_people(conversation, {*ids, *(id_ for id_, _ in identities.values())}, wanted)
    for id_, name in here.items():
        found._names[name.casefold()].add((id_, name))
        for reference in ids.get(id_, ()):
            found._references[reference] = (id_, name)
    for (platform, identifier), (id_, confirmed) in identities.items():
        if id_ in here:
            found._references[f"{platform}:{identifier}"] = (id_, here[id_])
            names = found._names if confirmed else found._claimed
            names[identifier.casefold()].add((id_, here[id_]))
    for name, reference in _fetch_robot_names(conversation, robot):
        found._robots |= {name.casefold(), (reference or "").casefold()} - {""}
    return found


def _fetch_identities(
    conversation: Conversation, wanted: set[str]
) -> dict[tuple[str, str], tuple[UUID, bool]]:
    """Whom each name means here, and whether that is confirmed, by (platform, identifier).

    It is the reading that wins (`by_weight`). Its member may be outside the conversation; then no
    other reading takes its place.
    """
    bare = {ref.partition(":")[2] or ref for ref in wanted}
    rows = (
        ExternalIdentity.objects.conferring()
        .filter(organisation_id=conversation.organisation_id, identifier__in=bare)
        .inside(conversation.group_id)
        .by_weight()
    )
    found: dict[tuple[str, str], tuple[UUID, bool]] = {}
    for row in rows.only("platform", "identifier", "member_id", "confirmed_at"):
        who = (row.member_id, row.confirmed_at is not None)
        found.setdefault((row.platform, row.identifier), who)
    return found


def _fetch_people(conversation: Conversation, ids: set[UUID], names: set[str]) -> dict[UUID, str]:
    """Name by id of the conversation's people with one of these ids or names.

    A statement of its own: joined with the identities it was planned badly and cost 40 times as
    much as everything else.
    """
    rows = _member_rows(conversation).annotate(folded=Lower("name"))
    folded = {name.casefold() for name in names}
    return dict(rows.filter(Q(id__in=ids) | Q(folded__in=folded)).values_list("id", "name"))


def _member_rows(conversation: Conversation) -> "QuerySet[Member]":
    if conversation.group:
        return group_members(conversation.group).filter(removed_at=None)
    return Member.objects.filter(
        organisation_id=conversation.organisation_id,
        id=conversation.member_id,  # type: ignore[misc]  # nobody: no rows
        removed_at=None,
    )


def _fetch_robot_names(
    conversation: Conversation, robot: Robot | None
) -> list[tuple[str, str | None]]:
    found = [(robot.name, robot.external_id)] if robot else []
    if conversation.group_id:
        seats = RobotGroup.objects.filter(
            organisation_id=conversation.organisation_id, group_id=conversation.group_id
        )
        found += seats.values_list("robot__name", "robot__external_id")
    return found
