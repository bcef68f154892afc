"""Keys that are limited to groups and to networks."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.test import APIClient

from orgs.database.prepared_statements import fetch_pipelined
from orgs.database.rls import organisation_scope, pipelined_scope
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Group
from orgs.principals import fetch_as_actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.access.key_limits import MOST_REFUSALS, parse_networks
from robots.access.keys import KeyLimits, authenticate_key, create_key, parse_key
from robots.access.robot_call_scope import KeyRequest
from robots.errors import InvalidKeyLimitError
from robots.models.keys import Key
from robots.registry.robots import add_robot_to_groups, remove_robot_from_group
from tests.fast_path import FastPathSite
from tests.world import NOW, Tenant, World

API = "/api/v1"


def limited_key(here: Tenant, *groups: str, **more: Any) -> str:
    """A key of Aria that is limited to these groups. more: networks, scopes."""
    limits = KeyLimits(
        groups=sorted(here.groups[name].id for name in groups) or None,
        networks=more.get("networks"),
    )
    _, secret = create_key(
        organisation_id=here.id,
        robot_id=here.robots["aria"].id,
        scopes=more.get("scopes", ("read", "write", "act_for")),
        limits=limits,
        now=timezone.now(),
    )
    return secret


def limited(here: Tenant, *groups: str, **more: Any) -> APIClient:
    """A client with such a key."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {limited_key(here, *groups, **more)}")
    return client


def ask(client: APIClient, call: str, body: Any = None, **headers: Any) -> tuple[int, Any]:
    method, _, path = call.partition(" ")
    content = b"" if body is None else orjson.dumps(body)
    answer = client.generic(method, f"{API}{path}", content, "application/json", **headers)
    return answer.status_code, answer.json() if answer.content else None


def texts(client: APIClient, **more: Any) -> set[str]:
    status, found = ask(client, "POST /recall", {"query": "lantern", "limit": 50, **more})
    assert status == 200, found
    return {hit["content"] for hit in found["results"]}


@pytest.fixture
def here(world: World) -> Tenant:
    return furnish(world.here)


def furnish(here: Tenant) -> Tenant:
    """Aria sits in launch and in design; each kind of readers has one memory."""
    aria = here.robot("aria")
    here.remember(aria, "A lantern of everybody.")
    for group in ("launch", "design"):
        here.remember(aria, f"A lantern of {group}.", group=group)
    here.remember(aria, "A lantern of its own.", visibility="internal")
    here.add_team("pair", "aria", "bolt")
    here.remember(aria, "A lantern of the team.", visibility="team:pair")
    return here


def test_it_reads_what_is_in_its_groups_and_nothing_else(here: Tenant) -> None:
    launch, design = "A lantern of launch.", "A lantern of design."
    assert texts(here.api("aria")) >= {launch, design, "A lantern of everybody."}
    one, both = limited(here, "launch"), limited(here, "launch", "design")
    assert texts(one) == {launch}
    assert texts(one, group="launch") == {launch}
    assert texts(both) == {launch, design}
    status, listed = ask(one, "GET /memories")
    assert (status, [row["content"] for row in listed["results"]]) == (200, [launch])
    status, context = ask(one, "POST /context", {"query": "lantern"})
    assert status == 200
    told = orjson.dumps(context).decode()
    assert launch in told
    for other in ("everybody", "design", "its own", "the team"):
        assert f"lantern of {other}" not in told, other
    assert [group["name"] for group in ask(one, "GET /me")[1]["groups"]] == [
        here.groups["launch"].name
    ]
    assert ask(one, "GET /me")[1]["only_groups"] is True
    assert ask(here.api("aria"), "GET /me")[1]["only_groups"] is False


