"""Blocks edited by people: conflicts, limits, the gate; what changed from version to version."""

from typing import Any
from uuid import UUID

from django.test import Client
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.models.blocks import Block, Layer
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.personas.persona_helpers import get_block_by_label, make_association, make_owner_actor
from tests.world import Tenant, World

FIRST, SECOND = "Places come first.", "Visits come second."


def shared(here: Tenant, *lines: str) -> UUID:
    """Mina's robot has written these lines; the id of the block."""
    make_association(here, "mina")
    robot = make_owner_actor(here, "mina")
    one = get_block_by_label(robot, now=timezone.now()).block.id
    for line in lines:
        add_entry(robot, one, line, wanted=WriteOptions(), now=timezone.now())
    return one


def own(here: Tenant, layer: str) -> UUID:
    with organisation_scope(here.id):
        return Block.objects.get(layer=layer, member_id=here.members["mina"].id).id


def read(here: Tenant, name: str = "chidi") -> list[str]:
    return [one.text for one in get_block_by_label(here.person(name), now=timezone.now()).entries]


def save(client: Client, block_id: UUID, words: str, version: int, **more: Any) -> Any:
    return client.post(f"/blocks/{block_id}/edit/", {"text": words, "version": version, **more})


def test_who_curates_edits_the_text_line_by_line(world: World) -> None:
    here = world.here
    one = shared(here, FIRST, SECOND)
    chidi = make_signed_in_client(here, "chidi")
    page = chidi.get(f"/blocks/{one}/edit/")
    assert page.context["form"]["text"].value() == f"{FIRST}\n{SECOND}"
    assert f">{len(FIRST) + len(SECOND) + 1}</span> of 8,000 characters" in response_text(page)
    answer = save(chidi, one, f"{FIRST}\r\nVisits are read by the week.\r\n", 2)
    assert answer["Location"] == "/personas/qsr_real_estate/"
    assert read(here) == [FIRST, "Visits are read by the week."]
    with organisation_scope(here.id):
        entry = AuditEntry.objects.filter(action="block.written").order_by("-id")[0]
        assert (entry.member, entry.target) == (here.members["chidi"].id, one)
        assert (entry.detail["before"], entry.detail["changed"]) == (2, 1)


def test_a_blocks_pages_stand_under_its_persona_or_under_my_memories(world: World) -> None:
    here = world.here
    one = shared(here, FIRST)
    for who, id_, way in (
        ("chidi", one, ["Personas", "Real Estate in QSR"]),
        ("mina", own(here, Layer.HUMAN), ["My memories", "Your robot"]),
    ):
        for part in ("edit", "versions"):
            context = make_signed_in_client(here, who).get(f"/blocks/{id_}/{part}/").context
            assert [label for label, _ in context["shown"]["above"]] == way
            assert [item["label"] for item in context["nav"] if item["current"]] == way[:1]


def test_who_may_open_the_editor(world: World) -> None:
    here = world.here
    one = shared(here, FIRST)
    human = own(here, Layer.HUMAN)
    agent = get_block_by_label(here.person("ada"), "agent_persona", now=timezone.now()).block.id
    opened = {
        name: [make_signed_in_client(here, name).get(f"/blocks/{id_}/edit/").status_code
               for id_ in (one, human, agent)]
        for name in ("ada", "chidi", "mina", "bob", "vera")
    }  # fmt: skip
    assert opened == {
        "ada": [200, 404, 200],
        "chidi": [200, 404, 404],
        "mina": [404, 200, 404],
        "bob": [404, 404, 404],
        "vera": [404, 404, 404],
    }
    for name in ("mina", "bob", "vera"):
        assert save(make_signed_in_client(here, name), one, "Mine.", 1).status_code == 404
    assert read(here) == [FIRST]


def test_somebody_elses_change_is_shown_by_word_and_never_overwritten(world: World) -> None:
    here = world.here
    one = shared(here, FIRST)
    chidi, ada = make_signed_in_client(here, "chidi"), make_signed_in_client(here, "ada")
    save(chidi, one, "Places come very first.", 1)
    answer = save(ada, one, "Places come last.", 1)
    assert answer.status_code == 409
    assert [(part["op"], part["text"]) for part in answer.context["diff"]] == [
        ("same", "Places come"),
        ("del", "very first."),
        ("ins", "last."),
    ]
    assert "Places come last." in answer.context["form"]["text"].value()
    assert read(here) == ["Places come very first."]
    # Sent again with the version that was shown, it replaces theirs.
    assert save(ada, one, "Places come last.", answer.context["version"]).status_code == 302
    assert read(here) == ["Places come last."]


