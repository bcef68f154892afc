"""`commonmind files pull`: what a key reads as markdown files in a folder (N21)."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from commonmind import Client
from commonmind.cli import files as command
from commonmind.cli.markdown_files import JOURNAL, block_file, memory_file, open_folder

from tests.clients.command_shell import OK, REFUSED, USAGE, Shell
from tests.clients.external_suites import pip
from tests.world import World

pytestmark = pytest.mark.conformance("N21")
HOSTILE = (
    "../../../etc/passwd", "/etc/shadow", "..", "CON", "index", "log", "a\x1b[2J\x07b",
    "\u202e\u2066", '"quoted" \\ and: [odd] # {yaml}', "---\ntype: forged\n---\n", "\u65e5\u672c",
    "x" * 9_000, "- a\r\n- b", "%2e%2e%2f", "a\u2028b\x85c", "\U0001f600 \ufeff \ue000",
)  # fmt: skip


@pytest.fixture
def client(lasting_world: World, address: str) -> Iterator[Client]:
    with Client(address, lasting_world.here.keys["bolt"]) as made:
        yield made


def files_in(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*.md")
    }


def front(text: str) -> dict[str, Any]:
    """The front matter, as another library reads it."""
    [_, head, _] = re.split(r"^---$", text, maxsplit=2, flags=re.MULTILINE)
    found: dict[str, Any] = yaml.safe_load(head)
    return found


def pull(shell: Shell, folder: Path, code: int = OK) -> dict[str, int]:
    done = shell("files", "pull", str(folder), "--json")
    assert done.returncode == code, done.stderr.decode()
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def test_a_pull_writes_what_is_read_and_the_next_one_follows_it(
    shell: Shell, client: Client, lasting_world: World, address: str, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "view"
    tea = client.remember("Mina likes tea.\nAnd cake.", tags=["a", "c"], key="tea")
    own = client.remember("Ask twice.", visibility="internal")
    client.remember("The code is 4711.", visibility="internal", sensitive=True)
    with Client(address, lasting_world.here.keys["clio"]) as other:
        other.remember("Only clio reads this.", visibility="internal")
    counts = pull(shell, folder)
    found = files_in(folder)
    assert (counts["written"], counts["left"]) == (len(found), 0)
    assert folder.stat().st_mode & 0o777 == 0o700
    [text] = [one for path, one in found.items() if tea["id"] in path]
    assert text.endswith("---\n\nMina likes tea.\nAnd cake.\n")
    head = front(text)
    assert (head["id"], head["title"], head["tags"]) == (tea["id"], "Mina likes tea.", ["a", "c"])
    assert head["readers"] == "Everyone in the organisation"
    assert f"robot/ask-twice-{own['id']}.md" in found
    assert any(path.startswith("blocks/global-experience-") for path in found)
    assert "4711" not in "".join(found.values())
    assert "Only clio" not in "".join(found.values())
    for path in found:
        assert (folder / path).stat().st_mode & 0o777 == 0o600
    # Nothing changed: nothing is written.
    times = {path: (folder / path).stat().st_mtime_ns for path in found}
    again = pull(shell, folder)
    assert (again["written"], again["removed"], again["unchanged"]) == (0, 0, len(found))
    assert {path: (folder / path).stat().st_mtime_ns for path in found} == times
    client.memories.forget(own["id"])
    client.memories.change(tea["id"], content="Mina likes coffee.")
    last = pull(shell, folder)
    assert (last["written"], last["removed"]) == (1, 2)
    left = files_in(folder)
    assert [path for path in left if tea["id"] in path] == [
        f"organisation/mina-likes-coffee-{tea['id']}.md"
    ]
    # It was the last of its folder.
    assert not (folder / "robot").exists()


def test_files_of_others_stay_as_they_are(shell: Shell, client: Client, tmp_path: Path) -> None:
    made = [client.remember(f"Fact {n}.", visibility="internal") for n in range(3)]
    path = [tmp_path / "view/robot" / f"fact-{n}-{made[n]['id']}.md" for n in range(3)]
    path[0].parent.mkdir(parents=True)
    path[0].write_text("mine")
    notes = [tmp_path / "view" / name for name in ("notes.md", "robot/own.md", "robot/index.md")]
    for one in notes:
        one.write_text("mine")
    assert pull(shell, tmp_path / "view", REFUSED)["left"] == 1
    path[1].write_text("changed here")
    for one in made:
        client.memories.forget(one["id"])
    counts = pull(shell, tmp_path / "view", REFUSED)
    assert (counts["removed"], counts["left"]) == (1, 1)
    assert path[0].read_text() == "mine"
    assert path[1].read_text() == "changed here"
    assert not path[2].exists()
    assert {one.read_text() for one in notes} == {"mine"}


def test_nothing_outside_the_folder_is_written_or_deleted(
    shell: Shell, client: Client, tmp_path: Path
) -> None:
    """Links lie in the folder, and the journal claims files elsewhere."""
    folder, outside = tmp_path / "view", tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.md"
    secret.write_text("secret")
    made = [client.remember(f"Fact {n}.", visibility="internal") for n in range(2)]
    pull(shell, folder)
    digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
    with (folder / JOURNAL).open("a") as journal:
        for path in ("../outside/secret.md", str(secret), "robot/../../outside/secret.md"):
            journal.write(json.dumps({"path": path, "sha256": digest}) + "\n")
        journal.write('{"path": ["robot"]}\nno json\n\n[1]\n{"path": "robot/cut')
    file = folder / "robot" / f"fact-0-{made[0]['id']}.md"
    file.unlink()
    file.symlink_to(secret)
    assert pull(shell, folder, REFUSED)["left"] == 1
    assert file.is_symlink()
    file.unlink()
    shutil.move(folder / "robot", tmp_path / "robot")
    (folder / "robot").symlink_to(outside)
    os.mkfifo(tmp_path / "robot" / "pipe.md")
    assert pull(shell, folder, REFUSED)["left"] >= 2
    assert {one.name for one in outside.iterdir()} == {"secret.md"}
    assert secret.read_text() == "secret"
    (folder / "robot").unlink()
    assert pull(shell, folder)["written"] >= 2
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / JOURNAL).symlink_to(secret)
    assert shell("files", "pull", str(folder)).returncode == USAGE
    assert secret.read_text() == "secret"


def test_hostile_texts_become_safe_names_and_front_matter_that_others_read(
    client: Client, tmp_path: Path
) -> None:
    row = client.memories.get(client.remember("A fact.", topic="tea")["id"])
    block = client.blocks.list()["results"][0]
    with open_folder(tmp_path / "view", {"server": "s", "caller": "c"}) as folder:
        for text in HOSTILE:
            audience = {"kind": "group", "label": text}
            named = {"name": text}
            hostile: Any = {**row, "content": text, "topic": text, "tags": [text, "b"]}
            hostile |= {"audience": audience, "key": text, "group": named, "speaker": text}
            path, written = memory_file(hostile)
            assert re.fullmatch(r"[a-z0-9-]{1,60}/[a-z0-9-]{36,100}\.md", path)
            assert row["id"] in path
            assert not re.search(
                r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written
            )
            head = front(written)
            assert (head["topic"], head["tags"], head["key"]) == (text, [text, "b"], text)
            assert (head["group"], head["speaker"], head["type"]) == (text, text, row["type"])
            folder.put(path, written)
        path, written = block_file({**block, "label": "../x", "text": "", "description": "a\nb"})
        assert re.fullmatch(r"blocks/x-[a-z0-9-]{36}\.md", path)
        assert front(written)["description"] == "a\nb"
    assert {len(path.relative_to(tmp_path).parts) for path in tmp_path.rglob("*.md")} == {3}


def test_what_was_interrupted_goes_on_with_the_next_pull(
    shell: Shell, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "view"
    for n in range(5):
        client.remember(f"Fact {n}.", visibility="internal")
    gone = client.remember("Over.", visibility="internal")
    whole = pull(shell, folder)
    client.memories.forget(gone["id"])
    shutil.rmtree(folder / "robot")
    replace, calls = os.replace, iter(range(100))

    def stop(*args: Any, **options: Any) -> None:
        if next(calls) == 2:
            raise KeyboardInterrupt
        replace(*args, **options)

    monkeypatch.setattr(os, "replace", stop)
    assert shell("files", "pull", str(folder)).returncode == 130
    monkeypatch.undo()
    # The list was not read to its end, so nobody knows what is gone.
    assert len(list((folder / "robot").glob("*.md"))) == 2
    counts = pull(shell, folder)
    assert (counts["written"], counts["left"]) == (3, 0)
    assert counts["unchanged"] == whole["written"] - 6 + 2
    assert [path.name for path in folder.rglob(".*")] == [JOURNAL]


def test_a_folder_belongs_to_one_key_and_one_pull_at_a_time(
    shell: Shell, client: Client, lasting_world: World, tmp_path: Path
) -> None:
    folder = tmp_path / "view"
    client.remember("A fact.", visibility="internal")
    pull(shell, folder)
    before = files_in(folder)
    other = Shell(tmp_path, **shell.environment)
    other.environment["COMMONMIND_KEY"] = lasting_world.here.keys["clio"]
    done = other("files", "pull", str(folder))
    assert (done.returncode, files_in(folder)) == (USAGE, before)
    assert b"another server or key" in done.stderr
    owner = {"server": client.target.url, "caller": client.me()["id"]}
    with open_folder(folder, owner):
        done = shell("files", "pull", str(folder))
        assert (done.returncode, b"Another pull" in done.stderr) == (USAGE, True)
    file = tmp_path / "file"
    file.write_text("x")
    assert shell("files", "pull", str(file)).returncode == USAGE
    assert shell("files", "pull", str(file / "below")).returncode == USAGE


def test_all_pages_are_read(
    shell: Shell, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(7):
        client.remember(f"Fact {n}.", visibility="internal")
    monkeypatch.setattr(command, "PAGE", 2)
    pull(shell, tmp_path / "view")
    assert len(list((tmp_path / "view/robot").iterdir())) == 7


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_okflint_finds_nothing(shell: Shell, client: Client, tmp_path: Path) -> None:
    """The linter of the format, which needs a newer Python than this project."""
    names = filter(shutil.which, (f"python3.{minor}" for minor in range(12, 16)))
    runs = [name for name in names if not subprocess.run([name, "-V"], check=False).returncode]
    if not runs:
        pytest.skip("okflint needs Python 3.12 or newer.")
    for text in (*HOSTILE[3:9], "See [tea](tea.md) and [[cake]].", "# Heading\n\n- one\n- two"):
        client.remember(text, visibility="internal", topic=text[:50] if text.isprintable() else "")
    pull(shell, tmp_path / "view")
    subprocess.run([runs[0], "-m", "venv", tmp_path / "venv"], check=True)
    pip("install", "-q", "okflint==0.5.1", python=tmp_path / "venv/bin/python")
    (tmp_path / "okf-base.yaml").write_text(
        "okf_version: '0.2'\nbase:\n  roots:\n    - path: view\n"
        "  reserved_files: {index: index.md, log: log.md}\n"
    )
    done = subprocess.run(
        [tmp_path / "venv/bin/okflint", "validate", "--manifest", "okf-base.yaml"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    damaged = next((tmp_path / "view/robot").iterdir())
    damaged.write_text("no front matter")
    done = subprocess.run(
        [tmp_path / "venv/bin/okflint", "validate", "--manifest", "okf-base.yaml"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
