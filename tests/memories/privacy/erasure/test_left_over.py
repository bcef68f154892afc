"""What an erasure might leave beside the rows: files of others, vectors of questions, digests."""

from uuid import UUID

import numpy as np
import pytest
from django.db import connection

from memories.embedding.query_cache import get_query_cache
from memories.jobs.job_queue import enqueue_job
from memories.jobs.models import Job, JobType
from memories.lifecycle.llm_checks.stored_answers import ModelAnswer, store_answer
from memories.privacy.erase_memory import erase_memory
from memories.privacy.erasure import cleanup
from memories.privacy.erasure.begin_erasure import load_name_terms
from memories.privacy.erasure.erasure_run import ErasureRun, ErasureTarget
from memories.privacy.erasure.hide_names import hide_names
from memories.privacy.erasure.name_terms import REPLACEMENT, build_name_terms
from memories.privacy.request_erasure import erase_member, find_unfinished_erasure
from memories.snapshots.export_job import EXPORTS
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.memories.privacy.erasure.test_names import SPELLINGS
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T14")


def exported(tenant: Tenant, name: str) -> UUID:
    """A finished export of a member, with its file."""
    principal = resolve_principal(tenant.person(name))
    with principal.scope():
        job = enqueue_job(principal, JobType.EXPORT, {}, total=1, now=NOW)
        Job.objects.filter(id=job.id).update(state="done", finished_at=NOW)
    path = EXPORTS.path_of(job.id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b'{"content": "Mina said so."}')
    return job.id


def erasing(here: Tenant) -> ErasureRun:
    """An erasure of Mina that is about to run."""
    mina = here.members["mina"].id
    erase_member(here.person("mina"), mina, confirm=str(mina), now=NOW)
    erasure = find_unfinished_erasure(here.id, ErasureTarget.MEMBER, mina)
    assert erasure is not None
    return ErasureRun(erasure, NOW)


def test_the_export_files_of_all_members_go(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    ours = [exported(here, name) for name in ("mina", "bob", "ada")]
    theirs = exported(there, "bob")
    running = erasing(here)
    assert cleanup.discard_exports(running) == 3
    assert not any(EXPORTS.path_of(id_).exists() for id_ in ours)
    assert EXPORTS.path_of(theirs).exists(), "of another organisation nothing is erased"
    EXPORTS.discard(theirs)
    assert cleanup.discard_exports(running) == 0


def test_no_process_keeps_the_vector_of_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = get_query_cache()
    cache.clear()
    asked: list[str] = []

    def encode(text: str) -> np.ndarray:
        asked.append(text)
        return np.ones(3)

    # As if each question came some seconds after the last one.
    monkeypatch.setattr("memories.embedding.query_cache.CHECK_INTERVAL_SECONDS", 0)
    for _ in range(2):
        cache.get("model", "When is Mina away?", encode)
    assert len(asked) == 1, "it was kept"
    cleanup.clear_query_caches()
    cache.get("model", "When is Mina away?", encode)
    assert len(asked) == 2
    cache.clear()


def answers(here: Tenant) -> set[bytes]:
    with organisation_scope(here.id, using="worker"):
        rows = ModelAnswer.objects.using("worker").filter(organisation_id=here.id)
        return {bytes(one) for one in rows.values_list("question", flat=True)}


def judged(here: Tenant, older: UUID, newer: UUID) -> None:
    """A model has compared the two: the answer belongs to the newer one."""
    with organisation_scope(here.id, using="worker"):
        row = Memory.objects.using("worker").get(organisation_id=here.id, id=newer)
        store_answer(
            here.id, newer, row.audience_id, row.kind,
            question=older.bytes + newer.bytes, answer="different", now=NOW,
        )  # fmt: skip


def test_no_digest_of_a_text_outlives_it(lasting_world: World) -> None:
    """Neither where it is erased, nor where a name in it is hidden: on whichever side it stood."""
    here = lasting_world.here
    aria = here.robot("aria")
    hers, other, third = (
        here.remember(here.person("bob"), f"{text}.", visibility="group", group="launch").id
        for text in ("Tea is at nine", "Tea is at ten", "Tea is at eleven")
    )
    far = [here.remember(aria, f"Note {n}.", visibility="internal").id for n in range(2)]
    judged(here, hers, other)
    judged(here, other, third)
    judged(here, *far)
    erase_memory(here.person("bob"), hers, confirm=str(hers), now=NOW)
    kept = far[0].bytes + far[1].bytes
    assert answers(here) == {kept}, "what was shown to others is asked no more than before"


def test_no_digest_outlives_a_name_that_is_hidden(lasting_world: World) -> None:
    here = lasting_world.here
    named, other = (
        here.remember(here.robot("aria"), text, group="launch").id
        for text in ("Mina waters the plants.", "The plants are green.")
    )
    judged(here, named, other)
    running = erasing(here)
    hide_names(running, load_name_terms(running))
    with organisation_scope(here.id, using="worker"):
        text = Memory.objects.using("worker").get(organisation_id=here.id, id=named).content
    assert "Mina" not in text
    assert answers(here) == set()


@pytest.mark.parametrize(("name", "text", "said"), SPELLINGS)
def test_the_database_finds_the_same_spellings(db: None, name: str, text: str, said: str) -> None:
    terms, original = build_name_terms([name], [], []), text
    with connection.cursor() as cursor:
        for pattern, exact in terms.patterns:
            cursor.execute(
                "SELECT regexp_replace(%s, %s, %s, %s)",
                [text, pattern, REPLACEMENT, "g" if exact else "gi"],
            )
            [text] = cursor.fetchone()
        assert text == said
        # What only looks for rows finds at least these.
        cursor.execute("SELECT %s ~* %s", [original, terms.beginnings])
        assert cursor.fetchone() == (True,)
