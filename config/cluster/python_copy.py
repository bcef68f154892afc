"""A Python with Patroni that the servers' account can run.

If root has its Python below /root, the account cannot enter it, and Patroni would not start. Then
the interpreter, its library and the packages of Patroni are copied once.
"""

import importlib.metadata
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from config.cluster.errors import ClusterError
from config.embedded.processes.system_account import Account
from config.embedded.servers.server_folders import SYSTEM_FOLDER

EXTRAS = frozenset({"etcd3", "psycopg3", "binary"})
MISSING = "Patroni is missing: run `make setup-cluster`"
# Parts of Python's own library that Patroni does not use, and most of its size.
_LEFT_OUT = ("test", "idlelib", "tkinter", "turtledemo", "ensurepip", "site-packages", "lib2to3")


@dataclass(frozen=True)
class PatroniPython:
    """An interpreter and the environment that it needs."""

    program: str
    environment: dict[str, str]


def find_python(account: Account) -> PatroniPython:
    """This Python if the account can run it, else a copy. Raises ClusterError without Patroni."""
    try:
        version = importlib.metadata.version("patroni")
    except importlib.metadata.PackageNotFoundError:
        raise ClusterError(MISSING) from None
    if not account.dropped or account.can_run([sys.executable, "-c", "import patroni, psycopg"]):
        return PatroniPython(sys.executable, {})
    label = f"patroni-{version}-python-{'.'.join(map(str, sys.version_info[:3]))}"
    folder = SYSTEM_FOLDER / "programs" / label
    if not folder.is_dir():
        _copy(folder, account)
    return PatroniPython(
        str(folder / "bin" / "python3"),
        {
            "PYTHONHOME": str(folder),
            "PYTHONPATH": str(folder / "packages"),
            "LD_LIBRARY_PATH": str(folder / "lib"),
        },
    )


def _copy(folder: Path, account: Account) -> None:
    account.passage(folder.parent)
    part = folder.with_name(f".{folder.name}.{os.getpid()}")
    account.passage(part)
    (part / "bin").mkdir()
    shutil.copy2(os.path.realpath(sys.executable), part / "bin" / "python3")
    library = Path(sysconfig.get_path("stdlib"))
    left_out = shutil.ignore_patterns("__pycache__", "config-*", *_LEFT_OUT)
    shutil.copytree(library, part / "lib" / library.name, ignore=left_out)
    shared = Path(str(sysconfig.get_config_var("LIBDIR"))) / str(
        sysconfig.get_config_var("INSTSONAME")
    )
    if ".so" in shared.name and shared.exists():
        shutil.copy2(shared, part / "lib" / shared.name)
    for distribution in _iter_distributions("patroni", EXTRAS):
        _copy_distribution(distribution, part / "packages")
    for path in [part, *part.rglob("*")]:
        if not path.is_symlink():
            os.chown(path, 0, account.gid)
            path.chmod(0o750 if path.is_dir() or path.stat().st_mode & 0o100 else 0o640)
    try:
        part.rename(folder)
    except OSError:  # another run was faster
        shutil.rmtree(part)


def _iter_distributions(
    name: str, extras: frozenset[str]
) -> Iterator[importlib.metadata.Distribution]:
    """The package and all that it requires with these extras, each once."""
    waiting, seen = [name], set()
    while waiting:
        current = waiting.pop()
        if current.lower() in seen:
            continue
        seen.add(current.lower())
        try:
            found = importlib.metadata.distribution(current)
        except importlib.metadata.PackageNotFoundError:
            continue  # an optional part that is not installed
        yield found
        for text in found.requires or ():
            one = Requirement(text)
            if one.marker is None or any(
                one.marker.evaluate({"extra": extra}) for extra in (*extras, "")
            ):
                waiting.append(one.name)


def _copy_distribution(distribution: importlib.metadata.Distribution, target: Path) -> None:
    for file in distribution.files or ():
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        source, place = Path(str(distribution.locate_file(file))), target / file
        if source.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)
