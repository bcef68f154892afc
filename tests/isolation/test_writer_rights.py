"""Who wrote a protected text reaches that row by its id and nowhere else (decision 40)."""

from typing import Any
from uuid import UUID

import pytest
from psycopg.errors import InsufficientPrivilege

from memories.access.writer_rights import resolve_row_principal
from memories.curation import edit_memory
from memories.lifecycle import forget
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from robots.models.robots import RobotGroup
from tests.databases import rolled_back_connection, set_scope_settings
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("A13")

CANARY = "Mina keeps a heron in the boathouse"
# Where a memory could come up: lists, counts, questions, contexts and copies.
LOOKS = (
    ("get", "/api/v1/memories", {}),
    ("get", "/api/v1/memories", {"q": "heron"}),
    ("get", "/api/v1/memories", {"level": "individual"}),
    ("get", "/api/v1/memories/facets", {}),
    ("get", "/api/v1/entities", {}),
    ("get", "/api/v1/tags", {}),
    ("get", "/api/v1/said", {"topic": "heron"}),
    ("get", "/api/v1/timeline", {"topic": "heron"}),
    ("get", "/api/v1/passages", {"query": "heron"}),
    ("post", "/api/v1/recall", {"query": "heron boathouse", "limit": 100}),
    ("post", "/api/v1/recall", {"query": "heron", "filters": {"keywords": ["heron"]}}),
    ("post", "/api/v1/context", {"query": "heron boathouse"}),
    ("post", "/api/v1/answer", {"query": "Who keeps a heron?"}),
    ("get", "/api/v1/snapshots", {}),
)


@pytest.fixture
def written(world: World) -> tuple[Tenant, UUID]:
    """A protected text about Mina that aria wrote where it does not read, and its id."""
    here = world.here
    return here, protected(here, CANARY)


def protected(here: Tenant, text: str, robot: str = "aria", **fields: Any) -> UUID:
    fields = {"member": str(here.members["mina"].id), "visibility": "protected"} | fields
    return here.remember(here.robot(robot), text, **fields).id


def client(here: Tenant, who: str) -> Any:
    return here.api(who) if who in here.robots else here.browser(who)


def status(here: Tenant, who: str, memory: UUID) -> int:
    return int(client(here, who).get(f"/api/v1/memories/{memory}").status_code)


def test_the_writer_reads_it_by_its_id_and_nobody_else_does(
    written: tuple[Tenant, UUID], world: World
) -> None:
    here, id_ = written
    body = here.api("aria").get(f"/api/v1/memories/{id_}").json()
    assert (body["content"], body["writer_reads"]) == (CANARY, True)
    assert body["restatement"] is None, "what others said to these readers may stand in it"
    hers = here.browser("mina").get(f"/api/v1/memories/{id_}").json()
    assert hers["writer_reads"] is True
    assert hers["restatement"]["keywords"]
    for who in ("bolt", "ada", "chidi", "bob", "vera"):
        assert status(here, who, id_) == 404, who
    assert status(world.there, next(iter(world.there.robots)), id_) == 404
    page = here.browser("mina").get(f"/memories/{id_}/").content.decode()
    assert "it may look it up by its id, correct it and take it away" in page
    own = here.remember(here.person("mina"), "My own note.", visibility="private").id
    assert (
        "look it up by its id" not in here.browser("mina").get(f"/memories/{own}/").content.decode()
    )


@pytest.mark.parametrize("who", ["aria", "bolt", "ada", "bob"])
def test_it_comes_up_nowhere_else(written: tuple[Tenant, UUID], who: str) -> None:
    here, id_ = written
    assert status(here, "aria", id_) == 200
    for method, address, values in LOOKS:
        caller = client(here, who)
        if method == "get":
            answer = caller.get(address, values)
        else:
            answer = caller.post(address, values, format="json")
        assert answer.status_code in (200, 201, 403, 404), (address, answer.content)
        text = answer.content.decode()
        assert str(id_) not in text, address
        assert "heron in the boathouse" not in text, address
    principal = resolve_principal(here.robot("aria").naming_a_row())
    with principal.scope():
        assert not Memory.objects.filter(id=id_).exists(), "no other call that names a row"


