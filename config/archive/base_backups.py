"""A base backup: a copy of all pages while the server works, or of those that changed since."""

import hashlib
import json
import os
import secrets
import subprocess
import tarfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

from config.archive.archive_settings import ArchiveSettings, read_variable
from config.archive.catalogue import FULL, INCREMENTAL, BaseBackup, Series, parse_lsn
from config.archive.errors import ArchiveError
from config.archive.source_server import ServerIdentity, SourceServer
from config.archive.storage.encryption import ContentReader, EncryptingWriter, iter_decrypted
from config.archive.storage.folder_storage import FolderStorage, load_bytes, store_bytes
from config.embedded.private_files import read_json
from config.embedded.processes.logs import extract_error_line
from config.version import VERSION
from orgs.database.backup.manifest import secret_key_fingerprint

CHUNK_BYTES = 1 << 20
# The folders of DATA_DIR whose files go along; a test compares them with those of a backup.
JOB_FOLDERS = ("uploads", "exports")
MANIFEST_NAME = "backup_manifest"


@dataclass(frozen=True, slots=True)
class BaseRequest:
    """kind: FULL or INCREMENTAL. series: what there is."""

    kind: str
    series: Series
    identity: ServerIdentity


def create_base_backup(
    settings: ArchiveSettings,
    server: SourceServer,
    request: BaseRequest,
    environ: Mapping[str, str] = os.environ,
) -> BaseBackup:
    """Make a base backup while the server works. Raises ArchiveError.

    What was written is read back and compared with its list of checksums before it counts.
    """
    storage, series = FolderStorage(settings.folder), request.series
    with storage.lock("base", "A base backup is being made already: wait for it."):
        parent = series.bases[-1] if request.kind == INCREMENTAL and series.bases else None
        kind = INCREMENTAL if parent else FULL
        begun_at, _ = server.read_position()
        id_ = f"{begun_at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}-{kind}"
        place = f"{series.name}/base/{id_}"
        try:
            _store_pages(settings, server, place, parent, series)
            ended_at, _ = server.read_position()
            listed = _read_back(settings, f"{place}/data")
            store_bytes(storage, settings.keyring, f"{place}/manifest", listed)
            _store_job_files(settings, f"{place}/files")
            made = _describe(settings, request, id_, parent, listed, (begun_at, ended_at), environ)
            store_bytes(storage, settings.keyring, f"{place}/info", made.to_json())
        except BaseException:
            for name in storage.list_sizes(f"{place}/"):
                storage.delete(name)
            raise
    return made


def _store_pages(
    settings: ArchiveSettings,
    server: SourceServer,
    place: str,
    parent: BaseBackup | None,
    series: Series,
) -> None:
    """Run pg_basebackup, and store the tar that it prints."""
    storage = FolderStorage(settings.folder)
    manifest = settings.data_dir / f".archive_manifest.{os.getpid()}"
    arguments = [
        "-D", "-", "-F", "tar", "-X", "none", "--checkpoint=fast", "--manifest-checksums=SHA256",
        "--label=commonmind archive",
    ]  # fmt: skip
    try:
        if parent:
            name = f"{series.name}/base/{parent.id}/manifest"
            manifest.write_bytes(load_bytes(storage, settings.keyring, name))
            manifest.chmod(0o600)
            arguments.append(f"--incremental={manifest}")
        name = f"{place}/data"
        with storage.create(name) as out:
            writer = EncryptingWriter(out, name, settings.keyring.newest)
            _copy_output(
                server.start_program("pg_basebackup", *arguments, stdout=subprocess.PIPE), writer
            )
            writer.close()
    except OSError as error:
        raise ArchiveError(f"The base backup broke off ({error.strerror or error}).") from None
    finally:
        manifest.unlink(missing_ok=True)


