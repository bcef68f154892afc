"""The five layers: who reads, who writes, how long, what may stand there."""

from datetime import timedelta

import pytest

from memories.privacy.opt_out import set_sharing
from memories.safety.names.known_names import add_term
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from orgs.models.base import day_of
from orgs.principals import Actor, resolve_principal
from personas.block_writes.block_updates import (
    WriteOptions,
    add_entry,
    confirm_entry,
    update_block_text,
)
from personas.block_writes.passages import add_passage, search_passages
from personas.blocks.block_views import get_block_view, list_blocks
from personas.blocks.version_list import list_block_versions
from personas.errors import (
    BlockOutdatedError,
    BlockReadOnlyError,
    BlockTooLongError,
    MissingAssociationError,
    PersonalDataError,
)
from personas.models.blocks import BlockLine
from tests.personas.persona_helpers import (
    QSR,
    block_labels,
    get_block_by_label,
    make_association,
    make_owner_actor,
    make_personal_robot,
    make_robot_client,
)
from tests.world import NOW, World

SHARED = f"{QSR}_service_experience"
LATER = NOW + timedelta(days=1)
LIMITS = {
    "agent_persona": 2_000, "human": 3_000, "user_persona_profile": 5_000, SHARED: 8_000,
    "global_experience": 8_000,
}  # fmt: skip
MAIL = "Write to jane.roe@example.org before each visit."


def wrote(actor: Actor, label: str, text: str, **wanted: str) -> object:
    """The text of a block after it was given this one."""
    shown = get_block_by_label(actor, label)
    return update_block_text(
        actor, shown.block.id, text, version=shown.version, wanted=WriteOptions(**wanted), now=NOW
    )


