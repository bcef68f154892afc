"""Health, /metrics, and logs that never hold what a memory says (O12)."""

import io
import json
import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import DataError
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from config import shared_metrics
from config.monitoring import metrics
from config.monitoring.logs import JSONFormatter
from config.version import VERSION
from memories.embedding.query_cache import get_query_cache
from memories.indexing import embed_worker
from orgs.trace_spans import TraceContext, trace_scope
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("O12")

ROOT = Path(__file__).resolve().parents[3]
# What nobody may find in a log: the start of every word is the same, so that a part shows too.
PLANTED = "zyxplanted-garnet-lighthouse"
TRACE = "zyxplanted"
TASK = "0197a1b2-0000-4000-8000-00000000beef"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the product writes to its log, in the form in which it does."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JSONFormatter())
    places = [logging.getLogger(), logging.getLogger("uvicorn")]
    for logger in places:
        logger.addHandler(handler)
    yield stream
    for logger in places:
        logger.removeHandler(handler)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def scraped(client: Client | None = None, **headers: str) -> dict[tuple[str, ...], float]:
    """Every sample as (name, label value, ...): value."""
    answer = (client or Client()).get("/metrics", headers=headers)
    assert answer.status_code == 200
    return {
        (s.name, *(v for _, v in sorted(s.labels.items()))): s.value
        for family in text_string_to_metric_families(answer.content.decode())
        for s in family.samples
    }


# --- logs ---


def test_one_line_a_request_with_its_id(world: World, written: io.StringIO) -> None:
    answer = world.here.api("bolt").post("/api/v1/recall", {"query": PLANTED}, format="json")
    (line,) = [line for line in lines(written) if line["logger"] == "commonmind.request"]
    ms, when = line.pop("ms"), line.pop("time")
    assert 0 < ms < 60_000
    assert when.endswith("+00:00")
    assert line == {
        "level": "info",
        "logger": "commonmind.request",
        "message": "request",
        "request_id": answer["X-Request-ID"],
        "organisation": str(world.here.id),
        "method": "POST",
        "route": "api/v1/recall",
        "status": 200,
    }


