"""The command `commonmind` against the running product (N11)."""

import json
import stat
from pathlib import Path

import pytest

from tests.clients.command_shell import AWAY, OK, REFUSED, USAGE, Shell, lines
from tests.world import World

pytestmark = pytest.mark.conformance("N11")


def test_a_newcomer_signs_in_remembers_and_recalls(
    lasting_world: World, address: str, stranger: Shell, tmp_path: Path
) -> None:
    key = lasting_world.here.keys["bolt"]
    done = stranger("login", f"{address}/", given=f"\ufeff {key} \r\n".encode())
    assert done.returncode == OK, done.stderr.decode()
    file = tmp_path / ".config/commonmind/config.ini"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert key.encode() not in done.stdout + done.stderr
    assert stranger("remember", "The office closes at six on Fridays.").returncode == OK
    told = stranger("recall", "When does the office close?")
    assert b"\tThe office closes at six on Fridays.\t" in told.stdout
    assert told.stderr == b""
    again = stranger("login", address, given=b"cmk_wrong")
    assert again.returncode == REFUSED
    assert stranger("me").returncode == OK, "a key that was refused replaces none"


def test_every_command_answers_in_json(shell: Shell, lasting_world: World) -> None:
    [made] = shell.json("remember", "Samba needs the users mapped first.", "--tag", "samba")
    assert made["status"] == "active"
    lasting_world.here.read()
    [found] = shell.json("recall", "samba", "--limit", "3", "--strategy", "keyword")
    assert found["results"][0]["id"] == made["id"]
    [block] = shell.json("context", "samba", "--max-tokens", "400")
    assert "users mapped" in block["text"]
    assert shell.json("said", "samba")[0]["count"] == 1
    assert shell.json("timeline", "samba")[0]["memory"] == made["id"]
    assert shell.json("experts", "samba") == []
    assert shell.json("jobs") == []
    assert shell.json("me")[0]["name"] == "bolt"
    assert "aria" in {one["name"] for one in shell.json("robots")}
    [narrow] = shell.json("recall", "samba", "--set", 'filters={"tags": ["other"]}')
    assert narrow["results"] == []


def test_robots_and_keys(shell: Shell, lasting_world: World) -> None:
    lasting_world.here.add_robot("dora", scopes=("read", "write", "manage"))
    shell.environment["COMMONMIND_KEY"] = lasting_world.here.keys["dora"]
    [made] = shell.json("robots", "add", "Scribe", "--id", "scribe", "--purpose", "Takes notes.")
    assert shell.json("robots", "show", "scribe")[0]["name"] == made["name"] == "Scribe"
    printed = shell("keys", "create", "scribe", "For tests", "--scope", "read", "--days", "9")
    key = printed.stdout.decode().strip()
    assert shell("me", COMMONMIND_KEY=key).returncode == OK
    assert shell("remember", "x", COMMONMIND_KEY=key).returncode == REFUSED
    [listed] = shell.json("keys", "list", "scribe")
    assert listed["scopes"] == ["read"]
    limit = ("keys", "limit", "scribe", listed["id"])
    assert shell.json(*limit, "--network", "203.0.113.0/24")[0]["networks"] == ["203.0.113.0/24"]
    assert shell("me", COMMONMIND_KEY=key).returncode == REFUSED
    assert "203.0.113.0/24" in shell("keys", "list", "scribe").stdout.decode()
    wrong = shell(*limit, "--network", "203.0.113.7/24")
    assert wrong.returncode == REFUSED
    assert "The network is 203.0.113.0/24" in wrong.stderr.decode()
    assert shell(*limit).returncode == USAGE
    assert shell(*limit, "--network", "10.0.0.0/8", "--all-networks").returncode == USAGE
    assert shell.json(*limit, "--all-networks")[0]["networks"] is None
    assert shell("me", COMMONMIND_KEY=key).returncode == OK
    unasked = shell("keys", "revoke", "scribe", listed["id"])
    assert unasked.returncode == USAGE
    assert b"The key is as it was." in unasked.stderr
    assert shell("keys", "renew", "scribe", listed["id"], "--at-once").returncode == USAGE
    assert shell("me", COMMONMIND_KEY=key).returncode == OK
    assert shell("keys", "revoke", "scribe", listed["id"], "--yes").returncode == OK
    assert shell("me", COMMONMIND_KEY=key).returncode == REFUSED
    assert len(shell.json("keys")) == 1, "those of one's own robot"


