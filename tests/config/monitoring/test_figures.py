"""The figures of /metrics beside requests and recalls, who answers them for a worker, and the files
for Prometheus and Grafana (O20)."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import yaml
from django.db import connection
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from config import shared_metrics
from config.monitoring import worker_tasks
from config.version import VERSION
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.query_cache import encode_query
from tests.world import World

pytestmark = pytest.mark.conformance("O20")

ROOT = Path(__file__).resolve().parents[3]
FILES = ROOT / "docs/monitoring"


def scraped() -> dict[tuple[str, ...], float]:
    """{(sample, its labels in order): value}."""
    text = Client().get("/metrics").content.decode()
    return {
        (one.name, *(one.labels[name] for name in sorted(one.labels))): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def test_tasks_are_counted_by_their_end(committed: None) -> None:
    task = SimpleNamespace(name="memories.x", request=SimpleNamespace())
    before = scraped()
    for state in ("SUCCESS", "SUCCESS", "FAILURE"):
        worker_tasks.begin_task(task, {})
        worker_tasks.end_task(task, state)
    after = scraped()

    def grown(*key: str) -> float:
        return after[key] - before.get(key, 0.0)

    assert grown("commonmind_tasks_total", "success", "memories.x") == 2
    assert grown("commonmind_tasks_total", "failure", "memories.x") == 1
    assert grown("commonmind_task_seconds_count", "memories.x") == 3


def test_the_encoder_is_measured_when_it_is_asked(committed: None) -> None:
    key = ("commonmind_encode_seconds_count", get_encoder().name, "query")
    before = scraped().get(key, 0.0)
    for _ in range(2):
        encode_query("what no other test asks: ibex")
    assert scraped()[key] == before + 1, "the second time the vector is kept"


def test_connections_are_counted_while_they_are_held(committed: None) -> None:
    in_use = ("commonmind_database_connections_in_use", "default")
    waited = ("commonmind_database_connect_seconds_count", "default")
    connection.close()
    before = scraped()
    connection.ensure_connection()
    held = scraped()
    connection.close()
    assert held[waited] > before[waited]
    # A page closes its connection at the end, so the figure is that of the page alone.
    assert before[in_use] == scraped()[in_use]


def test_work_of_every_organisation_is_counted(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config.monitoring import metrics

    monkeypatch.setattr(metrics.work_collector, "_looked_at", -metrics.WORK_SECONDS)
    found = scraped()
    assert found["commonmind_build_info", VERSION] == 1
    assert {key[1] for key in found if key[0] == "commonmind_jobs"} == {
        "waiting", "running", "dead"
    }  # fmt: skip
    assert found["commonmind_work_waits_seconds",] >= 0
    assert {key[1] for key in found if key[0] == "commonmind_queue_messages"} == {
        "celery", "jobs", "indexes"
    }  # fmt: skip


def test_a_broker_that_is_away_leaves_its_figure_out(committed: None, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    assert not any(key[0] == "commonmind_queue_messages" for key in scraped())


def test_what_a_process_had_ends_with_it(tmp_path: Path) -> None:
    ours, gone = os.getpid(), 4_194_999
    names = [f"gauge_livesum_{ours}.db", f"gauge_livesum_{gone}.db", f"counter_{gone}.db"]
    for name in names:
        (tmp_path / name).touch()
    shared_metrics.forget_ended_processes(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([names[0], names[2]])


# --- a worker's own ---

SERVE = """
import django, time
django.setup()
from types import SimpleNamespace
from config.monitoring import worker_tasks
worker_tasks.serve_metrics()
task = SimpleNamespace(name="memories.x", request=SimpleNamespace())
worker_tasks.begin_task(task, {})
worker_tasks.end_task(task, "SUCCESS")
print("ready", flush=True)
time.sleep(60)
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_worker_answers_for_itself_and_for_whom_the_site_does(tmp_path: Path) -> None:
    port = free_port()
    environ = {
        **os.environ,
        "WORKER_METRICS_PORT": str(port),
        "METRICS_TOKEN": "right-token",
        shared_metrics.FOLDER_VARIABLE: str(tmp_path / "counts"),
    }
    worker = subprocess.Popen(
        [sys.executable, "-c", SERVE], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True
    )
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        address = f"http://127.0.0.1:{port}"
        assert (
            'commonmind_tasks_total{outcome="success",task="memories.x"} 1.0'
            in httpx.get(f"{address}/metrics").text
        )
        wrong = {"Authorization": "Bearer wrong"}
        assert httpx.get(f"{address}/").status_code == 404
        assert httpx.get(f"{address}/metrics", headers=wrong).status_code == 404
        # A caller who says nothing holds up nobody.
        with socket.create_connection(("127.0.0.1", port)):
            in_time = worker_tasks.CALLER_SECONDS / 2
            assert httpx.get(f"{address}/metrics", timeout=in_time).status_code == 200
    finally:
        worker.kill()
        worker.communicate()


def test_without_a_folder_or_a_free_port_a_worker_does_not_start(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        settings.WORKER_METRICS_PORT = taken.getsockname()[1]
        monkeypatch.delenv(shared_metrics.FOLDER_VARIABLE, raising=False)
        with pytest.raises(SystemExit, match="needs PROMETHEUS_MULTIPROC_DIR"):
            worker_tasks.serve_metrics()
        monkeypatch.setenv(shared_metrics.FOLDER_VARIABLE, str(tmp_path))
        with pytest.raises(SystemExit, match="in use"):
            worker_tasks.serve_metrics()


# --- the files ---


def test_the_files_name_figures_that_there_are(lasting_world: World) -> None:
    """A name that is misspelt would be an alert that never comes."""
    text = Client().get("/metrics").content.decode()
    known = {
        name
        for family in text_string_to_metric_families(text)
        if not family.name.endswith("_created")
        for name in (family.name, *(f"{family.name}_{end}" for end in ("total", "bucket", "count")))
    }
    for file in ("alerts.yml", "dashboard.json"):
        named = set(re.findall(r"commonmind_\w+", (FILES / file).read_text()))
        assert named - known == set(), file
        assert len(named) > 6
    operations = (ROOT / "docs/operations.md").read_text()
    table = set(re.findall(r"`(commonmind_\w+)`", operations))
    assert table - known == set()
    of_ours = {name for name in known if name.startswith("commonmind_")}
    families = {re.sub(r"_(total|bucket|count)$", "", name) for name in of_ours}
    assert families - {re.sub(r"_total$", "", name) for name in table} == set()


def test_the_files_can_be_read() -> None:
    rules = yaml.safe_load((FILES / "alerts.yml").read_text())["groups"][0]["rules"]
    assert all(one["annotations"].keys() == {"summary", "advice"} for one in rules)
    targets = yaml.safe_load((FILES / "prometheus.yml").read_text())["scrape_configs"][1]
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    for target in targets["static_configs"][0]["targets"]:
        name, _, port = target.partition(":")
        assert compose[name]["environment"]["WORKER_METRICS_PORT"] == port
    panels = json.loads((FILES / "dashboard.json").read_text())["panels"]
    assert len({one["id"] for one in panels}) == len(panels) == 15
