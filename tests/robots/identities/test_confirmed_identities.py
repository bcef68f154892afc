"""What is confirmed wins over every other reading of a name, in every group (T23)."""

from typing import Any
from uuid import UUID

import pytest

from memories.ingestion.file_import.import_lines import ImportLine, parse_line
from memories.ingestion.file_import.import_people import ImportPeople
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.invitations import create_member
from orgs.models.memberships import ExternalIdentity, Member
from orgs.organisations.groups import add_to_group
from orgs.organisations.references import get_member, link_identity
from robots.access.acting_for_members import resolve_actor
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T23")

NAME = "slack:U1"


def guest(tenant: Tenant, name: str = "Lena", group: str = "launch") -> Member:
    """Somebody without an account, in the group."""
    with organisation_scope(tenant.id):
        member, _ = create_member(organisation_id=tenant.id, name=name, now=NOW)
        add_to_group(
            organisation_id=tenant.id, group_id=tenant.groups[group].id, member_ids=[member.id]
        )
    return member


def link(tenant: Tenant, robot: str, member: Member, identity: str) -> Any:
    url = f"/api/v1/members/{member.id}/identities"
    return tenant.api(robot).post(url, {"identity": identity}, format="json")


def confirmed(tenant: Tenant, member: str, name: str = NAME) -> Member:
    platform, _, identifier = name.partition(":")
    link_identity(
        organisation_id=tenant.id,
        platform=platform,
        identifier=identifier,
        member_id=tenant.members[member].id,
        confirmed_at=NOW,
    )
    return tenant.members[member]


def said_by(tenant: Tenant, speaker: str, group: str = "launch") -> Any:
    """The answer to a message with this speaker, posted by a robot that acts for nobody."""
    client = tenant.api("aria")
    chat = client.post("/api/v1/conversations", {"group": group}, format="json").json()["id"]
    url = f"/api/v1/conversations/{chat}/messages"
    body = {"content": "the blue folder is lost", "speaker": speaker}
    kept = client.post(url, body, format="json").json()
    shown = client.get(url).json()["results"]
    return kept, next(one["member"] for one in shown if one["id"] == kept["id"])


@pytest.mark.parametrize("form", ["{external_id}/U1", "{id}/U1", "{name}/U1"])
def test_a_group_in_front_of_a_name_imitates_nobody(world: World, form: str) -> None:
    here, launch = world.here, world.here.groups["launch"]
    bob, lena = confirmed(here, "bob"), guest(here)
    here.add_robot("carl", groups=("launch",), scopes=("read", "write"))
    forged = form.format(external_id=launch.external_id, id=launch.id, name=launch.name)
    assert link(here, "carl", lena, f"slack:{forged}").status_code in (201, 400)
    _, member = said_by(here, NAME)
    assert member["id"] == str(bob.id)
    acting = resolve_actor(here.robot("aria"), member=NAME, group="launch")
    assert acting.member_id == bob.id
    with organisation_scope(here.id):
        assert get_member(here.id, NAME, launch).id == bob.id
    body = {"content": "A gift for you.", "member": NAME, "group": "launch"}
    body |= {"visibility": "private"}
    given = here.api("aria").post("/api/v1/memories", body, format="json")
    assert given.status_code == 201, given.content
    reads = here.readable(here.person("bob"))
    assert UUID(given.json()["id"]) in reads


def test_who_has_paused_is_not_passed_by(world: World) -> None:
    here = world.here
    confirmed(here, "bob")
    lena = guest(here)
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["bob"].id).update(learning_paused_at=NOW)
    link(here, "aria", lena, "slack:launch/U1")
    kept, _ = said_by(here, NAME)
    assert (kept["memory"], kept["reason"]) == (None, "learning-paused")


def of_the_group(tenant: Tenant, member: Member, *, confirm: bool = False) -> None:
    """The same name, known in #launch alone, as an import with --speaker-scope group notes it."""
    link_identity(
        organisation_id=tenant.id,
        platform="slack",
        identifier="U1",
        member_id=member.id,
        group_id=tenant.groups["launch"].id,
        confirmed_at=NOW if confirm else None,
    )


@pytest.mark.parametrize("elsewhere", [False, True])
def test_confirmed_wins_over_what_an_import_says_of_a_group(world: World, elsewhere: bool) -> None:
    """Also where the confirmed one is not of the group: then it is nobody there."""
    here, lena = world.here, guest(world.here)
    of_the_group(here, lena)
    who = confirmed(here, "ada" if elsewhere else "bob")
    wanted = None if elsewhere else str(who.id)
    _, member = said_by(here, NAME)
    assert (member and member["id"]) == wanted
    if elsewhere:
        with pytest.raises(NotFoundError):
            resolve_actor(here.robot("aria"), member=NAME, group="launch")
    else:
        assert resolve_actor(here.robot("aria"), member=NAME, group="launch").member_id == who.id
    with organisation_scope(here.id):
        assert get_member(here.id, NAME, here.groups["launch"]).id == who.id


