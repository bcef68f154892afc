"""The sheet of an audience: for who reads there, and the same as that of what lies in it."""

import re
from uuid import uuid4

import pytest

from memories.access.reader_list.reader_list import list_audience_readers, list_memory_readers
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.principals import resolve_principal
from tests.memories.access.test_readers import crowd
from tests.page_client import make_signed_in_client, response_text
from tests.sampling import sample_slice
from tests.world import PEOPLE, World

pytestmark = pytest.mark.conformance("W16")
TOLD = {"organisation": "Here", "most": 50}


def test_who_reads_an_audience_sees_its_sheet_and_nobody_else(
    world: World, request: pytest.FixtureRequest
) -> None:
    """For half of the people, which the seed of the run draws."""
    here = world.here
    crowd(here)
    aria, mina = here.robot("aria"), here.person("mina")
    here.remember(aria, "For everyone.")
    here.remember(aria, "For the launch.", group="launch")
    here.remember(mina, "For her alone.", visibility="private")
    here.remember(aria, "A note of robots.", visibility="internal")
    with organisation_scope(here.id):
        every = {one.id: one.kind for one in Audience.objects.all()}
    with scope(Scope(here.id, tuple(every))):
        there = dict(Memory.objects.for_people().values_list("audience_id", "id"))
    with organisation_scope(world.there.id):
        others = list(Audience.objects.values_list("id", flat=True))
    for name in [*PEOPLE][sample_slice(request, 2)]:
        principal, client = resolve_principal(here.person(name)), make_signed_in_client(here, name)
        for audience_id, kind in every.items():
            reads = audience_id in principal.audiences
            told = reads and kind not in (AudienceType.ROBOT, AudienceType.TEAM)
            page = client.get(f"/readers/{audience_id}/")
            assert (page.status_code == 200) is told, (name, kind)
            if told and audience_id in there:
                alone = list_audience_readers(principal.actor, audience_id, **TOLD)
                of_memory = list_memory_readers(principal.actor, there[audience_id], **TOLD)
                assert alone.audience == of_memory.audience
                assert [(one.name, one.count) for one in alone.parts] == [
                    (one.name, one.count) for one in of_memory.parts
                ]
        for audience_id in (*others, uuid4()):
            assert client.get(f"/readers/{audience_id}/").status_code == 404


def test_a_robot_alone_is_no_reader_that_is_told(world: World) -> None:
    robot = resolve_principal(world.here.robot("aria"))
    with pytest.raises(NotFoundError):
        list_audience_readers(robot.actor, robot.own_audience, **TOLD)


def test_the_sheet_is_a_page_and_a_fragment(world: World) -> None:
    here = world.here
    organisation = resolve_principal(here.person("mina")).organisation_audience
    client = make_signed_in_client(here, "mina")
    page, part = (
        response_text(client.get(f"/readers/{organisation}/", headers=headers))
        for headers in ({}, {"HX-Request": "true"})
    )
    assert "<html" in page
    assert "<html" not in part
    names = [re.findall(r'class="sheet-name">([^<]+)<', one) for one in (page, part)]
    assert names[0] == names[1]
    assert "You" in names[0]