def test_memories_are_forgotten_one_by_one_and_by_filter(shell: Shell) -> None:
    made = [shell.json("remember", f"Note {n}.", "--tag", "old")[0]["id"] for n in range(3)]
    seen = shell("forget", made[0], "--dry-run")
    assert b"Note 0." in seen.stdout
    assert len(shell.json("changes")) == 3, "all are there"
    unasked = shell("forget", made[0])
    assert (unasked.returncode, unasked.stdout) == (USAGE, b"")
    assert b"Nothing is forgotten. Say --yes" in unasked.stderr
    assert b"Note 0." in shell("forget", made[0], "--dry-run").stdout
    assert shell.json("forget", made[0], "--yes") == [{"id": made[0], "forgotten": True}]
    assert shell("forget", made[0], "--yes").returncode == REFUSED
    [seen] = shell.json("forget", "--filter", "tag=old", "--dry-run")
    assert (seen["matches"], seen["changes"]) == (2, 2)
    told = shell("forget", "--filter", "tag=old", "--dry-run")
    assert b"Note 1." in told.stdout
    assert b"2 match, 2 would be forgotten" in told.stderr
    assert shell("forget", "--filter", "tag=old").returncode == USAGE
    assert shell.json("jobs") == []
    [job] = shell.json("forget", "--filter", "tag=old", "--yes")
    assert (job["kind"], job["state"], job["total"]) == ("change", "waiting", 2)
    for words in ([], [made[1], "--filter", "q=x"], ["--filter", "nonsense"]):
        assert shell("forget", *words).returncode == USAGE, words
    wrong = shell("forget", "--filter", "tags=old", "--yes")
    assert wrong.returncode == REFUSED
    assert b"filters.tags: This field does not exist." in wrong.stderr


def test_a_copy_is_kept_by_a_cursor_in_a_file(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "cursor"
    made = shell.json("remember", "The first.")[0]["id"]
    [line] = shell.json("changes", "--cursor-file", str(file))
    assert (line["change"], line["id"]) == ("made", made)
    assert file.stat().st_mode & 0o777 == 0o600
    assert shell.json("changes", "--cursor-file", str(file)) == []
    shell.json("forget", made, "--yes")
    plain = shell("changes", "--cursor-file", str(file))
    assert plain.stdout.decode().split("\t")[:2] == ["forgotten", made]
    ended = shell("changes")
    cursor = ended.stderr.decode().split("--cursor ")[1].strip()
    assert shell.json("changes", "--cursor", cursor) == []
    assert shell("changes", "--cursor", "nonsense").returncode == REFUSED
    both = shell("changes", "--cursor", cursor, "--cursor-file", str(file))
    assert both.returncode == USAGE


def test_one_broken_line_takes_no_other_with_it(shell: Shell) -> None:
    given = (
        lines(
            {"content": "First."},
            {"content": "Second."},
            b'{"content": "Broken',
            b'{"content": "Half \xc3"}',
            b'"a text"',
            b"",
            {"content": "Refused.", "no_such_field": 1},
            b'{"content": NaN}',
            b'{"content": "\\ud800"}',
            {"content": "Last."},
        )
        + b'{"content": "cut off \xe2\x82'
    )
    done = shell("remember", "--jsonl", "--json", given=given)
    assert done.returncode == REFUSED
    results = {one["line"]: one["status"] for one in map(json.loads, done.stdout.splitlines())}
    kept = {1: "active", 2: "active", 10: "active"}
    assert results == {**dict.fromkeys((3, 4, 5, 7, 8, 9, 11), "refused"), **kept}
    said = done.stderr.decode()
    assert "line 3: It is no JSON." in said
    assert "line 4: It is not UTF-8, or ends within a character." in said
    assert "line 11: It is not UTF-8" in said
    assert "no_such_field" in said
    assert "3 active, 7 refused" in said


def test_questions_come_from_stdin_too(shell: Shell) -> None:
    shell("remember", "The press kit waits.")
    given = lines(
        {"query": "press kit", "strategy": "keyword"}, {"limit": 3}, b"[]", {"query": " "}
    )
    done = shell("recall", "--jsonl", "--json", given=given)
    [answer] = [json.loads(line) for line in done.stdout.splitlines()]
    assert answer["results"][0]["content"] == "The press kit waits."
    assert done.returncode == REFUSED
    assert [f"line {n}:" in done.stderr.decode() for n in (1, 2, 3, 4)] == [False, True, True, True]


def test_what_comes_out_goes_back_in(shell: Shell, tmp_path: Path) -> None:
    for number in range(3):
        shell.json("remember", f"Line {number}.", "--key", f"k{number}")
    file = tmp_path / "all.jsonl"
    assert shell("export", "-o", str(file)).returncode == OK
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    head, *rows = [json.loads(one) for one in file.read_bytes().splitlines()]
    assert (head["format"], head["memories"]) == ("commonmind-snapshot", len(rows) == 3 and 3)
    piped = shell("export")
    assert piped.stdout.splitlines()[1:] == file.read_bytes().splitlines()[1:]
    again = shell("import", str(file))
    assert again.stdout.decode().strip() == "3 kept"
    rows[1]["content"] = "Another text."
    changed = shell.json("import", "-", "--mode", "replace", given=lines(head, *rows))
    assert [one["status"] for one in changed] == ["replaced"] * 3
    assert shell.json("recall", "another text", "--strategy", "keyword")[0]["results"]


def test_a_text_that_looks_like_an_option(shell: Shell) -> None:
    done = shell("remember", "--visibilty is misspelt")
    assert done.returncode == USAGE
    assert b"write -- before it" in done.stderr
    assert shell.json("said", "misspelt") == []
    assert shell("remember", "--", "--json is an option").returncode == OK
    assert shell("remember", "-", given="-5 °C in the option room\n".encode()).returncode == OK
    told = {one["content"] for one in shell.json("timeline", "option")}
    assert told == {"--json is an option", "-5 °C in the option room"}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), USAGE), (("--help",), OK), (("recall",), USAGE), (("recall", "a", "b"), USAGE),
        (("no-such-command",), USAGE), (("remember", "x", "--set", "nothing"), USAGE),
        (("recall", "x", "--limit", "many"), USAGE), (("recall", "x", "--limit", "5000"), REFUSED),
        (("recall", "x", "--group", "absent"), REFUSED), (("remember", ""), REFUSED),
        (("remember", "x", "--jsonl"), USAGE), (("import", "/no/such/file"), USAGE),
        (("jobs", "show", "absent"), REFUSED), (("robots", "show", ".."), USAGE),
        (("remember", "--jsonl"), OK), (("export", "-o", "/no/such/folder/x"), USAGE),
    ],
)  # fmt: skip
def test_exit_codes(shell: Shell, words: tuple[str, ...], code: int) -> None:
    done = shell(*words)
    assert done.returncode == code, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert bool(done.stderr) == (code != OK) or words[:1] == ("remember",)


