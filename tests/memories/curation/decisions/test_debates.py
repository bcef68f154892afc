"""A scripted debate: what each hook writes, and for whom."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from memories.curation.decision_records.models import Debate
from memories.jobs.models import Job, JobType
from memories.lifecycle.surprise import LEARNING_RATE
from memories.privacy.forget_all import forget_all
from memories.retrieval.models import Feedback, Recall
from memories.store.models.memory import Memory
from memories.store.models.reader_use import KnownUse
from memories.store.models.version import Derivation
from memories.tasks import run_job
from orgs.database.rls import Scope, scope
from orgs.models.audiences import Audience
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World

URL = "/api/v1/debates"


def post(client: APIClient, path: str = "", status: int = 201, **body: Any) -> Any:
    answer = client.post(f"{URL}{path}", body, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


@pytest.mark.conformance("G29")
def test_every_write_of_a_scripted_debate(world: World) -> None:  # noqa: PLR0915
    here, aria, api = world.here, world.here.robot("aria"), world.here.api("aria")
    slow, medium, _fast = (
        here.remember(aria, f"The {tier} queue for mails drops some.", group="launch", tier=tier).id
        for tier in ("slow", "medium", "fast")
    )
    elsewhere = here.remember(aria, "Bananas are yellow.", group="design").id

    # Phase 0: what has settled, and nothing but the debate is written.
    before = _count(here)
    opened = post(api, topic="Which queue for mails", group="launch")
    assert {one["id"] for one in opened["memories"]} == {str(slow), str(medium)}
    assert opened["preparation"] == {"text": "", "citations": []}
    assert (opened["state"], opened["decision"]) == ("open", None)
    assert _count(here) == before
    debate = opened["id"]
    assert api.get(f"{URL}/{debate}").json()["topic"] == "Which queue for mails"
    with resolve_principal(aria).scope():
        row = Debate.objects.get()
        assert row.audience_id == Memory.objects.get(id=slow).audience_id
        served = Recall.objects.get(id=opened["recall_id"]).hits
        predicted = {id_: score for id_, score, *_ in served}

    # Phase 2: critiques in the fast tier, surprise for what they used.
    mina = str(here.members["mina"].id)
    said = post(
        api,
        f"/{debate}/critiques",
        critiques=[
            {"content": "It drops mails at night.", "by": mina},
            {"content": "It costs too much.", "by": f"robot:{here.robots['bolt'].id}"},
            {"content": "Nobody knows it."},
        ],
        used=[{"memory": str(slow), "usefulness": 1.0}],
    )
    surprise = LEARNING_RATE * (1.0 - predicted[str(slow)])
    assert said["used"] == [{"memory": str(slow), "surprise": pytest.approx(surprise)}]
    assert surprise > 0
    with resolve_principal(aria).scope():
        rows = [Memory.objects.with_names().get(id=one["id"]) for one in said["critiques"]]
        assert {(one.tier, one.topic, one.audience_id) for one in rows} == {
            ("fast", "Which queue for mails", row.audience_id)
        }
        assert [(one.speaker, one.speaker_member_id) for one in rows] == [
            ("Mina", here.members["mina"].id),
            (here.robots["bolt"].name, None),
            ("", None),
        ]
        assert {one.source["debate"] for one in rows} == {debate}
        assert Derivation.objects.filter(source_id=slow).count() == 3
        told = Feedback.objects.get()
        assert (told.memory_id, told.usefulness, told.outcome) == (slow, 1.0, "")

    unserved = here.remember(aria, "It came in late.", group="launch").id
    # Phase 7: the decision, the outcome of what it rests on, a consolidation that is owed.
    done = post(
        api,
        f"/{debate}/outcome",
        conclusion="The table that we have.",
        agree=3,
        disagree=1,
        dissents=[{"kind": "risk_warning", "content": "It may lock.", "by": mina}],
        references=[str(slow), str(medium), str(unserved), str(elsewhere), str(uuid4())],
        result="success",
    )
    assert done["updated"] == [str(slow), str(medium)]
    decision = api.get(f"/api/v1/decisions/{done['decision']['id']}").json()
    assert (decision["topic"], decision["strength"]) == ("Which queue for mails", "moderate")
    assert decision["dissents"][0]["by"]["member"]["id"] == mina
    with resolve_principal(aria).scope():
        made = Memory.objects.with_names().get(id=decision["id"])
        assert (made.tier, made.audience_id) == ("slow", row.audience_id)
        uses = {one.memory_id: one for one in KnownUse.objects.filter(updates__gt=0)}
        assert set(uses) == {slow, medium}
        assert [(one.successes, one.failures, one.updates) for one in uses.values()] == [
            (1, 0, 1),
            (1, 0, 1),
        ]
        assert uses[slow].surprise == pytest.approx(surprise), "an outcome teaches no surprise"
        assert set(Feedback.objects.values_list("memory_id", "outcome")) == {
            (slow, "success"),
            (medium, "success"),
        }
        sources = Derivation.objects.filter(memory_id=made.id).values_list("source_id", flat=True)
        assert set(sources) == {slow, medium, unserved}
        closed = Debate.objects.get()
        assert (closed.state, closed.decision_id) == ("closed", made.id)
    with resolve_principal(here.person("ada")).scope():
        job = Job.objects.get(kind=JobType.CONSOLIDATE)
        assert (str(job.id), job.state) == (done["job"], "waiting")
        assert job.parameters == {"audience": str(row.audience_id)}
        acts = AuditEntry.objects.filter(target_type="debate", target=debate).order_by("id")
        assert list(acts.values_list("action", flat=True)) == [
            "debate.opened",
            "debate.criticised",
            "debate.closed",
        ]
        assert AuditEntry.objects.filter(action="job.consolidate", target=job.id).exists()

    # Once is enough.
    post(api, f"/{debate}/outcome", 409, conclusion="Again.")
    post(api, f"/{debate}/critiques", 409, critiques=[{"content": "Late."}])
    assert api.get(f"{URL}/{debate}").json()["state"] == "closed"


def _count(here: Tenant) -> int:
    with scope(Scope(organisation=here.id)):
        everyone = tuple(Audience.objects.values_list("id", flat=True))
    with scope(Scope(organisation=here.id, audiences=everyone)):
        return Memory.objects.count()


def test_a_debate_is_for_its_readers_and_goes_on_with_who_opened_it(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    debate = post(api, topic="Tea", group="design")["id"]
    for client in (here.browser("bob"), here.api("bolt"), world.there.api("aria")):
        assert client.get(f"{URL}/{debate}").status_code == 404
        post(client, f"/{debate}/outcome", 404, conclusion="Mine.")
        post(client, f"/{debate}/critiques", 404, critiques=[{"content": "No."}])
    for client in (here.browser("mina"), here.api("clio")):
        assert client.get(f"{URL}/{debate}").status_code == 200
        post(client, f"/{debate}/outcome", 403, conclusion="Mine.")
    mina = str(here.members["mina"].id)
    for_mina = post(api, topic="Tea", group="launch", member=mina)["id"]
    post(here.browser("mina"), f"/{for_mina}/outcome", 403, conclusion="Mine.")
    # A robot may leave something with a member, and does not read it: no place for a debate.
    refused = post(api, status=400, topic="Tea", member=mina, visibility="private")
    assert "could not read" in refused["detail"]
    post(api, status=404, topic="Tea", group="nowhere")
    post(api, status=400, topic="?!")
    post(api, f"/{uuid4()}/outcome", 404, conclusion="x")


def test_nothing_is_written_where_one_part_is_refused(world: World) -> None:
    here, api = world.here, world.here.api("clio")
    debate = post(api, topic="Tea", group="design")["id"]
    before = _count(here)
    mina = str(here.members["mina"].id)
    words = [{"content": "First."}, {"content": "Second.", "by": mina}]
    post(api, f"/{debate}/critiques", 403, critiques=words)
    used = [{"memory": str(uuid4()), "usefulness": 1}]
    post(api, f"/{debate}/critiques", 404, critiques=[{"content": "First."}], used=used)
    post(api, f"/{debate}/outcome", 403, conclusion="x", claims=[{"text": "x", "by": mina}])
    assert _count(here) == before
    assert api.get(f"{URL}/{debate}").json()["state"] == "open"


def test_a_person_debates_alone_and_fails(world: World) -> None:
    here, api = world.here, world.here.browser("mina")
    known = here.remember(here.person("mina"), "Tea calms.", visibility="private").id
    opened = post(api, topic="Tea calms")
    assert [one["id"] for one in opened["memories"]] == [str(known)]
    outcome = {"conclusion": "It does not.", "references": [str(known)], "result": "failure"}
    post(api, f"/{opened['id']}/outcome", 404, **outcome, recall_id=str(uuid4()))
    done = post(api, f"/{opened['id']}/outcome", **outcome)
    decision = api.get(f"/api/v1/decisions/{done['decision']['id']}").json()
    assert decision["audience"]["kind"] == "member"
    with resolve_principal(here.person("mina")).scope():
        use = KnownUse.objects.get(memory_id=known)
        assert (use.successes, use.failures, use.updates) == (0, 1, 1)
        assert Feedback.objects.get().usefulness == 0.5
    assert here.browser("ada").get(f"{URL}/{opened['id']}").status_code == 404
    forget_all(here.person("mina"), now=NOW)
    assert api.get(f"{URL}/{opened['id']}").status_code == 404


def test_the_consolidation_looks_at_the_debates_readers_alone(lasting_world: World) -> None:
    here = lasting_world.here
    for group in ("launch", "design"):
        for text in ("The kettle is red.", "The kettle is red!"):
            here.remember(here.robot("aria"), text, group=group)
    here.embed()
    debate = post(here.api("aria"), topic="Tea", group="launch")["id"]
    job_id = post(here.api("aria"), f"/{debate}/outcome", conclusion="Red.")["job"]
    here.embed()
    while run_job():
        pass
    with resolve_principal(here.person("ada")).scope():
        job = Job.objects.get(id=UUID(job_id))
    # Two of the kettle and the decision, and not those of the other group.
    assert (job.state, job.done, job.total) == ("done", 3, 3)
