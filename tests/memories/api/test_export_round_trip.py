"""What somebody exports by the API and imports again is the same: counts, texts, times (N16)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.conf import settings

from memories.jobs import run_jobs
from memories.tasks import run_job
from orgs.database.rls import organisation_scope
from orgs.models.organisations import GroupMembership
from tests.world import NOW, Tenant, World

# What differs by design of a memory that is made anew: its own id, when it was made, and how often
# it was used and said since.
OF_THE_ROW = ("id", "created_at", "version", "remember_count", "use")
SAID = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Tenant:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [lasting_world.here.id])
    return lasting_world.here


def export(client: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(head, lines) of the file of a whole export by the API."""
    asked = client.post("/api/v1/exports", {}, format="json")
    assert asked.status_code == 202
    while run_job():
        pass
    job = client.get(asked["Location"]).json()
    assert job["state"] == "done"
    answer = client.get(job["file"])
    assert (answer.status_code, answer.streaming) == (200, True)
    assert answer["Content-Type"] == "application/jsonl"
    head, *lines = [orjson.loads(line) for line in b"".join(answer).splitlines()]
    assert head["memories"] == len(lines) == job["done"]
    return head, lines


def put_back(
    client: Any, head: dict[str, Any], lines: list[dict[str, Any]], mode: str = "keep"
) -> dict[str, int]:
    answer = client.post(
        "/api/v1/snapshots",
        {"snapshot": {"head": head, "memories": lines}, "mode": mode},
        format="json",
    )
    assert answer.status_code == 200, answer.content
    counts: dict[str, int] = answer.json()["counts"]
    return counts


def plain(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines without what is of the row alone, in the order of their texts."""
    kept = [{k: v for k, v in line.items() if k not in OF_THE_ROW} for line in lines]
    return sorted(kept, key=lambda line: str(line["content"]))


def remember_all(here: Tenant) -> None:
    """What Mina reads: hers, her group's, and what Ada wrote for everyone (numbers 1 and 4), with
    times, tags and odd characters."""
    for number in range(7):
        made = here.remember(
            here.person("ada" if number % 3 == 1 else "mina"),
            f'Note {number} of Mina: “ä€\n{"🙂" * number}\\"',
            visibility=("private", "organisation", "group")[number % 3],
            group="launch" if number % 3 == 2 else None,
            occurred_at=SAID + timedelta(days=number, microseconds=number),
            valid_from=SAID + timedelta(days=number),
            expires_at=NOW + timedelta(days=400 + number),
            importance=number / 10,
            tags=(f"tag-{number}", "all"),
            metadata={"number": number, "deep": {"list": [1, None, "x"]}},
            key=f"note-{number}" if number % 2 else None,
            category="fact",
            topic="notes",
        )
        assert made.status == "active", made
    here.remember(here.person("bob"), "Bob's own.", visibility="private")


@pytest.mark.conformance(
    "N16", open="re-import gives the same but created_at, use and the count of repeats"
)
def test_what_was_erased_comes_back_as_it_was(here: Tenant) -> None:
    remember_all(here)
    mina = here.browser("mina")
    head, before = export(mina)
    assert len(before) == 7
    assert not any("Bob" in line["content"] for line in before)
    erased = [line for line in before if line["audience"] != "organisation"]
    for line in erased:
        gone = mina.delete(f"/api/v1/memories/{line['id']}?hard=true&confirm={line['id']}")
        assert gone.status_code in (200, 202, 204), gone.content
    while run_job():
        pass
    assert len(export(mina)[1]) == 2
    assert put_back(mina, head, before) == {"written": 5, "kept": 2}
    again, after = export(mina)
    assert again["memories"] == head["memories"]
    assert plain(after) == plain(before)
    assert not {line["id"] for line in after} & {line["id"] for line in erased}
    assert put_back(mina, again, after) == {"kept": 7}
    assert plain(export(mina)[1]) == plain(before)


@pytest.mark.conformance("N16")
@pytest.mark.parametrize("mode", ["keep", "replace"])
def test_what_is_still_there_stays_one_memory(here: Tenant, mode: str) -> None:
    remember_all(here)
    mina = here.browser("mina")
    head, before = export(mina)
    counts = put_back(mina, head, before, mode)
    assert counts == ({"kept": 7} if mode == "keep" else {"replaced": 5, "refused": 2})
    assert export(mina)[1] == before


@pytest.mark.conformance("N16")
def test_the_file_has_what_its_asker_may_read_when_it_is_written(here: Tenant) -> None:
    """Not when it was asked for: what was closed meanwhile is not in it, what came is."""
    remember_all(here)
    mina = here.browser("mina")
    asked = mina.post("/api/v1/exports", {}, format="json")
    with organisation_scope(here.id):
        seats = GroupMembership.objects.filter(
            group=here.groups["launch"], member=here.members["mina"]
        )
        assert seats.delete()[0]
    here.remember(here.person("mina"), "Said later.", visibility="private")
    while run_job():
        pass
    lines = b"".join(mina.get(f"{asked['Location']}/file")).splitlines()[1:]
    told = [orjson.loads(line) for line in lines]
    assert {line["audience"] for line in told} == {"member", "organisation"}
    assert len(told) == 6
    assert "Said later." in {line["content"] for line in told}
