"""Imports: who and where, what a list means, what is skipped and why, what a repeat adds."""

import gzip
import io
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.ingestion.file_import import import_lines
from memories.lifecycle.forget import forget_memory
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from orgs.database.rls import organisation_scope
from orgs.models.memberships import ExternalIdentity
from orgs.models.organisations import Group, GroupMembership
from orgs.organisations.references import get_member
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant

TALK: list[dict[str, Any]] = [
    {"id": "c/1", "group": "c", "session": "s1", "seq": 1, "speaker": "Cara", "text": "Hi Mel.",
     "audience": ["Cara", "Mel"], "timestamp": "2023-05-08T13:56:00"},
    {"id": "c/2", "group": "c", "session": "s1", "seq": 2, "speaker": "Mel", "text": "Hello.",
     "audience": ["Cara", "Mel"], "timestamp": "2023-05-08T13:57:00+02:00"},
    {"id": "c/3", "group": "c", "speaker": "Cara", "text": "For all of us.", "title": "News"},
    {"id": "d/1", "group": "d", "speaker": "Dan", "text": "Only in d."},
    {"id": "o/1", "group": "d", "speaker": "Dan", "text": "For the firm.", "audience": ["org"]},
    {"id": "o/2", "group": "org", "speaker": "Dan", "text": "Posted to the firm."},
]  # fmt: skip


class Files:
    def __init__(self, folder: Path, tenant: Tenant) -> None:
        self.folder, self.tenant = folder, tenant

    def write(self, rows: Iterable[dict[str, Any] | str | bytes], name: str = "m.jsonl") -> Path:
        path = self.folder / name
        lines = [
            row if isinstance(row, bytes) else (
                row if isinstance(row, str) else json.dumps(row)
            ).encode()
            for row in rows
        ]  # fmt: skip
        body = b"\n".join(lines) + b"\n"
        path.write_bytes(gzip.compress(body) if name.endswith(".gz") else body)
        return path

    def load(self, path: Path, **options: Any) -> dict[str, Any]:
        out = io.StringIO()
        # Most of these tests ask for something else than who reads lines that name nobody.
        options = {"readers": "organisation"} | options
        # Of a file from which nothing was taken it says so after its figures.
        try:
            call_command(
                "import_memories", str(path), organisation=self.tenant.organisation.slug, json=True,
                stdout=out, stderr=io.StringIO(), **options,
            )  # fmt: skip
        except CommandError:
            if not out.getvalue():
                raise
        return json.loads(out.getvalue())

    def take(self, rows: Iterable[dict[str, Any] | str | bytes], **options: Any) -> dict[str, Any]:
        return self.load(self.write(rows), **options)


