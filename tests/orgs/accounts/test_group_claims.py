"""Groups by a claim: who signs on sits in the mapped groups that the provider names."""

import json
import logging
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone

from config.settings.accounts import parse_groups
from orgs.database.rls import organisation_scope
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.models.organisations import Group, GroupMembership
from orgs.organisations.groups import create_group
from orgs.organisations.suspension import set_suspended
from tests.orgs.accounts.test_second_step import code
from tests.orgs.accounts.test_single_sign_on import configured, sign_on
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T17")
__all__ = ["configured"]


@pytest.fixture(autouse=True)
def mapped(world: World, settings: Any) -> dict[str, Any]:
    """The provider's "eng" is #launch, its "/org/design" #design; both are "all"."""
    slug = world.here.organisation.slug
    given = {
        "eng": f"{slug}/launch",
        "/org/design": [f"{slug}/{world.here.groups['design'].id}"],
        "all": [f"{slug}/launch", f"{slug}/design"],
    }
    settings.OIDC_GROUPS = parse_groups(json.dumps(given))
    return given


def arrive(here: Tenant, name: str, **told: Any) -> Client:
    """Sign on as a member, with what the provider says beside."""
    client = Client()
    answer = sign_on(client, get_user(here, name).email, sub=f"{here.id}-{name}", **told)
    assert answer.status_code == 302
    return client


def groups_of(here: Tenant, name: str) -> set[str]:
    with organisation_scope(here.id):
        rows = GroupMembership.objects.filter(
            organisation_id=here.id, member_id=here.members[name].id
        )
        return set(rows.values_list("group__external_id", flat=True))


def entries(here: Tenant) -> list[AuditEntry]:
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(organisation_id=here.id, action="group.members")
        return list(rows.order_by("id"))


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        (["eng"], {"launch"}),
        (["/org/design", "unknown"], {"design"}),
        (["all"], {"launch", "design"}),
        (["ENG", "design", "launch"], set()),
        ([], set()),
    ],
)
@pytest.mark.parametrize("place", ["told", "id_token"])
def test_a_member_sits_where_the_claim_says(
    world: World, values: list[str], groups: set[str], place: str
) -> None:
    here = world.here
    for name in ("mina", "vera"):
        arrive(here, name, **{place: {"groups": values}})
        assert groups_of(here, name) == groups, name


def test_each_change_is_on_record_and_only_changes(world: World) -> None:
    here, mina = world.here, world.here.members["mina"]
    arrive(here, "mina", told={"groups": ["eng"]})
    arrive(here, "mina", told={"groups": ["eng"]})
    [entry] = entries(here)
    assert (entry.target, entry.member, entry.robot) == (here.groups["design"].id, None, None)
    assert entry.detail == {"added": [], "removed": [str(mina.id)], "provider": "sso"}
    arrive(here, "mina", told={"groups": ["all"]})
    assert entries(here)[-1].detail == {"added": [str(mina.id)], "removed": [], "provider": "sso"}
    page = response_text(make_signed_in_client(here, "ada").get("/audit/?action=group.members"))
    assert "The identity provider" in page


def test_what_it_takes_away_is_not_read_any_more(world: World) -> None:
    here = world.here
    text = "The zebra sale begins in May."
    here.remember(here.robot("aria"), text, group="design")
    client = arrive(here, "mina", told={"groups": ["all"]})
    assert text in response_text(client.get("/memories/"))
    arrive(here, "mina", told={"groups": ["eng"]})
    assert text not in response_text(client.get("/memories/"))
    # Vera comes in by the claim alone.
    client = arrive(here, "vera", told={"groups": []})
    assert text not in response_text(client.get("/memories/"))
    arrive(here, "vera", told={"groups": ["/org/design"]})
    assert text in response_text(client.get("/memories/"))


def test_other_groups_people_and_roles_stay(world: World, settings: Any) -> None:
    here, there = world.here, world.there
    given = {"eng": f"{here.organisation.slug}/launch", "far": f"{there.organisation.slug}/launch"}
    settings.OIDC_GROUPS = parse_groups(json.dumps(given))
    arrive(here, "mina", told={"groups": ["admins", "admin", "far"]})
    assert groups_of(here, "mina") == {"design"}, "#design is not mapped"
    assert groups_of(here, "bob") == {"launch"}, "somebody else"
    # Of an organisation that one does not belong to, no group; and nobody joins it.
    with organisation_scope(there.id):
        assert not Member.objects.filter(user=get_user(here, "mina")).exists()
        assert GroupMembership.objects.filter(organisation_id=there.id).count() == 3
    arrive(here, "ada", told={"groups": ["eng"]})
    with organisation_scope(here.id):
        roles = dict(Member.objects.filter(organisation_id=here.id).values_list("name", "role"))
    assert (roles["Ada"], roles["Mina"]) == (Role.ADMIN, Role.MEMBER)


def test_who_was_removed_or_has_not_joined_sits_nowhere(world: World) -> None:
    here, now = world.here, timezone.now()
    arrive(here, "mina")
    remove_member(here.person("ada"), member_id=here.members["mina"].id, now=now)
    before = groups_of(here, "mina")
    sign_on(Client(), get_user(here, "mina").email, sub=f"{here.id}-mina", told={"groups": ["all"]})
    assert groups_of(here, "mina") == before
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["vera"].id).update(joined_at=None)
    arrive(here, "vera", told={"groups": ["all"]})
    assert groups_of(here, "vera") == set()
    set_suspended(here.id, suspended=True, reason="", now=now)
    arrive(here, "bob", told={"groups": []})
    assert groups_of(here, "bob") == {"launch"}


