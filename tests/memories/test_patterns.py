"""The cross-group level: one memory for a pattern of several groups, only with leave, no group's
text (A20, A21, A29)."""

import threading
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connections

from memories.models import Derivation, Memory
from memories.policies.patterns import Pattern, PatternKind, patterns
from memories.services import patterns as patterns_service
from memories.services.forgetting import forget_memory
from memories.services.patterns import Promotion, promote_patterns, set_sharing
from memories.services.recalling import Query, recall
from orgs.models import AuditEntry
from orgs.principals import resolve
from orgs.rls import organisation_scope
from tests.world import NOW, Tenant, World


def seen(tenant: Tenant, group: str, content: str, **fields: Any) -> UUID:
    """What Mina said or what is known of her in a group; shareable unless said otherwise."""
    fields = {"speaker": str(tenant.members["mina"].id), "shareable": True} | fields
    return tenant.remember(tenant.robot("aria"), content, group=group, **fields).id


def cross_group(tenant: Tenant) -> list[Memory]:
    """What Vera, who sits in no group, reads of it."""
    principal = resolve(tenant.person("vera"))
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=tenant.id).with_names().order_by("content")
        return [row for row in rows if row.level == "cross_group"]


def promote(tenant: Tenant) -> Promotion:
    return promote_patterns(tenant.id, now=NOW)


EXPERT = {"type": "expertise", "topic": "Postgres indexes"}
LAUNCH = "Yesterday I fixed the bloat in our index, ask me whenever a scan is slow"
DESIGN = "I rebuilt the search of the design archive with a covering index"


@pytest.mark.conformance("A21")
def test_a_pattern_in_one_group_is_none_and_in_two_one_memory(lasting_world: World) -> None:
    here = lasting_world.here
    first = seen(here, "launch", LAUNCH, **EXPERT, confidence=0.8)
    again = seen(here, "launch", LAUNCH + " again", **EXPERT)
    promote(here)
    assert cross_group(here) == []
    second = seen(here, "design", DESIGN, **EXPERT)
    assert promote(here) == Promotion(made=1)
    [row] = cross_group(here)
    assert (row.content, row.type) == ("Mina knows about postgres indexes.", "expertise")
    assert row.metadata == {"pattern": "expertise", "evidence_count": 3, "group_count": 2}
    # 1 - (1 - .5 x .8)(1 - .5)(1 - .5)
    assert row.confidence == pytest.approx(0.85)
    assert promote(here) == Promotion(), "once is enough"
    # The sources are those of the lineage, for whoever may read them: Mina all, Bob #launch's.
    sources = {"mina": {first, again, second}, "bob": {first, again}, "vera": set()}
    for name, expected in sources.items():
        with resolve(here.person(name)).scope():
            links = Derivation.objects.filter(memory_id=row.id)
            assert set(links.values_list("source_id", flat=True)) == expected
        body = here.browser(name).get(f"/api/v1/memories/{row.id}/lineage").json()
        assert {m["id"] for m in body["derived_from"]} == {str(i) for i in expected}
    with organisation_scope(here.id):
        [noted] = AuditEntry.objects.filter(action="pattern.promoted")
    assert (noted.target, noted.detail["groups"]) == (row.id, 2)
    found = recall(here.person("vera"), Query(text="who knows about postgres"), now=NOW)
    assert [memory.id for _, memory in found.hits] == [row.id]


@pytest.mark.conformance("A20")
def test_a_cross_group_memory_has_no_words_of_a_group(lasting_world: World) -> None:
    here = lasting_world.here
    bodies = {
        "launch": ["Please reply in German, our launch codename is Kestrel",
                   "I sit in Europe/Vienna until the Kestrel ships", LAUNCH],
        "design": ["My native language is german, says the Osprey brief",
                   "Europe/Vienna is where the Osprey archive and I live", DESIGN],
    }  # fmt: skip
    for group, (speaks, lives, knows) in bodies.items():
        seen(here, group, speaks, type="preference")
        seen(here, group, lives)
        seen(here, group, knows, **EXPERT)
        seen(here, group, f"Short answers, says {group}", type="preference", topic="short answers")
        # A label that is the text itself is no label.
        seen(here, group, "Kestrel first", type="expertise", topic="kestrel first")
    promote(here)
    rows = cross_group(here)
    assert [row.content for row in rows] == [
        "Mina has a preference that holds everywhere: short answers.",
        "Mina is in the time zone Europe/Vienna.",
        "Mina knows about postgres indexes.",
        "Mina speaks German.",
    ]
    for row in rows:
        said = " ".join([row.content, row.topic, str(row.metadata), str(row.source), *row.tags])
        for body in (body for texts in bodies.values() for body in texts):
            assert body.lower() not in said.lower()
        assert "kestrel" not in said.lower()
        assert "osprey" not in said.lower()
        assert (row.group_id, row.member_id, row.source) == (None, None, {})
        assert row.audience.kind == "organisation"


