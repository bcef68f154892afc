"""POST /gate and the names that it knows: what it tells to whom."""

from typing import Any

import pytest

from memories.safety.models import GazetteerTerm
from memories.safety.names.known_names import MAX_TERMS, add_term
from memories.safety.plain_text import LONGEST_ASKED
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.memories.safety.gate.test_personal_data import api, of
from tests.world import NOW, Tenant, World

URL, TERMS = "/api/v1/gate", "/api/v1/gate/terms"
PERSONA = "qsr_real_estate"


def ask(here: Tenant, text: str, who: str = "aria", **fields: Any) -> dict[str, Any]:
    answer = api(here, who).post(URL, {"text": text, **fields}, format="json")
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


@pytest.mark.conformance("P17")
def test_it_says_what_would_happen_and_stores_nothing(world: World) -> None:
    here = world.here
    lesson = "QSR real estate users check cannibalisation after site selection."
    assert ask(here, lesson, persona=PERSONA) == {"action": "pass", "findings": []}
    for told in (
        "They asked about the Chick-fil-A at 123 Main St",
        "ABC Corp fears falls.",
    ):
        assert ask(here, told, persona=PERSONA)["action"] == "review", told
    mail = "Write to mina@zebra.example today."
    found = ask(here, mail, persona=PERSONA)
    assert found == {
        "action": "review",
        "findings": [{"kind": "email", "start": 9, "end": 27}],
    }
    assert mail[9:27] == "mina@zebra.example"
    cleaned = ask(here, mail, persona=PERSONA, on_personal_data="sanitise")
    assert cleaned["action"] == "sanitise"
    # A person's own words to their own group, and what one member alone reads.
    assert ask(here, mail, who="mina", group="launch")["action"] == "pass"
    assert ask(here, mail, member=of(here, "mina"))["action"] == "pass"
    assert ask(here, mail, member=of(here, "mina"), group="launch")["action"] == "review"
    with resolve_principal(here.person("ada")).scope():
        assert not Memory.objects.exists()
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(action="gate.asked")
        assert rows.count() == 8
        assert "zebra" not in str(list(rows.values_list("detail", flat=True)))


def test_spans_point_into_the_text_that_was_sent(world: World) -> None:
    for told in (
        "Ask mi\u200bna@zeb\u200bra.example now",
        "Ask m\u0456na@zebra.ex\u0430mple now",
        "Ask \uff4d\uff49\uff4e\uff41@zebra.example now",
    ):
        found = ask(world.here, told, persona=PERSONA)
        spans = [x for x in found["findings"] if x["kind"] == "email"]
        assert [told[x["start"] : x["end"]] for x in spans] == [told[4:-4]], told


def test_a_name_that_the_asker_does_not_know_is_in_no_finding(world: World) -> None:
    here = world.here
    add_term(here.person("chidi"), kind="client", term="Zibblewort", now=NOW)
    told = "The plan of Zibblewort is late."
    for who, knows in (("ada", True), ("chidi", True), ("mina", False), ("aria", False)):
        found = ask(here, told, who=who, persona=PERSONA)
        assert found["action"] == "review", who
        assert [x["kind"] for x in found["findings"]] == (["organisation"] if knows else []), who
    # A person knows all members, a robot those of its groups. Chidi is in none of them.
    with organisation_scope(here.id):
        here.members["chidi"].name = "Xyloph Quagmarr"
        here.members["chidi"].save(update_fields=["name"])
    told = "We met xyloph quagmarr twice."
    for who in ("ada", "mina"):
        assert ask(here, told, who=who, persona=PERSONA)["findings"] != [], who
    for who in ("aria", "bolt"):
        assert ask(here, told, who=who, persona=PERSONA) == {"action": "review", "findings": []}
    # The other organisation knows neither.
    assert ask(world.there, told, who="ada", persona=PERSONA)["action"] == "pass"


def test_bad_questions_are_400_and_foreign_places_404(world: World) -> None:
    here = world.here
    long = "words " * 2_000
    for body, status in (
        ({"text": ""}, 400),
        ({"text": "  "}, 400),
        ({}, 400),
        ({"text": "x" * (LONGEST_ASKED + 1)}, 400),
        ({"text": "x", "persona": "qsr"}, 400),
        ({"text": "x", "persona": "_x"}, 400),
        ({"text": "x", "visibility": "everybody"}, 400),
        ({"text": "x", "on_personal_data": "publish"}, 400),
        ({"text": "x", "unknown": 1}, 400),
        ({"text": "x", "group": "nowhere"}, 404),
        ({"text": long[:LONGEST_ASKED], "persona": PERSONA}, 200),
    ):
        answer = here.api("aria").post(URL, body, format="json")
        assert answer.status_code == status, (str(body)[:60], answer.content[:200])
    assert here.api("clio").post(
        URL, {"text": "x", "group": "launch"}, format="json"
    ).status_code == (404)


@pytest.mark.conformance("P17")
def test_curators_keep_the_names(world: World) -> None:
    here = world.here
    chidi = api(here, "chidi")
    made = chidi.post(TERMS, {"kind": "client", "term": "  Zibblewort   Ltd "}, format="json")
    assert (made.status_code, made.json()["term"]) == (201, "Zibblewort Ltd")
    for same in ("zibblewort ltd", "ZIBBLEWORT LTD", "Zibbl\u0435wort Ltd", "Zib\u200bblewort Ltd"):
        twice = chidi.post(TERMS, {"kind": "brand", "term": same}, format="json")
        assert twice.status_code == 409, same
    for bad in ({"kind": "client", "term": "x"}, {"kind": "client", "term": "--"},
                {"kind": "person", "term": "Mina"}, {"kind": "client"}):  # fmt: skip
        assert chidi.post(TERMS, bad, format="json").status_code == 400, bad
    assert [x["term"] for x in chidi.get(TERMS).json()["results"]] == ["Zibblewort Ltd"]
    assert chidi.get(f"{TERMS}?kind=brand").json()["results"] == []
    for who in ("mina", "vera", "aria", "bolt"):
        assert api(here, who).get(TERMS).status_code == 403, who
        assert (
            api(here, who)
            .post(TERMS, {"kind": "client", "term": "Quux"}, format="json")
            .status_code
            == 403
        )
    url = f"{TERMS}/{made.json()['id']}"
    assert api(world.there, "ada").delete(url).status_code == 404
    assert api(here, "mina").delete(url).status_code == 403
    assert chidi.delete(url).status_code == 204
    assert chidi.delete(url).status_code == 404
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(action__startswith="gate.term").order_by("id")
        told = list(rows.values_list("action", "target", "detail"))
    assert [(action, detail) for action, _, detail in told] == [
        ("gate.term_added", {"kind": "client"}),
        ("gate.term_removed", {"kind": "client"}),
    ]
    assert {str(target) for _, target, _ in told} == {made.json()["id"]}


def test_the_list_has_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_TERMS == 5_000
    monkeypatch.setattr("memories.safety.names.known_names.MAX_TERMS", 2)
    here = world.here
    for name in ("Quux", "Frob"):
        add_term(here.person("ada"), kind="brand", term=name, now=NOW)
    answer = api(here, "ada").post(TERMS, {"kind": "brand", "term": "Grault"}, format="json")
    assert answer.status_code == 409
    with organisation_scope(here.id):
        assert GazetteerTerm.objects.count() == 2
