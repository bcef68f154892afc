"""Exports of other programs, imported: who reads what, what a repeat adds, what a dry run says."""

import gc
import gzip
import io
import json
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.ingestion.file_import.import_job import UnreadableImportError, convert_file
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.principals import resolve_principal
from tests.memories.ingestion.file_import.formats.exports import (
    as_bytes,
    chatgpt_conversation,
    chatgpt_message,
    claude_conversation,
    discord_channel,
    discord_message,
    mem0_row,
    packed,
    slack_export,
    slack_message,
    telegram_account,
    telegram_chat,
    telegram_message,
)
from tests.memories.ingestion.file_import.test_importer import keys, seats, who
from tests.world import Tenant

EMAIL = "ada@example.com"


class Exports:
    """Imports exports by the command, as Ada."""

    def __init__(self, folder: Path, tenant: Tenant) -> None:
        self.file, self.tenant = folder / "export", tenant

    def run(self, content: Any, **options: Any) -> str:
        self.file.write_bytes(as_bytes(content))
        out = io.StringIO()
        options = {"as_json": True, **options}
        call_command(
            "import_memories", str(self.file), organisation=self.tenant.organisation.slug,
            json=options.pop("as_json"), stdout=out, stderr=io.StringIO(), **options,
        )  # fmt: skip
        return out.getvalue()

    def take(self, content: Any, **options: Any) -> dict[str, Any]:
        return json.loads(self.run(content, **options))


