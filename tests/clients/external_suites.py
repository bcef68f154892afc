"""Runs tests that others wrote: taken from an sdist, in an environment of their own.

They need packages that are no part of this project, so nothing of them is in the repository.
"""

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.world import World

SUITES = Path(__file__).parent / "suites"


def pip(*words: object, python: Path | str = sys.executable) -> None:
    """Run pip; without packages to reach the test is skipped."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("pip reaches no packages here.")
    assert done.returncode == 0, done.stderr


def make_environment(folder: Path, extra: str, *packages: str) -> Path:
    """The Python of a new environment with the client, as this extra installs it, and packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    client = f"{ROOT / 'clients/python'}[{extra}]"
    pip("install", "-q", "--no-input", client, *packages, python=python)
    return python


def take_tests(package: str, folder: Path) -> Path:
    """The folder `tests` of a package's sdist; package: with its version."""
    pip("download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, package)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "sdist", filter="data")
    [found] = (folder / "sdist").glob("*/tests")
    return found


def run_program(python: Path, program: str, key: str, address: str) -> str:
    """What a program prints, such as one of a guide."""
    environment = {**os.environ, "COMMONMIND_URL": address, "COMMONMIND_KEY": key}
    done = subprocess.run(
        [str(python), "-c", program],
        capture_output=True, text=True, env=environment, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_tests(
    python: Path,
    folder: Path,
    world: World,
    address: str,
    *words: str,
    plugin: str = "",
    robot: str = "bolt",
) -> str:
    """What pytest prints of a run in the folder, with the robot's key.

    plugin: a module of `suites`; the failures that it expects stand beside it.
    """
    environment = {
        **os.environ,
        "COMMONMIND_URL": address,
        "COMMONMIND_KEY": world.here.keys[robot],
        "SUITE": str(folder),
        "EXPECTED_FAILURES": str(SUITES / f"{plugin}_expected_failures.txt"),
        "PYTHONPATH": str(SUITES),
    }
    for name in ("DJANGO_SETTINGS_MODULE", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        environment.pop(name, None)
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-p", f"{plugin}_plugin", "-p", "expected_failures"] if plugin else []
    command += ["-o", "asyncio_mode=auto", "--rootdir", str(folder), "--tb=short", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    return done.stdout
