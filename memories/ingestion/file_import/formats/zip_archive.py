"""The files of a zip, none of which is written to disk, and what makes one refused."""

import io
import stat
import zipfile
from typing import IO, cast

from memories.ingestion.file_import.formats.sources import (
    MAX_RATIO,
    MAX_UNPACKED,
    MIB,
    READ_ERRORS,
    ROOM,
    ConversionError,
    Source,
    TooLargeError,
)

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
MAX_ENTRIES = 50_000
# The list of contents, which the reader of a zip keeps whole.
MAX_CONTENTS_BYTES = 8 * MIB
_END, _END_SIZE, _ZIP64_LOCATOR, _ZIP64_SIZE = b"PK\x05\x06", 22, b"PK\x06\x07", 20
_ENCRYPTED = 0x1
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_IGNORED = ("__MACOSX/", ".DS_Store")


def open_zip(
    file: IO[bytes], packed: int, *, data_endings: tuple[str, ...], most: int = MAX_UNPACKED
) -> dict[str, Source]:
    """The files of a zip by name. packed: its size in bytes; most: how many bytes the files with
    these endings may have together.

    Raises ConversionError for one that is damaged, would fill the memory or disk, or names a file
    outside of itself.
    """
    _check_contents(file, packed)
    try:
        archive = zipfile.ZipFile(file)
        infos = archive.infolist()
    except (*READ_ERRORS, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ConversionError("The zip is damaged or breaks off.") from error
    if len(infos) > MAX_ENTRIES:
        raise ConversionError(f"The zip holds more than {MAX_ENTRIES:,} files.")
    seen: set[str] = set()
    for info in infos:
        if fault := _entry_fault(info, seen):
            raise ConversionError(f"The zip is refused: it holds {fault}.")
        seen.add(info.filename)
    whole = min(MAX_UNPACKED, max(ROOM, MAX_RATIO * packed))
    data = [info for info in infos if info.filename.lower().endswith(data_endings)]
    for among, limit in ((infos, whole), (data, most)):
        if sum(info.file_size for info in among) > limit:
            raise TooLargeError(f"Unpacked, the zip holds more than {limit // MIB} MB; divide it.")
    return {
        info.filename: Source(info.filename, packed, _opener(archive, info))
        for info in infos
        if not info.is_dir() and not any(part in info.filename for part in _IGNORED)
    }


def _check_contents(file: IO[bytes], packed: int) -> None:
    """Refuse a long list of contents before it is read."""
    tail_size = min(packed, 65_536 + _END_SIZE + _ZIP64_SIZE)
    file.seek(-tail_size, io.SEEK_END)
    tail = file.read(tail_size)
    file.seek(0)
    at = len(tail) - _END_SIZE
    if at < 0 or tail[at : at + 4] != _END or tail[-2:] != b"\0\0":
        at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_SIZE:
        raise ConversionError("The zip is damaged or breaks off.")
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    zip64 = tail[max(0, at - _ZIP64_SIZE) : at].startswith(_ZIP64_LOCATOR)
    if size > MAX_CONTENTS_BYTES or zip64:
        raise ConversionError("The zip holds too many files, or is written for larger ones.")


def _entry_fault(info: zipfile.ZipInfo, seen: set[str]) -> str:
    """Why a zip with this entry is refused; empty if it is not."""
    name = info.orig_filename
    plain = name.replace("\\", "/")
    # The first two bytes are the rights and the kind of a file as Unix has them.
    mode = info.external_attr >> 16
    unix_type = stat.S_IFMT(mode)
    absolute = plain.startswith("/") or plain[1:2] == ":"
    faults = {
        "a file with an absolute or broken name": absolute or "\0" in name,
        "a file outside of itself, with “..” in its name": ".." in plain.split("/"),
        "a link or a device": unix_type not in (0, stat.S_IFREG, stat.S_IFDIR),
        "two files of one name": info.filename in seen,
        "a file locked with a password": info.flag_bits & _ENCRYPTED,
        "a file with a compression that is not read": info.compress_type not in _COMPRESSIONS,
    }
    return next((fault for fault, found in faults.items() if found), "")


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> "Opener":
    return Opener(archive, info)


class Opener:
    """Opens one file of a zip from its beginning."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        self._archive, self._info = archive, info

    def __call__(self) -> IO[bytes]:
        try:
            return cast("IO[bytes]", _Entry(self._archive.open(self._info)))
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError) as error:
            raise ConversionError("The zip is damaged or breaks off.") from error


class _Entry:
    """A file of a zip, whose faults are those of reading."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)
        except zipfile.BadZipFile as error:
            raise OSError("damaged") from error

    def seek(self, at: int) -> int:
        return self._file.seek(at)