def test_a_robot_that_left_the_group_reads_nothing(here: Tenant) -> None:
    client = limited(here, "launch")
    seat = {"organisation_id": here.id, "robot_id": here.robots["aria"].id}
    with organisation_scope(here.id):
        remove_robot_from_group(**seat, group_id=here.groups["launch"].id)
    assert texts(client) == set()
    assert ask(client, "POST /recall", {"query": "lantern", "group": "launch"})[0] == 403
    assert ask(client, "POST /memories", {"content": "One more lantern."})[0] == 403
    with organisation_scope(here.id):
        add_robot_to_groups(**seat, group_ids=[here.groups["launch"].id])
    assert texts(client) == {"A lantern of launch."}


@pytest.mark.parametrize("group", ["design", "absent", "01990000-0000-7000-8000-00000000dead"])
def test_another_group_is_refused_whether_it_is_there_or_not(here: Tenant, group: str) -> None:
    client = limited(here, "launch")
    answers = [
        ask(client, "POST /recall", {"query": "lantern", "group": group}),
        ask(client, "POST /memories", {"content": "A new lantern.", "group": group}),
        ask(client, "POST /conversations", {"group": group}),
        ask(client, f"GET /memories?group={group}"),
        ask(client, "POST /tasks", {"content": "Light it.", "group": group}),
    ]
    for status, problem in answers:
        assert (status, problem["type"]) == (403, "urn:commonmind:problem:key-groups")
        assert "It opens nothing in another one." in problem["detail"]
    assert ask(here.api("aria"), "POST /recall", {"query": "lantern", "group": "design"})[0] == 200


def test_it_writes_into_its_one_group(here: Tenant) -> None:
    one, both = limited(here, "launch"), limited(here, "launch", "design")
    status, made = ask(one, "POST /memories", {"content": "A new lantern."})
    assert (status, made.get("audience", {}).get("kind")) == (201, "group"), made
    _, row = ask(here.api("aria"), f"GET /memories/{made['id']}")
    assert row["group"]["id"] == str(here.groups["launch"].id)
    status, problem = ask(both, "POST /memories", {"content": "Another lantern."})
    assert status == 403
    assert "Name one of them in `group`." in problem["detail"]
    assert ask(both, "POST /memories", {"content": "Another.", "group": "design"})[0] == 201
    status, chat = ask(one, "POST /conversations", {})
    assert (status, chat["group"]["id"]) == (201, str(here.groups["launch"].id)), chat
    said = {"content": "The lantern stands in the hall."}
    status, posted = ask(one, f"POST /conversations/{chat['id']}/messages", said)
    assert status == 201, posted
    assert ask(both, "POST /conversations", {})[0] == 403
    mina = str(here.members["mina"].id)
    kept = {"content": "Mina likes the lantern.", "member": mina, "visibility": "protected"}
    status, made = ask(one, "POST /memories", kept)
    assert status == 201, made


@pytest.mark.parametrize(
    "visibility", ["organisation", "internal", "private", "team:pair", "persona:engineer"]
)
def test_it_writes_for_nobody_else(here: Tenant, visibility: str) -> None:
    body = {"content": "A new lantern.", "visibility": visibility}
    if visibility == "private":
        body["member"] = str(here.members["mina"].id)
    status, problem = ask(limited(here, "launch"), "POST /memories", body)
    assert (status, problem["type"]) == (403, "urn:commonmind:problem:key-groups"), problem
    assert "A new lantern." not in texts(here.api("aria"))


def recall_hits(client: APIClient, **more: Any) -> tuple[str, dict[str, str]]:
    """The recall, and by text the ids of its hits."""
    _, found = ask(client, "POST /recall", {"query": "lantern", "limit": 50, **more})
    hits = {hit["content"]: hit["id"] for hit in found["results"]}
    return found["recall_id"], hits


