"""What of a folder is read: regular files below it and nothing that a link leads to."""

import os
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from memories.ingestion.folder_import import server_folder
from memories.ingestion.folder_import.models import FolderPauseReason
from memories.ingestion.folder_import.run_folder import FAILURE_SENTENCES
from memories.ingestion.folder_import.server_folder import (
    MAX_DEPTH,
    TOO_LARGE,
    UNREADABLE,
    FileChangingError,
    FileRefusedError,
    FolderError,
    InvalidFolderError,
    copy_file,
    list_files,
    normalise_folder,
    open_folder,
)


@pytest.fixture
def root(settings: Any, tmp_path: Path) -> Path:
    """The folder of acme, beside that of another organisation."""
    settings.IMPORT_FOLDER = str(tmp_path / "imports")
    for slug in ("acme", "other"):
        (tmp_path / "imports" / slug / "chats").mkdir(parents=True)
    (tmp_path / "imports" / "other" / "chats" / "secret.jsonl").write_text("secret")
    return tmp_path / "imports" / "acme"


def listed(folder: str = "", slug: str = "acme") -> tuple[list[str], int]:
    with open_folder(slug, folder) as descriptor:
        found = list_files(descriptor)
    return [one.path for one in found.files], found.left_out


def copied(path: str, folder: str = "") -> bytes:
    to = BytesIO()
    with open_folder("acme", folder) as descriptor:
        copy_file(descriptor, path, to)
    return to.getvalue()


def test_files_are_listed_by_their_path_and_read(root: Path) -> None:
    (root / "chats" / "a.jsonl").write_text("one")
    (root / "b.jsonl").write_text("two")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "deep" / "er" / "a.jsonl").write_text("three")
    assert listed() == (["b.jsonl", "chats/a.jsonl", "deep/er/a.jsonl"], 0)
    assert listed("deep") == (["er/a.jsonl"], 0)
    assert (copied("deep/er/a.jsonl"), copied("a.jsonl", "chats")) == (b"three", b"one")


@pytest.mark.parametrize(
    "given",
    [
        "..",
        "../other",
        "a/../../other",
        ".hidden",
        "a/.git",
        "a//b",
        "./a",
        "a\nb",
        "a\0b",
        "\u202ea",
    ],
)
def test_a_path_that_is_no_path_below_is_refused(given: str) -> None:
    with pytest.raises(InvalidFolderError):
        normalise_folder(given)


def test_a_path_is_written_with_or_without_its_slashes() -> None:
    assert [normalise_folder(one) for one in ("", "/", " a/b/ ", "/a")] == ["", "", "a/b", "a"]
    with pytest.raises(InvalidFolderError):
        normalise_folder("/".join("a" * (MAX_DEPTH + 1)))
    with pytest.raises(InvalidFolderError):
        normalise_folder("a" * 501)


@pytest.mark.parametrize("slug", ["..", ".", "", "acme/../other", "other\0"])
def test_no_slug_leads_out(root: Path, slug: str) -> None:
    with pytest.raises(FolderError), open_folder(slug, "chats"):
        pass


@pytest.mark.parametrize("folder", ["../other", "chats/../../other", ".."])
def test_a_stored_path_leads_nowhere_else_either(root: Path, folder: str) -> None:
    with pytest.raises(FolderError), open_folder("acme", folder):
        pass


def test_no_link_is_followed(root: Path) -> None:
    other = root.parent / "other" / "chats"
    (root / "chats" / "file.jsonl").symlink_to(other / "secret.jsonl")
    (root / "linked").symlink_to(other)
    (root / "chats" / "hard.jsonl").hardlink_to(other / "secret.jsonl")
    os.mkfifo(root / "chats" / "pipe")
    (root / "chats" / ".hidden").write_text("hidden")
    (root / ".git").mkdir()
    (root / ".git" / "a.jsonl").write_text("hidden")
    assert listed() == ([], 4)
    with pytest.raises(FolderError) as refused, open_folder("acme", "linked"):
        pass
    assert refused.value.reason == "folder"
    for path in ("chats/file.jsonl", "linked/secret.jsonl", "chats/hard.jsonl", "chats/pipe"):
        with pytest.raises(FileChangingError):
            copied(path)


def test_a_folder_that_is_a_link_itself_is_no_folder_of_an_organisation(root: Path) -> None:
    (root.parent / "third").symlink_to(root.parent / "other")
    with pytest.raises(FolderError), open_folder("third", "chats"):
        pass


