"""What a personal robot may write for whom: as much as its owner (T26)."""

import pytest

from memories.access.permissions import WritePermission
from memories.access.visibility import Visibility, WriteAccess
from orgs.cohort_types import EVERY_INDUSTRY
from orgs.database.rls import organisation_scope
from orgs.models.audiences import AudienceType
from orgs.models.organisations import Group
from orgs.organisations.groups import add_to_group, remove_from_group
from tests.world import Tenant, World

YES, PROPOSE, NO = WriteAccess.YES, WriteAccess.PROPOSE, WriteAccess.NO
# What the owner's robot may do for everyone, in a group of theirs, in another group, for a list of
# readers, for a profession, for all professions.
WORKED = {
    "mina": [PROPOSE, YES, NO, YES, YES, PROPOSE],
    "vera": [NO, NO, NO, NO, NO, NO],
    "ada": [YES, YES, NO, YES, YES, YES],
}


def rights(here: Tenant, robot: str, outside: Group) -> list[WriteAccess]:
    actor, may = here.robot(robot), WritePermission(here.organisation)
    places = [
        (Visibility.ORGANISATION, None, ""),
        (Visibility.GROUP, here.groups["launch"], ""),
        (Visibility.GROUP, outside, ""),
        (Visibility.SHARED, None, ""),
        (Visibility.PERSONA, None, "qsr_real_estate"),
        (Visibility.INDUSTRY, None, EVERY_INDUSTRY),
    ]
    with organisation_scope(here.id):
        found = [may.of(actor, *place) for place in places]
        kinds = [
            AudienceType(str(visibility).replace("shared", "explicit")) for visibility, *_ in places
        ]
        again = [
            may.of_audience(actor, kind, group, key)
            for kind, (_, group, key) in zip(kinds, places, strict=True)
        ]
        assert again == found
        for alone in (Visibility.PRIVATE, Visibility.INTERNAL):
            assert may.of(actor, alone, None) is YES
    return found


@pytest.mark.conformance("T26")
@pytest.mark.parametrize("owner", WORKED)
def test_it_may_write_what_its_owner_may(world: World, owner: str) -> None:
    here = world.here
    here.add_robot("mine", groups=("launch", "design"), scopes=("read", "write"))
    assert rights(here, "mine", here.groups["design"]) == [YES] * 6, "it serves nobody yet"
    here.give_owner("mine", owner)
    launch, design, member = here.groups["launch"], here.groups["design"], here.members[owner]
    with organisation_scope(here.id):
        add_to_group(organisation_id=here.id, group_id=launch.id, member_ids=[member.id])
        remove_from_group(organisation_id=here.id, group_id=design.id, member_ids=[member.id])
    assert rights(here, "mine", here.groups["design"]) == WORKED[owner]


@pytest.mark.conformance("T26")
def test_where_members_publish_their_robots_do(world: World) -> None:
    here = world.here
    here.give_owner("bolt", "mina")
    here.organisation.members_publish = True
    assert rights(here, "bolt", here.groups["design"])[0] is YES
