"""The style and the scripts: one request, compressed, kept for a year under their hash."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config.settings.base import HASHED

YEAR = 365 * 24 * 3600
# What the style may weigh on its way; docs/operations.md names what it weighs.
MOST_BYTES = 20_000
HASHED_NAME = r"\.[0-9a-f]{12}\."


@pytest.fixture
def collecting(settings: Any, tmp_path: Path) -> Any:
    """Settings as those of `make run`, for our own files alone."""
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    settings.STORAGES = HASHED
    settings.WHITENOISE_MANIFEST_STRICT = False
    settings.WHITENOISE_KEEP_ONLY_HASHED_FILES = True
    settings.WHITENOISE_AUTOREFRESH = False
    return settings


def answered(client: Client, url: str, **headers: str) -> tuple[Any, bytes]:
    answer = client.get(url, headers=headers)
    return answer, b"".join(answer.streaming_content)


def cached_seconds(answer: Any) -> int:
    found = re.search(r"max-age=(\d+)", answer["Cache-Control"])
    assert found
    return int(found[1])


def test_a_page_links_one_style_that_is_kept_and_compressed(collecting: Any, db: None) -> None:
    call_command("prepare_static")
    client = Client()
    page = client.get("/accounts/login/").content.decode()
    [style] = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    assert re.fullmatch(rf"/static/css/app{HASHED_NAME}css", style)
    plain, text = answered(client, style)
    assert plain.status_code == 200
    assert b"@import" not in text, "one request is enough"
    packed, bytes_sent = answered(client, style, accept_encoding="gzip, deflate, br")
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert gzip.decompress(bytes_sent) == text
    assert len(bytes_sent) < MOST_BYTES
    for answer in (plain, packed):
        assert cached_seconds(answer) >= YEAR
        assert "immutable" in answer["Cache-Control"]


def test_a_module_names_its_imports_by_their_hash(collecting: Any, db: None) -> None:
    """Or the browser would ask for each of them again on every page."""
    call_command("prepare_static")
    client = Client()
    page = client.get("/accounts/login/").content.decode()
    waiting, seen = set(re.findall(r'<script type="module" src="([^"]+)"', page)), set()
    while waiting:
        url = waiting.pop()
        seen.add(url)
        answer, text = answered(client, url)
        assert answer.status_code == 200, url
        assert re.search(HASHED_NAME, url), url
        assert cached_seconds(answer) >= YEAR, url
        names = re.findall(rb"""(?:^|;)\s*import\b[^"';]*["']\./([^"']+)""", text, re.MULTILINE)
        waiting |= {f"/static/js/{name.decode()}" for name in names} - seen
    written = {path.stem for path in Path("static/js").glob("*.js")}
    assert {Path(url).name.split(".")[0] for url in seen} == written


def test_what_was_not_collected_has_its_plain_name(collecting: Any, db: None) -> None:
    page = Client().get("/accounts/login/").content.decode()
    assert 'href="/static/css/app.css"' in page


def test_files_are_collected_anew_when_one_has_changed(collecting: Any, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    style = source / "one.css"
    style.write_text("a { color: red; }")
    collecting.STATICFILES_DIRS = [source]

    def collected() -> dict[str, int]:
        call_command("prepare_static")
        found = collecting.STATIC_ROOT.glob("one.*.css")
        return {path.name: path.stat().st_ino for path in found}

    first = collected()
    assert len(first) == 1
    manifest = collecting.STATIC_ROOT / "staticfiles.json"
    before = manifest.stat().st_mtime_ns
    assert collected() == first
    assert manifest.stat().st_mtime_ns == before, "nothing is done when nothing has changed"
    style.write_text("a { color: blue; }")
    assert set(collected()) != set(first)
    assert len(collected()) == 1, "the old one is gone"
