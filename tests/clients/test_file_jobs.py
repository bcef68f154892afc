"""Files that the server imports and exports by jobs, from the client and the command (N11)."""

import io
import json
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from commonmind import (
    AsyncClient,
    Client,
    ForbiddenError,
    InvalidError,
    RefusedError,
    UnavailableError,
    UnexpectedAnswerError,
)
from commonmind.calls import Form
from commonmind.cli.file_jobs import holds_conversations
from commonmind.exchange import to_form
from django.conf import settings
from django.http.multipartparser import MultiPartParser

from memories.jobs import run_jobs
from memories.tasks import run_job
from tests.clients.command_shell import OK, REFUSED, USAGE, Shell
from tests.clients.scripted_server import KEY, ScriptedServer, answer, problem
from tests.event_loop import run_coroutine
from tests.world import World

pytestmark = pytest.mark.conformance("N11")
LINES = [
    {"id": "1", "group": "acme", "speaker": "Noor", "text": "The release is in March."},
    {"id": "2", "group": "acme", "speaker": "Tom", "text": "I bring cake."},
]
JOB = {
    "id": "01990000-0000-7000-8000-00000000beef", "kind": "import", "state": "waiting", "done": 0,
    "total": 10, "counts": {}, "problems": 0, "first_problems": [], "reason": "",
}  # fmt: skip
FILE = {"content-type": "application/jsonl; charset=utf-8"}


def written(folder: Path, *lines: Any, name: str = "talk.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture
def mona(
    lasting_world: World, address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Shell]:
    """The command with a key that manages; a thread does the jobs as they come."""
    here = lasting_world.here
    here.add_robot("mona", scopes=("read", "write", "manage"))
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path / "data")
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [here.id])
    with working():
        yield Shell(tmp_path, COMMONMIND_URL=address, COMMONMIND_KEY=here.keys["mona"])


@contextmanager
def working() -> Iterator[None]:
    from django.db import connections

    over = threading.Event()

    def work() -> None:
        while not over.wait(0.05):
            run_job()
        connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        over.set()
        worker.join(timeout=30)


def test_a_file_of_conversations_is_imported_by_the_command(mona: Shell, tmp_path: Path) -> None:
    path = written(tmp_path, *LINES, {"id": "3"})
    dry = mona("import", str(path), "--dry-run")
    assert dry.returncode == OK, dry.stderr
    assert b"3 lines: 2 new, 0 there already" in dry.stdout
    assert b"1 groups, 1 of them new" in dry.stdout
    assert b"line 3: no text" in dry.stderr
    assert mona.json("jobs", "list") == []
    asked = mona("import", str(path))
    assert (asked.returncode, asked.stdout) == (USAGE, b"")
    assert b"--yes" in asked.stderr
    assert mona.json("jobs", "list") == []
    done = mona("import", str(path), "--yes")
    assert done.returncode == REFUSED, "a line was refused"
    assert b"2 imported" in done.stdout
    assert b"line 3: no text" in done.stderr
    assert b"it goes on also if you stop waiting" in done.stderr
    whole = written(tmp_path, *LINES, name="whole.jsonl")
    [again] = mona.json("import", str(whole), "--yes")
    assert (again["state"], again["counts"]["already"], again["counts"]["imported"]) == (
        "done", 2, 0,
    )  # fmt: skip
    listed = [one["content"] for one in mona.json("timeline", "release")]
    assert listed == ["The release is in March."]


def test_what_a_job_exports_comes_as_a_file_and_goes_back(mona: Shell, tmp_path: Path) -> None:
    mona("import", str(written(tmp_path, *LINES)), "--yes")
    out = tmp_path / "out.jsonl"
    done = mona("export", str(out))
    assert done.returncode == OK, done.stderr
    assert f"2 memories, {out.stat().st_size:,} bytes." in done.stderr.decode()
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    head, *rows = [json.loads(one) for one in out.read_bytes().splitlines()]
    assert head["format"] == "commonmind-snapshot"
    assert {one["content"] for one in rows} == {one["text"] for one in LINES}
    piped = mona("export", "-o", str(tmp_path / "paged.jsonl"))
    assert piped.returncode == OK
    paged = (tmp_path / "paged.jsonl").read_bytes().splitlines()
    assert sorted(map(json.dumps, rows)) == sorted(json.dumps(json.loads(one)) for one in paged[1:])
    assert mona("import", str(out)).stdout.decode().strip() == "2 kept"
    assert mona("export", str(out), "-o", "x").returncode == USAGE
    assert mona("export", str(tmp_path / "none" / "x")).returncode == USAGE
    assert not list(tmp_path.glob(".commonmind-*"))


def test_who_may_not_import_is_told(shell: Shell, tmp_path: Path) -> None:
    path = written(tmp_path, *LINES)
    for words in (["--dry-run"], ["--yes"]):
        done = shell("import", str(path), *words)
        assert (done.returncode, b"manage" in done.stderr) == (REFUSED, True)