@pytest.mark.conformance("T05")
def test_it_tells_how_useful_its_own_answers_were_and_no_other(here: Tenant) -> None:
    launch = "A lantern of launch."
    free, one = here.api("aria"), limited(here, "launch")
    others, theirs = recall_hits(free)
    body = {"recall_id": others, "memory": theirs[launch]}
    assert ask(one, "POST /feedback", body)[0] == 404, "it was served nothing yet"
    assert ask(one, "POST /feedback", body | {"memory": theirs["A lantern of design."]})[0] == 404
    elsewhere, hits = recall_hits(free, group="design")
    body = {"recall_id": elsewhere, "memory": hits["A lantern of design."]}
    assert ask(one, "POST /feedback", body)[0] == 404
    for named in ({}, {"group": "launch"}):
        recall_id, hits = recall_hits(one, **named)
        body = {"recall_id": recall_id, "memory": hits[launch], "usefulness": 1}
        status, learned = ask(one, "POST /feedback", body)
        assert status == 201, learned
    assert learned["updates"] == 2
    call = {"tool": "search", "outcome": "success"}
    status, problem = ask(one, "POST /feedback", call)
    assert (status, problem["type"]) == (403, "urn:commonmind:problem:key-groups"), problem


def test_uses_of_other_keys_are_not_told(here: Tenant) -> None:
    free, one = here.api("aria"), limited(here, "launch")
    for _ in range(3):
        texts(free)
    _, listed = ask(one, "GET /memories")
    assert [row["access_count"] for row in listed["results"]] == [0]
    texts(one)
    _, listed = ask(one, "GET /memories")
    assert [row["access_count"] for row in listed["results"]] == [1]


def test_both_ways_of_a_recall_hold_the_limit(lasting_world: World) -> None:
    here = furnish(lasting_world.here)
    here.embed()
    key, site = limited_key(here, "launch"), FastPathSite()
    for more in ({}, {"group": "launch"}):
        for _ in range(2):
            status, _headers, found = site.post(key, {"query": "lantern", "limit": 50, **more})
            assert status == 200
            assert [hit["content"] for hit in found["results"]] == ["A lantern of launch."]
    assert site.went == [False, True, True, True]
    assert site.post(key, {"query": "lantern", "group": "design"})[0] == 403
    assert site.went[-1] is False
    free = site.post(here.keys["aria"], {"query": "lantern", "limit": 50})[2]
    assert len(free["results"]) >= 4


def test_both_ways_name_the_same_reader(lasting_world: World) -> None:
    """Else one way would tell what the other had served."""
    here = furnish(lasting_world.here)
    shown = parse_key(limited_key(here, "launch", "design"))
    assert shown is not None
    caller = authenticate_key(shown, timezone.now())
    assert caller is not None
    mina = str(here.members["mina"].id)
    for group, member in ((None, None), ("launch", None), ("design", mina)):
        asked = KeyRequest(key=shown, group=group, member=member, now=timezone.now())
        with pipelined_scope(organisation=asked.organisation_id):
            *_, rows = fetch_pipelined(asked.statements())
        opened = asked.opened(rows)
        assert opened is not None
        usual = resolve_principal(resolve_actor(caller.actor(), member=member, group=group))
        assert opened.principal.audiences == usual.audiences
        assert opened.principal.reader == usual.reader
        assert usual.own_audience not in usual.audiences
        free = replace(usual.actor, key_groups=None)
        assert usual.audiences < resolve_principal(free).audiences


# Networks.


@pytest.mark.parametrize(
    ("networks", "address", "status"),
    [
        (["203.0.113.0/24"], "203.0.113.7", 200),
        (["203.0.113.0/24"], "203.0.114.7", 403),
        (["198.51.100.1/32", "203.0.113.0/24"], "203.0.113.255", 200),
        (["203.0.113.0/24"], "::ffff:203.0.113.7", 200),
        (["2001:db8::/48"], "2001:db8:0:1::9", 200),
        (["2001:db8::/48"], "2001:db8:1::9", 403),
        (["2001:db8::/48"], "203.0.113.7", 403),
        (["0.0.0.0/0"], "2001:db8::1", 403),
        (["0.0.0.0/0", "::/0"], "2001:db8::1", 200),
        (["203.0.113.0/24"], "nonsense", 403),
    ],
)
def test_it_opens_from_its_networks_alone(
    here: Tenant, networks: list[str], address: str, status: int
) -> None:
    client = limited(here, networks=networks)
    for call, body in (("GET /me", None), ("POST /recall", {"query": "lantern"})):
        got, problem = ask(client, call, body, REMOTE_ADDR=address)
        assert got == status, problem
        if got == 403:
            assert problem["type"] == "urn:commonmind:problem:key-address"
    answer = client.get("/mem0/v1/ping/", REMOTE_ADDR=address)
    assert answer.status_code == status


