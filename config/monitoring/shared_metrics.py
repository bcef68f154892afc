"""The folder in which the web processes of one server keep counts, so that /metrics adds them up.

Import this before prometheus_client, which decides at its own import where it keeps values.
"""

import contextlib
import os
from pathlib import Path

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def share_metrics(data_dir: Path) -> None:
    """Let this process count into DATA_DIR/metrics, beside the others of its server.

    Files of an earlier server are deleted. Files of a restarted process stay, else the sums would
    fall. A folder named by the environment is used as it is.
    """
    if given := os.environ.get(FOLDER_VARIABLE):
        Path(given).mkdir(parents=True, exist_ok=True)
        return
    folder = data_dir / "metrics" / str(os.getppid())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for other in folder.parent.iterdir():
            _delete_older_files(other, _started_at(other.name))
    except OSError:
        # The folder is read-only or not ours: each process counts for itself.
        return
    os.environ[FOLDER_VARIABLE] = str(folder)


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
        for file in folder.glob("*.db"):
            if file.stat().st_mtime < moment:
                file.unlink(missing_ok=True)
        if moment == float("inf"):
            folder.rmdir()
