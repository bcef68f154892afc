"""The environment: the table of docs/operations.md is complete, true, and what Docker gets.

The table is the one list: what the code reads, what docker-compose.yml passes on and what
.env.example offers are compared with it.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.embedded.servers.passwords import LOGIN_ROLES
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.valkey import Valkey

pytestmark = pytest.mark.conformance("T17")

ROOT = Path(__file__).resolve().parents[3]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = ("migrate", "web", "worker", "jobs", "indexes", "beat")
# Read by us and set by the system, by the test runner or by another process of ours.
INNER = {"PATH", "PYTEST_XDIST_WORKER", "PROMETHEUS_MULTIPROC_DIR", "COMMONMIND_RUN"}
# Put together in the source from the names of roles and servers, and read by Django itself.
BY_ROLE = {f"{role.upper()}_PASSWORD" for role in LOGIN_ROLES}
BY_NAME = BY_ROLE | {f"{kind.name.upper()}_PORT" for kind in (Postgres, Valkey)}
BY_NAME |= {"DJANGO_SETTINGS_MODULE"}
# And by the SDK of OpenTelemetry.
BY_NAME |= {"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"}


def table(heading: str) -> dict[str, tuple[str, ...]]:
    """{variable: (default, Docker)} of the first table under a line of the page."""
    text = (ROOT / "docs/operations.md").read_text().split(heading, 1)[1]
    rows = {}
    for line in re.search(r"(?:^\|.*\n)+", text, re.M)[0].splitlines()[2:]:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        names = re.findall(r"`(\w+)`", cells[0])
        defaults = cells[1].split(", ") if cells[1].count("`") == 2 * len(names) else [cells[1]]
        for number, name in enumerate(names):
            default = defaults[number] if len(defaults) == len(names) else cells[1]
            rows[name] = (default.strip("`"), cells[2].strip("`"))
    return rows


SETTINGS = table("## Settings")
DOCKER_ALONE = table("for Docker alone")


@cache
def variables_read() -> dict[str, Any]:
    """{variable: its literal default, None without one} of everything in the source that reads the
    environment by a name."""
    found: dict[str, Any] = {}
    folders = [ROOT / name for name in ("config", "orgs", "robots", "memories", "personas")]
    for path in [*ROOT.glob("*.py"), *(path for one in folders for path in one.rglob("*.py"))]:
        source = path.read_text()
        if not re.search(r"\benv\b|environ|DATABASE_", source):
            continue
        for node in ast.walk(ast.parse(source)):
            name, default = _read_by(node)
            if name and found.get(name) is None:
                found[name] = default
    return {name: default for name, default in found.items() if name not in INNER}


def _read_by(node: ast.AST) -> tuple[str, Any]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        name, owner = node.args[0], ast.unparse(node.func.value)
        # `setdefault` writes.
        known = node.func.attr != "setdefault"
        if known and owner in ("env", "environ", "os.environ", "self.environ") and _is_name(name):
            keyword = next((k.value for k in node.keywords if k.arg == "default"), None)
            return name.value, _literal(keyword)
    # A helper that takes the environment, the name and perhaps the default.
    if isinstance(node, ast.Call) and [ast.unparse(one) for one in node.args[:1]] == ["environ"]:
        name, default = [*node.args[1:], None, None][:2]
        return (name.value, _literal(default)) if _is_name(name) else ("", None)
    looked_up = isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("environ")
    if looked_up and _is_name(node.slice):
        return node.slice.value, None
    # The addresses of the roles are read by the names of a table.
    if _is_name(node) and re.fullmatch(r"DATABASE_([A-Z]+_)?URL", node.value):
        return node.value, None
    return "", None


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isupper()


def _literal(node: ast.AST | None) -> Any:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _literal(node.left) * _literal(node.right)
    return node.value if isinstance(node, ast.Constant) else None


def test_the_table_names_exactly_what_is_read() -> None:
    read = set(variables_read()) | BY_NAME
    assert sorted(read - set(SETTINGS)) == [], "no row in docs/operations.md"
    assert sorted(set(SETTINGS) - read) == [], "nothing reads it"


def test_the_table_names_the_defaults_that_are_shipped() -> None:
    told = {name: default for name, (default, _) in SETTINGS.items()}
    shipped = {
        name: value
        for name, value in variables_read().items()
        if isinstance(value, int | float) or (isinstance(value, str) and value)
    }
    assert len(shipped) > 30
    wrong = {}
    for name, value in shipped.items():
        words = f"{value:g}" if isinstance(value, float) else str(value)
        words = words.lower() if isinstance(value, bool) else words
        # "8 (production 10)": each kind of installation has its own.
        if words not in re.split(r"[`\s(),]+", told[name]) and words != told[name]:
            wrong[name] = (told[name], words)
    assert wrong == {}


def test_docker_gets_what_the_table_says() -> None:
    passed = COMPOSE["x-environment"]
    from_env = {name for name, (_, docker) in SETTINGS.items() if docker == ".env"}
    told = BY_ROLE | {"PORT", "WEB_WORKERS"}
    assert sorted(from_env - told - set(passed)) == [], "it would do nothing in .env"
    for name in from_env - told:
        assert passed[name] is None or passed[name].startswith(f"${{{name}:?"), name
    used = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    assert used - from_env == set(DOCKER_ALONE)
    assert told <= used
    given = set().union(*(set(COMPOSE["services"][name]["environment"]) for name in OURS))
    by_file = {name for name, (_, docker) in SETTINGS.items() if docker == "set"}
    in_image = {"DATA_DIR", "DJANGO_SETTINGS_MODULE"}
    assert by_file - in_image <= given
    for name in in_image:
        assert f"{name}=" in (ROOT / "Dockerfile").read_text()
    assert given - by_file - from_env - {"PROMETHEUS_MULTIPROC_DIR"} == set()


def test_the_example_offers_every_setting_with_its_default() -> None:
    lines = re.findall(r"^(#?)(\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.M)
    from_env = {name for name, (_, docker) in SETTINGS.items() if docker == ".env"}
    assert sorted(name for _, name, _ in lines) == sorted(from_env | set(DOCKER_ALONE))
    told = {name: default for name, (default, _) in SETTINGS.items()}
    wrong = {
        name: (value, told.get(name))
        for mark, name, value in lines
        if mark
        and value
        and not value.startswith(("http", "/"))
        and name in told
        and value not in re.split(r"[`\s(),]+", told[name])
        and value != told[name]
    }
    assert wrong == {}


def test_each_service_has_the_addresses_of_its_roles_and_no_other() -> None:
    roles = {
        name: {
            key.removeprefix("DATABASE_").removesuffix("_URL")
            for key in COMPOSE["services"][name]["environment"]
            if key.startswith("DATABASE_") and key.endswith("URL")
        }
        for name in OURS
    }
    application = {"URL", "REPLICA"}
    assert roles == {
        "migrate": application | {"WORKER", "SUPPORT", "OWNER", "ADMIN"},
        "web": application | {"WORKER", "SUPPORT"},
        "worker": application | {"WORKER"},
        "jobs": application | {"WORKER"},
        "indexes": application | {"WORKER", "OWNER"},
        "beat": application,
    }
    passwords = {name for name in OURS for key in COMPOSE["services"][name]["environment"]
                 if key.endswith("_PASSWORD") and key != "SMTP_PASSWORD"}  # fmt: skip
    assert passwords == {"migrate"}


def test_the_password_of_valkey_is_in_a_file() -> None:
    valkey = COMPOSE["services"]["valkey"]
    assert "VALKEY_PASSWORD" not in str(valkey)
    assert valkey["configs"] == [{"source": "valkey", "target": "/etc/valkey.conf"}]
    assert valkey["command"][:2] == ["valkey-server", "/etc/valkey.conf"]
    assert COMPOSE["configs"]["valkey"]["content"].startswith("requirepass ${VALKEY_PASSWORD:?")