@pytest.mark.parametrize(
    "words",
    [
        ("import", "lines.jsonl", "--dry-run"), ("import", "lines.jsonl", "--readers", "private"),
        ("import", "talk.jsonl", "--group", "launch"), ("import", "talk.jsonl", "--mode", "keep"),
        ("import", "-", "--dry-run"), ("import", "absent.jsonl", "--format", "jsonl"),
        ("import", "talk.jsonl", "--readers", "team:x"),
        ("import", "talk.jsonl", "--readers", "group:"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_the_file(
    shell: Shell, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, *LINES)
    written(tmp_path, {"content": "A memory."}, name="lines.jsonl")
    assert shell(*words).returncode == USAGE


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"text": "a"}\n', True), (b'\xef\xbb\xbf\n {"text": "a"}', True),
        (b'[{"text": 1}]', True),
        (b"\x1f\x8b\x08", True), (b'{"content": "a", "text": "b"}', False), (b"", False),
        (b'{"format": "commonmind-snapshot"}', False), (b"not json", False), (b"[" * 9, True),
        (b'{"a":' * 100_000, False), (b"\xff\xfe", False), (b'"text"', False),
    ],
)  # fmt: skip
def test_what_looks_like_conversations(tmp_path: Path, content: bytes, expected: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert holds_conversations(path) is expected


@pytest.mark.parametrize("name", ["a.jsonl", 'q"uo\r\nte.jsonl', "ä€.jsonl"])
@pytest.mark.parametrize("content", [b"", b"--x\r\n--\r\n", bytes(range(256)) * 40])
def test_a_form_is_read_as_it_was_meant(name: str, content: bytes) -> None:
    """Also where the file has what looks like a boundary or a header."""
    fields = {"format": "jsonl", "join_groups": True, "dry_run": False, "readers": None}
    kind, body = to_form(Form(name, content, fields))
    assert to_form(Form(name, content, fields)) == (kind, body)
    assert to_form(Form(name, content + b"x", fields))[0] != kind
    meta = {"CONTENT_TYPE": kind, "CONTENT_LENGTH": str(len(body))}
    from django.core.files.uploadhandler import MemoryFileUploadHandler

    handler = MemoryFileUploadHandler()
    handler.activated = True
    found, files = MultiPartParser(meta, io.BytesIO(body), [handler]).parse()
    assert found.dict() == {"format": "jsonl", "join_groups": "true", "dry_run": "false"}
    assert list(files) == ["file"]
    assert files["file"].read() == content


def test_a_file_is_given_as_path_bytes_or_open(tmp_path: Path) -> None:
    path, server = written(tmp_path, *LINES), ScriptedServer(answer(202, JOB))
    client = server.client()
    client.imports.create(path, readers="organisation")
    client.imports.create(str(path), readers="organisation")
    with path.open("rb") as file:
        client.imports.create(file, readers="organisation")
    client.imports.create(path.read_bytes(), readers="organisation")
    bodies = [one.content for one in server.requests]
    assert bodies[0] == bodies[1] == bodies[2]
    assert bodies[0].count(b"The release is in March.") == bodies[3].count(b"release") == 1
    assert b'filename="talk.jsonl"' in bodies[0]
    assert b'name="readers"\r\n\r\norganisation\r\n' in bodies[0]
    assert b"dry_run" not in bodies[0]
    assert len(set(server.keys)) == 4
    client.imports.preview(path)
    assert b'name="dry_run"\r\n\r\ntrue\r\n' in server.requests[-1].content
    with pytest.raises(OSError, match="No such file"):
        client.imports.create(tmp_path / "absent")


def test_all_attempts_of_an_import_are_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    server = ScriptedServer(
        problem(503, "unavailable", retry_after="0"), httpx.ReadError("cut"), answer(202, JOB)
    )
    assert server.client().imports.create(b'{"text": "a"}')["state"] == "waiting"
    assert len(server.requests) == 3
    assert len({one.content for one in server.requests}) == 1
    assert len({one.headers["content-type"] for one in server.requests}) == 1
    assert len(set(server.keys)) == 1


class Parts(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that comes in parts, and breaks off behind them if it is told so."""

    def __init__(self, *parts: bytes, breaks: bool = False) -> None:
        self.parts, self.breaks = parts, breaks

    def __iter__(self) -> Iterator[bytes]:
        yield from self.parts
        if self.breaks:
            raise httpx.RemoteProtocolError("cut off")

    async def __aiter__(self) -> Any:
        for part in self:
            yield part


def download(mode: str, server: ScriptedServer, path: Path) -> int:
    """By one client or the other."""
    if mode == "sync":
        return server.client().exports.download("x", path)

    async def run() -> int:
        transport = httpx.MockTransport(server)
        async with AsyncClient("http://localhost", KEY, transport=transport) as client:
            return await client.exports.download("x", path)

    return run_coroutine(run())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with nothing in it."""
    path = tmp_path / "folder"
    path.mkdir()
    return path


@pytest.fixture(params=["sync", "async"])
def fetch(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[ScriptedServer, Path], int]:
    async def at_once(seconds: float) -> None: ...

    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("commonmind.client.asyncio.sleep", at_once)
    return lambda server, path: download(request.param, server, path)


def test_a_file_arrives_whole_or_not_at_all(
    fetch: Callable[[ScriptedServer, Path], int], folder: Path
) -> None:
    path = folder / "out.jsonl"
    path.write_text("what stood there")

    def cut(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers=FILE, stream=Parts(b"half", breaks=True))

    with pytest.raises(UnavailableError):
        fetch(ScriptedServer(cut), path)
    assert path.read_text() == "what stood there"
    assert list(folder.iterdir()) == [path]
    server = ScriptedServer(cut, httpx.Response(200, headers=FILE, stream=Parts(b"a\n", b"b\n")))
    assert fetch(server, path) == 4
    assert path.read_bytes() == b"a\nb\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(folder.iterdir()) == [path]
    assert fetch(ScriptedServer(httpx.Response(200, headers=FILE, content=b"")), path) == 0


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: problem(410, "file-gone"), RefusedError),
        (lambda: problem(404, "not-found"), RefusedError),
        (lambda: answer(200, {"results": []}), UnexpectedAnswerError),
        (lambda: httpx.Response(200, html="<p>Sign in"), UnexpectedAnswerError),
        (lambda: httpx.Response(302, headers={"location": "http://x/"}), UnexpectedAnswerError),
        (lambda: httpx.Response(204, headers=FILE), UnexpectedAnswerError),
    ],
)
def test_what_is_no_file_is_not_written(
    fetch: Callable[[ScriptedServer, Path], int], folder: Path, make: Any, error: type[Exception]
) -> None:
    path = folder / "out.jsonl"
    with pytest.raises(error):
        fetch(ScriptedServer(lambda _: make()), path)
    assert list(folder.iterdir()) == []


