"""What is erased is not on the disk either: tables, indexes, logs, files, and no nearest vector."""

from pathlib import Path

import pytest
from django.conf import settings

from memories.embedding.encoder_loading import get_encoder
from memories.ingestion.file_import.import_job import UPLOADS
from memories.jobs.models import Job, JobType
from memories.privacy.receipts import create_link, get_receipt
from memories.privacy.request_erasure import erase_member
from memories.snapshots.export_job import EXPORTS
from orgs.models.base import new_id
from orgs.principals import resolve_principal
from tests.databases import autocommit_connection
from tests.memories.privacy.erasure.canaries import found_in_files, found_in_rows, plant_canaries
from tests.memories.privacy.erasure.test_erase_member import finish
from tests.world import NOW, World


def data_folder() -> Path:
    """Of the database of this test; its server runs on this machine."""
    with autocommit_connection("admin") as admin:
        # What is still in memory alone is no proof.
        admin.execute("CHECKPOINT")
        [(folder, database)] = admin.execute(
            "SELECT current_setting('data_directory'), oid::text FROM pg_database "
            "WHERE datname = current_database()"
        ).fetchall()
    return Path(folder) / "base" / database


def relations() -> dict[str, str]:
    """Tables and indexes by the name of their file, for whoever reads why it failed."""
    with autocommit_connection("admin") as admin:
        rows = admin.execute(
            "SELECT pg_relation_filenode(oid)::text, relname FROM pg_class "
            "WHERE pg_relation_filenode(oid) IS NOT NULL"
        )
        return dict(rows.fetchall())


@pytest.mark.conformance("T14")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("times", [1, pytest.param(26, marks=pytest.mark.slow)])
def test_files_logs_and_pages_hold_nothing(lasting_world: World, times: int) -> None:
    here, prefix = lasting_world.here, "qvjxz"
    planted = plant_canaries(here, times, prefix="Qvjxz")
    assert len(planted.words) >= (500 if times > 1 else 20)
    word = planted.words[2]
    log = Path(settings.DATA_DIR) / "log" / "web.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    name = here.members["mina"].name
    log.write_text(f"said {name} of\nnothing else\n")
    mina = resolve_principal(here.person("mina"))
    jobs = {kind: new_id() for kind in (JobType.IMPORT, JobType.EXPORT)}
    with mina.scope():
        for kind, id_ in jobs.items():
            Job(
                id=id_,
                organisation_id=here.id,
                audience_id=mina.own_audience,
                member_id=here.members["mina"].id,
                kind=kind,
                parameters={"name": f"{word}.jsonl"},
                created_at=NOW,
                queued_at=NOW,
            ).save(force_insert=True)
    paths = [
        UPLOADS.path_of(jobs[JobType.IMPORT]),
        EXPORTS.path_of(jobs[JobType.EXPORT]),
    ]
    for path in paths:
        path.write_text(f"{word}\n")
    folder = data_folder()
    assert list(found_in_files(prefix, folder)), "it is on the disk before"

    member = here.members["mina"].id
    erasure = erase_member(here.person("mina"), member, confirm=str(member), now=NOW)
    finish(here, erasure)
    here.embed()

    counts = get_receipt(create_link(erasure)).counts
    assert counts.get("not_rewritten", 0) == 0, counts
    left = list(found_in_files(prefix, data_folder()))
    assert left == [], (counts, relations())
    assert not any(path.exists() for path in paths)
    assert log.read_text() == f"said {'*' * len(name)} of\nnothing else\n"
    log.unlink()
    with autocommit_connection("admin") as admin:
        assert not [
            t
            for t, words in found_in_rows(admin).items()
            if any(prefix in w.lower() for w in words)
        ]
    _nothing_is_near(here_id=here.id, words=planted.words)


def _nothing_is_near(*, here_id: object, words: list[str]) -> None:
    """The nearest vectors to each planted text are those of texts that do not hold it."""
    with autocommit_connection("admin") as admin:
        for word in words[:10]:
            vector = get_encoder().encode([f"She keeps her {word} in the {word}."])[0]
            rows = admin.execute(
                "SELECT m.content FROM memories_search s JOIN memories_memory m "
                "ON m.id = s.memory_id WHERE s.organisation_id = %s "
                "ORDER BY s.embedding <=> %s::halfvec LIMIT 5",
                [here_id, str([float(x) for x in vector])],
            ).fetchall()
            assert rows, "there is something to compare with"
            assert not any("qvjxz" in text.lower() for (text,) in rows)
