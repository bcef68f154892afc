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

from config.version import VERSION
from tests.databases import database_url

pytestmark = pytest.mark.conformance("O14")
ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"
# The name that the deployment has; the tests ask by address, as probes do.
NAME = "memory.example.org"


def deployment(data_dir: Path) -> dict[str, str]:
    """What a deployment says, on the services of the tests; no other settings, no owner."""
    kept = ("PATH", "HOME", "LANG", "VIRTUAL_ENV", "REDIS_URL")
    return {name: os.environ[name] for name in kept if name in os.environ} | {
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": os.urandom(40).hex(),
        "ALLOWED_HOSTS": NAME,
        "PUBLIC_URL": f"https://{NAME}",
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATABASE_SUPPORT_URL": database_url("support"),
        "DATA_DIR": str(data_dir),
        "ENCODER": "fake",
    }


@pytest.fixture
def environment(committed: None, tmp_path: Path) -> dict[str, str]:
    return deployment(tmp_path)


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


@pytest.mark.slow
def test_the_deployment_check_is_clean(environment: dict[str, str]) -> None:
    behind_a_proxy = environment | {"TRUSTED_PROXY_COUNT": "1"}
    output = manage(behind_a_proxy, "check", "--deploy", "--fail-level", "WARNING")
    # Subdomains and preloading are for the operator; of SCIM's addresses base.py says why.
    assert "System check identified no issues" in output
    show = "from django.conf import settings; print(*settings.SILENCED_SYSTEM_CHECKS)"
    assert "urls.W002 security.W005 security.W021\n" in manage(behind_a_proxy, "shell", "-c", show)


@pytest.mark.parametrize(
    "missing", ["SECRET_KEY", "ALLOWED_HOSTS", "PUBLIC_URL", "DATABASE_URL", "REDIS_URL"]
)
def test_nothing_is_guessed(environment: dict[str, str], missing: str) -> None:
    del environment[missing]
    with pytest.raises(AssertionError, match=missing):
        manage(environment, "check")


@pytest.mark.parametrize(
    "address",
    ["https://tools.example.org/memory", "memory.example.org", "https://", "ftp://a.example"],
)
def test_an_address_that_no_page_can_have_is_refused(
    environment: dict[str, str], address: str
) -> None:
    with pytest.raises(AssertionError, match=r"PUBLIC_URL is .* no path"):
        manage(environment | {"PUBLIC_URL": address}, "check")


@pytest.fixture(scope="module")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The web process under production settings, with its static files collected."""
    environment = deployment(tmp_path_factory.mktemp("site"))
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


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_site_boots_and_serves(site: str) -> None:
    assert httpx.get(f"{site}/healthz").json() == {"status": "ok", "version": VERSION}
    assert httpx.get(f"{site}/readyz").json()["status"] == "ok"
    plain = httpx.get(f"{site}/accounts/login/", headers={"Host": NAME})
    assert plain.status_code == 301
    assert plain.headers["location"].startswith(f"https://{NAME}/")

    through = {"Host": NAME, "X-Forwarded-Proto": "https"}
    page = httpx.get(f"{site}/accounts/login/", headers=through)
    assert page.status_code == 200
    assert page.headers["strict-transport-security"] == "max-age=31536000"
    assert all("Secure" in c for c in page.headers.get_list("set-cookie"))
    style = re.search(r'href="(/static/css/app\.[0-9a-f]{12}\.css)"', page.text)
    assert style, "static files carry their hash"
    kept = httpx.get(f"{site}{style[1]}", headers=through)
    assert kept.status_code == 200
    assert kept.headers["content-encoding"] == "gzip"
    assert "immutable" in kept.headers["cache-control"]
    refused = httpx.get(f"{site}/api/v1/memories", headers=through)
    assert refused.status_code == 401


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_probes_ask_by_address_and_nothing_else_does(site: str) -> None:
    inside = ["127.0.0.1:8000", "10.1.2.3", "[::1]:8000", "web:8000", "localhost"]
    for path in ("/healthz", "/readyz", "/metrics"):
        for host in [*inside, NAME]:
            answer = httpx.get(f"{site}{path}", headers={"Host": host})
            assert answer.status_code == 200, (path, host)
        for host in ("evil.example", "web.evil.example:80", "a b", "127.0.0.1.evil.example"):
            assert httpx.get(f"{site}{path}", headers={"Host": host}).status_code == 400, host
        assert httpx.post(f"{site}{path}").status_code == 400, "only what is read"
    through = {"X-Forwarded-Proto": "https"}
    for path in ("/accounts/login/", "/api/v1/memories", "/healthz/", "/admin/login/"):
        for host in [*inside, "evil.example"]:
            answer = httpx.get(f"{site}{path}", headers=through | {"Host": host})
            assert answer.status_code == 400, (path, host)
    forwarded = {"X-Forwarded-For": "203.0.113.7"}
    assert httpx.get(f"{site}/metrics", headers=forwarded).status_code == 404, "not for a proxy"


@pytest.mark.slow
def test_forms_are_taken_from_the_sites_own_address(environment: dict[str, str]) -> None:
    code = "from django.conf import settings; print(settings.CSRF_TRUSTED_ORIGINS)"
    assert f"['https://{NAME}']" in manage(environment, "shell", "--no-imports", "-c", code)


def compose() -> dict[str, Any]:
    parsed = yaml.safe_load(COMPOSE.read_text())
    assert isinstance(parsed, dict)
    return parsed


def test_the_compose_file_has_every_part() -> None:
    services = compose()["services"]
    assert {"postgres", "valkey", "migrate", "web", "worker", "beat"} <= set(services)
    for name, service in services.items():
        image = service["image"]
        pinned = re.search(r":\d+\.\d+\.\d+", image)
        own = image == "commonmind" and service["build"]["context"] == "."
        assert pinned or own, name
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


def test_the_product_reads_every_variable_that_the_services_are_given() -> None:
    """A misspelt one would be ignored without a word."""
    sources = [p.read_text() for p in (ROOT / "config").rglob("*.py")]
    # Read by prometheus_client, and by the SDK of OpenTelemetry.
    theirs = {"PROMETHEUS_MULTIPROC_DIR", "OTEL_EXPORTER_OTLP_HEADERS"}
    theirs |= {"OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"}
    for name, service in compose()["services"].items():
        if service["image"] != "commonmind":
            continue
        for variable in service["environment"]:
            known = variable in theirs or any(f'"{variable}"' in source for source in sources)
            assert known or variable.startswith("COMMONMIND_"), (name, variable)