@pytest.mark.parametrize("address", ["203.0.113.7", "198.51.100.7", None])
def test_the_straight_way_asks_for_the_address_as_well(
    lasting_world: World, address: str | None
) -> None:
    key, site = limited_key(lasting_world.here, networks=["203.0.113.0/24"]), FastPathSite()
    site.address = "203.0.113.9"
    assert site.post(key, {"query": "lantern"})[0] == 200
    site.address = address
    status, _, found = site.post(key, {"query": "lantern"})
    inside = address == "203.0.113.7"
    assert (status, site.went[-1]) == ((200, True) if inside else (403, False)), found


def test_the_address_is_that_which_the_own_proxies_say(here: Tenant, settings: Any) -> None:
    client = limited(here, networks=["203.0.113.0/24"])
    forged = {"REMOTE_ADDR": "198.51.100.9", "HTTP_X_FORWARDED_FOR": "203.0.113.7"}
    assert ask(client, "GET /me", **forged)[0] == 403, "nobody trusts what a caller writes"
    settings.TRUSTED_PROXY_COUNT = 1
    assert ask(client, "GET /me", **forged)[0] == 200
    chained = forged | {"HTTP_X_FORWARDED_FOR": "203.0.113.7, 198.51.100.9"}
    assert ask(client, "GET /me", **chained)[0] == 403


def test_the_straight_way_believes_the_own_proxies_alone(
    lasting_world: World, settings: Any
) -> None:
    key, site = limited_key(lasting_world.here, networks=["203.0.113.0/24"]), FastPathSite()
    site.address = "203.0.113.9"
    assert site.post(key, {"query": "lantern"})[0] == 200
    site.address = "198.51.100.9"
    named = {"x_forwarded_for": b"203.0.113.7"}
    assert site.post(key, {"query": "lantern"}, **named)[0] == 403
    settings.TRUSTED_PROXY_COUNT = 1
    assert site.post(key, {"query": "lantern"}, **named)[0] == 200
    assert site.went[-1] is True
    chained = {"x_forwarded_for": b"203.0.113.7, 198.51.100.9"}
    assert site.post(key, {"query": "lantern"}, **chained)[0] == 403


def test_refusals_are_recorded_so_often_and_no_more(here: Tenant) -> None:
    client = limited(here, networks=["203.0.113.0/24"])
    for _ in range(MOST_REFUSALS + 5):
        assert ask(client, "GET /me", REMOTE_ADDR="198.51.100.9")[0] == 403
    assert ask(client, "GET /me", REMOTE_ADDR="203.0.113.9")[0] == 200
    with organisation_scope(here.id):
        found = list(AuditEntry.objects.filter(action="key.refused"))
        keys = set(Key.objects.exclude(networks=None).values_list("id", flat=True))
    assert len(found) == MOST_REFUSALS
    assert {entry.target for entry in found} == keys
    assert "198.51" not in str([entry.detail for entry in found])


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ("203.0.113.7/24", "The network is 203.0.113.0/24; the address alone is 203.0.113.7/32."),
        ("2001:db8::1/48", "The network is 2001:db8::/48; the address alone is 2001:db8::1/128."),
        ("::ffff:203.0.113.0/120", "Write it as a network of IPv4: 203.0.113.0/24."),
        ("fe80::%eth0/64", "A network has no zone"),
        ("203.0.113.0/33", "Not a network"),
        ("everywhere", "Not a network"),
        ("", "Not a network"),
        ("203.0.113", "Not a network"),
        ("1" * 100, "Not a network"),
    ],
)
def test_what_is_no_network_is_refused_with_the_right_one(given: str, detail: str) -> None:
    with pytest.raises(InvalidKeyLimitError) as caught:
        parse_networks(["198.51.100.0/24", given])
    [error] = caught.value.errors
    assert error["field"] == "networks.1"
    assert detail in error["detail"]


