"""One supervisor at a time in a DATA_DIR."""

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from config.embedded.errors import EmbeddedError


class AlreadyLockedError(EmbeddedError):
    """Another process uses this DATA_DIR; ``holder`` is what it wrote into the lock."""

    def __init__(self, message: str, holder: dict[str, Any]) -> None:
        super().__init__(message)
        self.holder = holder


class DataDirLock:
    """An flock on DATA_DIR/lock: the kernel frees it when its holder ends, so it is never stale."""

    def __init__(self, data_dir: Path, command: str) -> None:
        self.path = data_dir / "lock"
        self.command = command
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock or raise AlreadyLockedError, which names the holder."""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if os.fstat(descriptor).st_uid != os.geteuid():
                os.close(descriptor)
                raise PermissionError  # noqa: TRY301
        except PermissionError:
            raise EmbeddedError(
                f"{self.path.parent} belongs to another user: run as that user, "
                "or choose another DATA_DIR"
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _read_holder(descriptor)
            os.close(descriptor)
            raise AlreadyLockedError(
                f"{self.path.parent} is in use by `{holder.get('command', '?')}` "
                f"(process {holder.get('pid', '?')}): stop it, or choose another DATA_DIR",
                holder,
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "command": self.command}).encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """Release the lock; does nothing if it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _read_holder(descriptor: int) -> dict[str, Any]:
    try:
        holder = json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:
        return {}
    return holder if isinstance(holder, dict) else {}
