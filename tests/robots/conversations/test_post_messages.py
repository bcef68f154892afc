"""Conversations and messages over HTTP and in the database."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import AudienceEntry
from orgs.models.memberships import Member
from orgs.models.organisations import Group, Organisation
from orgs.organisations.groups import add_to_group, create_group
from orgs.organisations.references import link_identity
from orgs.principals import resolve_principal
from robots.models.conversations import Conversation, Message
from robots.registry.robots import add_robot_to_groups
from tests.databases import autocommit_connection
from tests.isolation.api_surface import ABSENT
from tests.world import NOW, Tenant, World

URL = "/api/v1/conversations"


def opened(client: APIClient, **body: Any) -> str:
    answer = client.post(URL, body, format="json")
    assert answer.status_code in (200, 201), answer.content
    return answer.json()["id"]


def post(client: APIClient, chat: str, *items: Any) -> list[dict[str, Any]]:
    answer = client.post(f"{URL}/{chat}/messages/batch", {"items": items}, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def listed(client: APIClient, chat: str, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{URL}/{chat}/messages", query)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def name_people(tenant: Tenant) -> None:
    with organisation_scope(tenant.id):
        for name in ("mina", "bob", "ada"):
            link_identity(
                organisation_id=tenant.id,
                platform="irc",
                identifier=name,
                member_id=tenant.members[name].id,
                confirmed_at=NOW,
            )


def make_strict(tenant: Tenant, group: str) -> None:
    with organisation_scope(tenant.id):
        Group.objects.filter(id=tenant.groups[group].id).update(profile="strict")


def memory_of(tenant: Tenant, who: Any, id_: str) -> Memory:
    principal = resolve_principal(who)
    with principal.scope():
        return Memory.objects.select_related("audience").get(id=id_)


@pytest.mark.conformance("A27")
def test_twenty_greetings_are_messages_and_no_memories(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    chat = opened(client, group="launch")
    said = ("gm", "thanks!", "hello all", "lol", "👍") * 4
    results = post(client, chat, *({"content": text, "speaker": "irc:x"} for text in said))
    assert {(r["status"], r["memory"], r["reason"]) for r in results} == {("kept", None, "chatter")}
    assert here.readable(here.robot("aria")) == set()
    assert [m["content"] for m in listed(client, chat)] == list(reversed(said))


def test_what_says_something_becomes_a_memory_that_cites_it(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    name_people(here)
    chat = opened(client, group="launch", external_id="irc-launch")
    text = "  The  launch is on *Friday*, gm.  "
    sent = {"content": text, "speaker": "irc:mina", "sent_at": "2026-01-05T10:00:00Z"}
    answer = client.post(f"{URL}/{chat}/messages", sent, format="json")
    assert answer.status_code == 201
    body = answer.json()
    row = memory_of(here, here.robot("aria"), body["memory"])
    assert row.content == text, "word for word"
    assert row.source == {"message": body["id"], "conversation": chat}
    assert (row.kind, row.type, row.importance) == ("user", "conversation", 0.5)
    assert row.member_id == row.speaker_member_id == here.members["mina"].id
    assert row.occurred_at.isoformat() == "2026-01-05T10:00:00+00:00"
    assert (row.audience.kind, row.conversation) == ("group", chat)
    for name, reads in {"mina": True, "bob": True, "ada": False, "vera": False}.items():
        assert (row.id in here.readable(here.person(name))) is reads

    to_bob = {"content": "@bob bring the blue folder", "speaker": "irc:mina"}
    news = {"content": "@all the demo starts at nine", "speaker": "irc:mina"}
    stranger = {"content": "the printer needs toner", "speaker": "irc:ada"}
    robot = {"content": "@aria remember the toner order", "speaker": "irc:bob"}
    results = post(client, chat, to_bob, news, stranger, robot)
    rows = [memory_of(here, here.robot("aria"), r["memory"]) for r in results]
    assert [(r.kind, r.type, r.importance) for r in rows] == [
        ("interaction", "interaction", 0.5),
        ("group", "announcement", 0.9),
        ("group", "conversation", 0.5),
        ("user", "conversation", 0.7),
    ]
    assert rows[0].listeners == [here.members["bob"].id]
    assert rows[2].speaker_member_id is None, "Ada is not in this group: a name and no more"


@pytest.mark.conformance("A15")
def test_the_strict_profile_keeps_a_message_and_its_memory_to_whom_it_concerns(
    world: World,
) -> None:
    here, client = world.here, world.here.api("aria")
    name_people(here)
    with organisation_scope(here.id):
        add_to_group(
            organisation_id=here.id,
            group_id=here.groups["launch"].id,
            member_ids=[here.members["ada"].id],
        )
    make_strict(here, "launch")
    chat = opened(client, group="launch")
    cases: list[tuple[str, set[str]]] = [
        ("@all the office moves on Monday", {"mina", "bob", "ada"}),
        ("I'm an expert in Kafka tuning", {"mina", "bob", "ada"}),
        ("@aria my door code is 4711", {"mina"}),
        ("@bob the surprise party is at eight", {"mina", "bob"}),
        ("my salary review is tomorrow", {"mina"}),
    ]
    results = post(client, chat, *({"content": t, "speaker": "irc:mina"} for t, _ in cases))
    for (text, readers), result in zip(cases, results, strict=True):
        for name in ("mina", "bob", "ada", "vera", "chidi"):
            shown = {m["content"] for m in listed_or_none(here, name, chat)}
            reads = name in readers
            memory = result["memory"] in map(str, here.readable(here.person(name)))
            assert ((text in shown), memory) == (reads, reads), (text, name)
        row = memory_of(here, here.robot("aria"), result["memory"])
        with resolve_principal(here.robot("aria")).scope():
            assert Message.objects.get(id=result["id"]).audience_id == row.audience_id
            if row.audience.kind == "explicit":
                entries = AudienceEntry.objects.filter(audience_id=row.audience_id, kind="member")
                listed_ids = set(entries.values_list("reader", flat=True))
                assert listed_ids == {here.members[n].id for n in readers}, "listeners are members"
    title = here.browser("bob").get(f"{URL}/{chat}").json()["title"]
    assert title.startswith("@all the office moves "), "never from what only some may read"


def listed_or_none(tenant: Tenant, name: str, chat: str) -> list[dict[str, Any]]:
    answer = tenant.browser(name).get(f"{URL}/{chat}/messages")
    return answer.json()["results"] if answer.status_code == 200 else []


def test_the_same_batch_twice_is_once(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    chat = opened(client, group="launch")
    items = [{"content": f"Step {n} is done", "external_id": f"m{n}"} for n in range(5)]
    items.append({"content": "gm", "external_id": "m5"})
    first, second = post(client, chat, *items), post(client, chat, *items, items[0])
    assert [r["status"] for r in second] == ["known"] * 7
    keep = ("id", "memory", "reason")
    assert [[r[k] for k in keep] for r in second[:6]] == [[r[k] for k in keep] for r in first]
    assert len(listed(client, chat)) == 6
    assert len(here.readable(here.robot("aria"))) == 5
    other = post(client, chat, {"content": "Another text here", "external_id": "m1"}, "x", {})
    codes = [r["problem"]["type"].rpartition(":")[2] for r in other]
    assert codes == ["message-taken", "invalid", "invalid"]
    assert opened(client, group="launch", external_id="a") == opened(
        client, group="launch", external_id="a"
    )
    assert opened(client, group="design", external_id="a") != opened(
        client, group="launch", external_id="a"
    )


def test_replies_find_what_they_answer_even_when_it_comes_later(world: World) -> None:
    client = world.here.api("aria")
    chat = opened(client, group="launch")
    lost, early = post(
        client,
        chat,
        {"content": "that never came", "reply_to": "ghost", "external_id": "self"},
        {"content": "answer before question", "reply_to": "late"},
    )
    assert lost["notes"] == early["notes"] != []
    late, turn = post(
        client,
        chat,
        {"content": "question that is late", "external_id": "late"},
        {"content": "and one in the batch", "reply_to": "late"},
    )
    mine = post(client, chat, {"content": "by its id", "reply_to": turn["id"]})[0]
    shown = {m["id"]: m["reply_to"] for m in listed(client, chat)}
    assert shown[lost["id"]] is None
    assert shown[early["id"]] == shown[turn["id"]] == late["id"]
    assert shown[mine["id"]] == turn["id"]
    elsewhere = opened(client, group="design")
    other = post(client, elsewhere, {"content": "a reply across", "reply_to": turn["id"]})[0]
    assert other["notes"] == lost["notes"], "what is elsewhere has not come here"


def test_odd_input_is_taken_and_explained(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    name_people(here)
    chat = opened(client, group="launch")
    ahead = (timezone.now() + timedelta(days=3)).isoformat()
    skewed = post(client, chat, {"content": "sent from the future", "sent_at": ahead})[0]
    assert "clock" in skewed["notes"][0]
    kept = listed(client, chat)[0]
    assert kept["sent_at"] == kept["received_at"]
    assert kept["metadata"]["sent_at"] == ahead

    crowd = [f"irc:n{n}" for n in range(49)]
    many = post(client, chat, {"content": "a very long list", "mentions": [*crowd, "irc:bob"]})
    assert many[0]["status"] == "kept"
    assert len(listed(client, chat)[0]["mentions"]) == 50
    row = memory_of(here, here.robot("aria"), many[0]["memory"])
    assert row.listeners == [here.members["bob"].id]
    more = post(client, chat, {"content": "one too many", "mentions": [*crowd, "a", "b"]})
    assert more[0]["problem"]["errors"][0]["field"] == "mentions"

    names = ({"speaker_name": "Mina"}, {"speaker_name": "Mina|away"})
    post(client, chat, *({"content": "back at my desk", "speaker": "irc:mina"} | n for n in names))
    now, before = listed(client, chat)[:2]
    assert (before["speaker"], now["speaker"]) == ("Mina", "Mina|away")
    assert (
        before["member"]
        == now["member"]
        == {
            "id": str(here.members["mina"].id),
            "name": "Mina",
        }
    )
    poser = post(client, chat, {"content": "I am the real one", "speaker": "Mina"})[0]
    assert memory_of(here, here.robot("aria"), poser["memory"]).speaker_member_id is None


def test_a_group_with_no_members(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    with organisation_scope(here.id):
        group = create_group(organisation_id=here.id, external_id="empty", now=NOW)
        robot = here.robots["aria"].id
        add_robot_to_groups(organisation_id=here.id, robot_id=robot, group_ids=[group.id])
    for profile in ("open", "strict"):
        with organisation_scope(here.id):
            Group.objects.filter(id=group.id).update(profile=profile)
        chat = opened(client, group="empty")
        made = post(client, chat, {"content": "@bob the quiet room is free", "speaker": "irc:bob"})
        assert memory_of(here, here.robot("aria"), made[0]["memory"]).kind == "group"


def test_a_paused_member_is_heard_and_not_remembered(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    name_people(here)

    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["bob"].id).update(learning_paused_at=NOW)
    chat = opened(client, group="launch")
    items = [{"content": "the boat needs paint", "speaker": f"irc:{n}"} for n in ("bob", "mina")]
    bob, mina = post(client, chat, *items)
    assert (bob["memory"], bob["reason"]) == (None, "learning-paused")
    assert mina["memory"]
    assert [m["reason"] for m in listed(client, chat)] == ["", "learning-paused"]


def test_direct_conversations_are_of_the_two(world: World) -> None:
    here, client = world.here, world.here.api("aria")
    mina = str(here.members["mina"].id)
    chat = opened(client, member=mina)
    said = {"content": "my spare key is under the pot", "speaker": mina}
    made = post(client, chat, said, {"content": "the key is noted down"})
    aria = here.robot("aria")
    rows = [memory_of(here, aria.naming_a_row(), r["memory"]) for r in made]
    assert rows[0].id not in here.readable(aria)
    assert {(r.kind, r.group_id, r.audience.kind) for r in rows} == {("direct", None, "explicit")}
    for name, reads in {"mina": True, "bob": False, "ada": False}.items():
        assert bool(listed_or_none(here, name, chat)) is reads
        assert (rows[0].id in here.readable(here.person(name))) is reads
    assert rows[0].id not in here.readable(here.robot("clio"))
    answer = here.browser("mina").post(
        f"{URL}/{chat}/messages", {"content": "moved the key to Bob"}, format="json"
    )
    assert answer.status_code == 201
    assert answer.json()["memory"] in map(str, here.readable(aria.naming_a_row()))
    own = opened(here.browser("bob"))
    assert here.browser("mina").get(f"{URL}/{own}").status_code == 404


def test_absent_and_foreign_are_equal(world: World) -> None:
    here, there = world.here, world.there
    ours, theirs = opened(here.api("clio"), group="design"), opened(there.api("aria"))
    for client in (here.api("bolt"), here.browser("bob"), here.browser("ada")):
        for method, end in (("get", ""), ("get", "/messages"), ("post", "/messages")):
            answers = []
            for id_ in (ABSENT, ours, theirs):
                body = {"content": "hello out there"} if method == "post" else None
                answer = getattr(client, method)(f"{URL}/{id_}{end}", body, format="json")
                answers.append(answer.json() | {"request_id": ""})
            assert answers[0] == answers[1] == answers[2]
            assert answers[0]["status"] == 404
        assert client.get(URL).json()["results"] == []
    absent = here.api("bolt").post(URL, {"group": "absent"}, format="json").json()
    foreign = here.api("bolt").post(URL, {"group": "design"}, format="json").json()
    assert absent | {"request_id": ""} == foreign | {"request_id": ""}
    viewer = here.browser("vera").post(URL, {}, format="json")
    assert viewer.status_code == 403
    with scope(Scope(organisation=here.id)):
        assert not Conversation.objects.exists()
        assert not Message.objects.exists()


def test_a_person_speaks_for_themselves_and_pages_go_on(world: World) -> None:
    here, client = world.here, world.here.browser("mina")
    chat = opened(client, group="launch")
    bob = str(here.members["bob"].id)
    claimed = client.post(
        f"{URL}/{chat}/messages", {"content": "I owe Mina lunch", "speaker": bob}, format="json"
    )
    assert claimed.json()["type"].endswith("identity-claim")
    post(client, chat, *({"content": f"thought number {n}"} for n in range(5)))
    seen, address, reader = [], f"{URL}/{chat}/messages?limit=2", here.browser("bob")
    while address:
        body = reader.get(address).json()
        seen += [m["content"] for m in body["results"]]
        address = body["next"]
    assert seen == [f"thought number {n}" for n in (4, 3, 2, 1, 0)]


@pytest.mark.conformance("P14")
def test_the_second_message_gives_the_title(world: World) -> None:
    client = world.here.api("aria")
    chat = opened(client, group="launch")
    roles = ("user", "agent", "system")
    items = [
        {"content": "Find QSR locations", "role": r, "sent_at": "2025-11-17T14:23:00Z"}
        for r in roles
    ]
    post(client, chat, items[0])
    assert client.get(f"{URL}/{chat}").json()["title"] == ""
    post(client, chat, *items[1:])
    assert client.get(f"{URL}/{chat}").json()["title"] == "Find QSR locations 17-11:14:23"
    assert [m["role"] for m in listed(client, chat)] == list(reversed(roles))
    wrong = post(client, chat, {"content": "x y z", "role": "robot"})[0]
    assert wrong["problem"]["errors"][0]["field"] == "role"


def test_everything_goes_with_its_organisation(lasting_world: World) -> None:
    here, client = lasting_world.here, lasting_world.here.api("aria")
    make_strict(here, "launch")
    chat = opened(client, group="launch")
    first = {"content": "the lease ends in May", "external_id": "a"}
    post(client, chat, first, {"content": "then we move out", "reply_to": "a"})
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).delete()
    with autocommit_connection("admin") as connection:
        rows = connection.execute(
            "SELECT count(*) FROM robots_message WHERE organisation_id = %s", [here.id]
        )
        assert rows.fetchone() == (0,)
