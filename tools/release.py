"""Make a release: look at version and changelog, build the wheel and the image, tag. It sends
nothing anywhere.

    python -m tools.release            # or --check: look, and do nothing
    python -m tools.release --next     # after the tag: tests measure upgrades from this release
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from config.version import VERSION

ROOT = Path(__file__).resolve().parents[1]
LAST_RELEASE = Path("tests/operations/last_release.json")
CLIENTS = ("clients/python/pyproject.toml", "clients/typescript/package.json")
APPS = ("memories", "orgs", "personas", "robots")
_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def main(words: list[str] | None = None) -> int:
    """The exit code: 1 if something stands in the way of a release."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--check", action="store_true", help="look, and do nothing")
    parser.add_argument("--next", action="store_true", help="write down the migrations of this one")
    arguments = parser.parse_args(words)
    if arguments.next:
        write_last_release(ROOT, VERSION)
        return 0
    if found := [*list_problems(ROOT, VERSION)]:
        print(*found, sep="\n", file=sys.stderr)
        return 1
    if arguments.check:
        print(f"{VERSION} can be released.")
        return 0
    print(f"Wheel: {build_wheel(ROOT, ROOT / 'dist')}")
    print(build_image(ROOT, VERSION))
    _git(ROOT, "tag", "--annotate", f"v{VERSION}", "--message", f"Commonmind {VERSION}")
    print(f"Tagged v{VERSION}. Then: python -m tools.release --next, and a new version.")
    return 0


def list_problems(root: Path, version: str) -> Iterator[str]:
    """Why the commit at hand is no release of that version, as sentences."""
    numbers = _RELEASE.fullmatch(version)
    if not numbers:
        yield f"config/version.py says {version}; a release is called like 1.2.3."
    last = json.loads((root / LAST_RELEASE).read_text(encoding="utf-8"))["version"]
    before = _RELEASE.fullmatch(last)
    if numbers and before and _parts(numbers) <= _parts(before):
        yield f"{version} does not come after {last}."
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n+\S", changelog, re.MULTILINE
    ):
        yield f"CHANGELOG.md has no section `## {version} - YYYY-MM-DD` with lines in it."
    if re.search(r"^## Unreleased\n+(?!## |\n|\Z)", changelog, re.MULTILINE):
        yield "CHANGELOG.md has lines under Unreleased: they belong to a version."
    for package, said in _client_versions(root).items():
        if said != version:
            yield f"{package} says {said}; the clients are released with the server."
    if _git(root, "status", "--porcelain"):
        yield "There are files that are not committed."
    if _git(root, "tag", "--list", f"v{version}"):
        yield f"The tag v{version} is there already."


def _client_versions(root: Path) -> dict[str, str]:
    """The version that each client names, by its file."""
    python, typescript = CLIENTS
    project = tomllib.loads((root / python).read_text(encoding="utf-8"))["project"]
    package = json.loads((root / typescript).read_text(encoding="utf-8"))
    return {python: project["version"], typescript: package["version"]}


def build_wheel(root: Path, target: Path) -> str:
    """The name of a wheel of what is committed, in the folder `target`."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "source.tar")
        _git(root, "archive", "--output", str(archive), "HEAD")
        source = Path(folder, "source")
        shutil.unpack_archive(archive, source)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        made = Path(folder, "wheel")
        subprocess.run([*pip, "--wheel-dir", str(made), str(source)], check=True)
        (wheel,) = made.iterdir()
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(wheel, target)
        return wheel.name


def build_image(root: Path, version: str) -> str:
    """What came of it, as a sentence. Without an engine that runs there is no image."""
    engine = shutil.which("docker") or shutil.which("podman")
    if not engine or subprocess.run([engine, "info"], capture_output=True, check=False).returncode:
        return "No image: no Docker or Podman runs here."
    subprocess.run([engine, "build", "--tag", f"commonmind:{version}", str(root)], check=True)
    return f"Image: commonmind:{version}"


def write_last_release(root: Path, version: str) -> None:
    """Keep the migrations of this release: tests upgrade a database of it."""
    last = {app: sorted((root / app / "migrations").glob("[0-9]*.py"))[-1].stem for app in APPS}
    text = json.dumps({"version": version, "migrations": last}, indent=2)
    (root / LAST_RELEASE).write_text(f"{text}\n", encoding="utf-8")


def _parts(found: re.Match[str]) -> list[int]:
    return [int(number) for number in found.groups()]


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