def test_it_opens_no_other_row_of_these_readers(written: tuple[Tenant, UUID]) -> None:
    here, id_ = written
    others = protected(here, "Mina keeps an otter", "bolt")
    private = protected(here, "Mina keeps a crane", visibility="private")
    api = here.api("aria")
    for other in (others, private):
        assert status(here, "aria", other) == 404
        change = api.patch(f"/api/v1/memories/{other}", {"content": "x"}, format="json")
        assert change.status_code == 404
        assert api.delete(f"/api/v1/memories/{other}").status_code == 404
        for address in ("history", "lineage", "propositions", "explain", "share", "archive"):
            body = {"query": "heron", "visibility": "organisation"}
            for target in (other, id_):
                url = f"/api/v1/memories/{target}/{address}"
                get = address in ("history", "lineage")
                answer = api.get(url) if get else api.post(url, body, format="json")
                assert answer.status_code in (400, 404), (address, answer.content)
                assert answer.status_code == 404 or "heron in" not in str(answer.content)
    for asked in ({"member": "mina"}, {"group": "launch"}):
        names = {"member": here.members["mina"].id, "group": here.groups["launch"].id}
        actor = here.robot("aria")
        narrowed = {f"{name}_id": names[name] for name in asked}
        row = resolve_row_principal(type(actor)(**{**_fields(actor), **narrowed}), id_)
        assert not row.as_writer, "whoever it acts for would get the answer"


def _fields(actor: Any) -> dict[str, Any]:
    return {name: getattr(actor, name) for name in actor.__dataclass_fields__}


def test_it_corrects_it_and_learns_nothing_of_its_readers(written: tuple[Tenant, UUID]) -> None:
    here, id_ = written
    url = f"/api/v1/memories/{id_}"
    taken = "Mina keeps an otter in the boathouse"
    protected(here, taken, "bolt")
    answer = here.api("aria").patch(url, {"content": taken, "importance": 0.7}, format="json")
    assert (answer.status_code, answer.json()["content"]) == (200, taken)
    assert here.browser("mina").get(url).json()["content"] == taken
    own = protected(here, "Mina keeps a stork")
    again = here.api("aria").patch(url, {"content": "Mina keeps a stork"}, format="json")
    assert again.status_code == 409, "only with what it deposited itself"
    assert status(here, "aria", own) == 200
    for change in ({"supersedes": [str(own)]}, {"valid_until": "2027-01-01"}, {"sensitive": True}):
        refused = here.api("aria").patch(url, change, format="json")
        assert refused.status_code == 403, refused.content
    assert here.api("bolt").patch(url, {"content": "x"}, format="json").status_code == 404


def test_it_forgets_it_but_erases_and_restores_nothing(written: tuple[Tenant, UUID]) -> None:
    here, id_ = written
    url, api = f"/api/v1/memories/{id_}", here.api("aria")
    assert api.delete(f"{url}?hard=true&confirm={id_}").status_code == 404
    assert here.api("bolt").delete(url).status_code == 404
    assert api.delete(url).status_code == 204
    assert status(here, "aria", id_) == 404
    assert api.post(f"{url}/restore").status_code == 404
    with resolve_principal(here.person("mina")).scope():
        assert Memory.objects.get(id=id_).status == "forgotten"