@pytest.fixture
def exports(tmp_path: Path, here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Exports:
    monkeypatch.setattr("orgs.management.output.get_organisation", lambda _slug: here.organisation)
    monkeypatch.setattr(
        "memories.management.commands.import_memories.Command.member",
        lambda _self, _organisation, _email: here.person("ada"),
    )
    return Exports(tmp_path, here)


def rows_of(tenant: Tenant, asker: Any) -> dict[str, Memory]:
    with resolve_principal(asker).scope():
        return {m.content: m for m in Memory.objects.with_names()}


ACCOUNT = telegram_account(
    telegram_chat(
        telegram_message(1, "Ada", "For the family."), telegram_message(2, "Bob", "Fine."),
        {"id": 3, "type": "service", "action": "pin_message", "text": ""},
    ),
    telegram_chat(telegram_message(1, "Ada", "Only us."), telegram_message(2, "Bob", "Yes, us."),
                  type="personal_chat", id=2, name="Bob"),
    telegram_chat(telegram_message(1, "Ada", "Buy milk."), type="saved_messages", id=1),
)  # fmt: skip


@pytest.mark.conformance("N15")
def test_telegram_is_read_by_whom_it_was_written_for(here: Tenant, exports: Exports) -> None:
    told = exports.take(ACCOUNT, email=EMAIL)
    assert (told["imported"], told["skipped"], told["groups"], told["members"]) == (5, 1, 1, 2)
    assert told["problems"] == [
        {"line": 3, "reason": "message 3 of Family: a service message: pin_message"}
    ]
    bob = keys(here, who(here, "Bob"))
    assert bob == ["telegram-2-1", "telegram-2-2", "telegram-7-1", "telegram-7-2"]
    own = rows_of(here, here.person("ada"))
    assert own["Buy milk."].speaker_member_id == here.members["ada"].id
    assert own["Buy milk."].audience.kind == "member"
    assert keys(here, here.person("mina")) == []
    with organisation_scope(here.id):
        group = Group.objects.get(external_id="telegram-group-7")
    assert (group.name, group.confidential) == ("Family (Telegram)", True)
    # An Ada and a Bob sign in here, and a file proves nothing of who wrote in it.
    assert seats(here, "telegram-group-7") == {"Ada (import)", "Bob (import)"}
    again = exports.take(ACCOUNT, email=EMAIL)
    assert (again["imported"], again["already_there"], again["groups"]) == (0, 5, 0)


@pytest.mark.parametrize("name", ["org", "launch", "telegram-group-7"])
def test_a_person_called_like_a_group_opens_nothing(
    here: Tenant, exports: Exports, name: str
) -> None:
    exports.take(
        telegram_account(
            telegram_chat(telegram_message(1, "Cy", "a group")),
            telegram_chat(telegram_message(1, name, "x"), telegram_message(2, "Bob", "secret"),
                          type="personal_chat", id=2, name="Bob"),
        )
    )  # fmt: skip
    for asker in (here.person("mina"), here.person("ada"), who(here, "Cy")):
        assert "telegram-2-2" not in keys(here, asker)
    assert keys(here, who(here, "Bob")) == ["telegram-2-1", "telegram-2-2"]


@pytest.mark.conformance("N22")
@pytest.mark.parametrize(
    ("export", "assistant"),
    [
        ([chatgpt_conversation(chatgpt_message("user", "Which tea?"),
                               chatgpt_message("assistant", "Sencha."))], "ChatGPT"),
        ([claude_conversation(("human", "Which tea?"), ("assistant", "Sencha."))], "Claude"),
    ],
)  # fmt: skip
def test_talks_with_an_assistant_are_private_to_whoever_imports(
    here: Tenant, exports: Exports, export: Any, assistant: str
) -> None:
    for body in (export, packed({"conversations.json": export})):
        rehearsed = exports.take(body, email=EMAIL, dry_run=True)
        assert rehearsed["readers"] == [["only whoever imports", 2]]
        assert rehearsed["new_people"] == []
    with organisation_scope(here.id):
        before = Member.objects.count()
        assert not Memory.objects.filter(key__contains=assistant.lower()).exists()
    # Also where lines without a reader are for everyone.
    told = exports.take(export, email=EMAIL, readers="organisation")
    assert (told["imported"], told["members"], told["groups"]) == (2, 0, 0)
    own = rows_of(here, here.person("ada"))
    question, answer = own["Which tea?"], own["Sencha."]
    for row in (question, answer):
        assert (row.audience.kind, row.member_id) == ("member", here.members["ada"].id)
        assert row.topic == "Tea"
    assert question.conversation == answer.conversation
    assert question.speaker_member_id == here.members["ada"].id
    assert (answer.speaker, answer.speaker_member_id) == (assistant, None)
    for name in ("mina", "chidi"):
        assert keys(here, here.person(name)) == []
    with organisation_scope(here.id):
        assert Member.objects.count() == before, "an assistant is no member"
    assert exports.take(export, email=EMAIL)["already_there"] == 2
    # Without somebody who imports nobody would read it.
    with pytest.raises(CommandError, match="nobody who imports"):
        exports.take([{**export[0], "id": "other", "conversation_id": "other", "uuid": "other"}])


@pytest.mark.conformance("N15", "Z25")
def test_mem0_is_private_to_each_user_and_nothing_is_shared(here: Tenant, exports: Exports) -> None:
    rows = [mem0_row(1, "kim", "Likes tea"), mem0_row(2, "lee", "Likes rice"),
            mem0_row(3, None, "An agent's own")]  # fmt: skip
    told = exports.take({"results": rows}, email=EMAIL, readers="organisation")
    assert (told["imported"], told["groups"]) == (3, 0)
    assert keys(here, who(here, "kim")) == ["mem0-r1"]
    assert keys(here, who(here, "lee")) == ["mem0-r2"]
    assert keys(here, here.person("ada")) == ["mem0-r3"]
    kim = rows_of(here, who(here, "kim"))["Likes tea"]
    assert (kim.audience.kind, kim.kind, kim.speaker) == ("member", "direct", "")
    assert exports.take(rows, email=EMAIL)["already_there"] == 3


@pytest.mark.conformance("N15")
def test_slack_and_discord(here: Tenant, exports: Exports) -> None:
    ts = "1704103200.000100"
    told = exports.take(
        packed(slack_export(general=[slack_message("U2", "open", ts)],
                            board=[slack_message("U1", "closed", ts)],
                            D1=[slack_message("U2", "direct", ts)]))
    )  # fmt: skip
    assert (told["imported"], told["groups"]) == (3, 2)
    assert set(rows_of(here, who(here, "Ada"))) == {"closed", "direct"}
    assert set(rows_of(here, who(here, "Bob"))) == {"open", "direct"}
    assert set(rows_of(here, who(here, "Cy"))) == {"closed"}
    direct = discord_channel(discord_message("1", "Dee", "dm"), type="DirectTextChat")
    exports.take(direct)
    assert set(rows_of(here, who(here, "Dee"))) == {"dm"}
    assert "dm" not in rows_of(here, who(here, "Ada"))


@pytest.mark.conformance("N15")
def test_a_dry_run_says_all_and_writes_nothing(here: Tenant, exports: Exports) -> None:
    with organisation_scope(here.id):
        before = Member.objects.count()
    found = exports.take(ACCOUNT, email=EMAIL, dry_run=True)
    assert (found["format"], found["taken"], found["skipped"]) == ("telegram", 5, 1)
    assert found["groups"] == [["Family (Telegram)", 2, True]]
    assert sorted(map(tuple, found["readers"])) == [
        ("only Ada, Bob", 2), ("only whoever imports", 1), ("the group Family (Telegram)", 2)
    ]  # fmt: skip
    assert found["reasons"] == [["a service message: pin_message", 1]]
    assert found["new_people"] == ["Ada", "Bob"]
    assert found["examples"][0] == {
        "text": "For the family.", "speaker": "Ada", "readers": "the group Family (Telegram)",
        "at": "2024-01-01T10:00:00+00:00",
    }  # fmt: skip
    text = exports.run(ACCOUNT, email=EMAIL, dry_run=True, as_json=False)
    for words in ("read as Telegram", "skipped, and why:\n  a service message: pin_message: 1",
                  "Ada: For the family. [the group Family (Telegram)]"):  # fmt: skip
        assert words in text
    with organisation_scope(here.id):
        assert not Memory.objects.filter(key__startswith="telegram").exists()
        assert not Group.objects.filter(external_id__startswith="telegram").exists()
        assert Member.objects.count() == before


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (b"from,when\na,b\n", {}, "--columns text=Message,speaker=From"),
        (b"text,date\na,2024-01-01 10:00\n", {}, "--time-zone Europe/Berlin"),
        (b"text,date\na,2024-01-01\n", {"time_zone": "Mars/Crater"}, "This time zone is unknown"),
        (as_bytes(ACCOUNT)[:-50], {}, "breaks off; nothing of it was taken"),
        (ACCOUNT, {"format": "slack"}, "no export of Slack"),
    ],
)  # fmt: skip
def test_what_the_command_asks_for(
    exports: Exports, content: Any, options: Any, words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        exports.take(content, **options)


@pytest.mark.conformance("N15")
def test_a_table_with_a_group(here: Tenant, exports: Exports) -> None:
    body = b"who;what;room;when\nAda;Hi;club;2024-01-01 11:00\n"
    told = exports.take(
        body, columns="text=what,speaker=who,timestamp=when", time_zone="Europe/Berlin"
    )
    assert told["imported"] == 1
    row = rows_of(here, who(here, "Ada"))["Hi"]
    assert row.occurred_at.isoformat() == "2024-01-01T10:00:00+00:00"
    assert row.group.name == "club"


@pytest.mark.parametrize(
    "lines",
    [
        b"no JSON at all",
        b'{"other": 1}',
        gzip.compress(b"x" * 100, mtime=0)[:30],
        b"\xff\xfe\x00\xd8x",
    ],
    ids=["no JSON", "no text", "packed and cut", "broken UTF-16"],
)
def test_a_refused_zip_of_lines_leaves_no_file_open(
    lines: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda fault: left.append(fault.exc_value))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("lines.jsonl", lines)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with pytest.raises(UnreadableImportError) as fault:
            convert_file(out, out.tell(), format="jsonl")
        del fault
        gc.collect()
    assert left == []


def test_a_zip_of_lines_that_breaks_off_leaves_no_file_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda fault: left.append(fault.exc_value))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in ("a.jsonl", "b.jsonl"):
            archive.writestr(name, b'{"text": "Hi"}')
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        with pytest.raises(UnreadableImportError, match="more than one") as fault:
            convert_file(out, out.tell(), format="jsonl")
        del fault
        gc.collect()
    assert left == []