@pytest.fixture
def files(tmp_path: Path, here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Files:
    # The command looks the organisation up as the owner; here it exists in this transaction only.
    monkeypatch.setattr(
        "orgs.management.output.get_organisation", lambda _reference: here.organisation
    )
    return Files(tmp_path, here)


def who(tenant: Tenant, name: str) -> Actor:
    """The member that an import made of a speaker, asking for themselves."""
    with organisation_scope(tenant.id):
        member = get_member(tenant.id, f"import:{name}")
    return Actor(organisation_id=tenant.id, member_id=member.id, role=member.role)


def keys(tenant: Tenant, asker: Actor) -> list[str]:
    with resolve_principal(asker).scope():
        return sorted(Memory.objects.values_list("key", flat=True))


def seats(tenant: Tenant, group: str) -> set[str]:
    with organisation_scope(tenant.id):
        rows = GroupMembership.objects.filter(group__external_id=group)
        return set(rows.values_list("member__name", flat=True))


def test_groups_members_and_who_reads(here: Tenant, files: Files) -> None:
    told = files.take(TALK)
    assert {k: told[k] for k in ("imported", "skipped", "groups", "members")} == {
        "imported": 6, "skipped": 0, "groups": 2, "members": 3
    }  # fmt: skip
    assert seats(here, "c") == {"Cara", "Mel"}
    assert seats(here, "d") == {"Dan"}
    assert keys(here, who(here, "Cara")) == ["c/1", "c/2", "c/3", "o/1", "o/2"]
    assert keys(here, who(here, "Mel")) == ["c/1", "c/2", "c/3", "o/1", "o/2"]
    assert keys(here, who(here, "Dan")) == ["d/1", "o/1", "o/2"]
    assert keys(here, here.person("mina")) == ["o/1", "o/2"]
    assert keys(here, here.person("ada")) == ["o/1", "o/2"]


def test_what_a_line_becomes(here: Tenant, files: Files) -> None:
    files.take([*TALK, {"id": "p/1", "speaker": "hr", "subject": "Eve", "text": "Eve is new."}])
    cara = who(here, "Cara")
    with resolve_principal(cara).scope():
        rows = {m.key: m for m in Memory.objects.with_names()}
        robots = set(Contribution.objects.values_list("robot__builtin", flat=True))
    first, second, third, eve = (rows[key] for key in ("c/1", "c/2", "c/3", "p/1"))
    assert (first.speaker, first.speaker_member_id) == ("Cara", cara.member_id)
    assert (first.kind, first.audience.kind, first.type) == ("group", "explicit", "conversation")
    assert (first.conversation, first.position) == ("c/s1", 1)
    assert first.occurred_at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert second.occurred_at.isoformat() == "2023-05-08T11:57:00+00:00"
    assert (third.topic, third.audience.kind, third.conversation) == ("News", "group", "c")
    assert (eve.member.name, eve.kind, eve.audience.kind) == ("Eve", "direct", "organisation")
    assert robots == {"import"}
    with organisation_scope(here.id):
        assert Group.objects.get(external_id="c").confidential


def test_a_robot_that_acts_for_an_imported_member_in_their_group(
    here: Tenant, files: Files
) -> None:
    files.take(TALK)
    with organisation_scope(here.id):
        for name in ("c", "d"):
            here.groups[name] = Group.objects.get(external_id=name)
    here.add_robot("guide", groups=("c", "d"), scopes=("read", "act_for"))
    api = here.api("guide")

    def ask(member: str, group: str) -> list[str]:
        body = {"query": "Mel hello firm d", "member": f"import:{member}", "group": group}
        answer = api.post("/api/v1/recall", body, format="json")
        return sorted(hit["key"] for hit in answer.json().get("results", [])) or [
            str(answer.status_code)
        ]

    assert ask("Cara", "c") == ["c/1", "c/2", "o/1", "o/2"]
    assert ask("Dan", "d") == ["d/1", "o/1", "o/2"]
    assert ask("Dan", "c") == ["404"]
    assert ask("Cara", "d") == ["404"]


def test_a_list_may_name_groups_wherever_their_lines_stand(here: Tenant, files: Files) -> None:
    """Also before the group's first line, and more than one transaction's worth of lines ahead."""
    filler = [{"id": f"f/{n}", "group": "f", "speaker": "Fred", "text": f"{n}"} for n in range(600)]
    rows = [
        {"id": "l/1", "group": "f", "speaker": "Fred", "text": "For c too.", "audience": ["c"]},
        *filler,
        *TALK,
    ]
    told = files.take(rows)
    assert (told["imported"], told["members"]) == (607, 4)
    assert "l/1" in keys(here, who(here, "Mel"))
    assert "l/1" not in keys(here, who(here, "Dan"))


def test_who_is_listed_beside_a_group_does_not_join_it(here: Tenant, files: Files) -> None:
    """Personnel files: the person and the department read each; no person reads another's."""
    rows = [
        {"id": f"hr/{name}", "group": "dept/HR", "speaker": "hr", "subject": name,
         "audience": [name, "dept/HR"], "text": f"{name} earns {n}.", "sensitive": True}
        for n, name in enumerate(["e1", "e2", "e3"])
    ]  # fmt: skip
    files.take(rows)
    assert seats(here, "dept/HR") == {"hr"}
    assert keys(here, who(here, "e1")) == ["hr/e1"]
    assert keys(here, who(here, "e3")) == ["hr/e3"]
    assert keys(here, who(here, "hr")) == ["hr/e1", "hr/e2", "hr/e3"]


@pytest.mark.parametrize(("scope", "members"), [("organisation", 1), ("group", 2)])
def test_equal_names_in_two_groups(here: Tenant, files: Files, scope: str, members: int) -> None:
    rows = [{"id": g, "group": g, "speaker": "Sam", "text": f"In {g}."} for g in ("a", "b")]
    told = files.take(rows, speaker_scope=scope)
    assert told["members"] == members
    with organisation_scope(here.id):
        names = set(ExternalIdentity.objects.values_list("group__external_id", "identifier"))
        group = Group.objects.get(external_id="b")
        inside = get_member(here.id, "import:Sam", group)
    assert names == ({(None, "Sam")} if scope == "organisation" else {("a", "Sam"), ("b", "Sam")})
    reads = keys(here, Actor(organisation_id=here.id, member_id=inside.id, role="member"))
    assert reads == (["a", "b"] if scope == "organisation" else ["b"])


def test_a_repeat_adds_nothing(here: Tenant, files: Files) -> None:
    files.take(TALK)
    again = files.take(TALK)
    assert {k: again[k] for k in ("imported", "skipped", "already_there", "groups", "members")} == {
        "imported": 0, "skipped": 6, "already_there": 6, "groups": 0, "members": 0
    }  # fmt: skip
    more = files.take([*TALK, {"id": "c/9", "group": "c", "speaker": "Mel", "text": "New."}])
    assert (more["imported"], more["already_there"]) == (1, 6)


def test_lines_without_an_id_are_known_by_themselves(here: Tenant, files: Files) -> None:
    first = [{"group": "c", "speaker": "Cara", "text": "One."}]
    second = [{"group": "c", "speaker": "Cara", "text": "Two."}]
    assert files.take(first)["imported"] == 1
    assert files.take(second)["imported"] == 1
    assert files.take(first + second)["already_there"] == 2


def test_an_id_with_another_text_is_told_and_changes_nothing(here: Tenant, files: Files) -> None:
    files.take(TALK)
    told = files.take([TALK[3], {**TALK[3], "text": "Something else."}, {"id": "n", "text": "New"}])
    assert (told["imported"], told["already_there"]) == (1, 1)
    assert told["problems"] == [{"line": 2, "reason": "the id names another text already"}]
    body = here.api("aria").get("/api/v1/memories", {"q": "Something else"}).json()
    assert body["results"] == []


def test_what_its_speaker_forgot_does_not_come_back(here: Tenant, files: Files) -> None:
    files.take(TALK)
    dan = who(here, "Dan")
    with resolve_principal(dan).scope():
        memory = Memory.objects.get(key="d/1")
    forget_memory(dan, memory.id, now=NOW)
    told = files.take([TALK[3], {**TALK[3], "id": "other"}])
    assert (told["imported"], told["already_there"]) == (0, 2)
    with resolve_principal(dan).scope():
        assert Memory.objects.get(key="d/1").status == "forgotten"


def test_a_name_that_only_a_robot_gave_to_somebody_is_not_theirs(
    here: Tenant, files: Files
) -> None:
    mina = here.members["mina"]
    url = f"/api/v1/members/{mina.id}/identities"
    here.add_robot("boss", groups=("launch",), scopes=("read", "write", "manage"))
    said = here.api("boss").post(url, {"identity": "import:Dora"}, format="json")
    assert said.status_code == 201, said.content
    lines = [
        {"id": "c/1", "text": "For Dora alone.", "audience": ["Dora"]},
        {"id": "c/2", "text": "Said by Dora.", "speaker": "Dora"},
        {"id": "c/3", "text": "Dora is not named in the list."},
    ]
    told = files.take(lines)
    assert (told["imported"], [p["line"] for p in told["problems"]]) == (1, [1, 2])
    assert "no admin has confirmed it" in told["problems"][0]["reason"]
    assert not {"c/1", "c/2"} & set(keys(here, here.person("mina")))
    assert here.browser("ada").post(f"{url}/import:Dora/confirm").status_code == 200
    assert files.take(lines)["imported"] == 2
    assert {"c/1", "c/2"} <= set(keys(here, here.person("mina")))


BROKEN: list[tuple[dict[str, Any] | str | bytes, str]] = [
    ('{"id": "x", "text": ', "broken JSON"),
    ("[1, 2]", "not a JSON object"),
    ("null", "not a JSON object"),
    (b"\xff\xfe\x00", "broken JSON"),
    ('{"id": "x", "text": "\\ud800"}', "broken JSON"),
    ({"id": "x"}, "no text"),
    ({"id": "x", "text": " "}, "no text"),
    ({"id": "x", "text": 5}, "text is neither a text nor a list of texts"),
    ({"id": "x", "text": []}, "no text"),
    ({"id": "x", "text": ["a", {"type": "link"}]}, "text is a list, and a part of it has no text"),
    ({"id": "x", "text": "a", "timestamp": "1712100812345"}, "timestamp is not ISO 8601: These"),
    ({"id": "x", "text": "a", "audience": ["\u200e"]}, "a name that nobody can read for sure"),
    ({"id": "x", "text": "a", "speaker": "\u202a \u202c"}, "a name that nobody can read for sure"),
    ({"id": "x", "text": "a\x00b"}, "a NUL character in text"),
    ({"id": "x\x00", "text": "a"}, "a NUL character in id"),
    ({"id": "x", "text": "a", "speaker": "\x00"}, "a NUL character in speaker"),
    ({"id": "x", "text": "a", "to": "\x00"}, "a NUL character in to"),
    ({"id": "x", "text": "a", "audience": ["\x00"]}, "a NUL character in audience"),
    ({"id": "x", "text": "é" * 500_001}, "text over 32768 bytes"),
    ({"id": ["x"], "text": "a"}, "id is not a name"),
    ({"id": "x" * 301, "text": "a"}, "id is longer than 300"),
    ({"id": "x", "text": "a", "group": "g" * 201}, "group is longer than 200"),
    ({"id": "x", "text": "a", "group": True}, "group is not a name"),
    ({"id": "x", "text": "a", "audience": "Mel"}, "audience is not a list"),
    ({"id": "x", "text": "a", "audience": [1]}, "audience is not a list"),
    ({"id": "x", "text": "a", "audience": ["m" * 301]}, "group and name together"),
    ({"id": "x", "text": "a", "group": "g" * 150, "speaker": "s" * 150}, "group and name together"),
    ({"id": "x", "text": "a", "group": "0" * 32}, "group: This can be read as an id"),
    ({"id": "x", "text": "a", "group": "c\u200b"}, "group: It holds a character that nobody sees"),
    ({"id": "x", "text": "a", "speaker": "Me\u202el"}, "a name that nobody can read for sure"),
    ({"id": "x", "text": "a", "subject": "M\u0435l"}, "a name that nobody can read for sure"),
    ({"id": "x", "text": "a", "audience": ["M\u2066el"]}, "a name that nobody can read for sure"),
    ({"id": "x", "text": "a", "timestamp": "soon"}, "timestamp is not ISO 8601"),
    ({"id": "x", "text": "a", "timestamp": 5}, "timestamp is not ISO 8601"),
    ({"id": "x", "text": "a", "timestamp": "0001-01-01T00:00:00+14:00"}, "timestamp is not"),
    ({"id": "x", "text": "a", "importance": 1.01}, "importance is not a number from 0 to 1"),
    ({"id": "x", "text": "a", "importance": -0.01}, "importance is not a number from 0 to 1"),
    ({"id": "x", "text": "a", "importance": 7}, "importance is not a number from 0 to 1"),
    ({"id": "x", "text": "a", "importance": "0.5"}, "importance is not a number from 0 to 1"),
    ({"id": "x", "text": "a", "importance": True}, "importance is not a number from 0 to 1"),
    ({"id": "x", "text": "a", "seq": "first"}, "seq is not a whole number"),
    ({"id": "x", "text": "a", "seq": 2**63}, "seq is not a whole number"),
]


def test_broken_lines_are_told_by_number_and_the_rest_goes_in(here: Tenant, files: Files) -> None:
    good = {"id": "good/0", "text": "Fine: \\u0000 is only spelt here.", "seq": None, "extra": 1}
    rows: list[dict[str, Any] | str | bytes] = [good, ""]
    rows += [line for line, _ in BROKEN]
    rows.append({"id": "good/1", "text": "Also fine."})
    told = files.take(rows)
    assert (told["imported"], told["skipped"]) == (2, len(BROKEN))
    assert [p["line"] for p in told["problems"]] == list(range(3, 3 + len(BROKEN)))
    for problem, (_, reason) in zip(told["problems"], BROKEN, strict=True):
        assert problem["reason"].startswith(reason), problem


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("form", ["lines", "list", "packed"])
def test_a_file_that_is_right_but_for_its_wrapping(
    here: Tenant, files: Files, encoding: str, form: str
) -> None:
    rows = [{"id": f"w/{n}", "group": "wrapped", "text": f"Line {n} – ok."} for n in (1, 2, 3)]
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    body = (json.dumps(rows, indent=1) if form == "list" else text).encode(encoding)
    path = files.folder / "wrapped.jsonl"
    path.write_bytes(gzip.compress(body) if form == "packed" else body)
    told = files.load(path)
    assert (told["imported"], told["skipped"], told["groups"]) == (3, 0, 1)
    assert files.load(path)["already_there"] == 3


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'[{"id": "a", "text": "One."}', "begins as one JSON list and is broken"),
        (b"\xff\xfe\x00\xd8", "broken UTF-16"),
        (b'{"messages": [\n{"text": "One."}]}', "The first reason, of line 1: broken JSON"),
        (b'{"id": "a"}\n{"id": "b"}', "of line 1: no text"),
    ],
)
def test_a_file_of_which_nothing_is_taken_is_a_failure(
    here: Tenant, files: Files, body: bytes, reason: str
) -> None:
    path = files.folder / "wrong.jsonl"
    path.write_bytes(body)
    with pytest.raises(CommandError, match="Nothing was imported") as found:
        call_command("import_memories", str(path), organisation="here", stdout=io.StringIO())
    assert reason in str(found.value)


