"""The folder in which the web processes of one server keep counts, so that /metrics adds them up,
and who asked lately.

Import this before prometheus_client, which decides at its own import where it keeps values.
"""

import contextlib
import os
import stat
from pathlib import Path

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# A folder in memory, on Linux.
MEMORY = Path("/dev/shm")  # noqa: S108  (only a folder of our own is used)


def share_metrics(data_dir: Path) -> Path | None:
    """Let this process count into one folder with the others of its server; that folder, None if it
    counts for itself. A folder named by the environment is used as it is."""
    if (given := make_given_folder()) is not None:
        return given
    made = make_shared_folder(data_dir, os.getppid())
    if made is not None:
        os.environ[FOLDER_VARIABLE] = str(made)
    return made


def make_given_folder() -> Path | None:
    """The folder that the environment names, made where it is missing; None if it names none.

    The settings call this, so that no counter is imported before its file can be made.
    """
    if not (given := os.environ.get(FOLDER_VARIABLE)):
        return None
    folder = Path(given)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def make_shared_folder(data_dir: Path, server: int) -> Path | None:
    """The folder of the processes of one server, by the number of the process that starts them;
    None if there is no place for it.

    It is in memory where the machine has such a folder, else DATA_DIR/metrics: the files are
    mapped, and the system ends a process that writes into one on a full disk. Files of an earlier
    server are deleted. Files of a restarted process stay, else the sums would fall.
    """
    folder = (_private_folder_in_memory() or data_dir / "metrics") / str(server)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for other in folder.parent.iterdir():
            _delete_older_files(other, _started_at(other.name))
    except OSError:
        # The folder is read-only or not ours: each process counts for itself.
        return None
    return folder


def forget_ended_processes(folder: Path) -> None:
    """What a process has now, such as open connections, ends with it; what it counted stays."""
    for file in folder.glob("gauge_live*_*.db"):
        if not Path("/proc", file.stem.rpartition("_")[2]).exists():
            file.unlink(missing_ok=True)


def _private_folder_in_memory() -> Path | None:
    """A folder in memory that only this user may write to; None where there is none."""
    folder = MEMORY / f"commonmind-metrics-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    # Anybody may make a folder, or a link, of that name there.
    private = stat.S_ISDIR(found.st_mode) and not stat.S_IMODE(found.st_mode) & 0o077
    return folder if private and found.st_uid == os.getuid() else None


def _started_at(pid: str) -> float:
    """When a process started, in seconds since the epoch, up to 2 s too early; infinity for one
    that is gone."""
    try:
        fields = Path("/proc", pid, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        machine = Path("/proc/stat").read_text(encoding="utf-8")
    except OSError:
        return float("inf")
    booted = int(machine.partition("btime ")[2].split(maxsplit=1)[0])
    # btime is in whole seconds.
    return booted + int(fields[19]) / os.sysconf("SC_CLK_TCK") - 2


def _delete_older_files(folder: Path, moment: float) -> None:
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            if file.stat().st_mtime < moment:
                file.unlink(missing_ok=True)
        if moment == float("inf"):
            folder.rmdir()
