"""A line that names neither readers nor a group is for one member, unless the import says else."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import ExternalIdentity
from orgs.models.organisations import Group, GroupMembership
from orgs.organisations.references import get_member, link_identity
from orgs.principals import Actor, resolve_principal
from tests.memories.ingestion.file_import.test_importer import Files
from tests.memories.privacy.erasure.test_sources import purge
from tests.world import NOW, Tenant, World

LINES: list[dict[str, Any]] = [
    {"id": "about", "speaker": "hr", "subject": "Eve", "text": "Eve is new."},
    {"id": "said", "speaker": "Noor", "text": "I ask for a raise."},
    {"id": "bare", "text": "The safe stands in the cellar."},
    {"id": "group", "group": "c", "speaker": "Noor", "text": "Hello c."},
    {"id": "list", "audience": ["Noor", "Eve"], "speaker": "Noor", "text": "For two."},
    {"id": "org", "audience": ["org"], "speaker": "Noor", "text": "For all."},
    {"id": "to-org", "group": "org", "speaker": "Noor", "text": "Posted to all."},
]


@pytest.fixture
def files(tmp_path: Path, here: Tenant, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.setattr(
        "orgs.management.output.get_organisation", lambda _reference: here.organisation
    )
    return Files(tmp_path, here)


def reads(tenant: Tenant, who: Actor) -> dict[str, str]:
    """The kinds of audience of what somebody reads, by the id of the line."""
    principal = resolve_principal(who)
    with principal.scope():
        rows = Memory.objects.exclude(key=None).select_related("audience")
        return {row.key: row.audience.kind for row in rows}


def imported(tenant: Tenant, name: str) -> Actor:
    with organisation_scope(tenant.id):
        member = get_member(tenant.id, f"import:{name}")
    return Actor(organisation_id=tenant.id, member_id=member.id, role=member.role)


FOR_ALL = {"org": "organisation", "to-org": "organisation"}


@pytest.mark.conformance("Z02")
def test_it_goes_to_its_member_else_to_who_imports(files: Files) -> None:
    here = files.tenant
    told = files.take(LINES, readers="private", email=here.members["ada"].user.email)
    assert (told["imported"], told["skipped"]) == (7, 0)
    assert reads(here, imported(here, "Eve")) == {
        "about": "member", "list": "explicit", **FOR_ALL
    }  # fmt: skip
    assert reads(here, imported(here, "Noor")) == {
        "said": "member", "group": "group", "list": "explicit", **FOR_ALL
    }  # fmt: skip
    assert reads(here, here.person("ada")) == {"bare": "member", **FOR_ALL}
    for name in ("chidi", "mina", "vera"):
        assert reads(here, here.person(name)) == FOR_ALL
    assert reads(here, here.robot("aria")) == FOR_ALL
    principal = resolve_principal(here.person("ada"))
    with principal.scope():
        row = Memory.objects.get(key="bare")
    assert (row.member_id, row.kind, row.group_id) == (here.members["ada"].id, "direct", None)
    # Once more it adds nothing.
    again = files.take(LINES, readers="private", email=here.members["ada"].user.email)
    assert (again["imported"], again["already_there"]) == (0, 7)


@pytest.mark.conformance("Z02")
def test_for_everyone_if_the_import_says_so(files: Files) -> None:
    here = files.tenant
    files.take(LINES, readers="organisation")
    everyones = dict.fromkeys(("about", "said", "bare"), "organisation")
    assert reads(here, here.person("vera")) == everyones | FOR_ALL


@pytest.mark.conformance("Z02")
def test_what_nobody_would_read_is_refused_with_the_way_out(files: Files) -> None:
    told = files.take(LINES, readers="private")
    assert (told["imported"], told["skipped"]) == (6, 1)
    [problem] = told["problems"]
    assert problem["line"] == 3
    assert "--as" in problem["reason"]
    assert "--readers organisation" in problem["reason"]
    with pytest.raises(CommandError, match="has no member"):
        files.take(LINES, readers="private", email="nobody@nowhere.example")


@pytest.mark.conformance("Z02")
def test_a_known_speaker_gets_it_into_what_is_private_to_them(files: Files) -> None:
    """A confirmed name is the member; one that nobody confirmed is refused, as in a list."""
    here = files.tenant
    line = {"id": "m/1", "speaker": "mina", "text": "My locker is nine."}
    member = here.members["mina"].id
    made = {"organisation_id": here.id, "platform": "import", "member_id": member}
    link_identity(**made, identifier="mina", confirmed_at=NOW)
    files.take([line], readers="private")
    assert reads(here, here.person("mina")) == {"m/1": "member"}
    assert reads(here, here.person("ada")) == {}
    with organisation_scope(here.id):
        ExternalIdentity.objects.filter(identifier="mina").update(confirmed_at=None)
    told = files.take([{**line, "id": "m/2", "text": "And ten."}], readers="private")
    assert (told["imported"], told["skipped"]) == (0, 1)


@pytest.mark.conformance("Z25")
def test_what_each_user_had_before_is_theirs_alone_and_goes_again(
    tmp_path: Path, lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Into an organisation that has memories already: in, out and in again."""
    here = lasting_world.here
    monkeypatch.setattr("orgs.management.output.get_organisation", lambda _: here.organisation)
    counts = {"mina": 40, "bob": 25, "vera": 10}
    for name in counts:
        if name != "vera":  # A viewer writes nothing.
            here.remember(here.person(name), f"{name} was here before.", visibility="private")
        made = {"organisation_id": here.id, "platform": "import"}
        link_identity(**made, member_id=here.members[name].id, identifier=name, confirmed_at=NOW)
    here.remember(here.robot("aria"), "The launch is in June.", group="launch")
    here.remember(here.robot("bolt"), "The office closes at six.")
    rows = [
        {"id": f"{name}/{number}", "speaker": name, "text": f"{name} noted the number {number}."}
        for name, count in counts.items()
        for number in range(count)
    ]
    everybody = {name: here.person(name) for name in (*counts, "ada", "chidi")} | {
        name: here.robot(name) for name in ("aria", "bolt", "clio")
    }

    def everything(who: Actor) -> Counter[str]:
        principal = resolve_principal(who)
        with principal.scope():
            return Counter(Memory.objects.values_list("content", flat=True))

    before = {name: everything(who) for name, who in everybody.items()}
    files = Files(tmp_path, here)
    for _ in range(2):
        told = files.take(rows, readers="private")
        assert (told["imported"], told["skipped"]) == (75, 0)
        for name, who in everybody.items():
            own = Counter(row["text"] for row in rows if row["speaker"] == name)
            assert everything(who) - before[name] == own, name
            assert set(reads(here, who).values()) <= {"member"}, name
        assert purge(here, f"import:{told['import']}")["memories"] == 75
        assert {name: everything(who) for name, who in everybody.items()} == before


