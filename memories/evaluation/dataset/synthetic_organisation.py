"""The generated world as an organisation of the running database, during the measurement.

People, groups and audiences are created in bulk, because their time is not measured. Everything
runs in the role of the application, in scopes like any other organisation's.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memories.evaluation.dataset.generator import GeneratedMessage, SyntheticData
from memories.evaluation.dataset.scenarios import (
    FOR_MEMBER,
    OUTSIDE_GROUPS,
    SHAREABLE,
    EvaluationQuestion,
)
from memories.ingestion.drafts import Draft, MessagePlacement
from memories.retrieval.resolve_filters import Query
from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience, AudienceType
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership, Organisation
from orgs.organisations.audience_rows import ensure_explicit_audience
from orgs.organisations.organisation_removal import remove_organisation
from orgs.organisations.organisations import create_organisation
from orgs.principals import Actor
from robots.models.robots import Robot
from robots.registry.robots import add_robot_to_groups, ensure_robot

ORGANISATION_NAME = "Architectures compared"
SCOPES = frozenset({"read", "write", "act_for"})
_VISIBILITY = {AudienceType.GROUP: "group", AudienceType.EXPLICIT: "protected"}


@dataclass(slots=True)
class SyntheticOrganisation:
    """The organisation of a world: ids by number, and the robot that is in every group."""

    world: SyntheticData
    organisation: Organisation
    robot: Robot
    members: list[UUID] = field(default_factory=list)
    groups: list[UUID] = field(default_factory=list)
    audiences: dict[tuple[int, tuple[int, ...] | None], UUID] = field(default_factory=dict)

    @property
    def id(self) -> UUID:
        return self.organisation.id

    @property
    def scribe(self) -> Actor:
        """The robot as an actor that acts for nobody."""
        return Actor(
            organisation_id=self.id, robot_id=self.robot.id, scopes=SCOPES, name=self.robot.name
        )

    def actor(self, asked: EvaluationQuestion) -> Actor:
        """The actor who asks a question."""
        if asked.way in (SHAREABLE, FOR_MEMBER):
            return self.scribe
        member = self.members[asked.member]
        return Actor(organisation_id=self.id, member_id=member, role="member")

    def query(self, asked: EvaluationQuestion, *, strategy: str, limit: int) -> Query:
        """The recall of a question; it does not count as access."""
        group, member, shareable = str(self.groups[asked.group]), None, None
        if asked.way == FOR_MEMBER:
            member = str(self.members[asked.member])
        elif asked.way == SHAREABLE:
            shareable = group
        return Query(
            text=asked.text,
            limit=limit,
            group=None if asked.way == OUTSIDE_GROUPS else group,
            member=member,
            shareable_with=shareable,
            strategy=strategy,
            counts=False,
        )

    def draft(self, message: GeneratedMessage) -> Draft:
        """The draft of a message's memory, for the readers of the message."""
        kind = AudienceType.GROUP if message.readers is None else AudienceType.EXPLICIT
        source = {"message": message.key}
        if message.reply_to:
            source["reply_to"] = message.reply_to
        return Draft(
            content=message.text,
            group=str(self.groups[message.group]),
            visibility=_VISIBILITY[kind],
            kind=message.kind,
            type=message.type,
            key=message.key,
            occurred_at=message.at,
            source=source,
            heard=MessagePlacement(
                audience_id=self.audiences[(message.group, message.readers)],
                audience_kind=kind,
                speaker=self.world.names[message.speaker],
                speaker_id=self.members[message.speaker],
                listeners=tuple(self.members[n] for n in message.listeners),
                subject=None if message.kind == "group" else self.members[message.speaker],
            ),
        )


@contextmanager
def temporary_organisation(
    world: SyntheticData, *, now: datetime
) -> Iterator[SyntheticOrganisation]:
    """Create an organisation for this world; it is removed with all its rows at the end of the
    block."""
    slug = f"comparison-{new_id().hex}"
    organisation = create_organisation(name=ORGANISATION_NAME, slug=slug, now=now)
    try:
        yield _create_contents(world, organisation, now)
    finally:
        remove_organisation(organisation.id, now=timezone.now())


def _create_contents(
    world: SyntheticData, organisation: Organisation, now: datetime
) -> SyntheticOrganisation:
    with organisation_scope(organisation.id):
        robot, _ = ensure_robot(organisation_id=organisation.id, name="Listener", now=now)
        place = SyntheticOrganisation(world, organisation, robot)
        _create_members(place, now)
        _create_groups(place, now)
        add_robot_to_groups(
            organisation_id=organisation.id, robot_id=robot.id, group_ids=place.groups
        )
    return place


def _create_members(place: SyntheticOrganisation, now: datetime) -> None:
    organisation = {"organisation_id": place.id}
    rows = [Member(**organisation, name=name, created_at=now) for name in place.world.names]
    Member.objects.bulk_create(rows, batch_size=2_000)
    place.members = [row.id for row in rows]
    Audience.objects.bulk_create(
        [Audience(**organisation, kind=AudienceType.MEMBER, key=str(id_)) for id_ in place.members],
        batch_size=2_000,
    )


def _create_groups(place: SyntheticOrganisation, now: datetime) -> None:
    organisation, seats = {"organisation_id": place.id}, place.world.seats
    rows = [
        Group(**organisation, external_id=f"group-{n}", name=f"Group {n}", created_at=now)
        for n in range(len(seats))
    ]
    Group.objects.bulk_create(rows)
    place.groups = [row.id for row in rows]
    audiences = [
        Audience(**organisation, kind=AudienceType.GROUP, key=str(id_), group_id=id_)
        for id_ in place.groups
    ]
    Audience.objects.bulk_create(audiences)
    place.audiences = {(n, None): row.id for n, row in enumerate(audiences)}
    GroupMembership.objects.bulk_create(
        [
            GroupMembership(**organisation, group_id=id_, member_id=place.members[member])
            for id_, members in zip(place.groups, seats, strict=True)
            for member in members
        ],
        batch_size=2_000,
    )


def ensure_message_audiences(
    place: SyntheticOrganisation, messages: Sequence[GeneratedMessage]
) -> None:
    """Create the explicit audiences that these messages need: the members and the robot."""
    with organisation_scope(place.id):
        for message in messages:
            name = (message.group, message.readers)
            if name in place.audiences or message.readers is None:
                continue
            place.audiences[name] = ensure_explicit_audience(
                place.id,
                [
                    ("robot", place.robot.id),
                    *(("member", place.members[number]) for number in message.readers),
                ],
                place.groups[message.group],
            )


def set_projections(place: SyntheticOrganisation, projections: Sequence[str]) -> None:
    """Switch on exactly these projections for the organisation."""
    with organisation_scope(place.id):
        Organisation.objects.filter(id=place.id).update(projections=list(projections))


def get_projections(place: SyntheticOrganisation) -> list[str]:
    """The projections that the organisation keeps."""
    with organisation_scope(place.id):
        rows = Organisation.objects.values_list("projections", flat=True)
        found: list[str] = rows.get(id=place.id)
        return found