def test_a_text_in_parts_and_names_with_marks_around_them(here: Tenant, files: Files) -> None:
    """As Telegram and WhatsApp export them."""
    parts = ["The plan is on ", {"type": "bold", "text": "page four"}, " of the binder."]
    told = files.take(
        [
            {"id": "t/1", "group": "t", "speaker": "\u200eOmar", "text": parts},
            {"id": "t/2", "group": "t", "speaker": "Omar\u200f", "text": "Good."},
            {"id": "t/3", "group": "t", "speaker": "\u202aUte\u202c", "text": "Fine.",
             "audience": ["\u2068Omar\u2069"]},
        ]
    )  # fmt: skip
    assert (told["imported"], told["skipped"], told["members"]) == (3, 0, 2)
    assert seats(here, "t") == {"Omar", "Ute"}
    assert keys(here, who(here, "Omar")) == ["t/1", "t/2", "t/3"]
    with resolve_principal(who(here, "Omar")).scope():
        assert Memory.objects.get(key="t/1").content == "The plan is on page four of the binder."


def weights(tenant: Tenant) -> dict[str, float]:
    with resolve_principal(tenant.person("mina")).scope():
        return dict(Memory.objects.values_list("key", "importance"))


def weighed(*values: object) -> list[dict[str, Any]]:
    return [{"id": f"w/{v}", "text": f"Weighs {v}.", "importance": v} for v in values]