def test_a_text_beyond_the_limit_is_refused_with_the_number(world: World) -> None:
    here = world.here
    one = shared(here, FIRST, SECOND)
    long = "\n".join(f"{number:04d} {'word ' * 79}end." for number in range(20))
    answer = save(make_signed_in_client(here, "chidi"), one, f"{FIRST}\n{SECOND}\n{long}", 2)
    length = len(f"{FIRST}\n{SECOND}\n{long}")
    assert length > 8000
    assert answer.status_code == 422
    assert f"This is {length:,} characters, {length - 8000:,} more than" in response_text(answer)
    assert read(here) == [FIRST, SECOND]
    assert 'value="consolidate"' in response_text(answer)


def test_a_line_that_the_gate_stops_waits_under_review(world: World) -> None:
    here = world.here
    one = shared(here, FIRST)
    chidi = make_signed_in_client(here, "chidi")
    save(chidi, one, f"{FIRST}\nWrite to ann@example.com first.", 1)
    assert "One line waits under Review" in response_text(chidi.get("/personas/"))
    assert read(here) == [FIRST]


def test_a_profile_with_a_name_is_refused_and_may_be_saved_without(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    profile, mina = own(here, Layer.PROFILE), make_signed_in_client(here, "mina")
    answer = save(mina, profile, "Reports to ann@example.com each week.", 0)
    assert answer.status_code == 422
    assert "the gate found an e-mail address" in response_text(answer)
    assert 'value="sanitise"' in response_text(answer)
    assert (
        "ann@example.com"
        not in get_block_by_label(
            here.person("mina"), "user_persona_profile", now=timezone.now()
        ).text
    )
    more = {"on_personal_data": "sanitise"}
    assert save(mina, profile, "Reports to ann@example.com weekly.", 0, **more).status_code == 302
    kept = get_block_by_label(here.person("mina"), "user_persona_profile", now=timezone.now()).text
    assert kept.startswith("Reports to [")
    assert "ann" not in kept


def test_a_profile_waits_for_a_persona(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    mina.post("/me/robot/")
    page = response_text(mina.get("/me/robot/"))
    assert "It is written once it is known which persona you have." in page
    answer = save(mina, own(here, Layer.PROFILE), "Likes short answers.", 0)
    assert answer.status_code == 422
    assert "Say first which persona you have" in response_text(answer)


def test_versions_tell_what_came_and_went_and_no_more_than_may_be_read(world: World) -> None:
    here = world.here
    one = shared(here, FIRST, SECOND)
    make_association(here, "bob")
    chidi = make_signed_in_client(here, "chidi")
    save(chidi, one, f"{FIRST}\nVisits are read by the week.", 2)
    gone = get_block_by_label(here.person("chidi"), now=timezone.now()).entries[0].id
    chidi.post(f"/memories/{gone}/forget/")
    bob = make_signed_in_client(here, "bob")
    shown = bob.get(f"/blocks/{one}/versions/").context["versions"]
    told = [
        (row["number"], row["by"].split()[1:3], row["entries"],
         [line.text for line in row["added"]], [line.text for line in row["removed"]])
        for row in shown
    ]  # fmt: skip
    assert told == [
        # What was hidden has no words any more, in no version.
        (4, ["a", "decision"], 1, [], [None]),
        (3, ["a", "person"], 2, ["Visits are read by the week."], [SECOND]),
        (2, ["a", "robot"], 2, [SECOND], []),
        (1, ["a", "robot"], 1, [None], []),
    ]
    assert FIRST not in response_text(bob.get(f"/blocks/{one}/versions/"))
    assert make_signed_in_client(here, "vera").get(f"/blocks/{one}/versions/").status_code == 404
    assert count_queries(bob, f"/blocks/{one}/versions/") <= 12
    assert count_queries(chidi, f"/blocks/{one}/edit/") <= 12


def test_admins_write_what_every_robot_is_told(world: World) -> None:
    here = world.here
    ada, chidi = make_signed_in_client(here, "ada"), make_signed_in_client(here, "chidi")
    agent = get_block_by_label(here.person("ada"), "agent_persona", now=timezone.now()).block.id
    assert "Write them" in response_text(ada.get("/robots/instructions/"))
    assert "Write them" not in response_text(chidi.get("/robots/instructions/"))
    assert make_signed_in_client(here, "mina").get("/robots/instructions/").status_code == 404
    assert save(chidi, agent, "Be rude.", 0).status_code == 404
    assert save(ada, agent, "Be brief.", 0)["Location"] == "/robots/instructions/"
    assert "Be brief." in response_text(chidi.get("/robots/instructions/"))
    assert (
        get_block_by_label(here.robot("aria"), "agent_persona", now=timezone.now()).text
        == "Be brief."
    )
    over = save(ada, agent, "x" * 2001, 1)
    assert (over.status_code, "1 more than the block holds" in response_text(over)) == (422, True)
    save(ada, agent, "Be brief and kind.", 1)
    newest = chidi.get(f"/blocks/{agent}/versions/").context["versions"][0]
    assert [(part["op"], part["text"]) for part in newest["diff"]] == [
        ("same", "Be"),
        ("del", "brief."),
        ("ins", "brief and kind."),
    ]
