"""What becomes of a context where a source fails or is slow: the others answer."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from memories.context.assembly import assemble
from memories.context.sources.context_query import ContextBuildState
from memories.context.sources.pieces import ContextPiece, ContextSection
from tests.memories.context.test_context import cited, got, note, section
from tests.world import Tenant


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put another source first."""

    def put(gather: Any, share: float = 0.2) -> None:
        more = assemble.ContextSource("extra", "Extra", share, gather)
        monkeypatch.setattr(assemble, "SOURCES", [more, *assemble.SOURCES])

    return put


def test_the_shares_leave_room_for_every_section() -> None:
    sources = assemble.SOURCES
    made = [
        ContextSection(name=one.name, title="", share=one.share, status="ok") for one in sources
    ]
    filled = [
        replace(one, pieces=[ContextPiece(text="x", type="t", id=UUID(int=1))]) for one in made
    ]
    assert sum(one.share for one in assemble._normalise_shares(filled)) == pytest.approx(1)
    # Who has no blocks and no profile has the shares of before.
    few = [
        one if one.name in ("you", "blocks", "profile") else full
        for one, full in zip(made, filled, strict=True)
    ]
    assert [one.share for one in assemble._normalise_shares(few)] == [one.share for one in sources]


@pytest.mark.conformance("Z15")
@pytest.mark.parametrize("error", [ValueError("secret words"), OperationalError("gone")])
def test_a_source_that_fails_is_named_and_the_others_answer(
    here: Tenant, source: Any, caplog: Any, error: Exception
) -> None:
    plan = note(here, "aria", "The launch is on 3 March.")

    def fails(asked: ContextBuildState) -> Sequence[ContextPiece]:
        raise error

    source(fails)
    found = got(here, "aria")
    assert section(found, "extra")["status"] == "failed"
    assert cited(found, "memories") == [str(plan)]
    assert "secret words" not in caplog.text
    assert "secret words" not in str(found)


def test_what_was_served_is_noted_however_late_it_is(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left for the last source is no limit for the note of what was served."""
    note(here, "aria", "The launch is on 3 March.")
    seen: list[str] = []
    record = assemble.record_recall

    def recorded(*given: Any, **named: Any) -> Any:
        seen.append(statement_limit())
        return record(*given, **named)

    monkeypatch.setattr(assemble, "record_recall", recorded)
    assert got(here, "aria")["recall_id"]
    assert seen == ["0"]


def test_a_context_leaves_no_limit_behind(here: Tenant, settings: Any) -> None:
    """Found: in one transaction with others, each statement behind a context had three seconds, and
    a recall on a busy machine was answered with 503."""
    settings.CONTEXT_SECONDS = 0.3
    got(here, "aria")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.5)")
    assert statement_limit() == "0"


def statement_limit() -> str:
    """The limit of a statement as the server has it; 0 for none."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return str(cursor.fetchone()[0])


def test_a_statement_that_fails_leaves_the_others_their_transaction(
    here: Tenant, source: Any
) -> None:
    plan = note(here, "aria", "The launch is on 3 March.")

    def divides(asked: ContextBuildState) -> Sequence[ContextPiece]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")
        return []

    source(divides)
    found = got(here, "aria")
    assert section(found, "extra")["status"] == "failed"
    assert cited(found, "memories") == [str(plan)]


@pytest.mark.conformance("Z15")
def test_a_source_that_is_too_slow_is_named(here: Tenant, source: Any, settings: Any) -> None:
    settings.CONTEXT_SECONDS = 0.2
    note(here, "aria", "The launch is on 3 March.")

    def sleeps(asked: ContextBuildState) -> Sequence[ContextPiece]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")
        return []

    source(sleeps)
    started = timezone.now()
    found = got(here, "aria")
    assert timezone.now() - started < timedelta(seconds=4)
    assert {one["status"] for one in found["sections"]} == {"timed_out"}
    assert found["recall_id"] is None
    assert found["text"] == ""