def _copy_output(process: subprocess.Popen[bytes], writer: EncryptingWriter) -> None:
    assert process.stdout is not None  # noqa: S101 - it was asked for
    assert process.stderr is not None  # noqa: S101 - it was asked for
    try:
        with process.stdout, process.stderr:
            while part := process.stdout.read(CHUNK_BYTES):
                writer.write(part)
            words = process.stderr.read().decode(errors="replace")
        if process.wait() != 0:
            raise ArchiveError(f"The base backup broke off ({extract_error_line(words)}).")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _read_back(settings: ArchiveSettings, name: str) -> bytes:
    """Read what was stored, compare every file with the list, and return the list."""
    found: dict[str, str] = {}
    listed = b""
    with FolderStorage(settings.folder).open_stored(name) as source:
        content = ContentReader(iter_decrypted(source, name, settings.keyring))
        with tarfile.open(fileobj=content, mode="r|", bufsize=CHUNK_BYTES) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.isfile() else None
                if file is None:
                    continue
                with closing(file):
                    if member.name == MANIFEST_NAME:
                        listed = file.read()
                    else:
                        found[member.name] = _sha256_of(file)
    wrong = [
        one["Path"]
        for one in _parse_manifest(listed)["Files"]
        # Incremental files are called INCREMENTAL.NAME in the list as well.
        if "Path" in one and found.get(one["Path"]) != one["Checksum"]
    ]
    if wrong:
        raise ArchiveError(
            f"The base backup cannot be read back: {len(wrong)} files are not those that the "
            f"server sent, such as {wrong[0]}. Is the disk of ARCHIVE_DIR sound?"
        )
    return listed


def _sha256_of(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while part := file.read(CHUNK_BYTES):
        digest.update(part)
    return digest.hexdigest()


def _parse_manifest(listed: bytes) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(listed)
        told["Files"][0]["Path"], told["WAL-Ranges"][0]["Start-LSN"]
    except (ValueError, KeyError, IndexError, TypeError):
        raise ArchiveError("The base backup has no list of its files: it is not whole.") from None
    return told


def _describe(
    settings: ArchiveSettings,
    request: BaseRequest,
    id_: str,
    parent: BaseBackup | None,
    listed: bytes,
    times: tuple[datetime, datetime],
    environ: Mapping[str, str],
) -> BaseBackup:
    ranges = _parse_manifest(listed)["WAL-Ranges"]
    sizes = FolderStorage(settings.folder).list_sizes(f"{request.series.name}/base/{id_}/")
    kept = read_json(settings.data_dir / "services.json").get("SECRET_KEY", "")
    key = read_variable(environ, "SECRET_KEY") or str(kept)
    return BaseBackup(
        id=id_,
        kind=INCREMENTAL if parent else FULL,
        parent=parent.id if parent else "",
        system_id=request.identity.system_id,
        timeline=int(ranges[0]["Timeline"]),
        start_lsn=parse_lsn(ranges[0]["Start-LSN"]),
        end_lsn=parse_lsn(ranges[-1]["End-LSN"]),
        segment_bytes=request.identity.segment_bytes,
        begun_at=times[0],
        ended_at=times[1],
        server=request.identity.version,
        release=VERSION,
        size=sum(sizes.values()),
        secret_key=secret_key_fingerprint(secrets.token_hex(16), key),
    )


def _store_job_files(settings: ArchiveSettings, name: str) -> None:
    """Files that jobs read and people fetch, as they are after the pages were copied."""
    with FolderStorage(settings.folder).create(name) as out:
        writer = EncryptingWriter(out, name, settings.keyring.newest)
        with tarfile.open(fileobj=cast("IO[bytes]", writer), mode="w|") as tar:
            for path in _list_job_files(settings.data_dir):
                try:
                    tar.add(path, path.relative_to(settings.data_dir).as_posix(), recursive=False)
                except FileNotFoundError:
                    continue  # a job has ended and deleted it
        writer.close()


def _list_job_files(data_dir: Path) -> list[Path]:
    found = (path for name in JOB_FOLDERS for path in sorted((data_dir / name).rglob("*")))
    return [path for path in found if path.is_file() and not path.is_symlink()]