def test_the_folder_that_the_operator_named_may_be_a_link(
    root: Path, settings: Any, tmp_path: Path
) -> None:
    (root / "a.jsonl").write_text("one")
    (tmp_path / "link").symlink_to(root.parent)
    settings.IMPORT_FOLDER = str(tmp_path / "link")
    assert listed() == (["a.jsonl"], 0)


def test_a_file_that_becomes_a_link_between_the_look_and_the_reading_is_not_read(
    root: Path,
) -> None:
    path = root / "a.jsonl"
    path.write_text("one")
    with open_folder("acme", "") as descriptor:
        [found] = list_files(descriptor).files
        path.unlink()
        path.symlink_to(root.parent / "other" / "chats" / "secret.jsonl")
        to = BytesIO()
        with pytest.raises(FileChangingError):
            copy_file(descriptor, found.path, to)
    assert to.getvalue() == b""


def test_a_folder_that_is_replaced_by_a_link_stays_the_one_that_was_opened(root: Path) -> None:
    (root / "chats" / "a.jsonl").write_text("one")
    with open_folder("acme", "chats") as descriptor:
        (root / "chats").rename(root / "before")
        (root / "chats").symlink_to(root.parent / "other" / "chats")
        assert [one.path for one in list_files(descriptor).files] == ["a.jsonl"]


@pytest.mark.parametrize("change", ["grows", "shrinks", "replaced"])
def test_a_file_that_changes_while_it_is_read_waits_for_the_next_run(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    path = root / "a.jsonl"
    path.write_bytes(b"x" * 3_000_000)

    class Writer(BytesIO):
        """Somebody writes to the file at the same time."""

        def write(self, portion: Any) -> int:
            if change == "grows":
                with path.open("ab") as file:
                    file.write(b"more")
            elif change == "shrinks":
                os.truncate(path, 1_000_000)
            else:
                (root / "new").write_bytes(b"y")
                (root / "new").replace(path)
            return super().write(portion)

    to = Writer()
    with open_folder("acme", "") as descriptor, pytest.raises(FileChangingError):
        copy_file(descriptor, "a.jsonl", to)
    assert b"y" not in to.getvalue(), "never a mixture"


def test_a_file_that_never_ends_is_left_at_its_size(root: Path) -> None:
    path = root / "a.jsonl"
    path.write_bytes(b"x")
    written = 0

    class Endless(BytesIO):
        def write(self, portion: Any) -> int:
            nonlocal written
            written += len(portion)
            with path.open("ab") as file:
                file.write(portion * 2)
            return len(portion)

    with open_folder("acme", "") as descriptor, pytest.raises(FileChangingError):
        copy_file(descriptor, "a.jsonl", Endless())
    assert written < 10


def test_a_file_of_five_gigabytes_of_one_line_is_refused_unread(root: Path) -> None:
    path = root / "a.jsonl"
    path.touch()
    os.truncate(path, 5 * 1024**3)
    to = BytesIO()
    with open_folder("acme", "") as descriptor, pytest.raises(FileRefusedError) as refused:
        copy_file(descriptor, "a.jsonl", to)
    assert (str(refused.value), to.getvalue()) == (TOO_LARGE, b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is readable to root")
def test_a_file_that_the_server_may_not_read_is_refused(root: Path) -> None:
    path = root / "a.jsonl"
    path.write_text("one")
    path.chmod(0)
    with pytest.raises(FileRefusedError) as refused:
        copied("a.jsonl")
    assert str(refused.value) == UNREADABLE


def test_too_many_entries_and_too_deep_folders(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = root.joinpath(*"abcdefghi")
    deep.mkdir(parents=True)
    (deep / "a.jsonl").write_text("one")
    assert listed() == ([], 1)
    monkeypatch.setattr(server_folder, "MAX_ENTRIES", 3)
    with pytest.raises(FolderError) as refused:
        listed()
    assert refused.value.reason == "too-many"


def test_without_the_setting_there_is_no_folder(settings: Any) -> None:
    settings.IMPORT_FOLDER = ""
    with pytest.raises(FolderError) as refused, open_folder("acme", ""):
        pass
    assert refused.value.reason == "setting"


def test_no_descriptor_is_left_open(root: Path) -> None:
    (root / "chats" / "a.jsonl").write_text("one")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        listed()
        copied("chats/a.jsonl")
        with pytest.raises(FolderError), open_folder("acme", "none"):
            pass
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_the_sentence_names_the_bound() -> None:
    said = FAILURE_SENTENCES[FolderPauseReason.TOO_MANY]
    assert f"{server_folder.MAX_ENTRIES:,} files" in said
