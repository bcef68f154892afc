"""The copy in an S3-compatible storage, against one on loopback."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from config.archive.archive_settings import OffsiteSettings
from config.archive.errors import ArchiveError
from config.archive.restore.recovery import Recovery, plan_recovery
from config.archive.storage import offsite_storage
from config.archive.storage.offsite_storage import PART_BYTES, OffsiteStorage
from tests.config.archive.rig import Rig

pytestmark = [pytest.mark.conformance("O21"), pytest.mark.timeout(240)]
SECRETS = {"ARCHIVE_S3_ACCESS_KEY": "someone", "ARCHIVE_S3_SECRET_KEY": "swordfish"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint: str, tmp_path: Path) -> str:
    name = "".join(c for c in tmp_path.name.lower() if c.isalnum())[-60:]
    client(endpoint).create_bucket(Bucket=name)
    return name


def client(endpoint: str) -> Any:
    return boto3.client(
        "s3", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="someone",
        aws_secret_access_key="swordfish",
    )  # fmt: skip


def storage(endpoint: str, bucket: str, **changes: str) -> OffsiteStorage:
    found = OffsiteSettings(bucket, "folder/a", endpoint, "us-east-1", "someone", "swordfish")
    return OffsiteStorage(replace(found, **changes))


def test_files_go_there_and_come_back(endpoint: str, bucket: str, tmp_path: Path) -> None:
    """A large one in parts; nothing of the storage is named with an address or a key."""
    there, path = storage(endpoint, bucket), tmp_path / "file"
    path.write_bytes(bytes(range(256)) * (PART_BYTES // 100))
    assert path.stat().st_size > 2 * PART_BYTES
    there.upload("s/large", path)
    head = client(endpoint).head_object(Bucket=bucket, Key="folder/a/s/large")
    assert head["ETag"].strip('"').endswith("-3"), "in three parts"
    (tmp_path / "small").write_bytes(b"1")
    there.upload("s/small", tmp_path / "small")
    assert there.list_sizes() == {"s/large": path.stat().st_size, "s/small": 1}
    assert there.list_sizes("s/") == there.list_sizes()
    assert there.list_sizes("t/") == {}
    with there.open_stored("s/large") as source:
        assert source.read() == path.read_bytes()
    there.delete("s/small")
    assert set(there.list_sizes()) == {"s/large"}
    with (
        pytest.raises(ArchiveError, match="s/small is missing in s3://"),
        there.open_stored("s/small") as source,
    ):
        source.read()
    with pytest.raises(ArchiveError) as raised:
        storage(endpoint, "nobodys").list_sizes()
    assert "did not do what was asked" in str(raised.value) or "is missing" in str(raised.value)
    assert "swordfish" not in str(raised.value)


@pytest.mark.slow
def test_a_moment_is_restored_from_the_copy_alone(
    endpoint: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy fails for a while; that is told, and what is missing goes there later."""
    variables = {"ARCHIVE_S3_URL": f"s3://{bucket}/x", "ARCHIVE_S3_ENDPOINT": endpoint} | SECRETS
    rig = Rig(tmp_path, **variables)
    try:
        rig.start()
        moment = rig.write(3)
        rig.archive()
        with monkeypatch.context() as patched:
            patched.setattr(offsite_storage.obstore, "put", refuse)
            rig.archive(rig.write(2))
            assert "did not do what was asked of it (PermissionDeniedError" in (
                rig.archiver.status.failure
            )
            behind = rig.archiver.status.offsite_until
        rig.base()
        rig.archive(rig.write(2))
        status = rig.archiver.status
        assert status.offsite_until
        assert behind is None or status.offsite_until > behind
        assert rig.settings.offsite
        copy = OffsiteStorage(rig.settings.offsite)
        local = {p.relative_to(rig.archive_dir).as_posix() for p in rig.archive_dir.rglob("*") if
                 p.is_file() and not p.name.startswith(".")}  # fmt: skip
        assert set(copy.list_sizes()) == local
        shutil.rmtree(rig.archive_dir)
        settings = replace(rig.settings, data_dir=tmp_path / "restored")
        settings.data_dir.mkdir()
        plan = plan_recovery(settings, copy, None)
        assert len(plan.chain) == 2
        Recovery(settings, copy, plan).run()
        assert rig.notes(recovered(settings.data_dir)) == list(range(1, 8))
        with pytest.raises(ArchiveError, match="cannot be restored"):
            plan_recovery(settings, copy, moment.replace(year=2020))
    finally:
        rig.close()


def refuse(*_: object, **__: object) -> None:
    raise offsite_storage.obstore.exceptions.PermissionDeniedError("denied: https://key@x")


def recovered(data_dir: Path) -> Any:
    from config.embedded.servers.postgres import Postgres

    return Postgres(data_dir)


@pytest.mark.slow
def test_what_is_not_needed_is_deleted_there_too(
    endpoint: str, bucket: str, tmp_path: Path
) -> None:
    variables = {"ARCHIVE_S3_URL": f"s3://{bucket}", "ARCHIVE_S3_ENDPOINT": endpoint} | SECRETS
    rig = Rig(tmp_path, **variables)
    try:
        rig.start()
        rig.archive()
        old = rig.series.bases[0].id
        rig.settings = replace(rig.settings, keep=rig.settings.keep * 0)
        rig.base("full")
        rig.archive(rig.write(1))
        rig.base("full")
        rig.archive(rig.write(1))
        assert rig.settings.offsite
        names = set(OffsiteStorage(rig.settings.offsite).list_sizes())
        assert not any(old in name for name in names)
        there = {name.split("/")[2] for name in names if "/base/" in name}
        here = {base.id for base in rig.series.bases}
        assert here <= there
        assert len(there) <= len(here) + 1, "one more, until the copy had the newest itself"
    finally:
        rig.close()
