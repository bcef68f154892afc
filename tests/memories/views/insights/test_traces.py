"""Recalls as they were served: who is shown which, with what, against queries of the test's own."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from memories.lifecycle.forget import forget_memory
from memories.retrieval.answering import confidence
from memories.retrieval.answering.confidence import is_irrelevant
from memories.retrieval.feedback import record_feedback
from memories.retrieval.models import Recall
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.audiences import Audience
from orgs.models.audit import AuditEntry
from orgs.organisations.groups import set_confidential
from orgs.principals import Actor, resolve_principal
from robots.registry.robots import ensure_robot
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import PEOPLE, Tenant, World

ROW = pytest.mark.conformance("W17")
URL = "/robots/traces/"


def listed(here: Tenant, who: str, asked: str = "") -> set[UUID]:
    """The ids of the recalls that a curator is listed."""
    shown = make_signed_in_client(here, who).get(URL + asked).context["traces"]
    return {UUID(one["url"].split("/")[-2]) for one in shown}


def stored(here: Tenant, recall_id: UUID) -> dict[UUID, float]:
    """What a recall served, as it lies in the database."""
    with organisation_scope(here.id):
        everything = tuple(Audience.objects.values_list("id", flat=True))
    with scope(Scope(organisation=here.id, audiences=everything)):
        return {UUID(id_): score for id_, score, *_ in Recall.objects.get(id=recall_id).hits}


def asks(who: Actor, text: str, **more: object) -> UUID:
    return recall(who, Query(text=text, **more), now=timezone.now()).recall_id


def closed(here: Tenant, group: str, *, closed: bool = True) -> None:
    """Now curators do not read it, or do."""
    set_confidential(
        actor=here.person("ada"), group=here.groups[group], confidential=closed, now=timezone.now()
    )


@ROW
@pytest.mark.parametrize("name", PEOPLE)
def test_the_pages_are_for_who_curates(world: World, name: str) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The zebra sleeps.")
    one = asks(here.robot("bolt"), "zebra")
    client, status = make_signed_in_client(here, name), 200 if name in ("ada", "chidi") else 404
    assert client.get(URL).status_code == status
    assert client.get(f"{URL}{one}/").status_code == status
    assert make_signed_in_client(world.there, "ada").get(f"{URL}{one}/").status_code == 404
    assert one not in listed(world.there, "ada")


@ROW
def test_a_recall_is_shown_with_its_scores_and_feedback(world: World) -> None:
    here, bolt = world.here, world.here.robot("bolt")
    for number in range(3):
        here.remember(here.robot("aria"), f"The zebra number {number} sleeps.")
    one = asks(bolt, "Which zebra is secretly asleep?")
    first, *_ = stored(here, one)
    record_feedback(
        bolt,
        recall_id=one,
        memory_id=first,
        usefulness=0.75,
        outcome="success",
        now=timezone.now(),
    )
    assert listed(here, "chidi") == {one}
    response = make_signed_in_client(here, "chidi").get(f"{URL}{one}/")
    shown = (*response.context["came"], *response.context["folded"])
    came = {row["id"]: row for row in shown}
    assert {id_: row["score"] for id_, row in came.items()} == {
        id_: f"{score:.2f}" for id_, score in stored(here, one).items()
    }
    assert list(came) == list(stored(here, one))
    assert came[first]["useful"] == "0.75"
    assert "It helped" in response_text(response)
    assert [row["useful"] for id_, row in came.items() if id_ != first] == [None, None]
    assert "secretly" not in response_text(response)


@ROW
def test_a_trace_says_whether_it_answered_and_what_was_folded(lasting_world: World) -> None:
    """Against what the API said when it was served."""
    here, bolt = lasting_world.here, lasting_world.here.api("bolt")
    here.remember(here.robot("aria"), "The zebra of the zoo sleeps in the barn.")
    for number in range(3):
        here.remember(here.robot("aria"), f"The invoice number {number} of the barn is late.")
    here.embed()
    for query, word in (("Where does the zebra of the zoo sleep?", "yes"), ("zzzqqq", "no")):
        body = {"query": query, "strategy": "hybrid"}
        heard = bolt.post("/api/v1/recall", body, format="json").json()
        assert heard["answered"] == word
        sure = f"{heard['confidence'] * 100:.0f} %"
        response = make_signed_in_client(here, "chidi").get(f"{URL}{heard['recall_id']}/")
        for part, folded in (("came", False), ("folded", True)):
            rows = [(str(row["id"]), row["sure"]) for row in response.context[part]]
            hits = [hit for hit in heard["results"] if hit["folded"] is folded]
            assert [id_ for id_, _ in rows] == [hit["id"] for hit in hits]
            assert all(share.endswith(" %") for _, share in rows)
        assert any(hit["folded"] for hit in heard["results"])
        assert f"{sure} sure" in response_text(response)
        assert "Not really about this" in response_text(response)
        rows = make_signed_in_client(here, "ada").get(URL).context["traces"]
        [row] = [one for one in rows if heard["recall_id"] in one["url"]]
        assert (row["answered"]["label"].lower(), row["sure"]) == (word, sure)
        assert row["folded"] == sum(hit["folded"] for hit in heard["results"])


@ROW
def test_a_trace_says_what_was_said_then(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that change later change no trace."""
    here = world.here
    here.remember(here.robot("aria"), "The zebra of the zoo sleeps in the barn.")
    one = asks(here.robot("bolt"), "Where does the zebra of the zoo sleep?")
    client = make_signed_in_client(here, "chidi")

    def told() -> tuple[str, list[UUID]]:
        context = client.get(f"{URL}{one}/").context
        return context["trace"]["answered"]["label"], [row["id"] for row in context["came"]]

    before = told()
    assert before[0] == "Yes"
    monkeypatch.setattr(confidence, "YES_FROM", 1.1)
    monkeypatch.setattr(confidence, "NO_BELOW", 1.05)
    assert told() == before


