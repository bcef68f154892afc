"""The user of the servers: the caller, or a system user if the caller is root.

PostgreSQL refuses to run as root. Nothing is made readable for everybody: folders that the system
user must pass through belong to its group, with mode 710.
"""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.embedded.errors import EmbeddedError

DEFAULT_USER = "commonmind"


@dataclass(frozen=True)
class Account:
    """A user of this machine; ``dropped`` when processes must change to it."""

    name: str
    uid: int
    gid: int
    dropped: bool

    @property
    def popen_options(self) -> dict[str, Any]:
        """What subprocess needs to start a process as this user."""
        if not self.dropped:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def can_enter(self, folder: Path) -> bool:
        """Whether this user may search ``folder`` and every parent of it."""
        return self.can_run(["test", "-x", str(folder)])

    def can_run(self, command: list[str]) -> bool:
        """Whether the command, started as this user, ends with success."""
        try:
            done = subprocess.run(
                command, cwd="/", capture_output=True, check=False, **self.popen_options
            )
        except OSError:
            return False
        return done.returncode == 0

    def own_folder(self, folder: Path) -> None:
        """Make ``folder`` (its parent exists) and give it to this user alone."""
        folder.mkdir(mode=0o700, exist_ok=True)
        if self.dropped:
            os.chown(folder, self.uid, self.gid)
            folder.chmod(0o700)

    def passage(self, folder: Path) -> None:
        """Make ``folder`` and its missing parents, closed to others, passable for this user."""
        try:
            if folder.is_dir():
                return
            self.passage(folder.parent)
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise EmbeddedError(f"cannot make the folder {folder}: {error.strerror}") from None
        if self.dropped:
            os.chown(folder, 0, self.gid)
            folder.chmod(0o710)


def service_account(environ: Mapping[str, str] = os.environ) -> Account:
    """The caller, or for root the system user (COMMONMIND_SERVICE_USER), made if missing."""
    if os.geteuid() != 0:
        return Account(str(os.geteuid()), os.geteuid(), os.getegid(), dropped=False)
    name = environ.get("COMMONMIND_SERVICE_USER", DEFAULT_USER)
    entry = _find_user(name) or _create_user(name)
    if entry.pw_uid == 0:
        raise EmbeddedError(f"COMMONMIND_SERVICE_USER={name} is root: name an ordinary user")
    return Account(name, entry.pw_uid, entry.pw_gid, dropped=True)


def _find_user(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create_user(name: str) -> pwd.struct_passwd:
    """Make the system user; two runs may try at once, so look again after a failure."""
    if shutil.which("useradd"):
        options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
        command = ["useradd", *options, "--shell", "/usr/sbin/nologin", name]
    else:
        command = ["adduser", "-S", "-D", "-H", "-h", "/nonexistent", "-s", "/sbin/nologin", name]
    error = ""
    for _ in range(5):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            error = (done.stderr.strip().splitlines() or [""])[-1]
        except OSError as failure:
            error = str(failure)
        if entry := _find_user(name):
            return entry
        time.sleep(0.3)
    raise EmbeddedError(
        f"PostgreSQL cannot run as root and the system user {name!r} could not be made "
        f"({error}): run as an ordinary user, or name one in COMMONMIND_SERVICE_USER"
    )
