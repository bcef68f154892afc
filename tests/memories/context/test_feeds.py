"""Feeds (RSS and Atom): what is read of them, what cannot hurt, and what is new of those that are
fetched."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memories.context.connectors import accounts, feed_files, sandboxed_parser
from memories.context.connectors import subscriptions as service
from memories.context.connectors.feed_files import MAX_BYTES, MAX_ENTRIES, parse_feed
from memories.context.connectors.models import AccountEntry
from memories.context.connectors.parse_result import (
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    UnreadableFileError,
)
from memories.context.connectors.subscriptions import FAILURE_SENTENCES
from memories.jobs.models import Job, JobState
from memories.jobs.run_jobs import run_job
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.outbound.fetch import fetch_file
from orgs.principals import resolve_principal
from tests.event_loop import in_own_thread
from tests.memories.context.test_account_memories import jobs, memories, work
from tests.memories.context.test_accounts import handed_in
from tests.memories.context.test_connector_files import PICTURE
from tests.memories.context.test_subscriptions import account, due, run, subscribed, titles
from tests.orgs.outbound.file_server import FileServer, serving
from tests.world import Tenant

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DATE = "Mon, 02 Mar 2026 10:00:00 GMT"


def rss(*items: str, head: str = "") -> bytes:
    body = "".join(f"<item>{one}</item>" for one in items)
    return f'<?xml version="1.0"?>{head}<rss version="2.0"><channel>{body}</channel></rss>'.encode()


def item(title: str, text: str = "Hello.", *, guid: str = "", date: str = DATE) -> str:
    dated = f"<pubDate>{date}</pubDate>" if date else ""
    return (
        f"<title>{title}</title><description>{text}</description>"
        f"<guid>{guid or title}</guid>{dated}"
    )


def test_the_entries_of_rss_and_atom_are_read() -> None:
    markup = "&lt;p&gt;It is &lt;b&gt;out&lt;/b&gt;."
    [one] = parse_feed(rss(item("Release 2", markup)), now=NOW).entries
    assert (one.title, one.text) == ("Release 2", "It is\nout\n.")
    assert one.at == NOW - timedelta(hours=2)
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id>
        <title>A &lt; B</title><author><name>Ana</name></author>
        <updated>2026-03-02T10:00:00+02:00</updated>
        <summary>Short</summary><content type="html">&lt;i>Long&lt;/i></content></entry></feed>"""
    [one] = parse_feed(atom, now=NOW).entries
    assert (one.title, one.person, one.text) == ("A < B", "Ana", "Long")
    assert one.at == datetime(2026, 3, 2, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 02 Mar 1950 10:00:00 GMT",
                                  "Mon, 02 Mar 2099 10:00:00 GMT"])  # fmt: skip
def test_an_entry_without_a_plausible_time_is_of_now(date: str) -> None:
    assert [one.at for one in parse_feed(rss(item("A", date=date)), now=NOW).entries] == [NOW]


def test_the_newest_are_kept_and_one_of_each_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_files, "MAX_ENTRIES", 2)
    days = [f"Mon, {day:02} Feb 2026 10:00:00 GMT" for day in (1, 2, 3)]
    found = parse_feed(
        rss(*(item(f"Day {n}", date=date) for n, date in enumerate(days)), "<link>x</link>"),
        now=NOW,
    )
    assert [one.title for one in found.entries] == ["Day 1", "Day 2"]
    assert found.problems == ["1 entry without a text left out.", "1 older entry left out."]
    twice = parse_feed(rss(item("New", guid="1"), item("Old", guid="1")), now=NOW)
    assert [one.title for one in twice.entries] == ["New"]


def test_long_parts_are_cut() -> None:
    [one] = parse_feed(rss(item("x" * 1_000, "y " * 40_000)), now=NOW).entries
    assert len(one.title) == MAX_TITLE_CHARACTERS
    assert len(one.text) in (MAX_TEXT_CHARACTERS - 1, MAX_TEXT_CHARACTERS)


@pytest.mark.parametrize("data", [PICTURE, b"hello", b"", b"<html><body>x</body></html>"])
def test_what_is_no_feed_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        parse_feed(data, now=NOW)


def in_process(tmp_path: Path, data: bytes) -> str:
    """What the process of a parser says of a feed, as text."""
    path = tmp_path / "feed.xml"
    path.write_bytes(data)
    try:
        found = sandboxed_parser.parse_file("feed", path, now=NOW, zone="UTC")
    except UnreadableFileError as error:
        return str(error)
    return "\n".join(one.title + one.text for one in found.entries)


def test_entities_neither_grow_nor_open_files(tmp_path: Path) -> None:
    names = "abcdefghij"
    parts = [f'<!ENTITY {one} "{f"&{before};" * 10}">' for before, one in pairwise(names)]
    bomb = f'<!DOCTYPE r [<!ENTITY a "lol lol lol lol">{"".join(parts)}]>'
    assert len(in_process(tmp_path, rss(item("&j;", "&j;", guid="1"), head=bomb))) < 200
    secret = tmp_path / "secret"
    secret.write_text("canary-of-a-file")
    for kind in ("ENTITY a SYSTEM", "ENTITY % a SYSTEM"):
        head = f'<!DOCTYPE r [<!{kind} "file://{secret}">]>'
        assert "canary" not in in_process(tmp_path, rss(item("&a;x", "&a;", guid="1"), head=head))