@pytest.mark.conformance("Z14")
def test_importance_from_nought_to_one_or_the_usual(here: Tenant, files: Files) -> None:
    told = files.take([*weighed(0, 0.35, 1, None), {"id": "w", "text": "Nobody weighed it."}])
    assert (told["imported"], told["skipped"]) == (5, 0)
    assert weights(here) == {"w/0": 0, "w/0.35": 0.35, "w/1": 1, "w/None": 0.5, "w": 0.5}


@pytest.mark.conformance("Z14")
def test_importance_from_one_to_ten(here: Tenant, files: Files) -> None:
    told = files.take(weighed(1, 7, 7.5, 10, 0, 0.9, 10.1, 11, "8", None), importance_scale=10)
    reason = "importance is not a number from 1 to 10"
    assert told["problems"] == [{"line": line, "reason": reason} for line in (5, 6, 7, 8, 9)]
    kept = {"w/1": 0.1, "w/7": 0.7, "w/7.5": 0.75, "w/10": 1, "w/None": 0.5}
    assert weights(here) == kept
    # Put right, a line goes in; what is there already stays as it is.
    lines = [{**line, "importance": 2} for line in weighed(1, 7, 0, 11)]
    again = files.take(lines, importance_scale=10)
    assert (again["imported"], again["already_there"]) == (2, 2)
    assert weights(here) == {**kept, "w/0": 0.2, "w/11": 0.2}