def test_a_claim_that_is_missing_changes_nothing(world: World, settings: Any) -> None:
    here = world.here
    arrive(here, "mina", told={"roles": ["eng"]}, id_token={})
    assert groups_of(here, "mina") == {"launch", "design"}
    settings.OIDC_GROUPS_CLAIM = "https://id.example/roles"
    arrive(here, "mina", told={"groups": []}, id_token={"https://id.example/roles": ["eng"]})
    assert groups_of(here, "mina") == {"launch"}
    settings.OIDC_GROUPS = {}
    arrive(here, "mina", id_token={"https://id.example/roles": []})
    assert groups_of(here, "mina") == {"launch"}


def test_the_id_token_goes_before_userinfo(world: World) -> None:
    arrive(world.here, "mina", told={"groups": ["all"]}, id_token={"groups": ["eng"]})
    assert groups_of(world.here, "mina") == {"launch"}


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"groups": "eng"}, "no list"),
        ({"groups": {"eng": True}}, "no list"),
        ({"groups": ["eng", 7]}, "a list of something else than short texts"),
        ({"groups": ["eng", None]}, "a list of something else than short texts"),
        ({"groups": [["eng"]]}, "a list of something else than short texts"),
        ({"groups": ["eng", "x" * 1_001]}, "a list of something else than short texts"),
        ({"groups": ["eng"] * 10_000}, "a list of 10000, more than 1000"),
        ({"_claim_names": {"groups": "src1"}}, "too many for a token"),
    ],
)
def test_a_claim_that_is_no_list_of_texts_is_refused(
    world: World, told: dict[str, Any], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    here = world.here
    with caplog.at_level(logging.WARNING, logger="commonmind.accounts"):
        arrive(here, "mina", told=told)
    assert groups_of(here, "mina") == {"launch", "design"}
    [line] = [one for one in caplog.records if one.message == "groups-claim-refused"]
    assert reason in line.reason
    assert "eng" not in line.reason


def test_a_group_that_is_not_one_is_left_out_and_logged(
    world: World, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    here, slug = world.here, world.here.organisation.slug
    with organisation_scope(here.id):
        none = Group.objects.none()
        copy = create_group(
            organisation_id=here.id, external_id="launch", name="Copy", among=none, now=NOW
        )
    eng = [f"{slug}/launch", f"{slug}/gone", f"{slug}/design"]
    settings.OIDC_GROUPS = parse_groups(json.dumps({"eng": eng, "name": f"{slug}/#launch"}))
    with caplog.at_level(logging.WARNING, logger="commonmind.accounts"):
        arrive(here, "vera", told={"groups": ["eng", "name"]})
    assert groups_of(here, "vera") == {"design"}
    told = [one.reason for one in caplog.records if one.message == "mapped-group-unknown"]
    assert sorted(told) == [
        "OIDC_GROUPS names #launch, which 0 groups are called",
        "OIDC_GROUPS names gone, which 0 groups are called",
        "OIDC_GROUPS names launch, which 2 groups are called",
    ]
    # By its id it is one.
    settings.OIDC_GROUPS = parse_groups(json.dumps({"eng": f"{slug}/{copy.id}"}))
    arrive(here, "vera", told={"groups": ["eng"]})
    with organisation_scope(here.id):
        assert (
            GroupMembership.objects.filter(organisation_id=here.id, group_id=copy.id).count() == 1
        )


def test_before_the_second_step_nothing_changes(world: World) -> None:
    here = world.here
    arrive(here, "vera")
    secret = generate_totp_secret()
    TOTP.activate(get_user(here, "vera"), secret)
    client = arrive(here, "vera", told={"groups": ["eng"]})
    assert "_auth_user_id" not in client.session
    assert groups_of(here, "vera") == set()
    step = "/accounts/second-step/authenticate/"
    assert client.post(step, {"code": code(secret)}).status_code == 302
    assert groups_of(here, "vera") == {"launch"}


def test_a_password_changes_nothing(world: World) -> None:
    client = make_signed_in_client(world.here, "mina")
    assert client.get("/memories/").status_code == 200
    assert groups_of(world.here, "mina") == {"launch", "design"}


@pytest.mark.parametrize(
    "text",
    [
        "eng=acme/launch",
        "[]",
        '{"eng": "launch"}',
        '{"eng": "/launch"}',
        '{"eng": "acme/"}',
        '{"eng": 7}',
        '{"eng": [["acme/launch"]]}',
        "[" * 10_000,
    ],
)
def test_a_map_that_cannot_be_meant_stops_the_start(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="OIDC_GROUPS is a JSON object"):
        parse_groups(text)


def test_maps_as_an_environment_holds_them() -> None:
    assert parse_groups("") == parse_groups("{}") == {}
    assert parse_groups('{"CN=Eng,OU=x": "acme/team/eng", "b": ["acme/x", "other/y"]}') == {
        "CN=Eng,OU=x": [("acme", "team/eng")],
        "b": [("acme", "x"), ("other", "y")],
    }
