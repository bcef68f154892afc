"""The demo is archived, somebody is erased, and `restore --at` goes back before: as typed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.archive.catalogue import format_moment
from config.archive.status import read_status
from config.embedded.servers.provisioning import role_url
from config.embedded.servers.services import DATABASE, Services
from tests.config.embedded.conftest import PROJECT, delete_outside_folders

pytestmark = [pytest.mark.slow, pytest.mark.conformance("O21"), pytest.mark.timeout(900)]
OUTSIDE = ("DATABASE_", "REDIS_", "DATA_DIR", "SECRET_KEY", "PYTEST_", "ARCHIVE_", "ENCRYPTION_")


class Site:
    """One DATA_DIR, and commands as an operator types them."""

    def __init__(self, folder: Path, name: str) -> None:
        self.data_dir, self.archive_dir = folder / name, folder / "archive"
        self.data_dir.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OUTSIDE)}
        self.environ = kept | {
            "DATA_DIR": str(self.data_dir), "ARCHIVE_DIR": str(self.archive_dir),
            "ARCHIVE_SECONDS": "1", "ENCODER": "fake",
            "DJANGO_SETTINGS_MODULE": "config.settings.local",
        }  # fmt: skip
        self.services = Services(self.data_dir, self.environ)

    def run(self, *words: str, code: int = 0, **variables: str) -> str:
        """Standard output, or with another code than 0 the errors."""
        done = subprocess.run(
            [sys.executable, *words], cwd=PROJECT, env=self.environ | variables,
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    def manage(self, *words: str) -> str:
        return self.run("manage.py", *words)

    def archive(self, *words: str, code: int = 0, **variables: str) -> str:
        return self.run("-m", "config.archive", *words, code=code, **variables)

    @contextmanager
    def keeping_archive(self) -> Iterator[None]:
        process = subprocess.Popen(
            [sys.executable, "-m", "config.archive", "run"], cwd=PROJECT, env=self.environ,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            yield
        finally:
            process.terminate()
            _, words = process.communicate(timeout=60)
            assert process.returncode == 0, words.decode()

    def wait_for(self, moment: datetime) -> None:
        """Until everything before the moment is in the archive."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            status = read_status(self.data_dir)
            if status and status.base_at and status.until and status.until > moment:
                return
            time.sleep(0.2)
        raise AssertionError(read_status(self.data_dir))

    def select(self, statement: str) -> list[Any]:
        url = role_url(self.services.admin_url, database=DATABASE)
        with psycopg.connect(url, autocommit=True) as connection:
            return connection.execute(statement).fetchall()

    def memories(self) -> set[tuple[Any, ...]]:
        return set(self.select("SELECT id, content, status FROM memories_memory"))

    def members(self) -> set[str]:
        return {row[0] for row in self.select("SELECT name FROM orgs_member")}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path, "data")
    made.services.start()
    try:
        yield made
    finally:
        made.services.stop()
        for name in ("data", "restored"):
            delete_outside_folders(tmp_path / name)


def test_back_to_a_moment_and_the_erased_stay_erased(site: Site, tmp_path: Path) -> None:
    site.manage("migrate", "--database", "owner", "--verbosity", "0")
    site.manage("prepare_demo")
    users = json.loads((site.data_dir / "demo.json").read_text())["users"]
    [(slug,)] = site.select(
        "SELECT DISTINCT o.slug FROM orgs_organisation o JOIN orgs_member m ON m.organisation_id "
        f"= o.id JOIN orgs_user u ON u.id = m.user_id WHERE u.email = '{users[0]['email']}'"
    )
    early, late = [one["email"] for one in users if one["role"] == "member"][:2]

    def erase(email: str) -> None:
        site.manage("erase", "--organisation", slug, "--member", email, "--yes", "--json")

    erase(early)  # before the first base backup
    with site.keeping_archive():
        site.wait_for(datetime.now(UTC))
        before, names = site.memories(), site.members()
        moment = datetime.now(UTC)
        time.sleep(1.1)
        erase(late)
        after, left = site.memories(), site.members()
        assert left < names
        gone = before - after
        assert gone
        # Something that was said since: it was not there at the moment.
        site.manage("create_organisation", "Later")
        site.wait_for(datetime.now(UTC))
        assert site.archive("base", "--json").startswith('{"base": "')
        told = json.loads(site.archive("status", "--json"))
        assert (told["state"], told["full_backups"], told["incremental_backups"]) == ("ok", 1, 1)
        check_rehearsal(site, len(after))
        check_doctor(site)
    restored = Site(tmp_path, "restored")
    keys = str(site.data_dir / "encryption.keys")
    typed = f"{moment:%Y-%m-%d %H:%M:%S.%f}"
    assert "There is no key" in restored.archive("restore", "--at", typed, code=1)
    outside = restored.archive("restore", "--at", "2020-01-01", code=1, ENCRYPTION_KEY_FILE=keys)
    assert "The archive holds every moment from" in outside
    said = subprocess.run(
        ["make", "--no-print-directory", "restore", f"AT={typed}", "VENV=.venv"],
        cwd=PROJECT, env=restored.environ | {"ENCRYPTION_KEY_FILE": keys}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout + said.stderr
    assert f"All is as it was at {format_moment(moment)}" in said.stderr
    assert "SECRET_KEY is another one than in the archive" in said.stderr
    restored.services.start()
    try:
        assert restored.members() == left, "who was erased before and since stays erased"
        assert restored.memories() == before - gone
        assert restored.select("SELECT name FROM orgs_organisation") == [
            row for row in site.select("SELECT name FROM orgs_organisation") if row[0] != "Later"
        ]
        assert not restored.select(
            "SELECT 1 FROM pg_namespace WHERE nspname = 'commonmind_restore'"
        )
    finally:
        restored.services.stop()
    again = restored.archive("restore", code=1, ENCRYPTION_KEY_FILE=keys)
    assert "has a database already: restore into a new DATA_DIR" in again
    site.archive("off")
    assert not site.select("SELECT 1 FROM pg_replication_slots")


def check_rehearsal(site: Site, memories: int) -> None:
    report = json.loads(site.archive("rehearse", "--json"))
    assert report["memories"] == memories
    assert report["erased_again"] == 2
    assert report["rows"] > 1_000
    assert report["warnings"] == []
    assert report["chain"] == 2
    assert not (site.data_dir / "rehearsal").exists()
    assert "rehearsed_at: 20" in site.archive("status")


def check_doctor(site: Site) -> None:
    """No worker runs, so it ends with an error; the archive is in order."""
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--json"], cwd=PROJECT, env=site.environ,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = {one["part"]: one for one in json.loads(done.stdout)}
    assert found["archive"]["state"] == "ok", found["archive"]
    assert found["archive"]["text"].startswith("The archive reaches to 20")
