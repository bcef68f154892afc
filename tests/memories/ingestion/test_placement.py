"""Where a memory goes: organisation, robot, group and member, its kind, level and first readers."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from memories.access.references import ReaderReferences
from memories.access.visibility import MemoryRequestError
from memories.ingestion.drafts import Draft, DraftRefusal
from memories.ingestion.remember import remember_many
from memories.store.models.memory import Memory
from orgs.errors import NotFoundError
from orgs.principals import Actor, resolve_principal
from robots.errors import ImpersonationError, MissingScopeError
from tests.world import NOW, Tenant, World


def row(tenant: Tenant, who: Actor, **fields: Any) -> Memory:
    """Remember something in this way and look at it as its readers do."""
    outcome = tenant.remember(who, f"Something {sorted(fields.items())}", **fields)
    return seen(tenant, outcome.id)


def seen(tenant: Tenant, memory_id: UUID) -> Memory:
    for who in [*map(tenant.robot, tenant.robots), *map(tenant.person, tenant.members)]:
        with resolve_principal(who).scope():
            if memory := Memory.objects.select_related("audience").filter(id=memory_id).first():
                return memory
    raise AssertionError("nobody reads it")


@pytest.mark.conformance("A01")
def test_a_memory_carries_organisation_robot_group_and_member(world: World) -> None:
    here, aria, mina = world.here, world.here.robot("aria"), world.here.members["mina"]
    direct = row(here, aria, member=str(mina.id))
    group = row(here, aria, group="launch")
    user = row(here, aria, group="launch", member=str(mina.id))
    everyone = row(here, aria)

    launch, robot = here.groups["launch"].id, here.robots["aria"].id
    tenancies = [(m.organisation_id, m.robot_id, m.group_id, m.member_id) for m in
                 (direct, group, user, everyone)]  # fmt: skip
    assert tenancies == [
        (here.id, robot, None, mina.id),
        (here.id, robot, launch, None),
        (here.id, robot, launch, mina.id),
        (here.id, robot, None, None),
    ]


@pytest.mark.conformance("A01")
@pytest.mark.parametrize("include_direct", [False, True])
def test_a_direct_message_is_in_no_answer_to_a_group(world: World, include_direct: bool) -> None:
    """Even acting for the member to whom it was said; without leave nothing private comes up."""
    here, mina = world.here, world.here.members["mina"]
    here.remember(here.robot("aria"), "The badge code is 4711.", member=str(mina.id))
    public = here.remember(here.robot("aria"), "The badge printer is broken.", group="launch")
    body = {
        "query": "badge", "group": "launch", "member": str(mina.id),
        "include_direct": include_direct,
    }  # fmt: skip
    for asked in (body, {"query": "badge", "group": "launch"}):
        found = here.api("aria").post("/api/v1/recall", asked, format="json").json()
        assert [hit["id"] for hit in found["results"]] == [str(public.id)]
    listed = here.api("aria").get("/api/v1/memories", {"group": "launch"}).json()
    assert [memory["id"] for memory in listed["results"]] == [str(public.id)]


@pytest.mark.conformance("A02")
def test_the_kind_is_derived(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    kinds = {
        "group": {"group": "launch"},
        "user": {"group": "launch", "member": mina},
        "interaction": {"group": "launch", "member": mina, "listeners": (bob,)},
        "direct": {"member": mina},
        "organisation": {},
        "internal": {"visibility": "internal"},
    }
    assert {kind: row(here, aria, **fields).kind for kind, fields in kinds.items()} == {
        kind: kind for kind in kinds
    }


@pytest.mark.conformance("A02")
@pytest.mark.parametrize(
    ("kind", "group", "member", "legal"),
    [
        ("group", True, False, True), ("group", True, True, False),
        ("group", False, False, False), ("group", False, True, False),
        ("user", True, True, True), ("user", True, False, False),
        ("user", False, True, False), ("user", False, False, False),
        ("interaction", True, True, True), ("interaction", True, False, False),
        ("interaction", False, True, False), ("interaction", False, False, False),
        ("direct", False, True, True), ("direct", False, False, True),
        ("direct", True, False, False), ("direct", True, True, False),
        ("organisation", False, False, True), ("internal", False, False, True),
        ("gossip", False, False, False),
    ],
)  # fmt: skip
def test_the_database_refuses_a_kind_that_cannot_be(
    world: World, kind: str, group: bool, member: bool, legal: bool
) -> None:
    here, aria = world.here, world.here.robot("aria")
    memory = row(here, aria)
    place = [
        kind,
        here.groups["launch"].id if group else None,
        here.members["mina"].id if member else None,
        memory.id,
    ]
    with resolve_principal(aria).scope(), connection.cursor() as cursor:
        statement = (
            "UPDATE memories_memory SET kind = %s, group_id = %s, member_id = %s WHERE id = %s"
        )
        if legal:
            cursor.execute(statement, place)
            assert cursor.rowcount == 1
        else:
            with (
                pytest.raises(IntegrityError, match=r"memory_(kind_fits|words_known)"),
                transaction.atomic(),
            ):
                cursor.execute(statement, place)


@pytest.mark.conformance("A17", "A20")
def test_the_level_follows_from_group_member_and_type(lasting_world: World) -> None:
    """Asked in a list and in a recall, each level gives what is of it; a query, a condition of the
    search and the value itself agree on every row."""
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    mina = str(here.members["mina"].id)

    def add(text: str, **fields: Any) -> str:
        return str(here.remember(aria, text, **fields).id)

    made = {
        "individual": {
            add("Mina likes the pier.", group="launch", member=mina),
            add("Mina rents a pier.", member=mina),
        },
        "group": {
            add("The pier opens.", group="launch"),
            add("I prefer the pier.", group="launch", type="preference"),
        },
        "cross_group": {add("I know about piers.", speaker=mina, type="expertise")},
        "organisation": {
            add("A pier is closed."),
            add("A pier is open.", speaker=mina),
            add("We prefer wide piers.", type="preference"),
        },
    }
    internal = row(here, aria, visibility="internal")
    assert internal.level == "individual"
    here.embed()
    api, owner = here.api("aria"), here.browser("mina")
    for level, ids in made.items():
        listed = owner.get("/api/v1/memories", {"level": level}).json()["results"]
        assert {one["id"] for one in listed} == ids, level
        assert {one["level"] for one in listed} == {level}
        asked = {"query": "pier", "filters": {"levels": [level]}}
        found = owner.post("/api/v1/recall", asked, format="json").json()["results"]
        assert {one["id"] for one in found} == ids, level
        with resolve_principal(here.person("mina")).scope():
            assert {str(m.id) for m in Memory.objects.of_level(level)} == ids
    both = {"query": "pier", "filters": {"levels": ["group", "organisation"]}}
    found = owner.post("/api/v1/recall", both, format="json").json()["results"]
    assert {one["id"] for one in found} == made["group"] | made["organisation"]
    own = api.get("/api/v1/memories", {"level": "individual"}).json()["results"]
    assert str(internal.id) in {one["id"] for one in own}
    wrong = api.get("/api/v1/memories", {"level": "galaxy"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "level")


@pytest.mark.conformance("A18")
def test_each_type_is_kept_and_no_other_is_taken(world: World) -> None:
    api = world.here.api("aria")
    types = ["conversation", "fact", "preference", "expertise", "announcement", "interaction"]
    for type_ in types:
        body = {"content": f"It is a {type_}.", "type": type_}
        made = api.post("/api/v1/memories", body, format="json").json()
        assert api.get(f"/api/v1/memories/{made['id']}").json()["type"] == type_
    listed = api.get("/api/v1/memories", {"type": "expertise"}).json()["results"]
    assert [memory["content"] for memory in listed] == ["It is a expertise."]
    wrong = api.post("/api/v1/memories", {"content": "x", "type": "rumour"}, format="json")
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "type")


@pytest.mark.conformance("Z02")
def test_what_a_person_notes_is_private_unless_they_say_otherwise(world: World) -> None:
    here, chidi, mina = world.here, world.here.person("chidi"), world.here.person("mina")
    note = row(here, mina)
    assert (note.audience.kind, note.audience.key) == ("member", str(mina.member_id))
    assert here.readable(here.person("ada")) == set()

    to_group = row(here, mina, group="launch")
    public = row(here, mina, group="launch", visibility="public")
    assert (to_group.audience.kind, public.audience.kind) == ("group", "group")
    assert row(here, chidi, visibility="organisation").audience.kind == "organisation"
    assert row(here, mina, group="launch", visibility="private").audience.kind == "member"


@pytest.mark.conformance("Z02")
def test_a_member_proposes_to_the_organisation(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    proposal = here.remember(mina, "Lunch is free on Fridays.", visibility="organisation")
    assert (proposal.status, proposal.audience_kind) == ("pending_review", "review")
    for name, reads in {"mina": 1, "chidi": 1, "ada": 1, "bob": 0, "vera": 0}.items():
        assert (proposal.id in here.readable(here.person(name))) is bool(reads)
    assert proposal.id not in here.readable(here.robot("aria"))


@pytest.mark.conformance("T11")
def test_the_server_stamps_who_writes(world: World) -> None:
    here, mina = world.here, world.here.members["mina"]
    by_robot = row(here, here.robot("aria"), group="launch", member=str(mina.id))
    by_person = row(here, here.person("mina"), group="launch")
    assert (by_robot.robot_id, by_robot.member_id, by_robot.author_id) == (
        here.robots["aria"].id, mina.id, None
    )  # fmt: skip
    assert (by_person.author_id, by_person.member_id) == (mina.id, None)


@pytest.mark.conformance("T11")
def test_a_claim_to_be_another_robot_is_refused_on_each_write_path(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    bolt, own = str(here.robots["bolt"].id), str(here.robots["aria"].id)
    nobody, foreign = str(UUID(int=7)), str(world.there.robots["aria"].id)
    for claimed in (bolt, nobody, foreign, "aria"):
        body = {"content": "I am somebody else.", "robot": claimed}
        single = api.post("/api/v1/memories", body, format="json")
        batch = api.post("/api/v1/memories/batch", {"items": [body]}, format="json")
        assert single.status_code == 403
        assert single.json()["type"].endswith("identity-claim")
        assert batch.json()["results"][0]["problem"]["status"] == 403
    assert here.readable(here.robot("aria")) == set()

    honest = api.post("/api/v1/memories", {"content": "I am aria.", "robot": own}, format="json")
    assert honest.status_code == 201
    address = f"/api/v1/memories/{honest.json()['id']}"
    for method, path in (("patch", address), ("post", f"{address}/share")):
        body = {"robot": bolt, "visibility": "organisation"}
        assert getattr(api, method)(path, body, format="json").status_code == 400
    assert api.get(address).json()["robot"]["id"] == own


@pytest.mark.conformance("T11")
def test_nobody_speaks_for_a_member_without_leave(world: World) -> None:
    here = world.here
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    with pytest.raises(MissingScopeError):
        here.remember(here.robot("bolt", "read", "write"), "For Mina.", member=mina)
    with pytest.raises(ImpersonationError):
        here.remember(here.person("bob"), "As Mina.", member=mina)
    assert here.remember(here.person("bob"), "As myself.", member=bob).status == "active"
    refused = here.api("bolt").post(
        "/api/v1/memories", {"content": "For Mina.", "member": mina}, format="json"
    )
    assert (refused.status_code, refused.json()["type"]) == (
        403, "urn:commonmind:problem:missing-scope"
    )  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"visibility": "shared"},
        {"visibility": "group"},
        {"visibility": "everyone"},
        {"kind": "internal"},
        {"kind": "user", "group": "launch"},
        {"kind": "direct", "group": "launch"},
    ],
)
def test_a_wish_that_does_not_fit_the_place_is_refused(
    world: World, fields: dict[str, Any]
) -> None:
    with pytest.raises(MemoryRequestError):
        world.here.remember(world.here.robot("aria"), "Nowhere.", **fields)


@pytest.mark.parametrize("kind", ["members", "robots", "groups", "teams"])
@pytest.mark.parametrize("reference", ["absent", "foreign"])
def test_readers_who_do_not_exist_here_are_not_found(
    world: World, kind: str, reference: str
) -> None:
    there = world.there
    foreign = {
        "members": str(there.members["mina"].id),
        "robots": str(there.robots["aria"].id),
        "groups": str(there.groups["launch"].id),
        "teams": str(UUID(int=9)),
    }
    named = str(UUID(int=5)) if reference == "absent" else foreign[kind]
    readers = ReaderReferences(**{kind: (named,)})
    with pytest.raises(NotFoundError):
        world.here.remember(world.here.robot("aria"), "x", visibility="shared", readers=readers)


def test_a_group_that_the_writer_may_not_know_is_not_found_as_a_reader(world: World) -> None:
    """Else its external id could be guessed, and words put before people one does not know."""
    here = world.here
    for who, group, known in (
        (here.robot("clio"), "design", True),
        (here.robot("clio"), "launch", False),
        (here.robot("bolt"), "launch", False),
        (here.person("bob"), "launch", True),
        (here.person("bob"), "design", False),
    ):
        draft = Draft(content="Hi.", visibility="shared", readers=ReaderReferences(groups=(group,)))
        outcome = remember_many(who, [draft], now=NOW)[0]
        assert isinstance(outcome, DraftRefusal) is not known
        if not known:
            assert isinstance(outcome.error, NotFoundError)


def test_a_robot_that_acts_for_nobody_cannot_probe_for_members(world: World) -> None:
    """clio sits in #design with Mina; Bob and his name are none of its business."""
    here, clio = world.here, world.here.robot("clio", "read", "write")
    mina, bob = str(here.members["mina"].id), str(here.members["bob"].id)
    assert here.remember(clio, "For Mina.", listeners=(mina,), visibility="protected")
    with pytest.raises(NotFoundError):
        here.remember(clio, "For Bob.", listeners=(bob,), visibility="protected")
    with pytest.raises(NotFoundError):
        here.remember(
            clio, "For Bob.", readers=ReaderReferences(members=(bob,)), visibility="shared"
        )
    # An id is no name, whoever has it; Mina it knows, and may not speak for her all the same.
    for speaker in (bob, str(uuid4()), mina, "Mina", "mina ", "M\u200bina"):
        with pytest.raises(ImpersonationError):
            row(here, clio, group="design", speaker=speaker)
    assert row(here, clio, group="design", speaker="Bob").speaker_member_id is None
