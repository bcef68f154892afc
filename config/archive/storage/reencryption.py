"""Files that do not expire are encrypted again after the key was changed; the others go in time."""

from collections import Counter
from collections.abc import Iterable

from config.archive.catalogue import SEGMENT_NAME, base_place
from config.archive.errors import ArchiveError
from config.archive.storage.encryption import read_key_id
from config.archive.storage.folder_storage import FolderStorage, Storage, load_bytes, store_bytes
from memories.store.encryption.keys import Keyring


def list_lasting(names: Iterable[str]) -> list[str]:
    """The owners, states, ledgers and histories: no window ends them while their series lasts."""
    return [
        name
        for name in names
        if base_place(name) is None and not SEGMENT_NAME.fullmatch(name.rpartition("/")[2])
    ]


def find_key_id(storage: Storage, name: str) -> str:
    """The id of the key that a stored file is encrypted with. Raises ArchiveError."""
    with storage.open_stored(name) as source:
        return read_key_id(source, name)


def renew_lasting(folder: FolderStorage, keyring: Keyring) -> list[str]:
    """Encrypt what lasts under the newest key where it is under another. Returns the names.

    Raises ArchiveError, also if a key is missing; what was not renewed is as it was.
    """
    renewed = []
    for name in list_lasting(folder.list_sizes()):
        if find_key_id(folder, name) != keyring.newest.id:
            content = load_bytes(folder, keyring, name)
            store_bytes(folder, keyring, name, content, replace=True)
            renewed.append(name)
    return renewed


def count_files_by_key(folder: FolderStorage, names: Iterable[str]) -> dict[str, int]:
    """The number of files by the id of their key. A file that is deleted meanwhile or is damaged
    is not counted."""
    found: Counter[str] = Counter()
    for name in names:
        try:
            found[find_key_id(folder, name)] += 1
        except ArchiveError:
            continue
    return dict(found)
