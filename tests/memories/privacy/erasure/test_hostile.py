"""What others plan against an erasure, and what an erasure must not do to them (T14)."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test import override_settings
from django.utils import timezone

from memories.browsing.models import SavedView
from memories.privacy import request_erasure
from memories.privacy.erasure.erasure_run import Erasure
from memories.privacy.purge import purge_trash
from memories.privacy.receipts import create_link, get_receipt
from memories.privacy.replay_erasures import replay_erasures
from memories.privacy.request_erasure import erase_member
from memories.store.models.memory import Memory
from orgs.database.erasure_ledger import read_entries
from orgs.database.rls import organisation_scope
from orgs.models.memberships import ExternalIdentity, Member
from orgs.models.organisations import Group
from orgs.models.sign_ins import SignIn
from orgs.models.users import User
from orgs.principals import resolve_principal
from tests.memories.privacy.erasure.test_erase_member import finish
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T14")
OTHER_KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIzNDU="


@pytest.fixture
def here(lasting_world: World, settings: Any, tmp_path: Path) -> Tenant:
    """Mina is called Zora Quill; the ledger and the logs are this test's own."""
    settings.DATA_DIR = tmp_path
    here = lasting_world.here
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(name="Zora Quill")
    return here


def erase(here: Tenant) -> Erasure:
    mina = here.members["mina"].id
    erasure = erase_member(here.person("ada"), mina, confirm=str(mina), now=NOW)
    finish(here, erasure)
    return erasure


def raw(here: Tenant, id_: UUID) -> Memory:
    with organisation_scope(here.id, using="worker"):
        return Memory.objects.using("worker").get(id=id_)


def names(here: Tenant, **identity: str) -> None:
    """A robot with no right over anybody gives Mina an identity."""
    mina = here.members["mina"].id
    path = f"/api/v1/members/{mina}/identities"
    assert here.api("aria").post(path, identity, format="json").status_code == 201


