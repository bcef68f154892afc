"""Who wrote a memory and whose words it gives are two facts, wherever it is shown (T22)."""

from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction

from memories.curation import review_decisions
from memories.curation.edit_memory import edit_memory, restore_version
from memories.curation.review_decisions import ReviewDecision
from memories.curation.undo_review_decision import undo_review_decision
from memories.retrieval.experts.rank_experts import rank_experts
from memories.review.propose import propose_correction
from memories.store.models.version import Contribution
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.isolation.forgery import all_audiences_scope
from tests.memories.curation.test_decide import propose, waiting
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, World

pytestmark = pytest.mark.conformance("T22")
SAID = "Samba speaks SMB3 on port 445."


def said_by_bob(world: World) -> UUID:
    here = world.here
    minas, bobs = (str(here.members[name].id) for name in ("mina", "bob"))
    return here.remember(here.robot("aria"), SAID, group="launch", member=minas, speaker=bobs).id


def facts(answer: dict[str, Any]) -> tuple[Any, ...]:
    names = ("author", "robot", "speaker_member", "reworded_by")
    return tuple(answer[name] and answer[name]["name"] for name in names)


def test_a_member_names_nobody_else_in_any_way(world: World) -> None:
    here, mina = world.here, world.here.browser("mina")
    bob = str(here.members["bob"].id)
    for speaker in (bob, "Bob", "grandmother", "\u0412ob", "chat:bob"):
        body = {"content": "I hate Mondays.", "visibility": "private", "speaker": speaker}
        answer = mina.post("/api/v1/memories", body, format="json")
        assert answer.status_code == 403, speaker
        assert answer.json()["type"].endswith(":identity-claim")
    for speaker in (str(here.members["mina"].id), "Mina", " mina "):
        body = {"content": f"By {speaker}", "visibility": "private", "speaker": speaker}
        made = mina.post("/api/v1/memories", body, format="json").json()
        told = mina.get(f"/api/v1/memories/{made['id']}").json()
        assert facts(told) == ("Mina", "web", "Mina", None)


def test_both_stand_in_answers_lists_recalls_and_on_the_page(world: World) -> None:
    here, id_ = world.here, said_by_bob(world)
    api = here.api("aria")
    hit = api.post("/api/v1/recall", {"query": "samba", "group": "launch"}, format="json")
    listed = api.get("/api/v1/memories", {"group": "launch"}).json()["results"]
    one = api.get(f"/api/v1/memories/{id_}").json()
    for answer in (hit.json()["results"][0], listed[0], one):
        assert facts(answer) == (None, "aria", "Bob", None)
    own = here.remember(here.person("bob"), "Figs are sweet.", visibility="private").id
    bob = make_signed_in_client(here, "bob")
    assert "You said this on 2 March in #launch, and aria remembered it." in response_text(
        bob.get(f"/memories/{id_}/")
    )
    assert "You wrote this down on 2 March." in response_text(bob.get(f"/memories/{own}/"))


def test_another_text_is_not_who_said_its(world: World) -> None:
    here, id_ = world.here, said_by_bob(world)
    mina, bob = here.person("mina"), here.person("bob")
    edit_memory(mina, id_, {"content": "Kafka is best, says Bob."}, now=NOW)
    told = here.browser("bob").get(f"/api/v1/memories/{id_}").json()
    assert facts(told) == (None, "aria", "Bob", "Mina")
    assert "The words are now Mina’s." in response_text(
        make_signed_in_client(here, "bob").get(f"/memories/{id_}/")
    )
    assert rank_experts(resolve_principal(bob), topic="kafka", now=NOW) == []
    edit_memory(bob, id_, {"content": "Kafka is slow, say I."}, now=NOW)
    told = here.browser("bob").get(f"/api/v1/memories/{id_}").json()
    assert facts(told) == (None, "aria", "Bob", None)
    restore_version(mina, id_, 2, version=3, now=NOW)
    assert facts(here.browser("bob").get(f"/api/v1/memories/{id_}").json())[3] == "Mina"