def test_networks_in_their_usual_form_each_once() -> None:
    given = [" 203.0.113.7 ", "203.0.113.7/32", "2001:DB8:0::/48", "10.0.0.0/255.0.0.0"]
    assert parse_networks(given) == ["203.0.113.7/32", "2001:db8::/48", "10.0.0.0/8"]
    with pytest.raises(InvalidKeyLimitError, match="At most 50"):
        parse_networks([f"10.0.0.{n}" for n in range(51)])


# As admins make and change them.


def open_groups(here: Tenant) -> APIClient:
    """Ada, who reads both groups."""
    with organisation_scope(here.id):
        Group.objects.filter(organisation_id=here.id).update(confidential=False)
    return here.browser("ada")


def test_it_is_made_shown_changed_and_renewed(here: Tenant) -> None:
    ada, aria = open_groups(here), here.robots["aria"].public_id
    launch = here.groups["launch"]
    body = {"label": "Chat", "groups": [launch.external_id], "networks": ["203.0.113.0/24"]}
    status, made = ask(ada, f"POST /robots/{aria}/keys", body)
    assert status == 201
    assert made["groups"] == [{"id": str(launch.id), "name": launch.name}]
    assert made["networks"] == ["203.0.113.0/24"]
    path = f"/robots/{aria}/keys/{made['id']}"
    status, again = ask(ada, f"POST {path}/renew", {})
    assert (status, again["groups"], again["networks"]) == (
        201,
        made["groups"],
        made["networks"],
    ), "a key in the place of another opens no more than that"
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {made['key']}")
    assert ask(client, "GET /me", REMOTE_ADDR="203.0.113.7")[1]["only_groups"] is True
    assert ask(client, "GET /me", REMOTE_ADDR="198.51.100.7")[0] == 403
    status, changed = ask(ada, f"PATCH {path}", {"networks": None})
    assert (status, changed["networks"], changed["groups"]) == (200, None, made["groups"])
    assert ask(client, "GET /me", REMOTE_ADDR="198.51.100.7")[0] == 200
    ask(ada, f"PATCH {path}", {"groups": None})
    assert ask(client, "GET /me")[1]["only_groups"] is False
    ask(ada, f"PATCH {path}", {"groups": [str(here.groups["design"].id)]})
    assert [g["name"] for g in ask(client, "GET /me")[1]["groups"]] == [here.groups["design"].name]
    listed = ask(ada, f"GET /robots/{aria}/keys")[1]["results"]
    by_id = {row["id"]: row for row in listed}
    assert by_id[made["id"]]["groups"][0]["name"] == here.groups["design"].name
    assert None in [row["groups"] for row in listed]
    with organisation_scope(here.id):
        acts = list(
            AuditEntry.objects.filter(target=made["id"])
            .order_by("at", "id")
            .values_list("action", flat=True)
        )
    assert acts.count("key.limited") == 3
    ask(ada, f"DELETE {path}")
    assert ask(ada, f"PATCH {path}", {"groups": None})[0] == 409


