"""A kept copy of a receipt can be checked: by a page without an account, and by a command."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.core.signing import BadSignature
from django.test import Client, override_settings

from memories.privacy.erase_memory import erase_memory
from memories.privacy.erasure.erasure_run import Erasure
from memories.privacy.receipts import NoReceipt, check_copy, create_link, load_receipt
from orgs.principals import resolve_principal
from tests.page_client import response_text
from tests.world import NOW, World

pytestmark = pytest.mark.conformance("T14")


def erased(world: World) -> Erasure:
    """A finished erasure of one memory."""
    ada = world.here.person("ada")
    id_ = world.here.remember(ada, "The canteen closes at two.", visibility="private").id
    made = erase_memory(ada, id_, confirm=str(id_), now=NOW).erasure
    made.finished_at, made.counts = NOW, {"memories": 1, "claims": 2}
    return made


def copy_of(world: World) -> dict[str, Any]:
    erasure = erased(world)
    with resolve_principal(world.here.person("ada")).scope():
        found = load_receipt(erasure)
    return found.body | {"signature": found.signature}


CHANGES: dict[str, Any] = {
    "id": "01990000-0000-7000-8000-00000000dead",
    "what": "member",
    "source": "robot",
    "target": "01990000-0000-7000-8000-00000000dead",
    "at": "2025-03-02T12:00:00+00:00",
    "finished_at": "2025-03-02T12:00:00+00:00",
    "backups_until": "2020-01-01",
    "mentions": 7,
    "incomplete": True,
    "counts": {"memories": 2, "claims": 2},
    "signature": "aaaa",
}


def test_a_copy_is_right_until_anything_in_it_is_changed(world: World) -> None:
    kept = copy_of(world)
    assert check_copy(json.dumps(kept))["counts"] == {"memories": 1, "claims": 2}
    turned = {name: kept[name] for name in reversed(kept)}
    turned["counts"] = dict(reversed(kept["counts"].items()))
    assert check_copy(json.dumps(turned, indent=4))["id"] == kept["id"]
    assert set(CHANGES) == set(kept)
    for name, other in CHANGES.items():
        with pytest.raises(BadSignature):
            check_copy(json.dumps(kept | {name: other}))


def test_a_copy_outlives_its_key_as_long_as_that_is_taken(world: World) -> None:
    kept = json.dumps(copy_of(world))
    from django.conf import settings

    before = settings.SECRET_KEY
    with override_settings(SECRET_KEY="y" * 60, SECRET_KEY_FALLBACKS=[before]):
        assert check_copy(kept)
    with override_settings(SECRET_KEY="y" * 60), pytest.raises(BadSignature):
        check_copy(kept)


@pytest.mark.parametrize("given", ["", "words", "[]", "{}", '{"id": 1}', "[" * 100_000])
def test_what_is_no_copy_is_told_from_a_wrong_one(given: str) -> None:
    with pytest.raises(NoReceipt):
        check_copy(given)


def test_the_page_says_whether_the_signature_is_right(world: World) -> None:
    kept, client = copy_of(world), Client()
    assert client.get("/receipts/check/").status_code == 200
    right = client.post("/receipts/check/", {"copy": json.dumps(kept)})
    assert "The signature is right" in response_text(right)
    wrong = client.post("/receipts/check/", {"copy": json.dumps(kept | {"mentions": 1})})
    assert "The signature is wrong" in response_text(wrong)
    none = client.post("/receipts/check/", {"copy": "words"})
    assert (none.status_code, "It is no JSON." in response_text(none)) == (422, True)


def test_the_page_of_a_receipt_leads_to_the_check(world: World) -> None:
    erasure = erased(world)
    with resolve_principal(world.here.person("ada")).scope():
        Erasure.objects.filter(id=erasure.id).update(finished_at=NOW, counts={"memories": 1})
    client = Client()
    place = f"/receipts/{create_link(erasure)}/"
    assert "/receipts/check/" in response_text(client.get(place))
    kept = response_text(client.get(f"{place}?format=json"))
    assert "The signature is right" in response_text(
        client.post("/receipts/check/", {"copy": kept})
    )


def test_the_command_says_so_and_fails_where_it_is_wrong(world: World, tmp_path: Path) -> None:
    kept, path = copy_of(world), tmp_path / "receipt.json"
    path.write_text(json.dumps(kept | {"link": "/receipts/x/"}), encoding="utf-8")
    said = StringIO()
    call_command("verify_receipt", str(path), "--json", stdout=said)
    assert json.loads(said.getvalue())["genuine"] is True
    path.write_text(json.dumps(kept | {"counts": {}}), encoding="utf-8")
    with pytest.raises(CommandError, match="signature is wrong"):
        call_command("verify_receipt", str(path))
    path.write_text("words", encoding="utf-8")
    with pytest.raises(CommandError, match="no signed copy"):
        call_command("verify_receipt", str(path))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("verify_receipt", str(tmp_path / "gone.json"))
