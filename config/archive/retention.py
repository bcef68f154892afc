"""Delete what no moment of the window needs; copy the archive to the off-site storage."""

from collections.abc import Iterable
from datetime import datetime

from config.archive.archive_settings import ArchiveSettings
from config.archive.catalogue import (
    HISTORY_NAME,
    Series,
    base_place,
    list_series,
    list_whole_bases,
    load_series,
    segment_number,
)
from config.archive.errors import ArchiveError
from config.archive.schedule import (
    first_needed_segment,
    list_needed_bases,
    retention_reference,
)
from config.archive.storage.folder_storage import FolderStorage, Storage, load_bytes
from config.archive.storage.offsite_storage import OffsiteStorage
from config.archive.storage.reencryption import find_key_id, list_lasting

KEPT_LEDGERS = 2


def load_all_series(settings: ArchiveSettings, storage: Storage) -> list[Series]:
    """Every series of the storage, the oldest first. Raises ArchiveError."""
    sizes = storage.list_sizes()

    def load(name: str) -> bytes:
        return load_bytes(storage, settings.keyring, name)

    return [load_series(name, sizes, load) for name in list_series(sizes)]


def prune(settings: ArchiveSettings, storage: Storage, current: str, now: datetime) -> list[str]:
    """Delete what is no longer needed. current: the series that is written. Returns the names.

    Of whole backups nothing goes before the current series has one. Raises ArchiveError, also
    while a base backup is made and where an off-site storage forbids it; the rest is tried all
    the same.
    """
    local = FolderStorage(settings.folder)
    with local.lock("base", "A base backup is being made: nothing is deleted meanwhile."):
        names = set(_list_broken_off(local, storage))
        if isinstance(storage, FolderStorage):
            for name in list_series(storage.list_sizes()):
                storage.delete_unfinished(f"{name}/base")
        every = load_all_series(settings, storage)
        own = next((series for series in every if series.name == current), None)
        if own is not None and own.usable_bases():
            reference = retention_reference(own.bases, now, settings.base_every)
            for series in every:
                if series is not own and _is_over(series, reference - settings.keep):
                    names.update(storage.list_sizes(f"{series.name}/"))
                else:
                    names.update(_list_expired(storage, series, reference, settings))
        return _delete_all(storage, names)


def _list_broken_off(local: Storage, storage: Storage) -> list[str]:
    """The files of base backups that were killed before their description was stored.

    The caller holds the lock of base backups, so none is being made. One that is whole here may be
    on its way to the off-site storage; of series that are not here nothing is known.
    """
    here = local.list_sizes()
    known = set(list_series(here))
    there = storage.list_sizes()
    whole = list_whole_bases(here) | list_whole_bases(there)
    return [
        name
        for name in there
        if (place := base_place(name)) and place not in whole and name.split("/")[0] in known
    ]


def _delete_all(storage: Storage, names: Iterable[str]) -> list[str]:
    """Delete the files, and return their names. Raises ArchiveError when all were tried."""
    done: list[str] = []
    failed, incomplete = "", set()
    for name in sorted(names, key=_deletion_order):
        series = name.split("/")[0]
        if _is_owner(name) and series in incomplete:
            continue
        try:
            storage.delete(name)
            done.append(name)
        except ArchiveError as error:
            failed = str(error)
            incomplete.add(series)
    if failed:
        raise ArchiveError(failed)
    return done


def _is_over(series: Series, before: datetime) -> bool:
    """Whether its last moment lies before the window. Without a state it has that of its begin."""
    begun = datetime.strptime(series.name[:16], "%Y%m%dT%H%M%S%z")
    return (series.state.until if series.state else begun) < before


def _deletion_order(name: str) -> tuple[bool, bool, str]:
    """The description of a backup first: what is left of it then is no backup any more. The owner
    of a series last: without it nobody knows whose the rest is, and no archive goes on beside
    it."""
    return _is_owner(name), not name.endswith("/info"), name


def _is_owner(name: str) -> bool:
    return name.endswith("/owner")


def _list_expired(
    storage: Storage, series: Series, reference: datetime, settings: ArchiveSettings
) -> list[str]:
    usable = series.usable_bases()
    needed = list_needed_bases(series.bases, usable, reference, settings.keep)
    kept = {base.id for base in needed}
    names: list[str] = []
    for base in series.bases:
        if base.id not in kept:
            names += storage.list_sizes(f"{series.name}/base/{base.id}/")
    if series.bases:
        first = first_needed_segment(usable, reference, settings.keep)
        size = series.bases[0].segment_bytes
        names += [
            f"{series.name}/wal/{name}"
            for name in series.segments
            if not HISTORY_NAME.fullmatch(name) and segment_number(name, size) < first
        ]
    return names + list(series.ledgers[:-KEPT_LEDGERS])


class OffsiteCopy:
    """Sends to the off-site storage what it lacks. The list of what is there is read once."""

    def __init__(self, settings: ArchiveSettings, storage: OffsiteStorage) -> None:
        self.settings, self.storage = settings, storage
        self._there: set[str] | None = None
        self._states: dict[str, bytes] = {}

    def list_waiting(self) -> list[str]:
        """The names that are not there yet, in the order in which they are sent: what makes a
        backup whole comes last. States are no part of it, nor base backups that are not whole."""
        local = FolderStorage(self.settings.folder).list_sizes()
        if self._there is None:
            there = set(self.storage.list_sizes())
            # What was encrypted again here is sent again. A state is sent in any case.
            for name in list_lasting(there & local.keys()):
                if not name.endswith("/state") and not self._has_same_key(name):
                    there.remove(name)
            self._there = there
        whole = list_whole_bases(local)
        missing = [
            name
            for name in local
            if name not in self._there
            and not name.endswith("/state")
            and ((place := base_place(name)) is None or place in whole)
        ]
        return sorted(missing, key=lambda name: (name.endswith("/info"), name))

    def copy(self, most: int = 100) -> int:
        """Send what waits, at most so many files. Returns how many still wait.

        Raises ArchiveError.
        """
        waiting = self.list_waiting()
        for name in waiting[:most]:
            self._upload(name)
        if len(waiting) <= most:
            for series in list_series(FolderStorage(self.settings.folder).list_sizes()):
                self._copy_state(series)
        return max(0, len(waiting) - most)

    def _has_same_key(self, name: str) -> bool:
        """Whether it is there under the key of the file here. What is damaged there is not."""
        try:
            key_id = find_key_id(self.storage, name)
        except ArchiveError:
            return False
        return key_id == find_key_id(FolderStorage(self.settings.folder), name)

    def _upload(self, name: str) -> None:
        try:
            self.storage.upload(name, self.settings.folder / name)
        except FileNotFoundError:
            return  # it has expired meanwhile
        except OSError as error:
            raise ArchiveError(f"{name} cannot be read ({error.strerror}).") from None
        if self._there is not None:
            self._there.add(name)

    def _copy_state(self, series: str) -> None:
        name = f"{series}/state"
        try:
            content = (self.settings.folder / name).read_bytes()
        except FileNotFoundError:
            return
        if self._states.get(name) != content:
            self._upload(name)
            self._states[name] = content
