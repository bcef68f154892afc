"""`make release`: what stands in its way, and what it makes of what is committed."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from config.version import VERSION
from tools import release

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-11-28\n\n- It is there.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of which 1.2.3 can be released."""
    for name, text in (
        ("CHANGELOG.md", CHANGELOG),
        (str(release.LAST_RELEASE), json.dumps({"version": "1.2.2", "migrations": {}})),
        (release.CLIENTS[0], '[project]\nversion = "1.2.3"\n'),
        (release.CLIENTS[1], '{"version": "1.2.3"}'),
        *((f"{app}/migrations/000{n}_x.py", "") for app in release.APPS for n in (1, 2)),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=Mina", "-c", "user.email=mina@example.com"]
    subprocess.run(["git", "-C", str(root), *who, *words], check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "All")


def test_a_release_is_made_of_what_is_committed_and_told(root: Path) -> None:
    assert list(release.list_problems(root, "1.2.3")) == []
    for version, words in (
        ("1.2.4.dev0", "is called like 1.2.3"),
        ("1.2.2", "does not come after 1.2.2"),
        ("1.2.1", "does not come after 1.2.2"),
        ("1.2.4", "no section `## 1.2.4"),
        ("1.2.4", "the clients are released with the server"),
    ):
        assert any(words in one for one in release.list_problems(root, version)), version
    (root / "CHANGELOG.md").write_text(CHANGELOG.replace("Unreleased\n", "Unreleased\n\n- More.\n"))
    problems = list(release.list_problems(root, "1.2.3"))
    assert ["under Unreleased" in problems[0], "not committed" in problems[1]] == [True, True]
    commit(root)
    git(root, "tag", "v1.2.3")
    assert "The tag v1.2.3 is there already." in release.list_problems(root, "1.2.3")


def test_the_migrations_of_a_release_are_kept_for_the_next(root: Path) -> None:
    release.write_last_release(root, "1.2.3")
    kept = json.loads((root / release.LAST_RELEASE).read_text())
    assert kept == {"version": "1.2.3", "migrations": dict.fromkeys(release.APPS, "0002_x")}


def test_the_last_release_is_told_in_the_changelog() -> None:
    last = json.loads((ROOT / release.LAST_RELEASE).read_text())
    assert f"## {last['version']} - " in (ROOT / "CHANGELOG.md").read_text()
    for app, name in last["migrations"].items():
        assert (ROOT / app / "migrations" / f"{name}.py").is_file()


@pytest.mark.slow
def test_the_wheel_is_enough_to_run(tmp_path: Path) -> None:
    wheel = release.build_wheel(ROOT, tmp_path)
    assert VERSION in wheel
    place = tmp_path / "installed"
    with zipfile.ZipFile(tmp_path / wheel) as packed:
        packed.extractall(place)
    names = {path.name for path in place.iterdir()}
    assert not {"tests", "tools", "docs", "var"} & names
    for kind in ("*.sql", "*.html", "*.css", "*.json"):
        have, wanted = (
            {str(path.relative_to(root)) for app in ("memories", "orgs", "robots", "personas",
             "config", "templates", "static") for path in (root / app).rglob(kind)}
            for root in (place, ROOT)
        )  # fmt: skip
        assert have == wanted, kind
    script = "import config.urls, config.version as v; print(v.VERSION, v.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(); {script}"],
        cwd=place, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [VERSION, str(place / "config/version.py")]