def test_a_name_of_a_group_is_for_that_group_alone(world: World) -> None:
    here, lena = world.here, guest(world.here)
    other = guest(here, "Otto", "design")
    of_the_group(here, lena)
    link_identity(organisation_id=here.id, platform="slack", identifier="U1", member_id=other.id)
    assert said_by(here, NAME)[1]["id"] == str(lena.id), "unconfirmed both: the nearer wins"
    assert said_by(here, NAME, "design")[1]["id"] == str(other.id)
    with organisation_scope(here.id):
        assert get_member(here.id, NAME).id == other.id
        with pytest.raises(NotFoundError):
            get_member(here.id, "slack:launch/U1")
    assert resolve_actor(here.robot("aria"), member=NAME, group="launch").member_id == lena.id
    assert resolve_actor(here.robot("aria"), member=NAME, group="design").member_id == other.id


def test_two_confirmed_ones_the_nearer_wins(world: World) -> None:
    here, lena = world.here, guest(world.here)
    confirmed(here, "bob")
    of_the_group(here, lena, confirm=True)
    assert said_by(here, NAME)[1]["id"] == str(lena.id)
    assert resolve_actor(here.robot("aria"), member=NAME, group="launch").member_id == lena.id


def test_what_is_claimed_of_an_account_opens_nothing_in_a_group(world: World) -> None:
    here, bob = world.here, world.here.members["bob"]
    of_the_group(here, bob)
    assert said_by(here, NAME)[1] is None
    with pytest.raises(NotFoundError):
        resolve_actor(here.robot("aria"), member=NAME, group="launch")


@pytest.mark.parametrize(
    "identity",
    [
        "urn:uuid:01990000-0000-7000-8000-00000000beef",
        "uuid:0199000000007000800000000000beef",
        "slack:U1\u200b",
        "slack:\u202eU1",
        "sl\u200back:U1",
        "slack: U1",
        "sl ack:U1",
        "slack:U1\u2066",
    ],
)
def test_an_identity_that_looks_like_another_or_like_an_id_is_refused(
    world: World, identity: str
) -> None:
    here, lena = world.here, guest(world.here)
    answer = link(here, "aria", lena, identity)
    assert answer.status_code == 400, answer.content
    here.add_robot("dora", scopes=("read", "write", "manage"))
    body = {"name": "Someone", "identity": identity}
    assert here.api("dora").post("/api/v1/members", body, format="json").status_code == 400
    with organisation_scope(here.id):
        assert not ExternalIdentity.objects.exists()


def test_a_robots_own_name_for_somebody_is_no_id(world: World) -> None:
    here, lena = world.here, guest(world.here)
    url = f"/api/v1/members/{lena.id}/identities"
    body = {"identity": "irc:l", "known_as": str(here.members["ada"].id)}
    assert here.api("aria").post(url, body, format="json").status_code == 400


def test_names_of_imports_are_given_by_imports(world: World) -> None:
    """A plain key could else say whom the next import of a file puts its lines down to."""
    here, lena = world.here, guest(world.here)
    assert link(here, "aria", lena, "import:Bob").status_code == 403
    assert (
        here.browser("ada")
        .post(f"/api/v1/members/{lena.id}/identities", {"identity": "import:Bob"}, format="json")
        .status_code
        == 201
    )


def line(**fields: Any) -> ImportLine:
    import orjson

    return parse_line(1, orjson.dumps({"id": "1", "text": "x", **fields}))


def test_an_import_by_group_keeps_names_apart_without_a_prefix(world: World) -> None:
    here = world.here
    cast = ImportPeople(here.organisation, NOW, by_group=True, groups=frozenset())
    with organisation_scope(here.id):
        cast.seat(line(group="a", speaker="Sam"))
        cast.seat(line(group="b", speaker="Sam"))
        cast.seat(line(speaker="a/Sam"))
        rows = {
            (row.group.external_id if row.group else None, row.identifier): row.member_id
            for row in ExternalIdentity.objects.select_related("group")
        }
    assert set(rows) == {("a", "Sam"), ("b", "Sam"), (None, "a/Sam")}
    assert len(set(rows.values())) == 3