def test_there_are_two_scales_of_importance(files: Files) -> None:
    path = files.write(weighed(1))
    with pytest.raises(CommandError, match="invalid choice: 5"):
        call_command("import_memories", str(path), "--importance-scale", "5")


def test_a_compressed_file(here: Tenant, files: Files) -> None:
    assert files.load(files.write(TALK, "m.jsonl.gz"))["imported"] == 6


@pytest.mark.parametrize("damage", ["truncated", "corrupt", "plain"])
def test_a_file_that_breaks_off_is_told_and_can_be_resumed(
    here: Tenant, files: Files, damage: str
) -> None:
    rows = [
        {"id": f"r/{n}", "group": "r", "speaker": "Ron", "text": f"{n} " + "x" * (n % 97)}
        for n in range(1200)
    ]
    path = files.write(rows, "m.jsonl.gz")
    whole = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(whole[: len(whole) * 2 // 3])
    elif damage == "corrupt":
        middle = len(whole) * 2 // 3
        path.write_bytes(whole[:middle] + b"\xff" * 64 + whole[middle + 64 :])
    else:
        path.write_bytes(b"not compressed\n")
    reason = "line 1: broken JSON" if damage == "plain" else "read further.*run it again to go on"
    with pytest.raises(CommandError, match=reason):
        call_command("import_memories", str(path), organisation="here", stdout=io.StringIO())
    kept = len(keys(here, who(here, "Ron"))) if damage == "truncated" else 0
    if damage == "truncated":
        assert 600 < kept < 1000

    path.write_bytes(whole)
    told = files.load(path)
    if damage != "corrupt":  # where bits are wrong some lines may have been read as others
        assert (told["imported"], told["already_there"]) == (1200 - kept, kept)
    assert {f"r/{n}" for n in range(1200)} <= set(keys(here, who(here, "Ron")))


def test_a_file_that_is_not_there(files: Files) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        files.load(files.folder / "absent.jsonl")


def test_another_robot_may_contribute(here: Tenant, files: Files) -> None:
    files.take(TALK, robot="historian")
    files.take(TALK, robot="historian")
    body = here.api("bolt").get("/api/v1/robots").json()["results"]
    assert [r["name"] for r in body].count("historian") == 1
    cara = who(here, "Cara")
    with resolve_principal(cara).scope():
        assert set(Memory.objects.values_list("robot__name", flat=True)) == {"historian"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"text": "a"},', "it has no end"),
        ('[{"text": "a]"', "it has no end"),
        ('[{"text": "a}]', "it has no end"),
        ("[" * 5_000, "it has no end"),
        ("[1, 2, 3]", "more than 2 rows"),
        ("[1] [2]", "more than one JSON list"),
    ],
)
def test_a_list_that_cannot_be_read_says_why(
    monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    monkeypatch.setattr(import_lines, "MAX_LIST_ROWS", 2)
    with pytest.raises(import_lines.UnreadableFormatError, match=says):
        import_lines.open_lines(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("[]", [""]),
        ('[{"text": "a"} {"text": "b"}]', ['{"text": "a"} {"text": "b"}']),
        ('[{"a": "]},["}, {"b": "\\"]"}]\n', ['{"a": "]},["}', ' {"b": "\\"]"}']),
        ("[" * 5_000 + "]" * 5_000, ["[" * 4_999 + "]" * 4_999]),
        ('[{"text": "a"}, 3, "b,c"]', ['{"text": "a"}', " 3", ' "b,c"']),
    ],
)
def test_a_list_is_divided_where_its_elements_end(text: str, lines: list[str]) -> None:
    found = import_lines.open_lines(io.BytesIO(text.encode())).read().decode()
    assert found.split("\n")[:-1] == lines


