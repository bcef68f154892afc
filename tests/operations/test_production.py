"""Production: its settings boot, the deployment check is clean, the compose file holds (O14)."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from django.conf import settings

from tests.databases import url

pytestmark = pytest.mark.conformance("O14")
ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"


@pytest.fixture
def environment(committed: None, tmp_path: Path) -> dict[str, str]:
    """What a deployment says, on the services of the tests; no other settings, no owner."""
    kept = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "REDIS_URL")
    return {name: os.environ[name] for name in kept if name in os.environ} | {
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": os.urandom(40).hex(),
        "ALLOWED_HOSTS": "localhost,127.0.0.1",
        "CSRF_TRUSTED_ORIGINS": "https://localhost",
        "DATABASE_URL": url("default"),
        "DATABASE_WORKER_URL": url("worker"),
        "DATABASE_SUPPORT_URL": url("support"),
        "DATA_DIR": str(tmp_path),
        "ENCODER": "fake",
    }


def manage(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_deployment_check_is_clean(environment: dict[str, str]) -> None:
    output = manage(environment, "check", "--deploy", "--fail-level", "WARNING")
    assert "no issues (0 silenced)" in output


@pytest.mark.parametrize("missing", ["SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"])
def test_nothing_is_guessed(environment: dict[str, str], missing: str) -> None:
    del environment[missing]
    with pytest.raises(AssertionError, match=missing):
        manage(environment, "check")


@pytest.fixture
def site(environment: dict[str, str]) -> Iterator[str]:
    """The web process under production settings, with its static files collected."""
    manage(environment, "collectstatic", "--noinput", "--clear")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--log-level", "warning"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{port}"
        for _attempt in range(300):
            assert process.poll() is None, "the web process ended"
            try:
                httpx.get(f"{address}/healthz")
                break
            except httpx.TransportError:
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.timeout(240)
def test_the_site_boots_and_serves(site: str) -> None:
    assert httpx.get(f"{site}/healthz").json() == {"status": "ok"}
    assert httpx.get(f"{site}/readyz").json()["status"] == "ok"
    plain = httpx.get(f"{site}/accounts/login/")
    assert plain.status_code == 301
    assert plain.headers["location"].startswith("https://")

    through = {"X-Forwarded-Proto": "https"}
    page = httpx.get(f"{site}/accounts/login/", headers=through)
    assert page.status_code == 200
    assert "max-age=31536000" in page.headers["strict-transport-security"]
    assert all("Secure" in c for c in page.headers.get_list("set-cookie"))
    style = re.search(r'href="(/static/css/app\.[0-9a-f]{12}\.css)"', page.text)
    assert style, "static files carry their hash"
    assert httpx.get(f"{site}{style[1]}", headers=through).status_code == 200
    refused = httpx.get(f"{site}/api/v1/memories", headers=through)
    assert refused.status_code == 401
    assert httpx.get(f"{site}/healthz", headers={"Host": "evil.example"}).status_code == 400


def compose() -> dict[str, Any]:
    parsed = yaml.safe_load(COMPOSE.read_text())
    assert isinstance(parsed, dict)
    return parsed


def test_the_compose_file_has_every_part() -> None:
    services = compose()["services"]
    assert {"postgres", "valkey", "migrate", "web", "worker", "beat"} <= set(services)
    assert services["postgres"]["image"] == "pgvector/pgvector:pg18"
    assert services["valkey"]["image"].startswith("valkey/valkey:")
    for name, service in services.items():
        for needed in service.get("depends_on", {}):
            assert needed in services, (name, needed)
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in compose()["volumes"], (name, volume)
    published = [p for s in services.values() for p in s.get("ports", [])]
    assert published
    assert all(p.startswith("127.0.0.1:") for p in published)


def test_only_the_migration_and_the_index_builder_hold_the_owners_password() -> None:
    for name, service in compose()["services"].items():
        held = yaml.safe_dump(service.get("environment", {}))
        privileged = "commonmind_owner" in held or "DATABASE_ADMIN_URL" in held
        assert privileged == (name in ("migrate", "indexes")), name
        assert ("DATABASE_ADMIN_URL" in held) == (name == "migrate"), name


def test_every_queue_of_the_settings_has_a_worker() -> None:
    taken = {
        service["command"][service["command"].index("--queues") + 1]
        for service in compose()["services"].values()
        if "--queues" in service.get("command", [])
    }
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    assert taken == {"celery"} | routed


def test_the_example_of_the_environment_names_every_variable() -> None:
    used = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text()))
    example = (ROOT / ".env.example").read_text()
    named = set(re.findall(r"^#? ?(\w+)=", example, re.MULTILINE))
    assert used <= named
    required = set(re.findall(r"\$\{(\w+):\?", COMPOSE.read_text()))
    assert required
    for name in required:
        assert f"\n{name}=\n" in example, f"{name} has no default that would be used by mistake"