def test_a_server_that_is_away_is_3_and_a_key_that_is_none_is_1_or_2(shell: Shell) -> None:
    away = shell("me", "--retries", "0", COMMONMIND_URL="http://127.0.0.1:9")
    assert (away.returncode, away.stdout) == (AWAY, b"")
    assert b"cannot be reached" in away.stderr
    assert shell("me", COMMONMIND_KEY="cmk_unknown").returncode == REFUSED
    assert shell("me", COMMONMIND_KEY="a b").returncode == USAGE
    assert shell("me", COMMONMIND_URL="no address").returncode == USAGE
    assert shell("remember", "x", COMMONMIND_KEY="", COMMONMIND_URL="").returncode == USAGE


def test_a_stored_key_goes_to_its_own_server_alone(
    lasting_world: World, address: str, stranger: Shell
) -> None:
    stranger("login", address, given=lasting_world.here.keys["bolt"].encode())
    done = stranger("me", "--retries", "0", COMMONMIND_URL="http://127.0.0.1:9")
    assert done.returncode == USAGE
    assert b"There is no key for http://127.0.0.1:9" in done.stderr


def test_a_file_that_others_read_is_warned_of(
    lasting_world: World, address: str, stranger: Shell, tmp_path: Path
) -> None:
    stranger("login", address, given=lasting_world.here.keys["bolt"].encode())
    file = tmp_path / ".config/commonmind/config.ini"
    file.chmod(0o644)
    done = stranger("me")
    assert done.returncode == OK
    assert b"Others can read" in done.stderr
    assert b"Others can read" in stranger("doctor").stdout
    file.write_text("[half a section\nkey = cmk_secret")
    broken = stranger("me")
    assert broken.returncode == USAGE
    assert b"cmk_secret" not in broken.stderr


def test_plain_http_to_another_machine_is_warned_of(shell: Shell) -> None:
    done = shell("me", "--retries", "0", "--timeout", "0.2", COMMONMIND_URL="http://192.0.2.1")
    assert done.returncode == AWAY
    assert b"neither local nor https" in done.stderr


def test_the_doctor_says_what_is_wrong(shell: Shell, stranger: Shell, address: str) -> None:
    well = {one["check"]: one["state"] for one in shell.json("doctor")}
    assert {"file", "address", "server", "ready", "clock", "key", "memories"} == set(well)
    assert well["key"] == well["server"] == well["clock"] == "ok"
    assert stranger("doctor").returncode == USAGE
    away = shell("doctor", "--retries", "0", COMMONMIND_URL="http://127.0.0.1:9")
    assert away.returncode == AWAY
    refused = shell("doctor", COMMONMIND_KEY="cmk_unknown")
    assert refused.returncode == REFUSED
    assert shell.environment["COMMONMIND_KEY"].strip().encode() not in shell("doctor").stdout
    elsewhere = shell("doctor", COMMONMIND_URL=f"{address}/elsewhere")
    assert elsewhere.returncode == AWAY
    assert b"is no Commonmind" in elsewhere.stdout


def test_progress_is_on_stderr_and_on_terminals_alone(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_bytes(lines(*({"content": f"Line {n}."} for n in range(5))))
    done = shell("import", str(file))
    assert (done.stdout, done.stderr) == (b"5 active\n", b"")