def test_other_lines_of_a_request_carry_its_id(
    world: World, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError(PLANTED)

    monkeypatch.setattr("memories.api.recall.recall_views.recall", fail)
    answer = world.here.api("bolt").post("/api/v1/recall", {"query": "x"}, format="json")
    assert answer.status_code == 500
    (error,) = [line for line in lines(written) if line["logger"] == "commonmind.api"]
    assert error["request_id"] == answer.json()["request_id"]
    assert error["exception"] == ["builtins.RuntimeError"]
    assert error["at"][-1].startswith("tests.config.monitoring.test_monitoring:")
    assert error["at"][-1].endswith(" fail")


def every_flow(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Remember, recall and every kind of error, with the planted words wherever words go."""
    api = here.api("aria")
    api.raise_request_exception = False
    memory = {"content": PLANTED, "key": PLANTED, "topic": PLANTED, "tags": [PLANTED]}
    memory |= {"metadata": {PLANTED: PLANTED}, "speaker": PLANTED}
    first = api.post("/api/v1/memories", memory, format="json")
    address = f"/api/v1/memories/{first.json()['id']}"
    nul = {"content": f"{PLANTED}\x00"}
    answers = [
        first,
        api.post("/api/v1/memories", {**memory, "content": f"{PLANTED} 2"}, format="json"),
        api.post("/api/v1/memories/batch", {"items": [memory, {PLANTED: 1}, nul]}, format="json"),
        api.post("/api/v1/recall", {"query": PLANTED, "explain": True}, format="json"),
        api.post("/api/v1/recall", {"query": PLANTED, PLANTED: 1}, format="json"),
        api.post("/api/v1/recall", {"query": PLANTED, "group": PLANTED}, format="json"),
        api.post("/api/v1/recall", f'{{"query": {PLANTED}', content_type="application/json"),
        api.get(address),
        api.get(f"/api/v1/memories/{PLANTED}"),
        api.get(f"/api/v1/memories?q={PLANTED}&cursor={PLANTED}"),
        api.patch(address, {"content": f"{PLANTED} again"}, format="json"),
        api.get(f"/{PLANTED}?{PLANTED}={PLANTED}"),
        Client().get("/healthz", headers={"host": PLANTED}),
        Client().get("/healthz", headers={"authorization": f"Bearer {PLANTED}"}),
        here.browser("mina").get(f"/recall?q={PLANTED}"),
    ]
    for error in (RuntimeError(PLANTED), DataError(f"DETAIL: Failing row ({PLANTED})")):

        def fail(*args: object, error: Exception = error, **kwargs: object) -> None:
            raise error from ValueError(PLANTED)

        with monkeypatch.context() as broken:
            broken.setattr("memories.api.recall.recall_views.recall", fail)
            broken.setattr("memories.api.memories.remember_or_replace", fail)
            broken.setattr("config.monitoring.health.get_encoder", fail)
            answers += [
                api.post("/api/v1/recall", {"query": PLANTED}, format="json"),
                api.post("/api/v1/memories", memory, format="json"),
                Client().get("/readyz"),
            ]
    answers.append(api.delete(address))
    return [answer.status_code for answer in answers]


def test_no_memory_text_in_any_line(
    lasting_world: World, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    get_query_cache().clear()
    statuses = every_flow(here, monkeypatch)
    assert {200, 201, 204, 400, 404, 500} <= set(statuses), "the errors have happened"

    def encode(self: Any, texts: Any, **how: Any) -> Any:
        raise RuntimeError(texts[0])

    with monkeypatch.context() as broken:
        broken.setattr("memories.embedding.fake_encoder.FakeEncoder.encode", encode)
        here.remember(here.robot("aria"), f"{PLANTED} 3")
        embed_worker.embed_pending(here.id, now=timezone.now())
    found = lines(written)
    assert len([line for line in found if line["logger"] == "commonmind.request"]) == len(statuses)
    assert any(line["logger"] == "commonmind.embedding" for line in found)
    assert any("exception" in line for line in found)
    assert TRACE not in written.getvalue().lower()


def test_a_library_is_not_quoted(written: io.StringIO) -> None:
    foreign = logging.getLogger("somebody.else")
    foreign.error("could not write %s", PLANTED)
    foreign.error("could not write " + PLANTED)  # as some libraries do
    foreign.error(ValueError(PLANTED))
    logging.getLogger("psycopg.pool").warning("error connecting in %r", "pool-1")
    with trace_scope(TraceContext("abc")):
        try:
            {}[PLANTED]
        except KeyError:
            foreign.exception("could not read %s", PLANTED, extra={"row": PLANTED})
    found = lines(written)
    assert [line["message"] for line in found] == [
        "could not write %s",
        "test_monitoring.test_a_library_is_not_quoted:" + found[1]["message"].rpartition(":")[2],
        "test_monitoring.test_a_library_is_not_quoted:" + found[2]["message"].rpartition(":")[2],
        "error connecting in 'pool-1'",
        "could not read %s",
    ]
    assert found[4]["request_id"] == "abc"
    assert found[4]["exception"] == ["builtins.KeyError"]
    assert TRACE not in written.getvalue()


@pytest.mark.parametrize(
    ("logger", "template", "given", "line"),
    [
        (
            "celery.app.trace",
            "Task %(name)s[%(id)s] succeeded in %(runtime)ss: %(return_value)s",
            {"name": "memories.embed_pending", "id": TASK, "runtime": 0.25, "return_value": TRACE},
            f"Task memories.embed_pending[{TASK}] succeeded in 0.25s: ...",
        ),
        (
            "celery.worker.strategy",
            "Task %(name)s[%(id)s] received",
            {"name": "memories.run_job", "id": TASK, "args": TRACE, "kwargs": {"a": TRACE}},
            f"Task memories.run_job[{TASK}] received",
        ),
        (
            "celery.app.trace",
            "Task %(name)s[%(id)s] %(description)s: %(exc)s",
            {"name": "memories.x", "id": TASK, "description": "raised unexpected", "exc": TRACE},
            f"Task memories.x[{TASK}] raised unexpected: ...",
        ),
        (
            "celery.worker.request",
            "Hard time limit (%ss) exceeded for %s[%s]",
            (600, "memories.run_job", TASK),
            f"Hard time limit (600s) exceeded for memories.run_job[{TASK}]",
        ),
        ("celery.worker.request", "Task handler raised error: %r", (TRACE,), "error: '...'"),
        ("celery.other", "Got %(name)s", {"name": "memories.x"}, "Got %(name)s"),
    ],
)
def test_a_workers_line_names_the_task_and_nothing_that_it_was_given(
    written: io.StringIO, logger: str, template: str, given: Any, line: str
) -> None:
    arguments = (given,) if isinstance(given, dict) else given
    logging.getLogger(logger).error(template, *arguments)
    [found] = lines(written)
    assert found["message"].endswith(line)
    assert TRACE not in written.getvalue()


def test_everything_goes_through_the_one_formatter() -> None:
    handlers = {id(h): h for h in logging.getLogger().handlers}
    for name in list(logging.Logger.manager.loggerDict):
        if name.startswith(("django", "commonmind", "uvicorn")):
            handlers |= {id(h): h for h in logging.getLogger(name).handlers}
    ours = [h for h in handlers.values() if type(h) is logging.StreamHandler]
    assert ours
    assert all(isinstance(h.formatter, JSONFormatter) for h in ours)
    assert settings.LOGGING["root"]["handlers"] == ["console"]


APPS = ("config", "memories", "orgs", "personas", "robots")


def test_every_logger_of_ours_has_our_name() -> None:
    """Of any other a line shows its template alone: it would not say what failed."""
    named = [
        (path.name, name)
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        for name in re.findall(r"logging\.getLogger\(([^)]+)\)", path.read_text(encoding="utf-8"))
    ]
    assert len(named) > 10
    assert [one for one in named if not one[1].startswith('"commonmind.')] == []


# --- metrics and health ---


def test_requests_and_recalls_are_counted(lasting_world: World) -> None:
    route, recall = "api/v1/recall", lasting_world.here.api("bolt")
    before = scraped()
    for query in (PLANTED, "other words"):
        recall.post("/api/v1/recall", {"query": query}, format="json")
    recall.post("/api/v1/recall", {"query": ""}, format="json")
    Client().generic("ODD", "/healthz")
    after = scraped()

    def grown(*key: str) -> float:
        return after.get(key, 0.0) - before.get(key, 0.0)

    assert grown("commonmind_requests_total", "POST", route, "200") == 2
    assert grown("commonmind_requests_total", "POST", route, "400") == 1
    assert grown("commonmind_request_seconds_count", "POST", route) == 3
    assert 0 < grown("commonmind_request_seconds_sum", "POST", route) < 60
    assert grown("commonmind_recall_seconds_count", "triple_tenant") == 2
    assert any(key[:2] == ("commonmind_requests_total", "other") for key in after)


def test_what_waits_for_its_embedding(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waiting() -> float:
        monkeypatch.setattr(metrics.work_collector, "_looked_at", -metrics.WORK_SECONDS)
        monkeypatch.setattr(time, "monotonic", lambda: 0.0)
        return scraped()[("commonmind_embeddings_pending", "waiting")]

    before = waiting()
    lasting_world.here.remember(lasting_world.here.robot("bolt"), PLANTED)
    lasting_world.there.remember(lasting_world.there.robot("bolt"), PLANTED)
    assert waiting() == before + 2, "of every organisation"
    lasting_world.here.embed()
    assert waiting() == before + 1


def test_metrics_name_no_tenant_and_no_words(lasting_world: World) -> None:
    here = lasting_world.here
    here.api("aria").post(
        "/api/v1/memories", {"content": PLANTED, "group": "launch"}, format="json"
    )
    here.browser("mina").get(f"/{PLANTED}")
    text = Client().get("/metrics").content.decode().lower()
    names = [here.organisation.name, here.organisation.slug, str(here.id), "launch", "mina", "aria"]
    assert [name for name in [*names, TRACE] if name.lower() in text] == []


@pytest.mark.parametrize(
    ("environ", "status"),
    [
        ({"REMOTE_ADDR": "127.0.0.1"}, 200),
        ({"REMOTE_ADDR": "::1"}, 200),
        ({"REMOTE_ADDR": "203.0.113.7"}, 404),
        ({"REMOTE_ADDR": ""}, 404),
        # A proxy on this machine speaks for somebody else.
        ({"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}, 404),
        ({"REMOTE_ADDR": "203.0.113.7", "HTTP_AUTHORIZATION": "Bearer right-token"}, 200),
        ({"REMOTE_ADDR": "203.0.113.7", "HTTP_AUTHORIZATION": "Bearer wrong"}, 404),
        ({"REMOTE_ADDR": "203.0.113.7", "HTTP_AUTHORIZATION": "Bearer größe"}, 404),
        ({"REMOTE_ADDR": "203.0.113.7", "HTTP_AUTHORIZATION": "Bearer "}, 404),
    ],
)
def test_who_may_see_metrics(
    committed: None, settings: Any, environ: dict[str, str], status: int
) -> None:
    settings.METRICS_TOKEN = "right-token"
    assert Client().get("/metrics", **environ).status_code == status


def test_no_token_opens_nothing(committed: None, settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    environ = {"REMOTE_ADDR": "203.0.113.7", "HTTP_AUTHORIZATION": "Bearer "}
    assert Client().get("/metrics", **environ).status_code == 404


COUNT = """
import sys, django
django.setup()
from prometheus_client import generate_latest
from config.monitoring.metrics import build_registry, observe_request
for _ in range(int(sys.argv[1])):
    observe_request("healthz", "GET", 200, .01)
print(generate_latest(build_registry()).decode())
"""


@pytest.mark.slow
def test_web_processes_add_up(tmp_path: Path) -> None:
    environment = {**os.environ, shared_metrics.FOLDER_VARIABLE: str(tmp_path)}
    for number, together in (("2", 2), ("3", 5)):
        done = subprocess.run(
            [sys.executable, "-c", COUNT, number],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=True,
            text=True,
        )
        name = 'commonmind_requests_total{method="GET",route="healthz",status="200"}'
        assert f"{name} {float(together)}" in done.stdout


@pytest.mark.parametrize("in_memory", [True, False])
def test_an_earlier_server_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: bool
) -> None:
    monkeypatch.delenv(shared_metrics.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(shared_metrics, "MEMORY", tmp_path / "memory")
    place = tmp_path / "metrics"
    if in_memory:
        place = tmp_path / "memory" / f"commonmind-metrics-{os.getuid()}"
        place.mkdir(parents=True, mode=0o700)
    mine = place / str(os.getppid())
    gone = place / "4194999"  # above the largest process number
    for folder in (mine, gone):
        folder.mkdir(parents=True)
        (folder / "counter_1.db").touch()
    old = time.time() - 10 * 365 * 86_400
    os.utime(mine / "counter_1.db", (old, old))
    (mine / "counter_2.db").touch()
    shared_metrics.share_metrics(tmp_path)
    try:
        assert os.environ[shared_metrics.FOLDER_VARIABLE] == str(mine)
        assert [p.name for p in mine.iterdir()] == ["counter_2.db"]
        assert not gone.exists()
    finally:
        os.environ.pop(shared_metrics.FOLDER_VARIABLE)


@pytest.mark.parametrize("trap", ["open", "link", "file"])
def test_no_counts_go_where_others_could_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    monkeypatch.delenv(shared_metrics.FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(shared_metrics, "MEMORY", tmp_path)
    folder = tmp_path / f"commonmind-metrics-{os.getuid()}"
    if trap == "open":
        folder.mkdir()
        folder.chmod(0o777)
    elif trap == "link":
        (tmp_path / "other").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "other")
    else:
        folder.touch()
    shared_metrics.share_metrics(tmp_path / "data")
    try:
        assert os.environ[shared_metrics.FOLDER_VARIABLE].startswith(str(tmp_path / "data"))
    finally:
        os.environ.pop(shared_metrics.FOLDER_VARIABLE)


def test_health(db: None) -> None:
    assert Client().get("/healthz").json() == {"status": "ok", "version": VERSION}
    ready = Client().get("/readyz")
    assert ready.status_code == 200
    assert set(ready.json()["parts"]) == {
        "database",
        "broker",
        "encoder",
        "encryption",
        "disk",
        "archive",
        "standby",
    }