def test_a_correction_is_the_words_of_who_suggested_it(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    id_ = here.remember(here.robot("bolt"), "The office closes at six.").id
    item = propose_correction(here.person("bob"), id_, content="At seven.", now=NOW)
    review_decisions.approve_item(chidi, item.id, ReviewDecision(version=1), now=NOW)
    assert facts(here.api("bolt").get(f"/api/v1/memories/{id_}").json())[3] == "Bob"
    undo_review_decision(chidi, item.id, now=NOW)
    assert facts(here.api("bolt").get(f"/api/v1/memories/{id_}").json())[3] is None


def test_what_is_edited_before_approval_is_not_put_down_to_its_author(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    item = propose(here)
    done = review_decisions.approve_item(
        chidi, item.id, ReviewDecision(version=1, content="At nine."), now=NOW
    )
    url = f"/memories/{done.outcome['made']}/"
    told = here.browser("mina").get(f"/api/v1{url.rstrip('/')}").json()
    assert facts(told) == ("Bob", "web", None, "Chidi")
    page = response_text(make_signed_in_client(here, "mina").get(url))
    assert "Bob wrote this down on" in page
    assert "The words are now Chidi’s." in page
    assert waiting(chidi) == []


def test_who_says_it_again_is_not_counted_as_who_said_it_first(world: World) -> None:
    here = world.here
    for who in ("chidi", "ada", "ada"):
        id_ = here.remember(here.person(who), "We close at six.", visibility="organisation").id
    with all_audiences_scope(here):
        rows = Contribution.objects.filter(memory_id=id_).values_list("member__name", "count")
        assert set(rows) == {("Chidi", 1), ("Ada", 2)}


def test_the_trail_names_both(world: World) -> None:
    here = world.here
    bob = str(here.members["bob"].id)
    id_ = here.remember(here.robot("aria"), SAID, speaker=bob).id
    with organisation_scope(here.id):
        entry = AuditEntry.objects.exclude(action="gate.passed").get(target=id_)
    assert (entry.action, entry.detail) == (
        "memory.attributed",
        {"speaker": bob, "written_by_robot": str(here.robots["aria"].id)},
    )
    page = response_text(make_signed_in_client(here, "ada").get("/audit/"))
    assert "Bob’s words, written by aria" in page
    edit_memory(here.person("ada"), id_, {"importance": 0.9}, now=NOW)
    with organisation_scope(here.id):
        assert AuditEntry.objects.get(action="memory.edited").detail["speaker"] == bob


@pytest.mark.conformance("T11")
@pytest.mark.parametrize("column", ["speaker", "speaker_member_id", "author_id", "robot_id"])
@pytest.mark.parametrize("table", ["memories_memory", "robots_message"])
def test_the_database_keeps_who_said_it(world: World, table: str, column: str) -> None:
    here = world.here
    said_by_bob(world)
    value = "Eve" if column == "speaker" else str(here.members["mina"].id)
    if table == "robots_message":
        chat = here.api("aria").post("/api/v1/conversations", {"group": "launch"}, format="json")
        url = f"/api/v1/conversations/{chat.json()['id']}/messages"
        here.api("aria").post(url, {"content": "Figs are sweet."}, format="json")
    with (
        all_audiences_scope(here),
        pytest.raises(IntegrityError, match="never changes"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE {table} SET {column} = %s", [value])


def test_a_plain_key_says_nothing_for_a_member_but_by_a_proven_name(world: World) -> None:
    here = world.here
    bob = str(here.members["bob"].id)
    here.add_robot("eve", groups=("launch",), scopes=("read", "write"))
    chat = here.api("eve").post("/api/v1/conversations", {"group": "launch"}, format="json")
    url = f"/api/v1/conversations/{chat.json()['id']}/messages"
    body = {"content": "I like figs.", "speaker": bob}
    assert here.api("eve").post(url, body, format="json").status_code == 403
    named = {"content": "I like pears a lot.", "speaker": "Bob"}
    assert here.api("eve").post(url, named, format="json").status_code == 201
    (message,) = here.api("eve").get(url).json()["results"]
    assert (message["speaker"], message["member"], message["author"]) == ("Bob", None, None)
    memory = here.api("eve").get("/api/v1/memories", {"group": "launch"}).json()["results"][0]
    assert (memory["speaker"], memory["speaker_member"]) == ("Bob", None)
    page = response_text(make_signed_in_client(here, "mina").get(f"/memories/{memory['id']}/"))
    assert "as the words of “Bob”, a name that no member here stands behind" in page
    claimed = {
        "content": "I said so.", "group": "launch", "conversation": chat.json()["id"],
        "key": f"message:{message['id']}", "source": {"message": message["id"]},
    }  # fmt: skip
    assert here.api("eve").post("/api/v1/memories", claimed, format="json").status_code == 403


def test_nobody_says_of_what_their_text_is_a_fact(world: World) -> None:
    """It would stand under another's approved memory as one of its facts."""
    here = world.here
    of = here.remember(here.person("ada"), "Figs are sweet in May.", visibility="organisation").id
    claimed = {
        "content": "Figs are bitter in May.", "visibility": "organisation",
        "source": {"proposition_of": str(of), "memories": [str(of)]},
    }  # fmt: skip
    for writer in (here.api("aria"), here.browser("mina"), here.browser("ada")):
        answer = writer.post("/api/v1/memories", claimed, format="json")
        assert answer.status_code == 403, answer.content
        assert answer.json()["type"].endswith("identity-claim")
    body = {"items": [claimed]}
    batch = here.api("aria").post("/api/v1/memories/batch", body, format="json").json()
    assert batch["results"][0]["status"] == "refused"
