"""Where a server keeps its data and finds its programs.

In DATA_DIR, unless the caller is root and the system user cannot get there (a clone below
/root): then in a folder of its own under /var/lib/commonmind, named in DATA_DIR/<server>.json.
"""

import os
import secrets
import shutil
from pathlib import Path
from typing import Any

from config.embedded.errors import EmbeddedError
from config.embedded.processes.system_account import Account

SYSTEM_FOLDER = Path("/var/lib/commonmind")
OWNER_FILE = "data-dir"
TEST_DATA_MARKER = "throwaway"  # marks test data: no fsync, deleted when broken


def ensure_server_folder(
    data_dir: Path, name: str, account: Account, state: dict[str, Any]
) -> Path:
    """The server's own folder, made if missing; an outside one is noted in ``state["home"]``."""
    if outside := state.get("home"):
        return _check_outside_folder(Path(outside), data_dir)
    inside = data_dir / name
    if inside.exists() and inside.stat().st_uid != account.uid:
        raise EmbeddedError(
            f"{inside} belongs to user id {inside.stat().st_uid}, not to {account.name}: "
            "run as that user, or choose another DATA_DIR"
        )
    if not account.dropped or account.can_enter(data_dir):
        account.own_folder(inside)
        return inside
    if inside.exists():
        raise EmbeddedError(f"the user {account.name} can no longer enter {data_dir}")
    home = _create_outside_folder(data_dir, name, account)
    state["home"] = str(home)
    return home


def _check_outside_folder(home: Path, data_dir: Path) -> Path:
    note = home.with_name(OWNER_FILE)
    if not home.is_dir() or not note.is_file():
        raise EmbeddedError(f"the data of {data_dir} should be in {home}, which is missing")
    owner = Path(note.read_text(encoding="utf-8"))
    if owner != data_dir:
        if owner.exists():
            raise EmbeddedError(f"{data_dir} is a copy of {owner}: its data in {home} is in use")
        note.write_text(str(data_dir), encoding="utf-8")  # the folder was moved
    return home


def _create_outside_folder(data_dir: Path, name: str, account: Account) -> Path:
    account.passage(SYSTEM_FOLDER)
    _delete_orphaned_test_data()
    folder = SYSTEM_FOLDER / secrets.token_hex(8)
    account.passage(folder)
    (folder / OWNER_FILE).write_text(str(data_dir), encoding="utf-8")
    (folder / OWNER_FILE).chmod(0o600)
    account.own_folder(folder / name)
    return folder / name


def _delete_orphaned_test_data() -> None:
    """Delete test data outside DATA_DIR whose DATA_DIR is gone; other data is never deleted."""
    for note in SYSTEM_FOLDER.glob(f"*/{OWNER_FILE}"):
        owner = Path(note.read_text(encoding="utf-8") or "/")
        if not owner.exists() and any(note.parent.glob(f"*/{TEST_DATA_MARKER}")):
            shutil.rmtree(note.parent, ignore_errors=True)


def delete_server_folder(home: Path) -> None:
    """Delete a stopped server's folder, and the outside folder around it."""
    shutil.rmtree(home, ignore_errors=True)
    if home.parent.parent == SYSTEM_FOLDER:
        shutil.rmtree(home.parent, ignore_errors=True)


def ensure_reachable_copy(source: Path, siblings: list[Path], label: str, account: Account) -> Path:
    """A copy of the program folder ``source`` that the system user can enter.

    ``siblings`` (libraries found by a path relative to the programs) keep their place beside
    the folder that holds ``source``. The copy is made once for each ``label`` (name-version).
    """
    target = SYSTEM_FOLDER / "programs" / label
    if not target.is_dir():
        account.passage(target.parent)
        part = target.with_name(f".{label}.{os.getpid()}")
        account.passage(part)
        shutil.copytree(source, part / source.parent.name / source.name, symlinks=True)
        for sibling in siblings:
            shutil.copytree(sibling, part / sibling.name, symlinks=True)
        _change_group(part, account.gid)
        try:
            part.rename(target)
        except OSError:  # another run was faster
            shutil.rmtree(part)
    return target / source.parent.name / source.name


def _change_group(folder: Path, gid: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        if path.is_symlink():
            continue
        os.chown(path, 0, gid)
        mode = path.stat().st_mode
        path.chmod(0o750 if path.is_dir() or mode & 0o100 else 0o640)
