"""Hidden rows leave no trace: every reading call answers the same with and without them (T06)."""

import base64
import json
from collections.abc import Callable
from difflib import unified_diff
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from memories.access.references import ReaderReferences
from memories.indexing import exact_scan
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.store.models.memory import Memory
from orgs.models.base import new_id
from orgs.organisations.groups import create_group
from orgs.principals import Actor
from tests.isolation.api_surface import (
    ABSENT_FILLER,
    LED_TO,
    Operation,
    api_operations,
    page_operations,
)
from tests.isolation.canaries import READERS, CanaryWorld, plant_canaries
from tests.isolation.comparable_responses import SEALED, normalise_response, send
from tests.large_scopes import force_index_search
from tests.sampling import ALL, sample_slice
from tests.world import NOW, PEOPLE, World

# Words that would find the hidden rows, and filters that would count them.
QUESTIONS = [
    {"query": "canary word", "strategy": strategy, "limit": limit, "explain": True}
    for strategy in ("keyword", "vector", "hybrid")
    for limit in (1, 3, 100)
]
LISTS = ["", "?limit=1", "?limit=2", "?q=canary", "?tag=launch", "?kind=group", "?group=design"]
LISTS += ["?topic=canary", "?topic=word"]
# What answers nothing without a topic.
ABOUT = ("/api/v1/said", "/api/v1/timeline")
ABOUT += ("/api/v1/decisions/similar", "/api/v1/decisions/prepare")
# What an admin is told of a quota counts every memory: the sum of all, and nothing of one.
TOTALS = ("/api/v1/organisation/usage", "/people/usage/")
# What is about one thing alone, which may be a group as well.
ONE_SUBJECT = ("/api/v1/profiles",)
# What is about one memory, here about one that nothing has.
ONE_MEMORY = ("/api/v1/access",)
# What answers nothing without a question.
ASKED = ("/api/v1/passages",)
# Pages are built on the same services; what a browser may add to each of their addresses.
# The first two are put to each in the quick tests, all of them in the slow ones.
PAGES = ["", "?q=canary", "?group=design", "?topic=word"]


def probes(caller: str, *, whole: bool = False) -> list[tuple[Operation, str, Any]]:
    """Every call that reads: lists with filters, questions, figures, pages."""
    found: list[tuple[Operation, str, Any]] = []
    pages_asked = PAGES if whole else PAGES[:2]
    for operation in api_operations():
        if operation.method == "get" and "{" not in operation.address:
            known = {s.path[0] for s in operation.slots}
            for query in LISTS:
                if not query or query[1:].partition("=")[0] in known:
                    path = operation.address + query
                    if operation.address in ABOUT and "topic=" not in query:
                        path += ("&" if query else "?") + "topic=word"
                    if operation.address in ONE_SUBJECT and "=" not in path:
                        path += "?topic=word"
                    if operation.address in ONE_MEMORY:
                        path += ("&" if query else "?") + f"memory={ABSENT_FILLER}"
                    if operation.address in ASKED:
                        path += ("&" if query else "?") + "query=canary"
                    found.append((operation, path, None))
        if operation.address == "/api/v1/recall":
            found += [(operation, operation.address, question) for question in QUESTIONS]
    if caller in PEOPLE:
        for operation in page_operations():
            if operation.method == "get" and "{" not in operation.address:
                found += [(operation, operation.address + query, None) for query in pages_asked]
    return found


def followed(text: str) -> str:
    """Where the next page begins, read out of the cursor: it must not move either."""
    try:
        following = json.loads(text).get("next")
    except (ValueError, AttributeError):
        return ""
    if not following:
        return ""
    cursor = parse_qs(urlsplit(following).query)["cursor"][0].partition(":")[0]
    if SEALED.match(cursor):
        return ""
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()


def searches(path: str) -> bool:
    """Whether the call looks for something by words or meaning."""
    return any(part in path for part in ("recall", "q=", "topic="))


def listen(stage: CanaryWorld, caller: str, *, whole: bool = False, part: slice = ALL) -> list[str]:
    """What the caller hears from every probe, made comparable.

    Where the indexes serve, only what searches is asked: nothing else takes that way.

    Undone afterwards: asking counts as access, and the second hearing must be like the first.
    """
    client, heard = stage.callers[caller](), []
    known = frozenset(map(str, stage.memories.values()))
    for operation, path, body in probes(caller, whole=whole)[part]:
        if exact_scan.EXACT_SCAN_LIMIT == 0 and not searches(path):
            continue
        with transaction.atomic():
            answer = send(client, operation, path, {}, body)
            transaction.set_rollback(True)
        if caller == "ada" and operation.address in TOTALS:
            continue
        expected = (400,) if operation.address in LED_TO else (200, 302, 401, 403, 404, 405)
        assert answer.status_code in expected, (caller, path)
        start = followed(answer.content.decode())
        told = normalise_response(answer, "\x00", known)
        heard.append(f"{caller} {operation.method} {path} {body} {start}\n{told}")
    return heard