def test_bad_limits_are_refused_and_nothing_changes(here: Tenant) -> None:
    ada, aria = here.browser("ada"), here.robots["aria"].public_id
    hidden = ask(ada, f"POST /robots/{aria}/keys", {"label": "x", "groups": ["launch"]})
    assert hidden[0] == 404, "a group that she does not read"
    open_groups(here)
    with organisation_scope(here.id):
        keys = Key.objects.count()
    for body, status, field in [
        ({"groups": []}, 400, "groups"),
        ({"groups": ["absent"]}, 404, "groups.0"),
        ({"groups": ["launch"], "scopes": ["read", "manage"]}, 400, "groups"),
        ({"groups": ["launch"] * 51}, 400, "groups"),
        ({"networks": []}, 400, "networks"),
        ({"networks": ["203.0.113.7/24"]}, 400, "networks.0"),
        ({"networks": ["10.0.0.0/8"] * 51}, 400, "networks"),
        ({"networks": "10.0.0.0/8"}, 400, "networks"),
        ({"networks": [7]}, 400, "networks.0"),
    ]:
        got, problem = ask(ada, f"POST /robots/{aria}/keys", {"label": "x", **body})
        assert got == status, (body, problem)
        assert field in [error["field"] for error in problem["errors"]], (body, problem)
    bolt = here.robots["bolt"].public_id
    got, problem = ask(ada, f"POST /robots/{bolt}/keys", {"label": "x", "groups": ["launch"]})
    assert (got, problem["errors"]) == (
        400,
        [{"field": "groups.0", "detail": "The robot does not sit in this group."}],
    )
    with organisation_scope(here.id):
        assert Key.objects.count() == keys


def test_a_key_that_manages_is_never_limited_to_groups(here: Tenant) -> None:
    ada, aria = open_groups(here), here.robots["aria"].public_id
    made = ask(ada, f"POST /robots/{aria}/keys", {"label": "x", "scopes": ["read", "manage"]})[1]
    path = f"PATCH /robots/{aria}/keys/{made['id']}"
    assert ask(ada, path, {"groups": ["launch"]})[0] == 400
    assert ask(ada, path, {"networks": ["10.0.0.0/8"]})[0] == 200


def test_only_who_administers_changes_a_limit(here: Tenant) -> None:
    with organisation_scope(here.id):
        key = Key.objects.filter(robot_id=here.robots["aria"].id).first()
    assert key is not None
    path = f"PATCH /robots/{here.robots['aria'].public_id}/keys/{key.id}"
    for client in (here.browser("chidi"), here.browser("mina"), here.api("aria")):
        assert ask(client, path, {"networks": ["10.0.0.0/8"]})[0] == 403
    with organisation_scope(here.id):
        key.refresh_from_db()
    assert key.networks is None


def test_the_database_keeps_no_empty_and_no_managing_limit(here: Tenant) -> None:
    for scopes, limits in [
        (("read",), KeyLimits(groups=[])),
        (("read",), KeyLimits(networks=[])),
        (("read", "manage"), KeyLimits(groups=[here.groups["launch"].id])),
    ]:
        with pytest.raises(IntegrityError), transaction.atomic():
            create_key(
                organisation_id=here.id,
                robot_id=here.robots["aria"].id,
                scopes=scopes,
                limits=limits,
                now=NOW + timedelta(days=1),
            )


def test_a_command_makes_such_a_key(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orgs.management.output.get_organisation", lambda _: here.organisation)

    def made(**options: Any) -> Key:
        call_command("create_robot", organisation="x", name="Night watch", **options)
        with organisation_scope(here.id):
            return Key.objects.filter(robot__name="Night watch").latest("id")

    key = made(groups="launch", only_groups=True, networks="203.0.113.0/24, 2001:db8::/48")
    assert key.groups == [here.groups["launch"].id]
    assert key.networks == ["203.0.113.0/24", "2001:db8::/48"]
    key = made(groups="launch")
    assert (key.groups, key.networks) == (None, None)
    for options, words in [
        ({"groups": "launch", "only_groups": True, "manage": True}, "--only-groups"),
        ({"only_groups": True}, "--only-groups"),
        ({"networks": "203.0.113.7/24"}, "The network is 203.0.113.0/24"),
    ]:
        with pytest.raises(CommandError, match=words):
            made(**options)


def test_a_statement_in_the_scope_of_a_limited_key_sees_its_groups_alone(here: Tenant) -> None:
    limited = replace(here.robot("aria"), key_groups=frozenset({here.groups["launch"].id}))
    query = "SELECT content FROM memories_memory WHERE organisation_id = %(organisation)s"
    rows = fetch_as_actor(limited, query, {"organisation": here.id})  # type: ignore[arg-type]
    assert {text for (text,) in rows} == {"A lantern of launch."}