@pytest.mark.parametrize("data", [
    b"<rss version='2.0'><channel>" + b"<a>" * (MAX_BYTES // 3),
    b"<rss version='2.0'" + b" a=''" * (MAX_BYTES // 5) + b">",
    b"<!" * (MAX_BYTES // 2),
])  # fmt: skip
def test_a_hostile_feed_ends_in_seconds(tmp_path: Path, data: bytes) -> None:
    assert len(in_process(tmp_path, data)) < 1_000_000


# Feeds that are fetched.


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A server of a feed, which the settings allow."""
    settings.WEBHOOK_HTTP = True
    settings.SUBSCRIPTION_PRIVATE_HOSTS = frozenset({"127.0.0.1"})
    monkeypatch.setattr(service, "fetch_file", lambda *a, **k: in_own_thread(fetch_file, *a, **k))
    with serving() as found:
        found.body = rss(item("One"), item("Two"))
        yield found


def again(here: Tenant) -> Job:
    """Another fetch, and what it leads to."""
    due(here)
    assert service._start_due(here.id, timezone.now()) == 1
    job = run(here)
    if any(one.state == JobState.WAITING for one in jobs(here)):
        work(here)
    return job


def texts(here: Tenant) -> dict[str, str]:
    """The first line of each memory, with its id."""
    found = memories(here).values()
    return {one.content.partition("\n")[0]: str(one.id) for one in found}


def entries_logged(here: Tenant) -> int:
    with organisation_scope(here.id):
        return AuditEntry.objects.filter(action="account.refreshed").count()


@pytest.mark.usefixtures("lasting_world")
def test_what_is_new_comes_and_what_left_the_feed_stays(here: Tenant, server: FileServer) -> None:
    subscribed(here, server, kind="feed")
    run(here)
    work(here)
    first = texts(here)
    assert set(first) == {"From a feed: One", "From a feed: Two"}
    logged = entries_logged(here)
    # The same feed, told as another file: nothing is written.
    again(here)
    assert (texts(here), entries_logged(here)) == (first, logged)
    server.body = rss(item("Two"), item("Three"))
    again(here)
    assert titles(here) == ["One", "Three", "Two"]
    assert account(here).entries == 3
    now = texts(here)
    assert {text: now[text] for text in first} == first
    # An entry that is changed takes the place of what it was; one that is dated anew is the same.
    late = "Mon, 02 Mar 2026 11:30:00 GMT"
    server.body = rss(item("Two, mended", guid="Two"), item("Three", date=late))
    again(here)
    assert titles(here) == ["One", "Three", "Two, mended"]
    assert texts(here)["From a feed: Three"] == now["From a feed: Three"]
    assert "From a feed: Two" not in texts(here)


@pytest.mark.usefixtures("lasting_world")
def test_no_more_than_the_newest_stay(
    here: Tenant, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribed(here, server, kind="feed")
    server.body = rss(item("Old", date="Mon, 02 Feb 2026 10:00:00 GMT"), item("New"))
    run(here)
    monkeypatch.setitem(accounts._MAX_KEPT, "feed", 2)
    server.body = rss(item("Newer"))
    again(here)
    assert titles(here) == ["New", "Newer"]
    assert MAX_ENTRIES == 500


@pytest.mark.usefixtures("lasting_world")
def test_a_job_that_was_killed_after_its_work_brings_nothing_twice(
    here: Tenant, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        pass

    def killed(*_: Any) -> None:
        raise KilledError

    subscribed(here, server, kind="feed")
    [waiting] = jobs(here)
    for name in ("_record_run", "finish_job"):
        with monkeypatch.context() as patched:
            patched.setattr(service, name, killed)
            with pytest.raises(KilledError):
                run_job(here.id, waiting.id, here.members["mina"].id, None)
        with resolve_principal(here.person("mina")).scope():
            rows = Job.objects.filter(id=waiting.id)
            rows.update(state=JobState.WAITING, leased_until=None)
    run_job(here.id, waiting.id, here.members["mina"].id, None)
    work(here)
    assert titles(here) == ["One", "Two"]
    assert set(texts(here)) == {"From a feed: One", "From a feed: Two"}
    with resolve_principal(here.person("mina")).scope():
        assert AccountEntry.objects.filter(organisation_id=here.id).count() == 2


@pytest.mark.usefixtures("lasting_world")
def test_a_feed_that_is_too_large_or_none_is_a_failure(here: Tenant, server: FileServer) -> None:
    made = subscribed(here, server, kind="feed")
    server.endless = True
    assert run(here).reason == FAILURE_SENTENCES["too-large"]
    server.endless, server.body = False, b"<html></html>"
    assert again(here).reason == FAILURE_SENTENCES["unreadable"]
    assert account(here).failures == 2
    assert made["kind"] == "feed"
    handed_in(here.browser("mina"), 400, kind="feed", content="<rss/>")
