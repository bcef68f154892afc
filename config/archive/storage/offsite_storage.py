"""A copy of the archive in an S3-compatible storage."""

import contextlib
import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import S3Store

from config.archive.archive_settings import OffsiteSettings
from config.archive.errors import ArchiveError
from config.archive.storage.encryption import ContentReader

# Larger files go in parts of this size, at most 10,000 of them: up to 160 GB.
PART_BYTES = 16 << 20
TIMEOUT = timedelta(seconds=60)


class OffsiteStorage:
    """The bucket and prefix of the settings. Files there are encrypted before they are sent."""

    def __init__(self, settings: OffsiteSettings) -> None:
        self.name = f"s3://{settings.bucket}/{settings.prefix}"
        self._store = S3Store(
            settings.bucket,
            prefix=settings.prefix or None,
            endpoint=settings.endpoint or None,
            region=settings.region,
            access_key_id=settings.access_key,
            secret_access_key=settings.secret_key,
            virtual_hosted_style_request=False,
            client_options={
                "allow_http": settings.endpoint.startswith("http://"),
                "timeout": TIMEOUT,
                "connect_timeout": timedelta(seconds=10),
            },
            retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=30)},
        )

    @contextlib.contextmanager
    def _as_archive_error(self, what: str) -> Iterator[None]:
        try:
            yield
        except (NotFoundError, FileNotFoundError):
            raise ArchiveError(f"{what} is missing in {self.name}.") from None
        # Some of its errors are those of Python.
        except (BaseError, OSError) as error:
            # The message of the library may quote an address with a signature.
            raise ArchiveError(
                f"{self.name} did not do what was asked of it ({type(error).__name__}, {what})."
            ) from None

    def list_sizes(self, prefix: str = "") -> dict[str, int]:
        """Name to bytes. prefix: whole parts of a path. Raises ArchiveError."""
        with self._as_archive_error("the list of files"):
            pages = obstore.list(self._store, prefix.rstrip("/") or None)
            return {one["path"]: one["size"] for page in pages for one in page}

    @contextlib.contextmanager
    def open_stored(self, name: str) -> Iterator[IO[bytes]]:
        """The stored bytes, streamed. Raises ArchiveError."""
        with self._as_archive_error(name):
            stream = obstore.get(self._store, name).stream(min_chunk_size=1 << 20)
            reader = ContentReader(bytes(part) for part in stream)
            yield io.BufferedReader(reader, 1 << 20)

    def upload(self, name: str, path: Path) -> None:
        """Send a file; a large one in parts. Raises ArchiveError and OSError."""
        with path.open("rb") as file, self._as_archive_error(name):
            large = path.stat().st_size > PART_BYTES
            obstore.put(self._store, name, file, use_multipart=large, chunk_size=PART_BYTES)

    def delete(self, name: str) -> None:
        """Delete a file. Raises ArchiveError, also where the bucket forbids it."""
        with self._as_archive_error(name):
            obstore.delete(self._store, name)