@pytest.mark.conformance("A29")
def test_nothing_leaves_its_group_until_it_is_flagged(lasting_world: World) -> None:
    here = lasting_world.here
    flagged: dict[str, Any] = {"shareable": False}
    seen(here, "launch", LAUNCH, **EXPERT, **flagged)
    seen(here, "design", DESIGN, **EXPERT, **flagged)
    hidden: list[dict[str, Any]] = [
        {"sensitive": True}, {"visibility": "protected", "member": str(here.members["mina"].id)},
        {"visibility": "internal"},
    ]  # fmt: skip
    for n, fields in enumerate(hidden):
        for group in ("launch", "design"):
            seen(here, group, f"Number {n} of {group}", **EXPERT, **fields)
    asked = Query(text="Explain what Mina knows about postgres indexes and how it compares between "
                  "groups", strategy="multi_level")  # fmt: skip
    promote(here)
    assert cross_group(here) == []
    assert recall(here.person("vera"), asked, now=NOW).hits == []
    for group, text in (("launch", LAUNCH), ("design", DESIGN)):
        seen(here, group, f"{text}, flagged", **EXPERT)
    call_command("promote_patterns", organisation=here.organisation.slug)
    found = recall(here.person("vera"), asked, now=NOW)
    assert [memory.content for _, memory in found.hits] == ["Mina knows about postgres indexes."]


@pytest.mark.conformance("A21")
def test_it_goes_with_its_evidence_and_when_the_member_opts_out(lasting_world: World) -> None:
    here, mina = lasting_world.here, lasting_world.here.person("mina")
    seen(here, "launch", LAUNCH, **EXPERT)
    second = seen(here, "design", DESIGN, **EXPERT)
    promote(here)
    assert len(cross_group(here)) == 1
    forget_memory(here.robot("aria"), second, now=NOW)
    assert promote(here) == Promotion(withdrawn=1)
    assert cross_group(here) == []

    seen(here, "design", DESIGN + " again", **EXPERT)
    promote(here)
    assert len(cross_group(here)) == 1
    set_sharing(mina, out=True, now=NOW)
    assert cross_group(here) == [], "at once, before any job runs"
    promote(here)
    assert cross_group(here) == []
    set_sharing(mina, out=False, now=NOW)
    promote(here)
    [row] = cross_group(here)
    # What she forgets herself is not made again.
    forget_memory(mina, row.id, now=NOW)
    assert promote(here) == Promotion()
    assert cross_group(here)[0].status == "forgotten"
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(action="pattern.withdrawn").count() == 2


def test_a_key_that_somebody_else_uses_is_left_alone(lasting_world: World) -> None:
    here = lasting_world.here
    key = f"pattern:{here.members['mina'].id}:expertise:postgres indexes"
    kept = here.remember(here.robot("bolt"), "My own words", key=key, metadata={"pattern": "x"}).id
    seen(here, "launch", LAUNCH, **EXPERT)
    seen(here, "design", DESIGN, **EXPERT)
    assert promote(here) == Promotion()
    assert [row.id for row in cross_group(here)] == [kept]


def test_a_pattern_needs_a_label_or_a_word_of_a_closed_list() -> None:
    def found(content: str, **fields: Any) -> set[Pattern]:
        given = {"type_": "fact", "category": "", "topic": "", "tags": ()} | fields
        return patterns(content=content, **given)

    assert found("I know all about sailing", type_="expertise") == set()
    assert found("We met a German at the fair") == set()
    assert found("The server logs in UTC+2") == set()
    assert found("I work from UTC+2") == {Pattern(PatternKind.TIME_ZONE, "UTC+02:00")}
    assert found("x", type_="expertise", tags=("Sailing!",)) == {
        Pattern(PatternKind.EXPERTISE, "sailing")
    }
    long = "a label that is rather a sentence"
    assert found("x", type_="expertise", topic=long) == set()


def test_who_opts_out_while_it_is_worked_out_is_not_told_of(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    seen(here, "launch", LAUNCH, **EXPERT)
    seen(here, "design", DESIGN, **EXPERT)
    chosen = patterns_service.collect_patterns

    def meanwhile(*args: Any, **named: Any) -> Any:
        found = chosen(*args, **named)
        set_sharing(here.person("mina"), out=True, now=NOW)
        return found

    monkeypatch.setattr(patterns_service, "collect_patterns", meanwhile)
    assert promote(here) == Promotion()
    assert cross_group(here) == []


def test_an_opt_out_while_it_is_written_neither_waits_nor_is_missed(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    seen(here, "launch", LAUNCH, **EXPERT)
    seen(here, "design", DESIGN, **EXPERT)
    willing, late = patterns_service._still_willing, []

    def opt_out() -> None:
        try:
            set_sharing(here.person("mina"), out=True, now=NOW)
        finally:
            connections.close_all()

    def meanwhile(*args: Any) -> Any:
        thread = threading.Thread(target=opt_out, daemon=True)
        thread.start()
        thread.join(timeout=20)
        late.append(thread.is_alive())
        return willing(*args)

    monkeypatch.setattr(patterns_service, "_still_willing", meanwhile)
    assert promote(here) == Promotion()
    assert late == [False]
    assert cross_group(here) == []
