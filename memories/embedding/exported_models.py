"""The folders of exported models: made once, named by content hash, safe between processes."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memories.embedding.encoder import EncoderError

# Part of the folder's name: raise it when the export makes other files of the same weights.
EXPORT_VERSION = 2
PROJECT_ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 600


def ensure_exported(
    weights: Path, models: Path, command: Sequence[str] = ("memories.embedding.export_onnx",)
) -> Path:
    """Return the folder under `models` with the ONNX files of `weights`, making it if need be.

    command: the module that makes them, with its arguments; it gets the folder as the last one.
    Two processes that start at once make it once: the second waits for the first. A folder
    appears whole or not at all. Raises EncoderError when the export fails.
    """
    target = models / f"{weights.stem}-{_digest(weights)}-{EXPORT_VERSION}"
    if target.is_dir():
        return target
    models.mkdir(parents=True, exist_ok=True)
    with file_lock(models / ".lock"):
        if not target.is_dir():
            _export(models, target, command)
    return target


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Lock a file against other processes for the time of the block."""
    # The kernel releases the lock when the process ends, however it ends.
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _export(models: Path, target: Path, command: Sequence[str]) -> None:
    # We hold the lock, so a half-made folder belongs to a process that died.
    for leftover in models.glob(".export-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(prefix=".export-", dir=models))
    try:
        subprocess.run(  # noqa: S603 - our own module, our own interpreter
            [sys.executable, "-m", *command, str(temporary)],
            cwd=PROJECT_ROOT,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
            capture_output=True,
            text=True,
            check=True,
            timeout=TIMEOUT_SECONDS,
        )
        temporary.chmod(0o755)
        temporary.rename(target)
    except subprocess.SubprocessError as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip()[-2000:]
        raise EncoderError(f"could not export the encoder: {reason}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