def test_a_download_may_take_longer_than_one_answer(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """The time is that of a part: what moves goes on, what hangs ends."""
    now = [0.0]
    monkeypatch.setattr("commonmind.client.time.monotonic", lambda: now[0])

    class Slow(Parts):
        last = 40

        def __iter__(self) -> Iterator[bytes]:
            for seconds in (40, 40, self.last):
                now[0] += seconds
                yield b"part\n"

    for ends in (True, False):
        Slow.last = 40 if ends else 50
        server = ScriptedServer(httpx.Response(200, headers=FILE, stream=Slow()))
        client = server.client(retries=0)
        if ends:
            assert client.exports.download("x", folder / "a") == 15
        else:
            with pytest.raises(UnavailableError):
                client.exports.download("x", folder / "b")
    assert [one.name for one in folder.iterdir()] == ["a"]


def test_a_job_is_waited_for_as_long_as_it_is_said(robot: Callable[..., Client]) -> None:
    server = ScriptedServer(answer(200, JOB))
    client = server.client()
    client.jobs.get(JOB["id"])
    client.jobs.get(JOB["id"], wait=10)
    assert [one.headers.get("prefer") for one in server.requests] == [None, "wait=10"]


def test_the_real_server_answers_the_clients(robot: Callable[..., Client], world: World) -> None:
    here = world.here
    here.add_robot("mona", scopes=("read", "write", "manage"))
    mona = robot("mona")
    content = "\n".join(map(json.dumps, LINES)).encode()
    plan = mona.imports.preview(content)
    assert (plan["counts"]["new_memories"], plan["counts"]["new_people"]) == (2, 2)
    assert plan["groups"] == [{"name": "acme", "new": True, "lines": 2, "reads": "yes"}]
    with pytest.raises(InvalidError) as wrong:
        mona.imports.preview(b"nothing")
    assert wrong.value.code == "unreadable"
    with pytest.raises(ForbiddenError):
        robot("bolt").imports.create(content)
    job = mona.imports.create(content)
    assert (job["kind"], job["state"]) == ("import", "waiting")
    exported = mona.exports.create(type="fact")
    assert (exported["kind"], mona.jobs.get(exported["id"])["file"]) == ("export", None)


def test_folders_are_added_changed_and_removed_by_the_client(
    robot: Callable[..., Client], world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "IMPORT_FOLDER", str(tmp_path))
    world.here.add_robot("mona", scopes=("read", "write", "manage"))
    imports = robot("mona").imports
    made = imports.add_folder("chats", readers="organisation", period_minutes=30)
    assert (made["folder"], made["period_minutes"]) == ("chats", 30)
    assert [one["id"] for one in imports.folders()["results"]] == [made["id"]]
    assert imports.change_folder(made["id"], paused=True)["paused_for"] == "asked"
    imports.remove_folder(made["id"])
    assert imports.folders()["results"] == []


def test_the_command_names_a_group_for_lines_without_readers(
    shell: Shell, world: World, tmp_path: Path
) -> None:
    path = written(tmp_path, {"id": "9", "speaker": "Noor", "text": "I bring tea."})
    here = world.here
    done = shell("import", str(path), "--dry-run", "--readers", f"group:{here.groups['launch'].id}")
    assert b"manage" in done.stderr, "it is sent, and refused for want of a scope"
