"""Four roles and three visibilities: what the database lets through, what the pure rules of writing
say, and what the pages and the API do are one table (Z04)."""

from uuid import UUID

import pytest

from memories.access.visibility import (
    Visibility,
    WriteAccess,
    write_access,
)
from orgs.accounts.sessions import list_memberships
from orgs.errors import NotFoundError
from orgs.organisations.groups import set_confidential
from tests.page_client import make_signed_in_client
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("Z04")
PRIVATE, SHARED, GROUP = Visibility.PRIVATE, Visibility.ORGANISATION, Visibility.GROUP
ROLES = {"ada": "admin", "chidi": "curator", "bob": "member", "vera": "viewer"}
# By hand from the contract: reads a colleague's private row, the organisation's, and a group's
# that they are not in, closed and open.
READS = {
    "admin": (False, True, False, True),
    "curator": (False, True, False, True),
    "member": (False, True, False, False),
    "viewer": (False, True, False, False),
}
WRITES = {
    "admin": ("yes", "yes", "no", "yes"),
    "curator": ("yes", "yes", "no", "yes"),
    "member": ("yes", "propose", "no", "no"),
    "viewer": ("no", "no", "no", "no"),
}


def kept(here: Tenant) -> dict[Visibility, UUID]:
    """A row of each visibility by Mina, who alone sits in #design."""
    mina = here.person("mina")
    return {
        PRIVATE: here.remember(mina, "Mine.", visibility="private").id,
        SHARED: here.remember(here.person("ada"), "For all.", visibility="organisation").id,
        GROUP: here.remember(mina, "In design.", group="design").id,
    }


def open_design(here: Tenant) -> None:
    set_confidential(
        actor=here.person("ada"), group=here.groups["design"], confidential=False, now=NOW
    )


@pytest.mark.parametrize(("name", "role"), ROLES.items())
def test_reading(world: World, name: str, role: str) -> None:
    here = world.here
    rows, client, api = kept(here), make_signed_in_client(here, name), here.browser(name)

    def everywhere(visibility: Visibility) -> bool:
        id_ = rows[visibility]
        ways = {
            id_ in here.readable(here.person(name)),
            client.get(f"/memories/{id_}/").status_code == 200,
            api.get(f"/api/v1/memories/{id_}").status_code == 200,
        }
        assert len(ways) == 1
        return ways.pop()

    private, shared, closed, opened = READS[role]
    assert everywhere(PRIVATE) is private
    assert everywhere(SHARED) is shared
    assert everywhere(GROUP) is closed
    open_design(here)
    assert everywhere(GROUP) is opened


@pytest.mark.parametrize(("name", "role"), ROLES.items())
def test_writing(world: World, name: str, role: str) -> None:
    here = world.here
    outcomes = {"active": WriteAccess.YES, "pending_review": WriteAccess.PROPOSE}

    def wrote(content: str, **place: str) -> WriteAccess:
        try:
            return outcomes[here.remember(here.person(name), content, **place).status]
        except (PermissionError, NotFoundError):
            return WriteAccess.NO

    private, shared, closed, opened = WRITES[role]
    assert write_access(role, PRIVATE) == wrote("A.", visibility="private") == private
    assert write_access(role, SHARED) == wrote("B.", visibility="organisation") == shared
    assert write_access(role, GROUP) == wrote("C.", group="design") == closed
    open_design(here)
    wide = write_access(role, GROUP, confidential=False)
    assert wide == wrote("D.", group="design") == opened


@pytest.mark.parametrize("name", ROLES)
def test_the_organisations_that_one_sees(world: World, name: str) -> None:
    here, there = world.here, world.there
    user = here.members[name].user
    assert [o.id for _, o in list_memberships(user)] == [here.id]
    page = make_signed_in_client(here, name).get("/organisations/").content.decode()
    assert there.organisation.name not in page
    theirs = kept(there)[SHARED]
    assert make_signed_in_client(here, name).get(f"/memories/{theirs}/").status_code == 404