def hidden_rows(stage: CanaryWorld, caller: str) -> list[tuple[Actor, dict[str, Any]]]:
    """Writers and places whose rows the caller may not read, by the table of the cast."""
    here, there = stage.world.here, stage.world.there
    bob = ReaderReferences(members=(str(here.members["bob"].id),))
    places: dict[str, tuple[Actor, dict[str, Any]]] = {
        "canary-launch": (here.robot("aria"), {"group": "launch", "tags": ("launch",)}),
        "canary-design": (here.robot("aria"), {"group": "design", "tags": ("launch", "new")}),
        "canary-private-mina": (here.person("mina"), {"visibility": "private"}),
        "canary-private-bob": (here.person("bob"), {"visibility": "private"}),
        "canary-private-ada": (here.person("ada"), {"visibility": "private"}),
        "canary-internal-aria": (here.robot("aria"), {"visibility": "internal"}),
        "canary-internal-bolt": (here.robot("bolt"), {"visibility": "internal"}),
        "canary-shared-bob": (here.robot("aria"), {"visibility": "shared", "readers": bob}),
        "canary-proposed-bob": (here.person("bob"), {"visibility": "organisation"}),
        "canary-there": (there.robot("aria"), {}),
    }
    return [place for canary, place in places.items() if caller not in READERS[canary]]


def embed(stage: CanaryWorld) -> None:
    """Vectors for everything, as the worker makes them."""
    stage.world.here.embed()
    stage.world.there.embed()


def hide(stage: CanaryWorld, caller: str) -> int:
    """Plant rows before and after the visible ones, in every place hidden from the caller.

    At the hour of the visible ones: when a robot was last active is the registry's to tell. That a
    gate looked at a write is an act, which the trail tells to admins without the memory.
    """
    with patch("memories.ingestion.remember.record_gate_results"):
        return _plant(stage, caller)


def _plant(stage: CanaryWorld, caller: str) -> int:
    planted = 0
    oldest = UUID(int=min(i.int for i in stage.memories.values()))
    for who, fields in hidden_rows(stage, caller):
        for n in range(3):
            text = f"A canary word canary word canary, hidden {n} {new_id()}."
            draft = Draft(content=text, conversation="one", **fields)
            # The first one before every visible row in the order of pages.
            older = UUID(int=oldest.int - 1_000_000 - planted)
            field = Memory._meta.get_field("id")
            given = field._get_default if n else lambda older=older: older
            with patch.object(field, "_get_default", given):
                remember(who, draft, now=NOW)
            planted += 1
    if caller not in ("mina", "aria", "clio", *PEOPLE):
        create_group(organisation_id=stage.world.here.id, external_id=f"g-{new_id()}", now=NOW)
    return planted


SCORED, BY_INDEXES = "scored", "by indexes"


@pytest.fixture(params=[SCORED, BY_INDEXES])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[World], None]:
    """How questions are searched: every row scored, or what the indexes of a large scope choose."""

    def prepare(world: World) -> None:
        if request.param == BY_INDEXES:
            force_index_search(monkeypatch, world.here.id, world.there.id)

    return prepare


@pytest.mark.conformance("T06")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("caller", "way", "one_of"),
    [("mina", SCORED, 18), ("aria", BY_INDEXES, 6)],
    indirect=["way"],
)
def test_answers_do_not_depend_on_hidden_rows(
    lasting_world: World,
    caller: str,
    way: Callable[[World], None],
    one_of: int,
    request: pytest.FixtureRequest,
) -> None:
    part = sample_slice(request, one_of)
    assert_equal(lasting_world, caller, way, whole=False, part=part)


@pytest.mark.slow
@pytest.mark.conformance("T06")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("caller", ["aria", "bolt", "mina", "bob", "clio", "ada", "chidi", "vera"])
def test_no_answer_to_any_question_depends_on_hidden_rows(
    lasting_world: World, caller: str, way: Callable[[World], None]
) -> None:
    assert_equal(lasting_world, caller, way, whole=True)


def assert_equal(
    lasting_world: World,
    caller: str,
    way: Callable[[World], None],
    *,
    whole: bool,
    part: slice = ALL,
) -> None:
    """The caller hears the same before and after rows are planted that are hidden from them."""
    stage = plant_canaries(lasting_world)
    embed(stage)
    way(lasting_world)
    # Time stands still while somebody asks, so that strength is equal; the worker's goes on.
    moment = timezone.now()
    with time_machine.travel(moment, tick=False):
        before = listen(stage, caller, whole=whole, part=part)
        assert hide(stage, caller) >= 9
    embed(stage)
    with time_machine.travel(moment, tick=False):
        after = listen(stage, caller, whole=whole, part=part)
    assert len(before) >= (13 if whole else 3)
    changed = [
        "\n".join(unified_diff(a.split("\n"), b.split("\n"), n=0, lineterm=""))
        for a, b in zip(before, after, strict=True)
        if a != b
    ]
    assert changed == []


@pytest.mark.slow
@pytest.mark.conformance("T06")
@pytest.mark.timeout(600)
def test_the_comparison_notices_what_is_visible(
    lasting_world: World, way: Callable[[World], None]
) -> None:
    stage = plant_canaries(lasting_world)
    embed(stage)
    way(lasting_world)
    before = listen(stage, "bolt")
    remember(lasting_world.here.robot("aria"), Draft(content="A canary word for all."), now=NOW)
    embed(stage)
    after = listen(stage, "bolt")
    changed = [a for a, b in zip(before, after, strict=True) if a != b]
    assert len(changed) >= 8, "lists, figures and recall show the new row"
    asked = [a for a in changed if "/api/v1/recall" in a]
    assert {s for s in ("keyword", "vector", "hybrid") if any(s in a for a in asked)} == {
        "keyword", "vector", "hybrid",
    }  # fmt: skip