def of_length(length: int, mark: str = "a") -> str:
    """A text of so many characters, lines of 100 that all differ."""
    lines = [f"{mark}{number:04d} ".ljust(99, "x") for number in range(length // 100 + 1)]
    return "\n".join(lines)[: length - 1] + "y"


@pytest.mark.conformance("P16")
def test_who_reads_and_who_writes_which_layer(world: World) -> None:
    """Row by row the table of the layers: agent, human, profile, shared, global."""
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    make_association(here, "ada", "food_quality")
    mina, bobs = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")
    ids = {label: get_block_by_label(mina, label).block.id for label in LIMITS}
    readers = {
        "mina's robot": mina, "mina": here.person("mina"), "bob's robot": bobs,
        "bob": here.person("bob"), "chidi": here.person("chidi"), "ada": here.person("ada"),
        "vera": here.person("vera"), "aria": here.robot("aria"),
        "stranger": world.there.person("ada"),
    }  # fmt: skip
    own = {"mina's robot", "mina"}
    expected = {
        "agent_persona": ({*readers} - {"stranger"}, {"ada"}),
        "human": (own, own),
        "user_persona_profile": (own, own),
        SHARED: (
            {*own, "bob's robot", "bob", "chidi", "ada"},
            {"mina's robot", "bob's robot", "chidi", "ada"},
        ),
        "global_experience": ({*readers} - {"stranger"}, {"chidi", "ada"}),
    }
    for label, (reads, writes) in expected.items():
        for name, actor in readers.items():
            try:
                shown = get_block_view(actor, ids[label], now=NOW)
            except NotFoundError:
                assert name not in reads, (label, name)
                continue
            assert name in reads, (label, name)
            assert shown.limit == LIMITS[label]
            line = f"They check {label.replace('_', ' ')} figures first, as {name[:3]} wrote."
            try:
                update_block_text(
                    actor, ids[label], line, version=shown.version, wanted=WriteOptions(), now=NOW
                )
            except BlockReadOnlyError:
                assert name not in writes, (label, name)
            else:
                assert name in writes, (label, name)


@pytest.mark.conformance("P05")
def test_agent_persona_is_for_all_robots_and_admins_alone_write_it(world: World) -> None:
    here = world.here
    admin = here.person("ada")
    wrote(admin, "agent_persona", "Speak plainly.")
    for who in (here.robot("aria"), make_owner_actor(here, "mina")):
        shown = get_block_by_label(who, "agent_persona")
        assert (shown.text, shown.limit) == ("Speak plainly.", 2_000)
        with pytest.raises(BlockReadOnlyError):
            wrote(who, "agent_persona", "Obey me.")
    for name in ("chidi", "mina", "vera"):
        with pytest.raises(BlockReadOnlyError):
            wrote(here.person(name), "agent_persona", "Obey me.")
    wrote(admin, "agent_persona", "a" * 2_000)
    with pytest.raises(BlockTooLongError):
        wrote(admin, "agent_persona", "a" * 2_001)
    assert get_block_by_label(world.there.robot("aria"), "agent_persona").text == ""


@pytest.mark.conformance("P06")
def test_human_is_private_and_begins_with_the_name(world: World) -> None:
    here = world.here
    mina = make_owner_actor(here, "mina")
    shown = get_block_by_label(mina, "human")
    assert shown.text.splitlines()[0] == f"User name: {here.members['mina'].name}"
    assert shown.limit == 3_000
    name = f"User name: {here.members['mina'].name}"
    done = wrote(mina, "human", f"{shown.text}\n{MAIL}")
    assert done.view.text == f"{name}\n{MAIL}"
    for given in (f"{name}\n{MAIL}\nTea.", f"{MAIL}\nTea.", f"{MAIL}\nTea.\n{name}"):
        after = wrote(mina, "human", given).view
        assert after.text == f"{name}\n{MAIL}\nTea.", "the line stays, and is there once"
        assert [one.text for one in after.entries] == [MAIL, "Tea."]
    assert wrote(mina, "human", name).view.text == shown.text, "empty again"
    wrote(mina, "human", of_length(3_000))
    with pytest.raises(BlockTooLongError, match="at most 3,000 characters; this would be 3,001"):
        wrote(mina, "human", of_length(3_001))
    kept = get_block_by_label(here.person("mina"), "human").text
    assert len(kept.removeprefix(f"{name}\n")) == 3_000
    for other in ("bob", "chidi", "ada"):
        with pytest.raises(NotFoundError):
            get_block_view(here.person(other), shown.block.id, now=NOW)
        answer = make_robot_client(here, other).get(f"/api/v1/blocks/{shown.block.id}")
        assert answer.status_code == 404
    with resolve_principal(here.person("bob")).scope():
        assert not Memory.objects.filter(content=MAIL).exists()


@pytest.mark.conformance("P07")
def test_the_profile_waits_for_the_association(world: World) -> None:
    here = world.here
    mina = make_owner_actor(here, "mina")
    shown = get_block_by_label(mina, "user_persona_profile")
    assert shown.text == "No persona of this user can be determined yet."
    with pytest.raises(MissingAssociationError):
        wrote(mina, "user_persona_profile", "Goal: more visits.")
    answer = make_robot_client(here, "mina").post(
        f"/api/v1/blocks/{shown.block.id}/entries", {"text": "Goal: more visits."}, format="json"
    )
    assert (answer.status_code, answer.json()["type"]) == (
        409,
        "urn:commonmind:problem:association-first",
    )
    make_association(here, "mina")
    assert wrote(mina, "user_persona_profile", "Goal: more visits.").view.version == 1
    wrote(mina, "user_persona_profile", of_length(5_000))
    with pytest.raises(BlockTooLongError):
        wrote(mina, "user_persona_profile", of_length(5_001))


@pytest.mark.conformance("P08")
def test_the_shared_block_has_its_label_limit_and_words(world: World) -> None:
    make_association(world.here, "mina")
    body = make_robot_client(world.here, "mina").get("/api/v1/blocks").json()["results"]
    (shown,) = [one for one in body if one["persona"] == QSR]
    assert (shown["label"], shown["limit"], shown["version"]) == (SHARED, 8_000, 0)
    assert shown["text"] == f"No experience of serving {QSR} users has been gained yet."
    for word in ("patterns of questions", "workflows", "never", "people", "places", "clients"):
        assert word in shown["description"]


@pytest.mark.conformance("P31")
def test_a_character_too_many_is_refused_with_the_reason(world: World) -> None:
    make_association(world.here, "mina")
    client, mina = make_robot_client(world.here, "mina"), make_owner_actor(world.here, "mina")
    url = f"/api/v1/blocks/{get_block_by_label(mina, SHARED).block.id}"
    full = client.put(url, {"text": of_length(8_000), "version": 0}, format="json")
    assert (full.status_code, len(full.json()["text"])) == (200, 8_000)
    body = {"text": of_length(8_000) + "y", "version": full.json()["version"]}
    answer = client.put(url, body, format="json")
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(
        f"{SHARED} holds at most 8,000 characters; this would be 8,001."
    )
    assert get_block_by_label(mina, SHARED).version == full.json()["version"]
    more = client.post(f"{url}/entries", {"text": "z"}, format="json")
    assert (more.status_code, more.json()["type"]) == (422, "urn:commonmind:problem:over-limit")
    kept = client.post(f"{url}/entries", {"text": "z", "on_overflow": "consolidate"}, format="json")
    assert kept.status_code == 201
    after = get_block_by_label(mina, SHARED)
    assert len(after.text) <= 8_000
    assert after.text.endswith("\nz")
    # What was archived is there to be brought back, and the summary names it.
    with resolve_principal(mina).scope():
        gone = Memory.objects.filter(status="archived")
        made = Memory.objects.get(key__startswith="summary:")
        assert made.source["summary_of"] == gone.count() >= 2
    one = client.post(
        f"{url}/entries", {"text": "z" * 8_001, "on_overflow": "consolidate"}, format="json"
    )
    assert one.status_code == 422


@pytest.mark.conformance("P18")
def test_an_old_version_is_refused_with_a_word_diff(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    first, second = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")
    url = f"/api/v1/blocks/{get_block_by_label(first, SHARED).block.id}"
    wrote(first, SHARED, "They check visits first.")
    with pytest.raises(BlockOutdatedError):
        update_block_text(
            second,
            get_block_by_label(second, SHARED).block.id,
            "Rents.",
            version=0,
            wanted=WriteOptions(),
            now=NOW,
        )
    answer = make_robot_client(here, "bob").put(
        url, {"text": "They check rents first.", "version": 0}, format="json"
    )
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:commonmind:problem:outdated")
    assert answer.json()["current"] == {"text": "They check visits first.", "version": 1}
    assert answer.json()["diff"] == [
        {"op": "same", "text": "They check"},
        {"op": "del", "text": "visits"},
        {"op": "ins", "text": "rents"},
        {"op": "same", "text": "first."},
    ]
    with organisation_scope(here.id):
        found = AuditEntry.objects.filter(action="block.written")
        assert [(one.detail["before"], one.detail["after"]) for one in found] == [(0, 1)]


def test_a_line_in_the_place_of_another_holds_from_now_on(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    mina = make_owner_actor(here, "mina")
    wrote(mina, SHARED, "They check visits.\nThey like charts.\nThey ask on Mondays.")
    done = wrote(mina, SHARED, "They check visits and rents.\nThey like charts.")
    assert done.view.text == "They like charts.\nThey check visits and rents."
    with resolve_principal(mina).scope():
        older = Memory.objects.get(content="They check visits.")
        newer = Memory.objects.get(content="They check visits and rents.")
        assert (older.superseded_by_id, older.valid_until) == (newer.id, day_of(NOW))
        assert Memory.objects.get(content="They ask on Mondays.").status == "archived"
        assert Memory.objects.filter(content="They like charts.", version=1).count() == 1
        # Nobody is named as who taught it.
        assert {(m.member_id, m.author_id, m.speaker) for m in (older, newer)} == {(None, None, "")}
    versions = list_block_versions(mina, done.view.block.id, now=NOW)
    assert [(one["version"], one["made_by"], len(one["entries"])) for one in versions] == [
        (2, "robot", 2),
        (1, "robot", 3),
    ]


def test_what_the_gate_holds_is_not_in_the_text(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    mina = make_owner_actor(here, "mina")
    made = add_entry(
        mina, get_block_by_label(mina, SHARED).block.id, MAIL, wanted=WriteOptions(), now=NOW
    )
    assert [one.status for one in made.held] == ["pending_review"]
    for who in (mina, make_owner_actor(here, "bob"), here.person("chidi")):
        assert get_block_by_label(who, SHARED).text.startswith("No experience")
    done = wrote(mina, SHARED, f"They check visits.\n{MAIL}", on_personal_data="sanitise")
    assert done.view.text == "They check visits.\nWrite to [email] before each visit."


@pytest.mark.conformance("P18")
def test_a_profile_that_tells_of_somebody_is_refused_and_noted(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    mina = make_owner_actor(here, "mina")
    with pytest.raises(PersonalDataError, match="email"):
        wrote(mina, "user_persona_profile", f"Goal: visits.\n{MAIL}")
    assert get_block_by_label(mina, "user_persona_profile").version == 0
    with organisation_scope(here.id):
        noted = AuditEntry.objects.get(action="gate.held", target_type="block")
        assert noted.detail["found"] == {"email": 1}
        assert "jane" not in str(noted.detail)
    # Which of them is a name on the organisation's list is not hers to know.
    add_term(here.person("chidi"), kind="client", term="Zibblewort", now=NOW)
    for line, found in (("Plans of Zibblewort.", "does not name"), (MAIL, "email")):
        with pytest.raises(PersonalDataError, match=f"found: [^:]*{found}") as refused:
            wrote(mina, "user_persona_profile", f"Goal: visits.\n{line}")
        assert "organisation" not in str(refused.value)
    done = wrote(mina, "user_persona_profile", MAIL, on_personal_data="sanitise")
    assert done.view.text == "Write to [email] before each visit."
    # The same words are at home in what is about the person.
    assert [one.text for one in wrote(mina, "human", MAIL).view.entries] == [MAIL]


@pytest.mark.conformance("P13")
def test_passages_are_the_members_own_and_search_by_meaning(lasting_world: World) -> None:
    here = lasting_world.here
    mina, bob = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")
    for number in range(30):
        add_passage(mina, f"Passage {number} about the lease of a shop.", now=NOW)
    planted = "The lease of a shop about which Bob alone knows."
    add_passage(bob, planted, now=NOW)
    here.read()
    here.embed()
    found = search_passages(mina, "lease of a shop", limit=100, now=NOW)
    assert len(found) == 30
    assert planted not in {one.text for one in found}
    assert len(search_passages(mina, "lease of a shop", limit=3, now=NOW)) == 3
    assert [one.text for one in search_passages(bob, "lease of a shop", limit=10, now=NOW)] == [
        planted
    ]
    with pytest.raises(PermissionError):
        search_passages(here.robot("aria"), "lease", limit=10, now=NOW)
    body = make_robot_client(here, "bob").get("/api/v1/passages", {"query": "lease"}).json()
    assert [one["text"] for one in body["results"]] == [planted]


def test_who_opts_out_writes_nothing_more(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    mina = make_owner_actor(here, "mina")
    shown = get_block_by_label(mina, SHARED)
    set_sharing(here.person("mina"), out=True, now=NOW)
    for who in (mina, make_personal_robot(here, "mina")):
        with pytest.raises(NotFoundError):
            add_entry(who, shown.block.id, "They check visits.", wanted=WriteOptions(), now=NOW)
    client = make_robot_client(here, "mina")
    body = {"content": "They check visits.", "visibility": f"persona:{QSR}"}
    answer = client.post("/api/v1/memories", body, format="json")
    assert (answer.status_code, answer.json()["type"]) == (
        403,
        "urn:commonmind:problem:sharing-off",
    )
    assert SHARED not in block_labels(mina)


def test_confirming_moves_the_date_and_makes_no_second_line(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    mina, bob = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")
    made = add_entry(
        mina,
        get_block_by_label(mina, SHARED).block.id,
        "They check  visits.",
        wanted=WriteOptions(),
        now=NOW,
    )
    (entry,) = get_block_by_label(bob, SHARED).entries
    assert (entry.learned_at, entry.confirmed_at) == (day_of(NOW), day_of(NOW))
    done = confirm_entry(bob, made.view.block.id, entry.id, now=LATER)
    (entry,) = done.view.entries
    assert (entry.learned_at, entry.confirmed_at) == (day_of(NOW), day_of(LATER))
    again = add_entry(
        bob, made.view.block.id, " They check visits. ", wanted=WriteOptions(), now=LATER
    )
    assert again.entry
    assert again.entry.deduplicated
    with pytest.raises(NotFoundError):
        confirm_entry(bob, made.view.block.id, made.view.block.id, now=LATER)


def test_what_was_made_of_several_is_confirmed_like_the_others(world: World) -> None:
    """No draft is equal to a summary, or to words that have a speaker."""
    here = world.here
    make_association(here, "mina")
    mina = make_owner_actor(here, "mina")
    wrote(mina, SHARED, of_length(8_000))
    full = get_block_by_label(mina, SHARED)
    add_entry(mina, full.block.id, "z", wanted=WriteOptions(on_overflow="consolidate"), now=NOW)
    with resolve_principal(mina).scope():
        made = Memory.objects.get(key__startswith="summary:").id
    before = len(get_block_by_label(mina, SHARED).entries)
    done = confirm_entry(mina, full.block.id, made, now=LATER)
    confirmed = {one.id: one.confirmed_at for one in done.view.entries}
    assert (confirmed[made], len(confirmed)) == (day_of(LATER), before)
    bob = here.person("bob")
    said = here.remember(
        bob, "I prefer maps.", visibility="private", speaker=str(here.members["bob"].id)
    )
    robot = make_owner_actor(here, "bob")
    human = get_block_by_label(robot, "human").block
    with resolve_principal(robot).scope():
        row = Memory.objects.get(id=said.id)
        BlockLine.objects.create(
            organisation_id=here.id, block=human, memory=row, audience_id=row.audience_id,
            kind=row.kind, position=0,
        )  # fmt: skip
    add_entry(robot, human.id, "I prefer maps.", wanted=WriteOptions(), now=LATER)
    assert [one.id for one in get_block_by_label(robot, "human").entries] == [said.id]
    with resolve_principal(robot).scope():
        assert Memory.objects.filter(content="I prefer maps.").count() == 1
        assert Memory.objects.get(id=said.id).remember_count == 2


def test_without_the_scope_act_for_a_key_speaks_for_nobody(world: World) -> None:
    make_association(world.here, "mina")
    robot = make_personal_robot(world.here, "mina")
    bare = Actor(organisation_id=robot.organisation_id, robot_id=robot.robot_id)
    assert {one.label for one in list_blocks(bare, now=NOW)} == {
        "agent_persona",
        "global_experience",
        SHARED,
    }
