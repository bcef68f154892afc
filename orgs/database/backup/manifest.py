"""manifest.json: what a backup contains. It is the last file that is written."""

import hashlib
import hmac
import json
import re
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from orgs.database import erasure_ledger
from orgs.database.backup.errors import BackupError
from orgs.database.backup.folder import private_file, sha256_of

MANIFEST_NAME, FORMAT_NAME, FORMAT_VERSION = "manifest.json", "commonmind-backup", 1
# scrypt: each guess at a weak SECRET_KEY takes 16 MB and some 50 ms.
_SCRYPT_PARAMETERS = {"n": 1 << 14, "r": 8, "p": 1, "dklen": 16}
# Parts of a path that would lead out of the folder.
_UNSAFE_PATH_PARTS = {"", ".", ".."}
_TABLE_LABEL = re.compile(r"\b[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class StoredTable:
    """One table. checksum: of its rows, whatever their order. sha256, bytes: of the file."""

    table: str
    columns: list[str]
    rows: int
    checksum: str
    sha256: str
    bytes: int

    @property
    def file(self) -> str:
        """The path of the file with its rows, in the folder."""
        return f"tables/{self.table}.copy.gz"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file, by its path in DATA_DIR, or the ledger."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """All of it. id: of this backup. moment: the time of the snapshot, ISO 8601."""

    id: str
    moment: str
    application: str
    server: str
    migrations: list[list[str]]
    tables: list[StoredTable]
    sequences: dict[str, int | None]
    indexes: list[str]
    files: list[StoredFile]
    ledger: StoredFile | None
    secret_key: dict[str, str]
    format: str = FORMAT_NAME
    version: int = FORMAT_VERSION
    warnings: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for table in self.tables)

    @property
    def bytes(self) -> int:
        """Bytes of all files of the folder but the manifest."""
        acts = self.ledger.bytes if self.ledger else 0
        return acts + sum(t.bytes for t in self.tables) + sum(f.bytes for f in self.files)

    @property
    def taken_at(self) -> datetime:
        """The moment as a datetime."""
        return datetime.fromisoformat(self.moment)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it, with a checksum of its own."""
    content = asdict(manifest)
    with private_file(folder / MANIFEST_NAME) as file:
        file.write(json.dumps(content | {"checksum": _checksum(content)}, indent=1).encode())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a finished backup. Raises BackupError if this version cannot read it."""
    if not folder.is_dir():
        raise BackupError(f"{folder} is not a folder.")
    try:
        content = json.loads((folder / MANIFEST_NAME).read_bytes())
    except FileNotFoundError:
        raise BackupError(
            f"{folder} has no {MANIFEST_NAME}: it is no backup, or one that was not finished."
        ) from None
    except (OSError, ValueError) as error:
        raise BackupError(
            f"{folder / MANIFEST_NAME} cannot be read ({type(error).__name__})."
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT_NAME:
        raise BackupError(f"{folder / MANIFEST_NAME} is not of a backup of Commonmind.")
    if content.get("version") != FORMAT_VERSION:
        raise BackupError(
            f"The backup has the format {content.get('version')}; this version reads "
            f"{FORMAT_VERSION}."
        )
    stated = content.pop("checksum", None)
    if stated != _checksum(content):
        raise BackupError(f"{folder / MANIFEST_NAME} is damaged: its checksum is another one.")
    return _parse_manifest(folder, content)


def check_files(folder: Path, manifest: Manifest) -> None:
    """Compare every file with its checksum. Raises BackupError for the first that differs."""
    for table in manifest.tables:
        _check_file(folder, table.file, table.sha256, f"The data of the table {table.table}")
    for file in manifest.files:
        _check_file(folder, f"files/{file.path}", file.sha256, f"The file {file.path}")
    if manifest.ledger:
        _check_file(folder, manifest.ledger.path, manifest.ledger.sha256, "The erasure ledger")


def secret_key_fingerprint(salt: str, key: str | None = None) -> dict[str, str]:
    """A hash of SECRET_KEY by which `has_same_secret_key` compares; it is slow to guess from.
    key: that of the settings by default."""
    key = settings.SECRET_KEY if key is None else key
    made = hashlib.scrypt(key.encode(), salt=bytes.fromhex(salt), **_SCRYPT_PARAMETERS)
    return {"salt": salt, "scrypt": made.hex()}


def has_same_secret_key(manifest: Manifest) -> bool:
    """Whether the SECRET_KEY here is the one of the backup."""
    stored = manifest.secret_key
    return hmac.compare_digest(secret_key_fingerprint(stored["salt"])["scrypt"], stored["scrypt"])


def _parse_manifest(folder: Path, content: dict[str, Any]) -> Manifest:
    try:
        lists = {
            "tables": [StoredTable(**one) for one in content["tables"]],
            "files": [StoredFile(**one) for one in content["files"]],
            "ledger": StoredFile(**content["ledger"]) if content["ledger"] else None,
        }
        manifest = Manifest(**{**content, **lists})
        odd = [one.table for one in manifest.tables if not _TABLE_LABEL.fullmatch(one.table)]
        odd += [one.path for one in manifest.files if _UNSAFE_PATH_PARTS & set(one.path.split("/"))]
        if manifest.ledger and manifest.ledger.path != erasure_ledger.FILE_NAME:
            odd.append(manifest.ledger.path)
        odd += [] if manifest.taken_at.tzinfo else [manifest.moment]
    except (KeyError, TypeError, ValueError) as error:
        raise BackupError(f"{folder / MANIFEST_NAME} is not complete ({error}).") from None
    if odd:
        raise BackupError(f"{folder / MANIFEST_NAME} has what no backup has: {', '.join(odd[:3])}.")
    return manifest


def _check_file(folder: Path, name: str, sha256: str, words: str) -> None:
    try:
        found = sha256_of(folder / name)
    except FileNotFoundError:
        raise BackupError(f"{words} is missing: {folder / name}. Nothing was changed.") from None
    if found != sha256:
        raise BackupError(f"{words} is damaged: {folder / name}. Nothing was changed.")


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
