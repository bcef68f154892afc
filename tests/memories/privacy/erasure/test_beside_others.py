"""What an erasure leaves behind when others work beside it."""

from typing import Any
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from memories.curation.bulk_change import BulkChange, change_memories
from memories.embedding.encoder_loading import get_encoder
from memories.indexing import embed_worker
from memories.jobs.run_jobs import run_job
from memories.privacy.erasure import steps
from memories.privacy.request_erasure import erase_member
from memories.restatement import llm_worker
from memories.snapshots.export_job import EXPORTS, enqueue_export
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.databases import rolled_back_connection
from tests.memories.privacy.erasure.canaries import found_in_rows
from tests.memories.privacy.erasure.test_breaking_off import run_to_its_end
from tests.memories.restatement.test_llm_worker import Model, model  # noqa: F401
from tests.memories.restatement.test_restate import chat, member
from tests.world import NOW, Tenant, World

WORD = "Zwkxqabcdef"


def test_an_export_that_runs_beside_an_erasure_keeps_nothing(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob has asked for an export; another worker writes it after the step that removes export
    files and before the memories go."""
    here = lasting_world.here
    mina = here.members["mina"].id
    here.remember(here.person("mina"), f"I keep my {WORD} at home.", group="launch")
    job = enqueue_export(here.person("bob"), {}, now=timezone.now())

    def beside(running: Any, turn: Any) -> dict[str, int]:
        run_job(here.id, job.id, here.members["bob"].id)
        return {}

    at = [name for name, _ in steps.STEPS].index("logs") + 1
    monkeypatch.setattr(steps, "STEPS", (*steps.STEPS[:at], ("beside", beside), *steps.STEPS[at:]))
    erasure = erase_member(here.person("mina"), mina, confirm=str(mina), now=NOW)
    run_to_its_end(here, erasure)
    path = EXPORTS.path_of(job.id)
    assert not path.exists() or WORD not in path.read_text()
    got = here.browser("bob").get(f"/api/v1/jobs/{job.id}/file")
    told = b"".join(got.streaming_content) if got.streaming else got.content
    assert WORD not in told.decode()


def renamed(here: Tenant) -> str:
    name = "Zwkxqmodelo Zwkxqmodelp"
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(name=name)
    here.members["mina"].name = name
    return name


def erased(here: Tenant) -> None:
    mina = here.members["mina"].id
    run_to_its_end(here, erase_member(here.person("mina"), mina, confirm=str(mina), now=NOW))


def test_a_model_that_is_asked_beside_an_erasure_brings_no_name_back(
    lasting_world: World,
    model: Model,  # noqa: F811
) -> None:
    """What was read before the name was hidden is stored after it."""
    here = lasting_world.here
    name = renamed(here)
    chat(
        here,
        {"content": f"{name} and Peter prepare the demo.", "speaker": member(here, "bob")},
        {"content": "she needs 3 screens tomorrow, not 4", "speaker": member(here, "bob")},
    )
    once: list[bool] = []

    def answer(turn: dict[str, Any]) -> str:
        if not once:
            once.append(True)
            try:
                erased(here)
            finally:
                # The model is asked in a thread of its own.
                connections.close_all()
        if turn["text"].startswith("she"):
            return f"{name} needs 3 screens on 2026-01-06, not 4."
        return str(turn["text"])

    model.answer = answer
    llm_worker.restate_pending(here.id, now=timezone.now())
    assert once
    with rolled_back_connection("admin") as admin:
        words = {one.lower() for those in found_in_rows(admin).values() for one in those}
    assert not words & {"zwkxqmodelo", "zwkxqmodelp"}


def stored_vector(id_: UUID) -> list[float]:
    with rolled_back_connection("admin") as admin:
        [(text,)] = admin.execute(
            "SELECT own::text FROM memories_embedding WHERE memory_id = %s", [id_]
        ).fetchall()
    return [float(x) for x in text.strip("[]").split(",")]


def likeness(one: Any, other: Any) -> float:
    dot = sum(float(a) * float(b) for a, b in zip(one, other, strict=True))
    size = (sum(float(a) ** 2 for a in one) * sum(float(b) ** 2 for b in other)) ** 0.5
    return dot / size


def test_a_vector_that_is_computed_beside_an_erasure_is_not_of_the_name(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    name = renamed(here)
    id_ = here.remember(here.person("bob"), f"Ask {name} for the plans.", group="launch").id
    encode, once = embed_worker.encode_texts, []

    def beside(leases: Any, of: Any) -> Any:
        found = encode(leases, of)
        if not once:
            once.append(True)
            erased(here)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(embed_worker, "encode_texts", beside)
        here.embed()
    here.embed()
    assert once
    with resolve_principal(here.person("bob")).scope():
        row = Memory.objects.get(id=id_)
    assert name not in row.content
    old = row.content.replace("[removed]", name)
    now, _before = (get_encoder().encode([text])[0] for text in (row.content, old))
    told = stored_vector(id_)
    assert likeness(told, now) > 0.999, "it is the vector of the words with the name"


def changed_by_ada(here: Tenant, id_: UUID) -> Any:
    change = BulkChange(action="set", tags=("seen",))
    return change_memories(here.person("ada"), [id_], change, now=timezone.now())


def test_the_notes_for_undoing_a_change_of_many_hold_no_word_of_the_erased(
    lasting_world: World,
) -> None:
    """Ada set a tag on what Mina said; the tags of before stand in the result of her job."""
    here = lasting_world.here
    text, mina = "The canteen closes at two.", str(here.members["mina"].id)
    mine = here.remember(
        here.robot("aria"), text, member=mina, visibility="organisation", tags=("zwkxqundone",)
    ).id
    changed_by_ada(here, mine)
    with rolled_back_connection("admin") as admin:
        assert "zwkxqundone" in found_in_rows(admin)["memories_job"]
    erased(here)
    with rolled_back_connection("admin") as admin:
        assert [t for t, words in found_in_rows(admin).items() if "zwkxqundone" in words] == []
