"""The settings of the archive, from the environment; the archive runs without Django."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.archive.errors import ArchiveError
from config.environment_files import read_value
from memories.store.encryption.keys import Keyring, read_keyring


@dataclass(frozen=True, slots=True)
class OffsiteSettings:
    """An S3-compatible storage. prefix: what every name there begins with."""

    bucket: str
    prefix: str
    endpoint: str
    region: str
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """folder: ARCHIVE_DIR. keep: how far back every moment can be restored. base_every, full_every:
    how often a base backup, and a full one, is made. switch_every: after how long what was written
    is in the archive, also if a segment is not full. backup_keep: BACKUP_KEEP_DAYS."""

    data_dir: Path
    folder: Path
    offsite: OffsiteSettings | None
    keep: timedelta
    base_every: timedelta
    full_every: timedelta
    switch_every: timedelta
    backup_keep: timedelta
    keyring: Keyring = field(repr=False)

    @property
    def erased_within(self) -> timedelta:
        """After so long no file of the archive holds what was erased: the window, the oldest chain
        that it needs, and the time until the next base backup deletes that. The copy deletes one
        base backup later, when it has the newest itself."""
        return self.keep + self.full_every + (3 if self.offsite else 2) * self.base_every


def read_settings(environ: Mapping[str, str], *, data_dir: Path) -> ArchiveSettings:
    """Raises ArchiveError for what is missing or does not fit."""
    folder = read_variable(environ, "ARCHIVE_DIR")
    if not folder:
        raise ArchiveError("ARCHIVE_DIR is not set: name the folder of the archive.")
    found = ArchiveSettings(
        data_dir=data_dir.resolve(),
        folder=Path(folder).resolve(),
        offsite=_read_offsite(environ),
        keep=timedelta(days=_read_number(environ, "ARCHIVE_KEEP_DAYS", 14)),
        base_every=timedelta(hours=_read_number(environ, "ARCHIVE_BASE_HOURS", 24)),
        full_every=timedelta(days=_read_number(environ, "ARCHIVE_FULL_DAYS", 7)),
        switch_every=timedelta(seconds=_read_number(environ, "ARCHIVE_SECONDS", 60)),
        backup_keep=timedelta(days=_read_number(environ, "BACKUP_KEEP_DAYS", 30)),
        keyring=_read_keys(environ, data_dir),
    )
    if found.folder.is_relative_to(found.data_dir):
        # The keys of `make run` lie in DATA_DIR, and one disk takes both with it.
        raise ArchiveError("ARCHIVE_DIR lies in DATA_DIR: take a folder on another disk.")
    if found.erased_within > found.backup_keep:
        raise ArchiveError(
            f"The archive would hold what was erased for {_days(found.erased_within)} days: "
            "ARCHIVE_KEEP_DAYS, ARCHIVE_FULL_DAYS and ARCHIVE_BASE_HOURS count. Receipts of "
            f"erasures promise {_days(found.backup_keep)} (BACKUP_KEEP_DAYS). Make one of the "
            "former smaller, or the latter larger."
        )
    return found


def _days(time: timedelta) -> str:
    return f"{time / timedelta(days=1):g}"


def _read_number(environ: Mapping[str, str], name: str, default: int) -> int:
    text = read_variable(environ, name) or str(default)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100_000:
        raise ArchiveError(f"{name}={text[:20]!r} is not a whole number from 1 on.")
    return int(text)


def _read_keys(environ: Mapping[str, str], data_dir: Path) -> Keyring:
    """Those of the encrypted memories; `make run` keeps its own in DATA_DIR/encryption.keys."""
    given = tuple(key for key in read_variable(environ, "ENCRYPTION_KEYS").split(",") if key)
    file = read_variable(environ, "ENCRYPTION_KEY_FILE")
    kept = data_dir / "encryption.keys"
    if not given and not file and kept.exists():
        file = str(kept)
    ring = read_keyring(given, file)
    if ring.faults:
        raise ArchiveError(f"{ring.faults[0]}.")
    if not ring.keys:
        raise ArchiveError(
            "There is no key for the archive: set ENCRYPTION_KEY_FILE or ENCRYPTION_KEYS to the "
            "keys of the encrypted memories (docs/operations.md, Encrypted memories)."
        )
    return ring


def _read_offsite(environ: Mapping[str, str]) -> OffsiteSettings | None:
    url = read_variable(environ, "ARCHIVE_S3_URL")
    if not url:
        return None
    place = urlsplit(url)
    if place.scheme != "s3" or not place.netloc:
        raise ArchiveError("ARCHIVE_S3_URL is not like s3://bucket/folder.")
    endpoint = read_variable(environ, "ARCHIVE_S3_ENDPOINT")
    if endpoint and urlsplit(endpoint).scheme not in ("http", "https"):
        raise ArchiveError("ARCHIVE_S3_ENDPOINT is not like https://storage.example.org.")
    return OffsiteSettings(
        bucket=place.netloc,
        prefix=place.path.strip("/"),
        endpoint=endpoint,
        region=read_variable(environ, "ARCHIVE_S3_REGION") or "us-east-1",
        access_key=_read_secret(environ, "ARCHIVE_S3_ACCESS_KEY"),
        secret_key=_read_secret(environ, "ARCHIVE_S3_SECRET_KEY"),
    )


def read_variable(environ: Mapping[str, str], name: str) -> str:
    """As the settings of the site read it: the content of the file that NAME_FILE names, else the
    variable; "" if there is neither. Raises ArchiveError for a file that cannot be read."""
    try:
        return read_value(environ, name)
    except ImproperlyConfigured as error:
        raise ArchiveError(str(error)) from None


def _read_secret(environ: Mapping[str, str], name: str) -> str:
    if value := read_variable(environ, name):
        return value
    raise ArchiveError(f"{name} is not set, and {name}_FILE names no file with it.")