@pytest.mark.slow
def test_a_list_is_read_row_by_row_and_kept_as_text() -> None:
    rows = '[\n {"a": [1,\n 2]} ,{"b": "x\\n"}\n]\n'
    lines = import_lines.open_lines(io.BytesIO(rows.encode()))
    assert lines.read() == b'  {"a": [1,  2]} \n{"b": "x\\n"} \n'
    # As objects these take hundreds of megabytes.
    many = ("[" + ",".join(['{"":0}'] * 150_000) + ",[" + "[]," * 300_000 + "[]]]").encode()
    tracemalloc.start()
    import_lines.open_lines(io.BytesIO(many))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10 * len(many)


def test_nobody_of_a_file_is_called_like_somebody_who_signs_in(files: Files, here: Tenant) -> None:
    """Their name stands plain beside what the file puts into their mouth: Ada's, also in letters
    that look like hers, would be taken for her."""
    said = {
        "Ada": "The safe stays open.",
        "Áda": "So does the door.",
        "Cara": "Keep the door shut.",
    }
    files.take(
        {"id": f"n/{number}", "speaker": name, "text": text, "audience": ["org"]}
        for number, (name, text) in enumerate(said.items())
    )
    answer = here.browser("mina").post("/api/v1/context", {"query": "safe door"}, format="json")
    lines = {
        line.rpartition(") ")[2]: line for line in answer.json()["text"].split("\n") if ") " in line
    }
    assert ", Ada - import)" in lines["The safe stays open."]
    assert " - import)" in lines["So does the door."]
    assert ", Cara)" in lines["Keep the door shut."]
    rows = {"id": "n/9", "speaker": "Ada", "text": "And the gate.", "audience": ["org"]}
    assert files.take([rows])["members"] == 0, "the same one of the file before"
