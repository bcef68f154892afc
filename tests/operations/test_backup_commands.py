"""The two commands as an operator types them, with services of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAST = ("memories", "0019_operation")
FEED = {"public.memories_change", "public.memories_departure"}
pytestmark = [pytest.mark.slow, pytest.mark.conformance("O10"), pytest.mark.timeout(1_200)]


def ran(data_dir: Path, *words: str, code: int = 0, **variables: str) -> str:
    """Standard output of a command of manage.py with the services of this folder around it."""
    outside = ("DATABASE_", "REDIS_", "DATA_DIR", "SECRET_KEY", "PYTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    settings = {"DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": "config.settings.local"}
    around = [sys.executable, "-m", "config.embedded", "exec", "--fast", "--"]
    done = subprocess.run(
        [*around, sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=kept | settings | {"ENCODER": "fake"} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def told(data_dir: Path, *words: str, **variables: str) -> dict[str, Any]:
    found = json.loads(ran(data_dir, *words, "--json", **variables))
    assert isinstance(found, dict)
    return found


def test_one_command_each(tmp_path: Path) -> None:
    """The demo goes into a folder, from there into a new place, and back over what is there."""
    old, new, folder = tmp_path / "old", tmp_path / "new", tmp_path / "backup"
    ran(old, "migrate", "--database", "owner")
    ran(old, "prepare_demo")
    made = told(old, "backup", str(folder))
    assert made["rows"] > 2000
    assert made["tables"] > 60
    done = told(new, "restore", str(folder))
    assert (done["rows"], done["tables"]) == (made["rows"], made["tables"])
    assert "SECRET_KEY is another one" in done["warnings"][0]
    assert not (new / "demo.json").exists(), "log-ins are no part of a backup"
    again = told(new, "backup", str(tmp_path / "again"))
    first, second = (
        {one["table"]: one for one in json.loads(path.read_text())["tables"]}
        for path in (folder / "manifest.json", tmp_path / "again" / "manifest.json")
    )
    differ = {name for name, one in first.items() if one != second[name]}
    # The feed of changes counts transactions of its database, so it begins anew.
    assert differ <= FEED
    assert second["public.memories_departure"]["rows"] == 0
    changes = "public.memories_change"
    assert second[changes]["rows"] == first[changes]["rows"]
    assert again["id"] != made["id"]
    assert "Say --yes" in ran(new, "restore", str(folder), code=1)
    key = json.loads((old / "services.json").read_text())["SECRET_KEY"]
    assert told(new, "restore", str(folder), "--yes", SECRET_KEY=key)["warnings"] == []


def test_a_backup_of_an_older_version_is_migrated_forward(tmp_path: Path) -> None:
    """The schema of the backup's own state is made first, and brought up to this version."""
    old, new, folder = tmp_path / "old", tmp_path / "new", tmp_path / "backup"
    ran(old, "migrate", "memories", LAST[1], "--database", "owner")
    for app in ("orgs", "robots", "sessions", "account", "mfa", "socialaccount", "admin"):
        ran(old, "migrate", app, "--database", "owner")
    # Nothing that later versions add to a new organisation: their tables are not there.
    bare = (
        "from orgs.organisations import organisations as o; "
        "o.on_organisation_created.function = lambda *_: None; "
        "from django.utils import timezone; o.create_organisation(name='Acme', now=timezone.now())"
    )
    ran(old, "shell", "-c", bare)
    made = told(old, "backup", str(folder))
    applied = json.loads((folder / "manifest.json").read_text())["migrations"]
    assert list(LAST) in applied
    assert ["memories", "0020_task"] not in applied
    assert told(new, "restore", str(folder))["rows"] == made["rows"]
    shown = ran(new, "showmigrations", "--plan", "--database", "owner")
    assert "[ ]" not in shown
    assert "[X]  memories.0020_task" in shown
    later = told(new, "backup", str(tmp_path / "later"))
    assert later["tables"] > made["tables"]
