"""The client goes through the feed of changes page by page (N27)."""

import httpx
import pytest
from commonmind import AsyncClient, Client, CursorTooOldError, InvalidError
from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings

from tests.config.mcp.mcp_site import McpSite, with_site
from tests.world import Tenant

pytestmark = [pytest.mark.conformance("N27"), pytest.mark.usefixtures("lasting_world")]


def client_of(here: Tenant, robot: str) -> Client:
    transport = httpx.WSGITransport(app=WSGIHandler())
    return Client("http://localhost", here.keys[robot], transport=transport)


def test_pages_follow_each_other_until_nothing_more_is_there(here: Tenant) -> None:
    bolt = client_of(here, "bolt")
    ids = [bolt.remember(f"Number {n} of the series.")["id"] for n in range(5)]
    pages = list(bolt.changes(page_size=2))
    told = [(line["change"], line["id"]) for page in pages for line in page["results"]]
    assert told == [("made", id_) for id_ in ids]
    assert [bool(page["next"]) for page in pages] == [True] * (len(pages) - 1) + [False]
    bolt.memories.forget(ids[1])
    bolt.memories.change(ids[2], importance=0.9)
    [page] = bolt.changes(cursor=pages[-1]["cursor"])
    assert [(line["change"], line["id"]) for line in page["results"]] == [
        ("forgotten", ids[1]),
        ("changed", ids[2]),
    ]
    assert page["results"][1]["memory"]["importance"] == 0.9  # type: ignore[index]
    with pytest.raises(InvalidError):
        list(client_of(here, "clio").changes(cursor=page["cursor"]))
    with override_settings(CHANGES_DAYS=-1), pytest.raises(CursorTooOldError):
        list(bolt.changes(cursor=page["cursor"]))


def test_memories_that_match_are_looked_at_and_forgotten(here: Tenant) -> None:
    bolt = client_of(here, "bolt")
    old = [bolt.remember(f"Old number {n}.", tags=["old"])["id"] for n in range(3)]
    kept = bolt.remember("A new number.", tags=["new"])["id"]
    seen = bolt.memories.preview_matches("forget", {"tag": "old"})
    assert (seen["matches"], seen["changes"], seen["waiting"]) == (3, 3, 0)
    assert {row["id"] for row in seen["first"]} == {*old}
    seen = bolt.memories.preview_matches("set", {"tag": "old"}, add_tags=["seen"])
    assert seen["changes"] == 3
    assert {row["id"] for row in bolt.memories.list()} == {*old, kept}, "nothing was changed"
    job = bolt.memories.change_matches("forget", {"tag": "old"})
    assert (job["kind"], job["state"], job["total"]) == ("change", "waiting", 3)
    assert bolt.jobs.get(job["id"])["id"] == job["id"]
    with pytest.raises(InvalidError, match="at least one filter"):
        bolt.memories.change_matches("forget", {})


def test_the_same_awaited(here: Tenant) -> None:
    client_of(here, "bolt").remember("Old.", tags=["old"])

    async def act(site: McpSite) -> None:
        transport = httpx.ASGITransport(app=site.application)
        async with AsyncClient("http://localhost", here.keys["bolt"], transport=transport) as bolt:
            seen = await bolt.memories.preview_matches("forget", {"tag": "old"})
            assert seen["changes"] == 1
            pages = [page async for page in bolt.changes()]
            assert [line["change"] for page in pages for line in page["results"]] == ["made"]
            job = await bolt.memories.change_matches("forget", {"tag": "old"})
            assert job["total"] == 1

    with_site(act)
