"""A memory that is erased while its use is being recorded: the answer comes, without it."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connections, transaction
from django.utils import timezone

from memories.context.assembly import assemble
from memories.privacy.erase_memory import erase_memory
from memories.retrieval import recall
from memories.retrieval.models import Recall
from orgs.principals import resolve_principal
from tests.config.transport.web_process import wait_until
from tests.databases import autocommit_connection
from tests.fast_path import FastPathSite
from tests.world import Tenant, World

_WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    for text in ("The office closes at six.", "The office opens at nine."):
        here.remember(here.robot("bolt"), text)
    here.embed()
    return here


def begin_erasure(here: Tenant, id_: UUID) -> threading.Thread:
    """Another call erases the memory, and commits once this one waits for it."""
    erased = threading.Event()

    def others_wait() -> bool:
        with autocommit_connection("admin") as database:
            return database.execute(_WAITING).fetchone() != (0,)

    def run() -> None:
        try:
            with transaction.atomic():
                erase_memory(here.robot("bolt"), id_, confirm=str(id_), now=timezone.now())
                erased.set()
                wait_until(others_wait)
        finally:
            erased.set()
            connections.close_all()

    other = threading.Thread(target=run)
    other.start()
    erased.wait()
    return other


@pytest.fixture
def erased_after(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Once a function of a module has found hits, the first of them is erased; gives its id."""
    threads: list[threading.Thread] = []

    def patch(module: Any, name: str, find: Callable[..., Any]) -> list[UUID]:
        work: Callable[..., Any] = getattr(module, name)
        gone: list[UUID] = []

        def then_gone(*given: Any, **named: Any) -> Any:
            result, hits = find(work, *given, **named)
            if hits and not gone:
                gone.append(hits[0].id)
                threads.append(begin_erasure(here, gone[0]))
            return result() if callable(result) else result

        monkeypatch.setattr(module, name, then_gone)
        return gone

    yield patch
    for thread in threads:
        thread.join()


def _searched(work: Callable[..., Any], *given: Any) -> tuple[Any, Any]:
    found = work(*given)
    return found, found.hits


def _to_record(
    work: Callable[..., Any], principal: Any, served: Any, **named: Any
) -> tuple[Any, Any]:
    return partial(work, principal, served, **named), served.hits


@pytest.mark.parametrize("straight", [True, False])
def test_a_recall_searches_again(here: Tenant, erased_after: Any, straight: bool) -> None:
    site = FastPathSite(straight=straight)
    assert site.post(here.keys["bolt"], {"query": "office"})[0] == 200
    gone = erased_after(recall, "run_search", _searched)
    status, _, body = site.post(here.keys["bolt"], {"query": "office"})
    assert (status, site.went[-1]) == (200, straight)
    assert len(gone) == 1
    served = [hit["id"] for hit in body["results"]]
    assert len(served) == 1
    assert str(gone[0]) not in served
    with resolve_principal(here.robot("bolt")).scope():
        assert [hit[0] for hit in Recall.objects.get(id=body["recall_id"]).hits] == served


def test_a_context_is_recorded(here: Tenant, erased_after: Any) -> None:
    gone = erased_after(assemble, "record_recall", _to_record)
    answer = here.api("bolt").post("/api/v1/context", {"query": "office"}, format="json")
    assert answer.status_code == 200, answer.json()
    assert len(gone) == 1
    with resolve_principal(here.robot("bolt")).scope():
        assert Recall.objects.count() == 1