@pytest.mark.conformance("Z02")
def test_for_a_group_if_the_import_names_one_and_nobody_joins_it(files: Files) -> None:
    here = files.tenant
    group = here.groups["design"]
    with organisation_scope(here.id):
        seats = GroupMembership.objects.filter(group_id=group.id)
        before = set(seats.values_list("member_id", flat=True))
        Group.objects.filter(id=group.id).update(confidential=True)
    readers = f"group:{group.id}"
    planned = files.take(LINES, readers=readers, dry_run=True)
    assert [f"the group {group.name}", 3] in planned["readers"]
    told = files.take(LINES, readers=readers)
    assert (told["imported"], told["skipped"]) == (7, 0), "nobody imports, and all have readers"
    for_group = {"about": "group", "said": "group", "bare": "group"}
    assert reads(here, here.person("mina")) == {**for_group, **FOR_ALL}
    for name in ("ada", "bob", "vera"):
        assert reads(here, here.person(name)) == FOR_ALL
    assert "said" not in reads(here, imported(here, "Noor")), "who said it is no member of it"
    with organisation_scope(here.id):
        assert set(seats.values_list("member_id", flat=True)) == before
    for wrong in ("group:none", "group:", "team:pair"):
        with pytest.raises(CommandError):
            files.take(LINES, readers=wrong)