@ROW
def test_the_word_of_an_answer_tells_nothing_of_what_is_hidden(lasting_world: World) -> None:
    """The hidden memory answers, the shown ones do not: a curator hears what these say."""
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    here.remember(aria, "The zebra of the zoo sleeps in the barn.", group="launch")
    shown = here.remember(aria, "The invoice of the barn is late.").id
    here.embed()
    closed(here, "launch")
    query = Query(text="Where does the zebra of the zoo sleep?", strategy="hybrid", group="launch")
    answer = recall(aria, query, now=timezone.now())
    [(hit, _)] = [pair for pair in answer.hits if pair[1].id == shown]
    assert answer.answered == "yes"
    assert is_irrelevant(hit)
    client = make_signed_in_client(here, "chidi")
    response = client.get(f"{URL}{answer.recall_id}/")
    assert [row["id"] for row in response.context["folded"]] == [shown]
    assert response.context["came"] == []
    told = response.context["trace"]
    assert (told["answered"]["label"], told["sure"]) == ("No", f"{hit.answers * 100:.0f} %")
    [row] = client.get(URL).context["traces"]
    assert (row["answered"]["label"], row["memories"], row["folded"]) == ("No", 1, 1)


@ROW
def test_ones_own_trace_says_what_one_was_told(world: World) -> None:
    here, chidi = world.here, world.here.person("chidi")
    one = here.remember(here.robot("aria"), "The zebra of the zoo sleeps in the barn.").id
    query = Query(text="Where does the zebra of the zoo sleep?", strategy="hybrid", limit=1)
    answer = recall(chidi, query, now=timezone.now())
    forget_memory(here.robot("aria"), one, now=timezone.now())
    response = make_signed_in_client(here, "chidi").get(f"{URL}{answer.recall_id}/")
    told = response.context["trace"]
    assert told["answered"]["label"] == "Yes"
    assert told["sure"] == f"{answer.confidence * 100:.0f} %"
    assert "one of the memories below" not in response_text(response)
    assert response.context["ask_url"] == ""


