"""Names that could be taken for others are refused, with what they collide with (T23)."""

from typing import Any
from unittest.mock import patch

import pytest

from orgs.database.rls import organisation_scope
from orgs.errors import LookalikeNameError
from orgs.members.invitations import create_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from robots.models.robots import Robot
from robots.registry.robots import ensure_builtin_robot, ensure_robot
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T23")

# Each looks like "Aria Nova" to somebody who reads a page, or is it.
IMITATIONS = [
    "Aria Nova",
    "aria nova",
    "ARIA NOVA",
    "AriaNova",
    "Aria\u00a0 Nova",
    "Aria N\u043eva",
    "\u0391ria Nova",
    "Aria Nova\u200b",
    "Aria\u2060 Nova",
    "\u202eavoN airA",
    "\u2066Aria Nova\u2069",
    "Aria Nova\u00ad",
    "\uff21ria Nova",
    "Arla Nova".replace("l", "\u0456"),
    "\U0001d400ria Nova",
    "Aria N0va",
    "Aria Nova\ufe0f",
    "Aria Nova.",
    "Ar1a Nova",
    "\u00c0ria Nova",
    "Arla Nova",
]
HONEST = [
    "Анна Петрова",
    "Ελένη Παπαδοπούλου",
    "محمد علي",
    "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
    "王小明",
    "田中さんのBot",
    "東京タワー",
    "김철수",
    "अमित शर्मा",
    "שרה כהן",
    "O’Brien",
    "D'Artagnan-Лебедев",
    "Nguyễn Văn Á",
    "Straßer & Søn",
    "Bot 2 👩\u200d💻",
]
KINDS = ("robots", "groups", "members")


@pytest.fixture
def here(world: World) -> Tenant:
    world.here.add_robot("dora", groups=("launch",), scopes=("read", "write", "manage"))
    return world.here


def make(tenant: Tenant, kind: str, name: str, who: str = "ada", number: int = 0) -> Any:
    body = {"name": name}
    if kind == "groups":
        body["external_id"] = f"g-{number}-{abs(hash(name))}"
    client = tenant.browser(who) if who in tenant.members else tenant.api(who)
    return client.post(f"/api/v1/{kind}", body, format="json")


@pytest.mark.parametrize("kind", KINDS)
def test_imitations_are_refused_with_what_they_collide_with(here: Tenant, kind: str) -> None:
    assert make(here, kind, "Aria Nova").status_code == 201
    for number, name in enumerate(IMITATIONS, 1):
        answer = make(here, kind, name, number=number)
        assert answer.status_code in (400, 409), (name, answer.content)
        if answer.status_code == 409:
            assert "'Aria Nova'" in answer.json()["detail"]
        else:
            assert answer.json()["type"].endswith("unfit-name")


@pytest.mark.parametrize("kind", KINDS)
def test_honest_names_of_every_script_are_given(here: Tenant, kind: str) -> None:
    for number, name in enumerate(HONEST):
        answer = make(here, kind, name, number=number)
        assert answer.status_code == 201, (name, answer.content)
        assert answer.json()["name"] == name


@pytest.mark.parametrize(
    "name", ["web", "Web", "w\u0435b", "w\u200beb", "import", "actor", "ACTOR", "You"]
)
def test_words_of_the_product_are_kept(here: Tenant, name: str) -> None:
    assert make(here, "robots", name).status_code == 400
    itself = here.api("aria").patch(
        f"/api/v1/robots/{here.robots['aria'].id}", {"name": name}, format="json"
    )
    assert itself.status_code == 400


@pytest.mark.parametrize(
    "name", ["Only you", "only  YOU", "Everyone", "Everyone in {}", "Some people"]
)
def test_a_group_is_not_called_like_another_audience(here: Tenant, name: str) -> None:
    """A page would say that only you can read what the whole group reads."""
    assert make(here, "groups", name.format(here.organisation.name)).status_code == 400
    url = "/api/v1/groups/launch"
    renamed = here.api("dora").patch(
        url, {"name": name.format(here.organisation.name)}, format="json"
    )
    assert renamed.status_code == 400


def test_who_registers_robots(here: Tenant) -> None:
    told = {
        who: make(here, "robots", f"New {who}", who).status_code
        for who in ("ada", "dora", "aria", "bolt", "chidi", "mina", "bob", "vera")
    }
    assert told == {
        "ada": 201, "dora": 201,
        "aria": 403, "bolt": 403, "chidi": 403, "mina": 403, "bob": 403, "vera": 403,
    }  # fmt: skip
    with organisation_scope(here.id):
        noted = AuditEntry.objects.filter(action="robot.registered").values_list(
            "target", flat=True
        )
        made = Robot.objects.filter(name__startswith="New ").values_list("id", flat=True)
        assert set(noted) == set(made)
        assert len(made) == 2


