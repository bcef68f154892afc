"""What the environment may say of the archive."""

from datetime import timedelta
from pathlib import Path

import pytest

from config.archive.archive_settings import read_settings
from config.archive.base_backups import JOB_FOLDERS
from config.archive.errors import ArchiveError
from config.archive.source_server import find_source
from orgs.database.backup.folder import backup_folders
from tests.config.archive.rig import KEY

S3 = {"ARCHIVE_S3_URL": "s3://bucket/a/b/"}


def environ(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"ARCHIVE_DIR": str(tmp_path / "archive"), "ENCRYPTION_KEYS": KEY} | more


def refused(tmp_path: Path, **more: str) -> str:
    with pytest.raises(ArchiveError) as raised:
        read_settings(environ(tmp_path, **more), data_dir=tmp_path / "data")
    return str(raised.value)


def test_what_is_shipped(tmp_path: Path) -> None:
    found = read_settings(environ(tmp_path), data_dir=tmp_path / "data")
    assert (found.keep, found.base_every) == (timedelta(days=14), timedelta(days=1))
    assert (found.full_every, found.switch_every) == (timedelta(days=7), timedelta(minutes=1))
    assert found.erased_within == timedelta(days=23)
    assert found.offsite is None


def test_what_is_refused(tmp_path: Path) -> None:
    assert "ARCHIVE_DIR is not set" in refused(tmp_path, ARCHIVE_DIR="")
    inside = str(tmp_path / "data" / "archive")
    assert "lies in DATA_DIR" in refused(tmp_path, ARCHIVE_DIR=inside)
    for wrong in ("0", "-1", "1.5", "x", "٣", "999999999"):
        assert "ARCHIVE_KEEP_DAYS" in refused(tmp_path, ARCHIVE_KEEP_DAYS=wrong)
    said = refused(tmp_path, ARCHIVE_KEEP_DAYS="22")
    assert "for 31 days" in said
    assert "promise 30 (BACKUP_KEEP_DAYS)" in said
    assert "There is no key" in refused(tmp_path, ENCRYPTION_KEYS="")
    assert "is not the base64 of 32 bytes" in refused(tmp_path, ENCRYPTION_KEYS="c2hvcnQ=")


def test_the_key_of_make_run_is_found(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "encryption.keys").write_text(f"# a comment\n{KEY}\n")
    found = read_settings(environ(tmp_path, ENCRYPTION_KEYS=""), data_dir=data_dir)
    assert len(found.keyring.keys) == 1
    assert KEY not in repr(found)


def test_secrets_of_the_offsite_storage_come_from_files(tmp_path: Path) -> None:
    assert "ARCHIVE_S3_ACCESS_KEY is not set" in refused(tmp_path, **S3)
    (tmp_path / "access").write_text("id\n")
    (tmp_path / "secret").write_text("word\r\n")
    (tmp_path / "empty").write_text("\n")
    files = {
        "ARCHIVE_S3_ACCESS_KEY_FILE": str(tmp_path / "access"),
        "ARCHIVE_S3_SECRET_KEY_FILE": str(tmp_path / "secret"),
    }
    made = read_settings(environ(tmp_path, **S3, **files), data_dir=tmp_path / "data")
    assert made.erased_within == timedelta(days=24), "the copy deletes a day later"
    found = made.offsite
    assert found
    assert (found.bucket, found.prefix) == ("bucket", "a/b")
    assert (found.access_key, found.secret_key) == ("id", "word")
    assert "word" not in repr(found)
    missing = {"ARCHIVE_S3_SECRET_KEY_FILE": str(tmp_path / "none")}
    assert "ARCHIVE_S3_SECRET_KEY_FILE cannot be read: No such file or directory." in refused(
        tmp_path, **S3, **files | missing
    )
    empty = {"ARCHIVE_S3_SECRET_KEY_FILE": str(tmp_path / "empty")}
    assert "_FILE names no file with it" in refused(tmp_path, **S3, **files | empty)


def test_files_hold_the_values_as_they_do_for_the_site(tmp_path: Path) -> None:
    """The file goes before the variable, for each setting, also the address of the server."""
    files = {}
    for name, text in (
        ("ENCRYPTION_KEYS", KEY),
        ("ARCHIVE_KEEP_DAYS", "5"),
        ("ARCHIVE_S3_ACCESS_KEY", " a word "),
        ("DATABASE_ARCHIVE_URL", "postgresql://role:angelfish@db/postgres"),
    ):
        (tmp_path / name).write_text(f"{text}\n")
        files[f"{name}_FILE"] = str(tmp_path / name)
    more = {"ARCHIVE_S3_ACCESS_KEY": "another", "ARCHIVE_S3_SECRET_KEY": "x", "ENCRYPTION_KEYS": ""}
    given = environ(tmp_path, **S3, **files, **more)
    found = read_settings(given, data_dir=tmp_path / "data")
    assert (len(found.keyring.keys), found.keep) == (1, timedelta(days=5))
    assert found.offsite
    assert found.offsite.access_key == " a word "
    assert "angelfish" in find_source(given, tmp_path / "data").url
    (tmp_path / "DATABASE_ARCHIVE_URL").write_bytes(b"\xff\xfe")
    with pytest.raises(ArchiveError, match=r"_URL_FILE cannot be read: it is no text\.$"):
        find_source(given, tmp_path / "data")


@pytest.mark.parametrize("url", ["https://bucket", "bucket/a", "s3://"])
def test_another_address_is_refused(tmp_path: Path, url: str) -> None:
    assert "is not like s3://bucket/folder" in refused(tmp_path, ARCHIVE_S3_URL=url)
    assert "ARCHIVE_S3_ENDPOINT" in refused(
        tmp_path, **S3, ARCHIVE_S3_ENDPOINT="storage.example.org"
    )


def test_the_files_of_jobs_are_those_of_a_backup() -> None:
    assert set(JOB_FOLDERS) == set(backup_folders())