@ROW
def test_who_knows_the_question_can_ask_it_again(world: World) -> None:
    here = world.here
    closed(here, "design", closed=False)
    here.remember(here.robot("aria"), "The zebra sleeps.", group="design")
    one = asks(here.robot("aria"), "zebra", group="design")
    client = make_signed_in_client(here, "ada")
    form = client.get(client.get(f"{URL}{one}/").context["ask_url"]).context["form"]
    assert form["as_whom"].value() == f"robot:{here.robots['aria'].id}"
    assert form["group"].value() == str(here.groups["design"].id)
    assert not form.is_bound


@ROW
def test_nothing_unreadable_is_shown_nor_counted(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    both = here.remember(aria, "The zebra of everyone.").id
    hidden = here.remember(aria, "The zebra of the launch.", group="launch").id
    note = here.remember(aria, "The zebra of the robot.", visibility="internal").id
    closed(here, "launch")
    partly = asks(aria, "zebra", include_direct=True)
    inside = asks(aria, "zebra of the launch", group="launch", filters={"groups": ["launch"]})
    assert hidden in stored(here, inside)
    assert {hidden, note} & set(stored(here, partly))
    readable = here.readable(here.person("chidi"))
    with organisation_scope(here.id):
        assert not Memory.objects.filter(id=hidden, id__in=readable).exists()
    assert listed(here, "chidi") == {partly}
    response = make_signed_in_client(here, "chidi").get(f"{URL}{partly}/")
    assert {row["id"] for row in response.context["came"]} == set(stored(here, partly)) & {both}
    assert all(str(id_) not in response_text(response) for id_ in (hidden, note))
    assert [
        one["memories"] for one in make_signed_in_client(here, "chidi").get(URL).context["traces"]
    ] == [1]
    assert make_signed_in_client(here, "chidi").get(f"{URL}{inside}/").status_code == 404
    # What is forgotten meanwhile is not there any more, nor the recall that brought nothing else.
    forget_memory(aria, both, now=timezone.now())
    assert listed(here, "chidi") == set()
    assert make_signed_in_client(here, "chidi").get(f"{URL}{partly}/").status_code == 404


@ROW
def test_what_members_ask_and_what_is_asked_for_them_is_theirs(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The zebra sleeps.")
    pia, _ = ensure_robot(
        organisation_id=here.id, name="Pia", owner_id=here.members["mina"].id, now=timezone.now()
    )
    here.robots["pia"] = pia
    theirs = [
        asks(here.person("mina"), "zebra"),
        asks(here.person("ada"), "zebra"),
        asks(here.robot("aria"), "zebra", member=str(here.members["mina"].id), group="launch"),
        asks(here.robot("pia", "read"), "zebra"),
    ]
    own = asks(here.person("chidi"), "zebra")
    assert listed(here, "chidi") == set()
    assert listed(here, "chidi", "?who=me") == {own}
    client = make_signed_in_client(here, "chidi")
    assert [client.get(f"{URL}{one}/").status_code for one in theirs] == [404] * 4
    assert client.get(f"{URL}{own}/").status_code == 200
    choices = [str(value) for value, _ in client.get(URL).context["form"].fields["who"].choices]
    assert str(pia.id) not in choices
    assert client.get(f"{URL}?who={pia.id}").context["traces"] == []


@ROW
def test_the_list_is_narrowed_by_robot_and_day(world: World) -> None:
    here, now = world.here, timezone.now()
    here.remember(here.robot("aria"), "The zebra sleeps.")
    before = recall(here.robot("bolt"), Query(text="zebra"), now=now - timedelta(days=2)).recall_id
    today, other = asks(here.robot("bolt"), "zebra"), asks(here.robot("clio"), "zebra")
    recall(here.robot("clio"), Query(text="zebra"), now=now - timedelta(days=8))
    assert listed(here, "ada") == {before, today, other}
    assert listed(here, "ada", f"?who={here.robots['bolt'].id}") == {before, today}
    assert listed(here, "ada", f"?day={(now - timedelta(days=2)).date()}") == {before}
    assert make_signed_in_client(here, "ada").get(f"{URL}?who=x&day=y&before=z").status_code == 200


@ROW
def test_each_look_at_anothers_is_recorded(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The zebra sleeps.")
    theirs, own = asks(here.robot("bolt"), "zebra"), asks(here.person("chidi"), "zebra")
    client = make_signed_in_client(here, "chidi")
    for url in (f"{URL}{theirs}/", f"{URL}{theirs}/", f"{URL}{own}/", URL):
        client.get(url)
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(action="trace.read")
        assert {(row.target, row.member) for row in rows} == {(theirs, here.members["chidi"].id)}
        assert rows.count() == 2


def test_the_pages_ask_little(world: World) -> None:
    here = world.here
    for number in range(4):
        here.remember(here.robot("aria"), f"The zebra number {number} sleeps.")
    one = asks(here.robot("bolt"), "zebra")
    asks(here.robot("clio"), "zebra")
    client = make_signed_in_client(here, "ada")
    assert count_queries(client, URL) <= 12
    assert count_queries(client, f"{URL}{one}/") <= 12


@ROW
def test_the_list_shows_the_first_answer_the_hours_and_what_is_unanswered_or_slow(
    lasting_world: World,
) -> None:
    here, now = lasting_world.here, timezone.localtime()
    here.remember(here.robot("aria"), "The zebra of the zoo sleeps in the barn.")
    for number in range(3):
        here.remember(here.robot("aria"), f"The invoice number {number} of the barn is late.")
    here.embed()
    bolt = here.robot("bolt")
    known = asks(bolt, "Where does the zebra of the zoo sleep?")
    unknown = asks(bolt, "zzzqqq")
    earlier = now - timedelta(hours=3)
    slow = recall(bolt, Query(text="Where does the zebra sleep?"), now=earlier).recall_id
    for recall_id, took in ((known, 12.0), (unknown, 499.0), (slow, 500.0)):
        with resolve_principal(bolt).scope():
            Recall.objects.filter(id=recall_id).update(took_ms=took)
    found = make_signed_in_client(here, "ada").get(URL).context
    firsts = {UUID(one["url"].split("/")[-2]): one["first"] for one in found["traces"]}
    assert "zebra of the zoo" in firsts[known]["text"]
    assert firsts[unknown] is None
    assert listed(here, "ada", "?only=unanswered") == {unknown}
    assert listed(here, "ada", "?only=slow") == {slow}
    assert listed(here, "ada", "?only=x") == {known, unknown, slow}
    hours = [one["value"] for one in found["chart"]["values"]]
    assert (hours[now.hour], hours[earlier.hour], sum(hours)) == (2, 1, 3)
    most = f"Most between {now.hour}:00 and {now.hour + 1}:00: 2."
    assert found["chart"]["sentence"] == most
    own = make_signed_in_client(here, "ada").get(f"{URL}?who=me").context
    assert (own["traces"], own["chart"]) == ([], None)


@ROW
def test_the_first_answer_is_one_that_the_reader_may_read(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "The zebra sleeps.", group="launch")
    here.remember(aria, "The zebra of everyone sleeps.")
    one = asks(aria, "zebra", group="launch")
    closed(here, "launch")
    rows = make_signed_in_client(here, "chidi").get(URL).context["traces"]
    firsts = [row["first"]["text"] for row in rows if str(one) in row["url"] and row["first"]]
    assert all("everyone" in text for text in firsts)
    assert not any("launch" in str(row) for row in rows)
