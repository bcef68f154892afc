"""A copy that is kept by the feed of changes equals a fresh list (N27)."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.access.permissions import ChangeForbiddenError
from memories.access.references import ReaderReferences
from memories.access.visibility import MemoryRequestError
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.privacy.erase_memory import erase_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.memberships import Role
from orgs.organisations.groups import add_to_group, remove_from_group
from orgs.principals import Actor, resolve_principal
from robots.registry.robots import add_robot_to_groups, remove_robot_from_group
from tests.isolation.forgery import all_audiences_scope
from tests.memories.library.changes.memory_copy import MemoryCopy, fresh_list
from tests.sampling import run_seed
from tests.world import Tenant, World

# What somebody may not do is no act.
REFUSED = (
    ChangeForbiddenError,
    MemoryRequestError,
    AlreadyExistsError,
    NotFoundError,
    PermissionError,
)
PEOPLE, ROBOTS = ("ada", "chidi", "mina", "bob"), ("aria", "bolt", "clio")
COPIES = ("ada", "chidi", "mina", "bob", "vera", "aria", "bolt", "clio")
GROUPS = ("launch", "design")


@dataclass
class Acts:
    """Random acts of several people and robots, and the time that they take."""

    here: Tenant
    lot: random.Random
    now: datetime = field(default_factory=timezone.now)
    ids: list[UUID] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    number: int = 0

    def actor(self) -> Actor:
        name = self.lot.choice([*PEOPLE, *ROBOTS])
        return self.actor_of(name)

    def actor_of(self, name: str) -> Actor:
        return self.here.robot(name) if name in ROBOTS else self.here.person(name)

    def some(self) -> UUID:
        """A memory, more often one of the last."""
        if not self.ids:
            raise NotFoundError
        back = int(self.lot.expovariate(1 / 30)) + 1
        return self.ids[-min(back, len(self.ids))]

    def act(self) -> None:
        """One act that succeeds."""
        weights: dict[Callable[[], Any], int] = {
            self.remember: 30,
            self.edit: 14,
            self.share: 14,
            self.forget: 8,
            self.restore: 8,
            self.archive: 5,
            self.erase: 5,
            self.supersede: 4,
            self.leave: 4,
            self.join: 6,
            self.open_or_close: 2,
        }
        acts, shares = [*weights], [*weights.values()]
        while True:
            self.now += timedelta(seconds=self.lot.randint(1, 60))
            (one,) = self.lot.choices(acts, shares)
            try:
                one()
            except REFUSED:
                continue
            self.done[one.__name__] += 1
            return

    def visibility(self) -> dict[str, Any]:
        other = self.lot.choice([n for n in PEOPLE if n != "ada"])
        readers = ReaderReferences(members=(str(self.here.members[other].id),))
        return self.lot.choice(
            [
                {"visibility": "organisation"},
                {"visibility": "private"},
                {"visibility": "group", "group": self.lot.choice(GROUPS)},
                {"visibility": "group", "group": self.lot.choice(GROUPS)},
                {"visibility": "shared", "readers": readers},
            ]
        )

    def remember(self) -> None:
        self.number += 1
        again = self.lot.random() < 0.1
        number = self.lot.randint(1, self.number) if again else self.number
        ends = timedelta(minutes=self.lot.randint(1, 60)) if self.lot.random() < 0.2 else None
        made = remember(
            self.actor(),
            Draft(
                content=f"The {number}th thing that somebody found out.",
                expires_at=self.now + ends if ends else None,
                **self.visibility(),
            ),
            now=self.now,
        )
        self.ids.append(made.id)

    def edit(self) -> None:
        changes = self.lot.choice(
            [
                {"content": f"Said anew, {self.lot.random()}."},
                {"tags": ["org:changed"]},
                {"importance": round(self.lot.random(), 2)},
                {"expires_at": self.now + timedelta(minutes=self.lot.randint(-5, 60))},
                {"expires_at": None},
                {"metadata": {"number": self.lot.random()}},
            ]
        )
        edit_memory(self.actor(), self.some(), changes, now=self.now)

    def share(self) -> None:
        given = self.visibility()
        readers = given.get("readers")
        share_memory(
            self.actor(),
            self.some(),
            visibility=given["visibility"],
            readers={"members": readers.members} if readers else {},
            group=given.get("group"),
            now=self.now,
        )

    def forget(self) -> None:
        forget_memory(self.actor(), self.some(), now=self.now)

    def restore(self) -> None:
        with all_audiences_scope(self.here):
            away = Memory.objects.filter(status__in=("forgotten", "archived"))
            ids = list(away.order_by("id").values_list("id", flat=True))
        if not ids:
            raise NotFoundError
        restore_memory(self.actor(), self.lot.choice(ids), now=self.now)

    def archive(self) -> None:
        archive_memory(self.actor(), self.some(), now=self.now)

    def erase(self) -> None:
        id_ = self.some()
        erase_memory(self.actor(), id_, confirm=str(id_), now=self.now)

    def supersede(self) -> None:
        edit_memory(self.actor(), self.some(), {"supersedes": [self.some()]}, now=self.now)

    def leave(self) -> None:
        organisation, group = self.here.id, self.here.groups[self.lot.choice(GROUPS)].id
        if self.lot.random() < 0.3:
            robot = self.here.robots[self.lot.choice(ROBOTS)].id
            remove_robot_from_group(organisation_id=organisation, robot_id=robot, group_id=group)
        else:
            member = self.here.members[self.lot.choice(PEOPLE)].id
            remove_from_group(organisation_id=organisation, group_id=group, member_ids=[member])

    def join(self) -> None:
        organisation, group = self.here.id, self.here.groups[self.lot.choice(GROUPS)].id
        if self.lot.random() < 0.3:
            robot = self.here.robots[self.lot.choice(ROBOTS)].id
            add_robot_to_groups(organisation_id=organisation, robot_id=robot, group_ids=[group])
        else:
            member = self.here.members[self.lot.choice(PEOPLE)].id
            add_to_group(organisation_id=organisation, group_id=group, member_ids=[member])

    def open_or_close(self) -> None:
        """A group is confidential or not; a curator becomes a member or one again."""
        with organisation_scope(self.here.id):
            if self.lot.random() < 0.5:
                group = self.here.groups[self.lot.choice(GROUPS)]
                group.confidential = not group.confidential
                group.save(update_fields=["confidential"])
            else:
                chidi = self.here.members["chidi"]
                chidi.role = Role.MEMBER if chidi.role == Role.CURATOR else Role.CURATOR
                chidi.save(update_fields=["role"])


def readable_by(here: Tenant, actors: dict[str, Actor]) -> dict[str, set[UUID]]:
    """What the database shows to each of them, by what they may read now."""
    with all_audiences_scope(here):
        rows = list(Memory.objects.values_list("id", "audience_id"))
    found = {}
    for name, actor in actors.items():
        audiences = resolve_principal(actor).audiences
        found[name] = {id_ for id_, audience in rows if audience in audiences}
    return found


@pytest.mark.conformance("N27")
@pytest.mark.timeout(560)
@pytest.mark.parametrize("number", [120, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_copy_equals_a_fresh_list_after_random_acts(
    lasting_world: World, request: pytest.FixtureRequest, number: int
) -> None:
    lot = random.Random(run_seed(request))  # noqa: S311 - which acts
    acts = Acts(lasting_world.here, lot)
    copies = {name: MemoryCopy(acts.actor_of(name)) for name in COPIES}
    could_read: dict[str, set[UUID]] = {name: set() for name in COPIES}
    compared = 0
    for done in range(1, number + 1):
        acts.act()
        # Rights may have changed, so the askers are who they are now.
        actors = {name: acts.actor_of(name) for name in COPIES}
        for name, seen in readable_by(acts.here, actors).items():
            could_read[name] |= seen
            copies[name].who = actors[name]
        chosen = lot.choice(COPIES)
        if lot.random() < 0.5:
            copies[chosen].read(acts.now, limit=lot.randint(1, 9))
        if done == number or done % 25 == 0:
            for name in COPIES if done == number else [chosen]:
                copies[name].catch_up(acts.now, limit=lot.randint(1, 60))
                assert copies[name].rows == fresh_list(actors[name], acts.now), (name, done)
                compared += 1
    assert sum(acts.done.values()) == number
    assert compared > number // 25
    if number == 1_000:
        assert len(acts.done) == 11, acts.done
    for name, copy in copies.items():
        assert copy.told <= could_read[name], "a line is of what its reader could read"
