"""How the database is reached is said by its address."""

import pytest

from config.celery import app
from config.settings.services import databases


def test_an_address_keeps_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "DATABASE_WORKER_URL"):
        monkeypatch.setenv(name, "postgresql://a:b@c/d?sslmode=verify-full&sslrootcert=/x")
    found = databases(pool_size=3)
    assert found["worker"]["OPTIONS"] == {
        "sslmode": "verify-full", "sslrootcert": "/x", "prepare_threshold": 0,
    }  # fmt: skip
    assert found["default"]["OPTIONS"]["sslmode"] == "verify-full"
    assert found["default"]["OPTIONS"]["pool"]["max_size"] == 3


@pytest.mark.conformance("O08")
def test_a_process_that_a_worker_starts_has_time_on_a_busy_machine() -> None:
    """Celery kills it after four seconds, starts another one, and kills that as well."""
    assert app.conf.worker_proc_alive_timeout == 60