def test_an_id_of_a_robot_is_not_another_robot(here: Tenant) -> None:
    """Ids win, and are written in one way."""
    bolt = here.robots["bolt"]
    for written in (str(bolt.id).upper(), f"{{{bolt.id}}}", f"urn:uuid:{bolt.id}", bolt.id.hex):
        body = {"id": written, "name": "Impostor"}
        answer = here.browser("ada").post("/api/v1/robots", body, format="json")
        assert answer.status_code == 400, written
    with organisation_scope(here.id):
        Robot.objects.filter(id=here.robots["clio"].id).update(external_id=str(bolt.id))
    assert here.api("aria").get(f"/api/v1/robots/{bolt.id}").json()["name"] == "bolt"


@pytest.mark.conformance("T28")
def test_hidden_groups_collide_with_nothing_and_members_do(here: Tenant) -> None:
    """Dora sits in #launch alone, so what #design is called stays unknown to her. A key that
    manages lists every member: it makes no second Vera, whose words would pass for the first's."""
    hidden = make(here, "groups", "#design", "dora", 1)
    fresh = make(here, "groups", "#nothing", "dora", 2)
    assert (hidden.status_code, fresh.status_code) == (201, 201)
    assert make(here, "groups", "#launch", "dora", 3).status_code == 409
    assert make(here, "members", "Vera", "dora").status_code == 409
    assert make(here, "members", "V\u0435ra", "dora").status_code == 400, "with a Cyrillic letter"
    assert make(here, "members", "Mina", "dora").status_code == 409
    assert make(here, "members", "Vera", "ada").status_code == 409


def test_renaming_is_giving_a_name(here: Tenant) -> None:
    own = f"/api/v1/robots/{here.robots['aria'].id}"
    assert here.api("aria").patch(own, {"name": "Aria"}, format="json").status_code == 200
    assert here.api("aria").patch(own, {"name": "b\u043elt"}, format="json").status_code == 400
    assert here.api("aria").patch(own, {"name": "BOLT"}, format="json").status_code == 409
    assert make(here, "groups", "Plans").status_code == 201
    body = {"name": "P1ans"}
    answer = here.browser("ada").get("/api/v1/groups").json()["results"]
    (plans,) = [one["id"] for one in answer if one["name"] == "Plans"]
    other = make(here, "groups", "Other", number=9).json()["id"]
    url = f"/api/v1/groups/{other}"
    assert here.browser("ada").patch(url, body, format="json").status_code == 409
    same = here.browser("ada").patch(f"/api/v1/groups/{plans}", body, format="json")
    assert same.status_code == 200, "its own name is no collision"


def test_pages_say_it_beside_the_field(here: Tenant) -> None:
    ada = make_signed_in_client(here, "ada")
    page = response_text(ada.get("/robots/"))
    once = page.split('name="once" value="')[1].split('"')[0]
    refused = ada.post("/robots/add/", {"once": once, "name": "Bo\u029ft", "purpose": ""})
    assert refused.status_code in (302, 422)
    refused = ada.post("/robots/add/", {"once": once, "name": "BOLT", "purpose": ""})
    assert refused.status_code == 422
    assert "could be taken for" in response_text(refused)
    invited = ada.post(
        "/people/invitations/add/", {"email": "x@y.example", "name": "Min\u0430", "role": "member"}
    )
    assert invited.status_code == 422, invited.status_code
    assert "mixes letters" in response_text(invited)
    with organisation_scope(here.id):
        assert not Member.objects.filter(user__email="x@y.example").exists()
    group = ada.post("/people/groups/add/", {"name": "Only you", "confidential": "on"})
    assert group.status_code == 422


def test_an_invitation_without_a_name_finds_one(here: Tenant) -> None:
    ada = make_signed_in_client(here, "ada")
    for address in ("mina@elsewhere.example", "you@elsewhere.example"):
        sent = ada.post(
            "/people/invitations/add/", {"email": address, "name": "", "role": "member"}
        )
        assert sent.status_code == 200
        with organisation_scope(here.id):
            assert Member.objects.get(user__email=address).name == address


def test_names_are_given_one_after_the_other(here: Tenant) -> None:
    """Whoever looks holds the turn until the name is written."""
    seen: list[str] = []
    with patch(
        "orgs.members.invitations.acquire_advisory_lock", lambda _o, what: seen.append(what)
    ):
        create_member(organisation_id=here.id, name="Zoë", beside=Member.objects.all(), now=NOW)
    with patch("robots.registry.robots.acquire_advisory_lock", lambda _o, what: seen.append(what)):
        ensure_robot(organisation_id=here.id, name="Zed", now=NOW)
    assert seen == ["member", "robot"]
    with pytest.raises(LookalikeNameError):
        ensure_robot(organisation_id=here.id, name="zed", now=NOW)
    with organisation_scope(here.id):
        assert ensure_builtin_robot(here.id, "web", NOW).name == "web"
