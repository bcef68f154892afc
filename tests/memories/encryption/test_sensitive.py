"""Sensitive memories: no words outside one ciphertext, and read by readers alone (H42)."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import override_settings

from memories.access.permissions import RedLineError
from memories.context.models import WorkingEntry
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.curation.split_memory import split_memory
from memories.embedding.encoder_loading import get_encoder
from memories.indexing import embed_worker
from memories.indexing.models import Embedding, Pending, Text
from memories.ingestion.drafts import Draft, RememberResult
from memories.ingestion.remember import remember, remember_many
from memories.knowledge_graph.models import Edge, Entity
from memories.restatement.models import Restatement
from memories.retrieval.strategies.registry import STRATEGIES
from memories.review.propose import propose_correction
from memories.review.protect import protect_memory
from memories.store.encryption import keys
from memories.store.encryption.keys import compute_key_id, load_keyring
from memories.store.encryption.texts import EncryptedTextError, UndecryptableText, parse_key_id
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Organisation, Projection
from orgs.principals import Actor, resolve_principal
from tests.databases import rolled_back_connection
from tests.memories.privacy.test_erase import MARK, STEM, holding
from tests.world import NOW, Tenant, World

# Not digits alone: an identifier or a digest of the test's own may hold any four of those.
CODE = "QX-4711"
SECRET = f"The safe of {MARK} opens with {CODE}. Bob Marlow has the second key."


@pytest.fixture(autouse=True)
def nothing_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_missing_key_ids", set())


def row(here: Tenant, who: Actor, id_: UUID | str) -> Memory:
    with resolve_principal(who).scope():
        return Memory.objects.get(id=id_)


def secret(here: Tenant, content: str = SECRET, **fields: Any) -> RememberResult:
    return here.remember(here.robot("aria"), content, sensitive=True, **fields)


def project_everything(here: Tenant) -> None:
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).update(projections=list(Projection.values))


def code_of(answer: Any) -> str:
    return answer.json()["type"].rsplit(":", 1)[-1]


@pytest.mark.conformance("H42")
def test_its_words_stand_in_no_table_of_a_dump(lasting_world: World) -> None:
    """Written so from the start, and changed, in each of the ways there are."""
    here = lasting_world.here
    project_everything(here)
    aria, mina = here.robot("aria"), here.person("mina")
    ids = [secret(here, group="launch", conversation="c", position=2).id]
    here.remember(aria, "It is lovely there.", group="launch", conversation="c", position=3)
    batch = remember_many(
        mina, [Draft(content=SECRET, visibility="private", sensitive=True)], now=NOW
    )
    ids += [one.id for one in batch if isinstance(one, RememberResult)]
    ids.append(
        remember(
            here.person("bob"),
            Draft(content=SECRET, visibility="organisation", sensitive=True),
            now=NOW,
        ).id
    )
    edit_memory(aria, ids[0], {"content": SECRET + " More.", "tags": ["safe"]}, now=NOW)
    here.embed()
    with rolled_back_connection("admin") as admin:
        assert holding(here, admin, STEM) == {}
        assert holding(here, admin, CODE) == {}
    assert row(here, aria, ids[0]).content == SECRET + " More."
    assert row(here, mina, ids[1]).content == SECRET


@pytest.mark.conformance("H42")
def test_a_memory_made_sensitive_loses_its_words_everywhere(lasting_world: World) -> None:
    """Whatever was made of them: index, versions, facts, suggestions, what others were lent."""
    here = lasting_world.here
    project_everything(here)
    aria = here.robot("aria")
    id_ = here.remember(
        aria, SECRET, group="launch", member=str(here.members["mina"].id), kind="user",
        conversation="c", position=1, tags=("safe",),
    ).id  # fmt: skip
    here.remember(aria, "It is lovely there.", group="launch", conversation="c", position=2)
    here.embed()
    api = here.api("aria")
    assert api.post(f"/api/v1/memories/{id_}/propositions", {}, format="json").json()["results"]
    edit_memory(aria, id_, {"content": SECRET + f" {MARK} is small."}, now=NOW)
    api.post(f"/api/v1/memories/{id_}/propositions", {}, format="json")
    propose_correction(here.person("bob"), id_, content=f"{MARK} is not here.", now=NOW)
    here.embed()
    with rolled_back_connection("admin") as admin:
        before = holding(here, admin, STEM)
    assert {
        *("memories_memory", "memories_version", "memories_text", "memories_proposal"),
        *("memories_entity", "memories_restatement"),
    } <= set(before), before

    answer = api.patch(f"/api/v1/memories/{id_}", {"sensitive": True}, format="json")
    assert (answer.status_code, answer.json()["content"]) == (200, SECRET + f" {MARK} is small.")
    here.embed()
    with rolled_back_connection("admin") as admin:
        assert holding(here, admin, STEM) == {}
        assert holding(here, admin, CODE) == {}
        waiting = "SELECT DISTINCT state FROM memories_proposal WHERE memory_id = %s"
        assert admin.execute(waiting, [id_]).fetchall() == [("withdrawn",)]
    told = api.get(f"/api/v1/memories/{id_}/history").json()
    assert SECRET in json.dumps(told), "and who may read it reads its history as before"

    back = api.patch(f"/api/v1/memories/{id_}", {"sensitive": False}, format="json")
    assert back.status_code == 200
    found = api.post("/api/v1/recall", {"query": MARK}, format="json").json()["results"]
    assert str(id_) in [one["id"] for one in found]
    with resolve_principal(here.person("chidi")).scope():
        acts = AuditEntry.objects.filter(target=id_).values_list("action", flat=True)
        assert {"memory.made_sensitive", "memory.made_plain"} <= set(acts)


def test_nothing_is_derived_and_no_worker_is_owed(here: Tenant) -> None:
    project_everything(here)
    id_ = secret(here, group="launch").id
    edit_memory(here.robot("aria"), id_, {"tags": ["safe"]}, now=NOW)
    with resolve_principal(here.robot("aria")).scope():
        for model in (Text, Pending, Edge, Entity, Restatement):
            assert not model.objects.filter(memory_id=id_).exists(), model.__name__
        assert Version.objects.get(memory_id=id_).content == SECRET


def test_no_strategy_finds_it_and_lists_do(here: Tenant) -> None:
    project_everything(here)
    id_ = secret(here, group="launch", key="safe", tags=("project:safe",), category="fact").id
    here.remember(here.robot("aria"), f"An open word of {MARK}.", group="launch")
    api = here.api("aria")
    for strategy in STRATEGIES:
        body = {"query": f"{MARK} safe code", "strategy": strategy, "limit": 100}
        for asked in (
            body,
            body | {"group": "launch"},
            body | {"filters": {"tags": ["project:safe"]}},
        ):
            answer = api.post("/api/v1/recall", asked, format="json")
            assert answer.status_code == 200, answer.json()
            assert str(id_) not in answer.content.decode(), strategy
            assert CODE not in answer.content.decode()
    for query in ("?tag=project:safe", "?category=fact", "?group=launch"):
        listed = api.get(f"/api/v1/memories{query}").json()["results"]
        assert [one["content"] for one in listed if one["id"] == str(id_)] == [SECRET], query
    assert api.get(f"/api/v1/memories?q={MARK}+opens").json()["results"] == []
    assert api.get(f"/api/v1/memories/{id_}").json()["embedding"] == "none"


def test_it_is_never_at_hand(here: Tenant) -> None:
    team = here.add_team("pair", "aria", "bolt")
    api, aria = here.api("aria"), here.robot("aria")
    hand = f"/api/v1/robots/{here.robots['aria'].id}/working-memory"
    id_ = secret(here, category="preference", importance=0.9, key="k").id
    later = here.remember(aria, f"{SECRET} Later.", category="preference", importance=0.9).id
    with resolve_principal(aria).scope():
        assert not WorkingEntry.objects.filter(memory_id=id_).exists(), "its team is not told"
    assert api.post(hand, {"memory": str(id_)}, format="json").status_code == 404
    assert api.post(hand, {"memory": str(later)}, format="json").status_code == 200
    assert str(later) in api.get(hand).content.decode()
    edit_memory(aria, later, {"sensitive": True}, now=NOW)
    assert api.get(hand).json()["count"] == 0
    asked = {"query": f"{MARK} safe", "max_tokens": 2000}
    for answer in (
        api.get(hand),
        api.get(f"{hand}?order=recent&max_tokens=1000"),
        api.get(f"/api/v1/teams/{team.id}/working-memory"),
        api.post("/api/v1/context", asked, format="json"),
    ):
        assert answer.status_code == 200, answer.content
        told = answer.content.decode()
        assert not [word for word in (CODE, str(id_), str(later)) if word in told], told


def test_a_snapshot_leaves_it_out_and_the_members_export_holds_it(here: Tenant) -> None:
    mina = here.person("mina")
    remember(mina, Draft(content=SECRET, visibility="private", sensitive=True), now=NOW)
    remember(mina, Draft(content="An open word.", visibility="private"), now=NOW)
    browser = here.browser("mina")
    snapshot = browser.get("/api/v1/snapshots")
    assert snapshot.status_code == 200
    assert "An open word." in snapshot.content.decode()
    assert CODE not in snapshot.content.decode()
    export = browser.get("/me/export/")
    text = b"".join(export) if export.streaming else export.content
    assert CODE.encode() in text


def test_who_may_not_read_it_sees_nothing(here: Tenant) -> None:
    mina = here.person("mina")
    id_ = remember(mina, Draft(content=SECRET, visibility="private", sensitive=True), now=NOW).id
    shown = here.browser("mina").get(f"/memories/{id_}/")
    assert shown.status_code == 200
    assert "opens with QX-4711" in shown.content.decode()
    assert "Encrypted; no search finds its words" in shown.content.decode()
    assert here.browser("bob").get(f"/memories/{id_}/").status_code == 404
    assert here.browser("bob").get(f"/api/v1/memories/{id_}").status_code == 404


def test_a_reader_of_the_column_sees_neither_words_nor_ciphertext(here: Tenant) -> None:
    """Whoever writes a new query and forgets that a row may be encrypted shows an empty text."""
    aria = here.robot("aria")
    id_ = secret(here).id
    with resolve_principal(aria).scope():
        mine = Memory.objects.filter(id=id_)
        assert list(mine.values_list("content", flat=True)) == [""]
        with connection.cursor() as cursor:
            cursor.execute("SELECT content FROM memories_memory WHERE id = %s", [id_])
            assert cursor.fetchone() == ("",)
        for rows in (mine, mine.only("id", "content"), mine.defer("content"), mine.defer("sealed"),
                     mine.only("id"), mine.select_related("robot")):  # fmt: skip
            assert rows.get().content == SECRET
        again = mine.get()
        again.refresh_from_db(fields=["content"])
        assert again.content == SECRET


def test_no_writer_stores_plain_words_beside_a_ciphertext(here: Tenant) -> None:
    aria = here.robot("aria")
    id_ = secret(here).id
    with resolve_principal(aria).scope():
        for forged in ({"content": "x"}, {"sensitive": False}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Memory.objects.filter(id=id_).update(**forged)
        mine = Memory.objects.get(id=id_)
        stored = bytes(mine.sealed)
        mine.save()
        assert bytes(Memory.objects.get(id=id_).sealed) == stored, "the same text is left alone"
        mine.content = "Another."
        mine.save(update_fields=["content"])
        found = Memory.objects.get(id=id_)
    assert (found.content, bytes(found.sealed) != stored) == ("Another.", True)


@pytest.mark.conformance("H42")
def test_a_ciphertext_moved_to_another_row_does_not_open(here: Tenant) -> None:
    aria = here.robot("aria")
    one, other = secret(here, "One code: 1.", key="a"), secret(here, "Another code: 2.", key="b")
    with resolve_principal(aria).scope():
        theirs = Memory.objects.get(id=other.id).sealed
        Memory.objects.filter(id=one.id).update(sealed=theirs)
        found = Memory.objects.get(id=one.id)
        assert isinstance(found.content, UndecryptableText)
    answer = here.api("aria").get(f"/api/v1/memories/{one.id}")
    assert answer.status_code == 200
    assert "belongs to another memory" in answer.json()["content"]


def test_said_again_it_is_the_same_memory(here: Tenant) -> None:
    first = secret(here, key="safe")
    again = secret(here, key="safe")
    assert (again.id, again.deduplicated, again.remember_count) == (first.id, True, 2)
    assert secret(here).deduplicated, "also without its key"
    answer = here.api("aria").post(
        "/api/v1/memories", {"content": "Else.", "key": "safe", "sensitive": True}, format="json"
    )
    assert (answer.status_code, code_of(answer)) == (409, "key-taken")
    plain = here.remember(here.robot("aria"), SECRET, key="other")
    assert not plain.deduplicated, "what is said in plain is another memory"


@override_settings(ENCRYPTION_KEYS=[])
def test_without_a_key_it_is_refused_and_nothing_is_stored(here: Tenant) -> None:
    api = here.api("aria")
    answer = api.post("/api/v1/memories", {"content": SECRET, "sensitive": True}, format="json")
    assert (answer.status_code, code_of(answer)) == (400, "no-encryption-key")
    items = [{"content": SECRET, "sensitive": True}, {"content": "An open word."}]
    results = api.post("/api/v1/memories/batch", {"items": items}, format="json").json()["results"]
    assert [one["status"] for one in results] == ["refused", "active"]
    plain = results[1]["id"]
    answer = api.patch(f"/api/v1/memories/{plain}", {"sensitive": True}, format="json")
    assert (answer.status_code, code_of(answer)) == (400, "no-encryption-key")
    page = here.browser("mina").post(
        "/memories/add/",
        {"content": SECRET, "importance": "0.5", "audience": "private", "sensitive": "on"},
    )
    assert page.status_code == 422
    assert "has no key for that" in page.content.decode()
    assert here.readable(here.robot("aria")) == {UUID(plain)}
    assert here.readable(here.person("mina")) == {UUID(plain)}


def test_a_missing_key_is_said_and_breaks_nothing_else(here: Tenant) -> None:
    api = here.api("aria")
    id_ = secret(here, group="launch").id
    missing = load_keyring().newest.id
    with override_settings(ENCRYPTION_KEYS=["YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="]):
        for path in (f"/api/v1/memories/{id_}", "/api/v1/memories"):
            answer = api.get(path)
            assert answer.status_code == 200
            assert f"cannot be decrypted: the key {missing} is missing" in answer.content.decode()
        assert here.browser("mina").get(f"/memories/{id_}/").status_code == 200
        assert (
            api.patch(f"/api/v1/memories/{id_}", {"tags": ["x"]}, format="json").status_code == 200
        )
        answer = api.patch(f"/api/v1/memories/{id_}", {"sensitive": False}, format="json")
        assert (answer.status_code, code_of(answer)) == (409, "encrypted")
        ready = api.get("/readyz").json()
        assert ready["parts"]["encryption"] == f"missing key {missing}"
        assert ready["status"] == "degraded"
    assert api.get(f"/api/v1/memories/{id_}").json()["content"] == SECRET
    assert api.get("/readyz").json()["parts"]["encryption"] == "ok"


def test_acts_that_would_keep_its_words_elsewhere_are_refused(here: Tenant) -> None:
    id_ = secret(here, group="launch").id
    with pytest.raises(EncryptedTextError):
        propose_correction(here.person("bob"), id_, content="Else.", now=NOW)
    with pytest.raises(EncryptedTextError):
        split_memory(here.robot("aria"), id_, now=NOW)


def test_what_was_made_of_others_or_said_in_a_conversation_is_not_made_sensitive(
    here: Tenant,
) -> None:
    api = here.api("aria")
    said = api.post("/api/v1/conversations", {"external_id": "c", "group": "launch"}, format="json")
    posted = api.post(
        f"/api/v1/conversations/{said.json()['id']}/messages",
        {"content": SECRET, "speaker": "mina"},
        format="json",
    )
    assert posted.status_code in (200, 201), posted.content
    with resolve_principal(here.robot("aria")).scope():
        id_ = Memory.objects.get(content=SECRET).id
    answer = api.patch(f"/api/v1/memories/{id_}", {"sensitive": True}, format="json")
    assert (answer.status_code, code_of(answer)) == (409, "encrypted")
    assert row(here, here.robot("aria"), id_).sensitive is False
    # Its dissents would stand beside it in plain.
    body = {"topic": "Tea", "conclusion": "Green.", "group": "launch"}
    id_ = UUID(api.post("/api/v1/decisions", body, format="json").json()["id"])
    answer = api.patch(f"/api/v1/memories/{id_}", {"sensitive": True}, format="json")
    assert (answer.status_code, code_of(answer)) == (409, "encrypted")
    assert row(here, here.robot("aria"), id_).sensitive is False


def test_a_proposal_for_everyone_stays_encrypted_when_it_is_published(here: Tenant) -> None:
    made = remember(
        here.person("mina"),
        Draft(content=SECRET, visibility="organisation", sensitive=True),
        now=NOW,
    )
    assert made.status == "pending_review"
    chidi = here.browser("chidi")
    [item] = chidi.get("/api/v1/proposals").json()["results"]
    assert CODE in json.dumps(item)
    answer = chidi.post(
        f"/api/v1/proposals/{item['id']}/decision",
        {"action": "approve", "version": 1},
        format="json",
    )
    assert answer.status_code == 200, answer.content
    with resolve_principal(here.robot("bolt")).scope():
        [copy] = Memory.objects.all()
        assert (copy.content, copy.sensitive) == (SECRET, True)
        assert list(Memory.objects.values_list("content", flat=True)) == [""]
        assert not Text.objects.exists()


def test_an_import_takes_the_field(lasting_world: World, tmp_path: Path) -> None:
    here, file = lasting_world.here, tmp_path / "lines.jsonl"
    lines = [
        {"id": "1", "text": SECRET, "sensitive": True},
        {"text": f"{MARK} without an id.", "sensitive": True},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    everyones = {"organisation": here.organisation.slug, "readers": "organisation"}
    call_command("import_memories", str(file), **everyones, verbosity=0)
    with rolled_back_connection("admin") as admin:
        assert holding(here, admin, STEM) == {}


def test_key_ids_say_nothing_of_the_key(here: Tenant) -> None:
    stored = bytes(row(here, here.robot("aria"), secret(here).id).sealed)
    assert (
        parse_key_id(stored)
        == compute_key_id(load_keyring().newest.secret)
        == load_keyring().newest.id
    )


def test_what_lies_with_other_readers_is_encrypted_too(lasting_world: World) -> None:
    """Older versions and facts stay with the readers of then, whom the editor does not know."""
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    id_ = here.remember(aria, SECRET, group="design").id
    made = here.api("aria").post(f"/api/v1/memories/{id_}/propositions", {}, format="json").json()
    edit_memory(aria, id_, {"importance": 0.9, "tags": ["safe"]}, now=NOW)
    share_memory(aria, id_, visibility="organisation", readers={}, group=None, now=NOW)
    here.embed()
    with resolve_principal(here.person("ada")).scope():
        assert not Version.objects.filter(memory_id=id_).exists()
    edit_memory(here.person("ada"), id_, {"sensitive": True}, now=NOW)
    with rolled_back_connection("admin") as admin:
        assert holding(here, admin, STEM) == {}
    facts = [one["content"] for one in made["results"]]
    with resolve_principal(aria).scope():
        kept = Memory.objects.filter(id__in=[one["id"] for one in made["results"]])
        assert sorted(row.content for row in kept) == sorted(facts) != []
        assert {row.content for row in Version.objects.filter(memory_id=id_)} == {SECRET}


def test_what_becomes_sensitive_while_it_is_embedded_gets_no_vector(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, aria, encoder = lasting_world.here, lasting_world.here.robot("aria"), get_encoder()
    id_ = here.remember(aria, SECRET).id

    def slow(texts: list[str], *, is_query: bool = False) -> Any:
        edit_memory(aria, id_, {"sensitive": True}, now=NOW)
        return encoder.encode(texts)

    monkeypatch.setattr(
        embed_worker, "get_encoder", lambda *_: SimpleNamespace(name="x", encode=slow)
    )
    here.embed()
    with resolve_principal(aria).scope():
        assert not Embedding.objects.filter(memory_id=id_).exists()
        assert not Pending.objects.filter(memory_id=id_).exists()


def test_text_and_flag_change_together(here: Tenant) -> None:
    aria = here.robot("aria")
    id_ = here.remember(aria, SECRET).id
    edit_memory(aria, id_, {"sensitive": True, "content": "Newer."}, now=NOW)
    found = row(here, aria, id_)
    assert (found.content, found.sensitive, found.version) == ("Newer.", True, 2)
    with resolve_principal(aria).scope():
        assert Version.objects.get(memory_id=id_).content == SECRET
        assert list(Version.objects.values_list("content", flat=True)) == [""]
    edit_memory(aria, id_, {"sensitive": False, "content": "Open."}, now=NOW)
    found = row(here, aria, id_)
    assert (found.content, found.sealed, found.version) == ("Open.", None, 3)
    same = here.remember(aria, "Open.")
    assert (same.id, same.deduplicated) == (id_, True), "its hash is that of a plain text"


def test_only_who_may_edit_it_changes_it_and_a_red_line_holds(here: Tenant) -> None:
    aria = here.robot("aria")
    id_ = here.remember(aria, SECRET).id
    answer = here.browser("bob").patch(
        f"/api/v1/memories/{id_}", {"sensitive": True}, format="json"
    )
    assert (answer.status_code, code_of(answer)) == (403, "not-yours")
    protect_memory(here.person("ada"), id_, reason="kept", now=NOW)
    with pytest.raises(RedLineError):
        edit_memory(aria, id_, {"sensitive": True}, now=NOW)
    assert row(here, aria, id_).sensitive is False


def test_what_a_robot_leaves_with_a_member_is_encrypted_for_them(here: Tenant) -> None:
    place = {"group": "launch", "member": str(here.members["mina"].id), "visibility": "private"}
    made = secret(here, **place)
    assert row(here, here.person("mina"), made.id).content == SECRET
    assert made.id not in here.readable(here.robot("aria"))


def test_the_page_encrypts_and_decrypts(here: Tenant) -> None:
    browser = here.browser("mina")
    form = {"content": SECRET, "importance": "0.5", "audience": "private", "sensitive": "on"}
    url = browser.post("/memories/add/", form)["Location"]
    assert "opens with QX-4711" in browser.get(url).content.decode()
    edited = browser.post(f"{url}edit/", {"content": SECRET, "importance": "0.5", "version": 1})
    assert edited.status_code == 302
    with resolve_principal(here.person("mina")).scope():
        found = Memory.objects.get()
    assert (found.sensitive, found.sealed, found.content) == (False, None, SECRET)