@pytest.mark.parametrize("act", ["reworded", "protected", "shared", "archived", "forgotten"])
def test_what_its_readers_did_with_it_ends_the_right(
    written: tuple[Tenant, UUID], act: str
) -> None:
    here, id_ = written
    url, mina = f"/api/v1/memories/{id_}", here.browser("mina")
    answer = {
        "reworded": lambda: mina.patch(url, {"content": "I keep two herons"}, format="json"),
        "protected": lambda: mina.post(f"{url}/red-line", {"reason": "Mine."}, format="json"),
        "shared": lambda: mina.post(
            f"{url}/share",
            {"visibility": "shared", "readers": {"members": [str(here.members["bob"].id)]}},
            format="json",
        ),
        "archived": lambda: mina.post(f"{url}/archive", {}, format="json"),
        "forgotten": lambda: mina.delete(url),
    }[act]()
    assert answer.status_code in (200, 201, 204), answer.content
    assert status(here, "aria", id_) == 404
    assert here.api("aria").patch(url, {"importance": 0.1}, format="json").status_code == 404
    if act != "forgotten":
        assert mina.get(url).json()["writer_reads"] is False


@pytest.mark.parametrize("module", [forget, edit_memory])
def test_what_its_readers_do_at_the_same_moment_ends_the_right(
    written: tuple[Tenant, UUID], monkeypatch: pytest.MonkeyPatch, module: Any
) -> None:
    """The right is looked at once more when the row is locked."""
    here, id_ = written
    url = f"/api/v1/memories/{id_}"

    def resolve_too_early(actor: Any, memory_id: UUID) -> Any:
        found = resolve_row_principal(actor, memory_id)
        assert found.as_writer
        monkeypatch.undo()
        answer = here.browser("mina").patch(url, {"content": "I keep two herons"}, format="json")
        assert answer.status_code == 200
        return found

    monkeypatch.setattr(module, "resolve_row_principal", resolve_too_early)
    api = here.api("aria")
    change = {"content": "Mina keeps none"}
    answer = api.delete(url) if module is forget else api.patch(url, change, format="json")
    assert answer.status_code == 404
    assert here.browser("mina").get(url).json()["content"] == "I keep two herons"


def test_a_list_of_a_group_needs_the_seat_there(world: World) -> None:
    here = world.here
    id_ = protected(here, CANARY, group="launch")
    assert status(here, "aria", id_) == 200
    url = f"/api/v1/memories/{id_}"
    corrected = here.api("aria").patch(url, {"content": "Mina keeps no heron"}, format="json")
    assert corrected.status_code == 200
    with resolve_principal(here.person("mina")).scope():
        assert Memory.objects.get(id=id_).deposited_by == here.robots["aria"].id
        RobotGroup.objects.filter(robot_id=here.robots["aria"].id).delete()
    assert status(here, "aria", id_) == 404


def test_the_function_tells_the_writer_alone_and_in_its_organisation(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    aria, bolt = here.robots["aria"].id, here.robots["bolt"].id
    listed = protected(here, CANARY)
    private = protected(here, "Mina keeps a crane", visibility="private")
    open_ = here.remember(here.robot("aria"), "The pier opens.", group="launch").id
    with resolve_principal(here.person("mina")).scope():
        audience = Memory.objects.get(id=listed).audience_id
    call = "SELECT search.written_protected(%s, %s)"
    cases: list[tuple[dict[str, Any], UUID, UUID, UUID | None]] = [
        ({}, listed, aria, None),
        ({"organisation": there.id}, listed, aria, None),
        ({"organisation": here.id}, listed, bolt, None),
        ({"organisation": here.id}, private, aria, None),
        ({"organisation": here.id}, open_, aria, None),
        ({"organisation": here.id}, listed, aria, audience),
    ]
    for context, memory, robot, expected in cases:
        with rolled_back_connection("default") as connection:
            set_scope_settings(connection, **context)
            assert connection.execute(call, [memory, robot]).fetchone() == (expected,), context
            seen = connection.execute("SELECT id FROM memories_memory").fetchall()
            assert seen == [], "the row itself stays hidden"
    for alias in ("worker", "support"):
        with rolled_back_connection(alias) as connection, pytest.raises(InsufficientPrivilege):
            connection.execute(call, [listed, aria])