def test_nobody_chooses_which_words_are_hidden(here: Tenant, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    log = tmp_path / "log" / "web.log"
    log.write_text('{"level":"warning","who":"zora.q@example.org"}\n')
    for account in ("irc:budget", "irc:launch", "irc:warning", "irc:decrypted"):
        names(here, identity=account)
    names(here, identity="irc:x99", known_as="salary")
    bob = here.person("bob")
    own = here.remember(bob, "My budget and salary talk.", visibility="private").id
    sealed = here.remember(
        bob, "The code is 4711.", group="launch", sensitive=True, topic="What was decrypted by Zora"
    ).id
    with override_settings(ENCRYPTION_KEYS=[OTHER_KEY]):
        counts = get_receipt(create_link(erase(here))).counts
    assert raw(here, own).content == "My budget and salary talk."
    # The key was away for a while: what could not be read is as it was.
    assert raw(here, sealed).content == "The code is 4711."
    assert counts["masked unreadable"] == 1
    with organisation_scope(here.id):
        group = Group.objects.get(id=here.groups["launch"].id)
    assert (group.external_id, group.name) == ("launch", "#launch")
    assert '"level":"warning"' in log.read_text()
    asked = {"query": "x", "group": "launch"}
    assert here.api("aria").post("/api/v1/recall", asked, format="json").status_code == 200


def test_what_becomes_equal_stops_nothing(here: Tenant) -> None:
    """Views of one name, encrypted texts of one content, JSON with two keys."""
    bob = resolve_principal(here.person("bob"))
    with bob.scope():
        for name in ("Zora Quill", "Zora"):
            SavedView.objects.create(
                organisation_id=here.id,
                audience_id=bob.own_audience,
                member_id=here.members["bob"].id,
                name=name,
                query="q=x",
            )
    for text in ("The code of Zora Quill is 12.", "The code of Zora is 12."):
        here.remember(here.person("bob"), text, group="launch", sensitive=True)
    notes = {"Zora": "chair", "Quill": "desk", "to": "To:\nZora\nBye"}
    id_ = here.remember(here.person("bob"), "Plans.", group="launch", metadata=notes).id
    erase(here)
    metadata = raw(here, id_).metadata
    assert metadata == {"[removed]": "chair", "[removed] 2": "desk", "to": "To:\n[removed]\nBye"}
    with bob.scope():
        left = SavedView.objects.values_list("name", flat=True)
        assert all(name.startswith("[removed] ") and len(name) > 40 for name in left)


def test_what_somebody_else_said_as_well_stays(here: Tenant) -> None:
    id_ = here.remember(here.person("mina"), "The office closes at six.", group="launch").id
    assert here.remember(here.person("bob"), "The office closes at six.", group="launch").id == id_
    erase(here)
    assert raw(here, id_).remember_count == 1


def test_an_account_goes_with_the_last_organisation_that_it_opens(
    here: Tenant, lasting_world: World
) -> None:
    """Another organisation has removed her: that holds nothing up, and nothing is said done."""
    user, there = here.members["mina"].user, lasting_world.there
    with organisation_scope(there.id):
        Member.objects.filter(id=there.members["vera"].id).update(user=user, removed_at=NOW)
    receipt = get_receipt(create_link(erase(here)))
    assert receipt.counts["user_accounts"] == 1
    assert not User.objects.filter(id=user.id).exists()


def test_another_organisation_notices_nothing(here: Tenant, lasting_world: World) -> None:
    user, there = here.members["mina"].user, lasting_world.there
    with organisation_scope(there.id):
        Member.objects.filter(id=there.members["vera"].id).update(user=user)
    SignIn.objects.create(user=user, session_key="k" * 32, browser="x", last_seen_at=timezone.now())
    assert "user_accounts" not in get_receipt(create_link(erase(here))).counts
    assert User.objects.filter(id=user.id).exists()
    assert SignIn.objects.filter(user=user).count() == 1


def test_no_answer_tells_which_identities_exist(here: Tenant) -> None:
    with organisation_scope(here.id):
        ExternalIdentity.objects.create(
            organisation_id=here.id,
            platform="slack",
            identifier="U1",
            member_id=here.members["mina"].id,
            confirmed_at=NOW,
        )
    for client in (here.api("bolt"), here.browser("bob")):
        answers = {
            client.post(
                "/api/v1/erasures", {"member": one, "confirm": "x"}, format="json"
            ).status_code
            for one in ("slack:U1", "slack:U2")
        }
        assert answers == {403}


def test_the_ledger_holds_every_memory_of_a_purge_and_nothing_that_was_rolled_back(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def boom(*_: Any, **__: Any) -> None:
        raise RuntimeError("the power went")

    mina = here.members["mina"].id
    with monkeypatch.context() as patched:
        patched.setattr(request_erasure, "create_tombstones", boom)
        with pytest.raises(RuntimeError):
            erase_member(here.person("ada"), mina, confirm=str(mina), now=NOW)
    assert read_entries() == []
    aria = here.robot("aria")
    ids = [here.remember(aria, f"Thing {n}.").id for n in range(3)]
    for id_ in ids:
        assert here.api("aria").delete(f"/api/v1/memories/{id_}").status_code == 204
    later = timezone.now() + timedelta(days=1)
    assert purge_trash(aria, older_than=later, confirm=True, now=later).memories == 3
    assert {one["target"] for one in read_entries()} == set(map(str, ids))


def test_a_restore_takes_no_more_than_was_taken(here: Tenant) -> None:
    """What somebody made citing a memory stayed when it was erased, and stays again."""
    bolt, everyone = here.robot("bolt"), {"visibility": "organisation"}
    gone = here.remember(bolt, "Source one.", **everyone).id
    answer = here.api("bolt").delete(f"/api/v1/memories/{gone}?hard=true&confirm={gone}")
    assert answer.status_code == 200
    [line] = read_entries()
    # In the database of before it is there, and so is what cites it.
    back = here.remember(bolt, "Source two.", **everyone).id
    cites = here.remember(
        here.person("bob"), "So it follows.", source={"memories": [str(back)]}, **everyone
    ).id
    told: list[str] = []
    replay_erasures([{**line, "target": str(back)}], told.append)
    assert told == ["1 erasures were done again"]
    assert raw(here, cites).status in ("active", "pending_review")
    with pytest.raises(Memory.DoesNotExist):
        raw(here, back)


def test_a_decision_is_not_half_encrypted(here: Tenant) -> None:
    api = here.api("aria")
    claims = [{"text": "The safe is blue."}]
    body = {"topic": "Vault", "conclusion": "Use it.", "group": "launch", "claims": claims}
    made = api.post("/api/v1/decisions", body, format="json").json()["id"]
    answer = api.patch(f"/api/v1/memories/{made}", {"sensitive": True}, format="json")
    assert answer.status_code == 409
    assert answer.json()["type"].endswith(":encrypted")
