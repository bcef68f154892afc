"""The command of documents: import, list, forget."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.jobs import run_jobs
from memories.tasks import run_job
from tests.memories.curation.documents.test_documents import GUIDE, here
from tests.world import Tenant

__all__ = ["here"]


@pytest.fixture(autouse=True)
def _found(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orgs.management.output.get_organisation", lambda _slug: here.organisation)
    monkeypatch.setattr(
        "memories.management.commands.documents.Command.member",
        lambda _self, _organisation, _email: here.person("bob"),
    )
    monkeypatch.setattr(run_jobs, "list_organisation_ids", lambda: [here.id])


def run(here: Tenant, act: str, what: object = "", **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command(
        "documents", act, str(what), organisation=here.organisation.slug, email="bob@example.com",
        json=True, stdout=out, **options,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_a_document_by_the_command(here: Tenant, tmp_path: Path) -> None:
    path = tmp_path / "Guide.md"
    path.write_bytes(GUIDE)
    assert run(here, "import", path, dry_run=True)["added"] == "3"
    made = run(here, "import", path)
    while run_job():
        pass
    assert run(here, "list")[made["document"]].startswith("Guide.md: 3 parts")
    assert run(here, "forget", made["document"]) == {"forgotten": 3, "kept": 0}
    assert run(here, "list") == {}


@pytest.mark.parametrize(("act", "what"), [("forget", "nothing"), ("import", "/nowhere/a.pdf")])
def test_what_is_not_there(here: Tenant, act: str, what: str) -> None:
    with pytest.raises(CommandError, match="There is no"):
        run(here, act, what)
