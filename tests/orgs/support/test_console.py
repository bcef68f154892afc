"""Support looks at one organisation: by name, for half an hour, metadata alone, on the record."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.apps import apps
from django.contrib import admin
from django.db import ProgrammingError, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memories.jobs.models import Job
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.users import User
from orgs.urls import support as of_orgs
from robots.models.robots import Robot
from tests.orgs.support.support_staff import (
    REASON,
    make_staff,
    open_organisation,
    staff_audit_entries,
    support_audit_text,
)
from tests.page_client import SCOPE_STATEMENTS, make_signed_in_client, response_text
from tests.world import Tenant, World

TEXT = "Zanzibar is where the treasure lies."
LISTS = ("members", "groups", "robots", "jobs", "memories", "questions", "audit")
MOST_QUERIES = 12


def list_of(name: str) -> str:
    return f"/admin/organisation/{name}/"


def things(tenant: Tenant) -> dict[str, str]:
    """A page of one thing of the organisation each, by what the trail calls it."""
    memory = tenant.remember(tenant.robot("aria"), TEXT, group="launch", topic="Zanzibar").id
    return {
        "member": reverse("support-member", args=[tenant.members["mina"].id]),
        "group": reverse("support-group", args=[tenant.groups["launch"].id]),
        "memory": reverse("support-memory", args=[memory]),
    }


def test_members_find_no_console(lasting_world: World) -> None:
    client = make_signed_in_client(lasting_world.here, "ada")
    for pattern in of_orgs:
        wanted = pattern.pattern.converters
        if pattern.name and not wanted:
            url = reverse(pattern.name)
            assert {client.get(url).status_code, client.post(url).status_code} <= {404, 405}, url
    assert client.get("/admin/").status_code == 404
    assert client.get("/design/").status_code == 404
    response = Client().get("/admin/", follow=True)
    assert "Sign in" in response_text(response)


def test_nothing_is_shown_before_an_organisation_is_chosen_with_a_reason(
    lasting_world: World,
) -> None:
    name = lasting_world.here.organisation.name
    _, client = make_staff()
    for one in LISTS:
        answer = client.get(list_of(one))
        assert answer["Location"].startswith("/admin/organisation/?next="), one
    post = client.post
    assert post("/admin/organisation/", {"organisation": name}).status_code == 422
    assert post("/admin/organisation/", {"organisation": name, "reason": "why"}).status_code == 422
    for words in (name[:-1], name[1:], "%", "x", "00000000-0000-7000-8000-000000000000"):
        answer = post("/admin/organisation/", {"organisation": words, "reason": REASON})
        assert answer.status_code == 422
        assert "No organisation is called exactly so" in response_text(answer)
    sent = {"organisation": name.upper(), "reason": REASON, "next": list_of("jobs")}
    assert post("/admin/organisation/", sent)["Location"] == list_of("jobs")
    assert f"You look at <strong>{name}</strong>" in response_text(client.get(list_of("jobs")))


@pytest.mark.conformance("W20")
def test_the_organisation_and_the_minutes_left_stand_on_every_page(lasting_world: World) -> None:
    _, client = make_staff(superuser=True)
    open_organisation(client, lasting_world)
    name = lasting_world.here.organisation.name
    urls = ["/admin/", "/admin/organisation/", "/admin/orgs/user/", *map(list_of, LISTS)]
    for url in [*urls, *things(lasting_world.here).values()]:
        shown = response_text(client.get(url))
        assert f"You look at <strong>{name}</strong>" in shown, url
        assert "30 minutes left" in shown, url
    with time_machine.travel(timezone.now() + timedelta(minutes=7)):
        assert "23 minutes left" in response_text(client.get("/admin/"))
    with time_machine.travel(timezone.now() + timedelta(minutes=30, seconds=1)):
        assert client.get(list_of("members")).status_code == 302
        assert name not in response_text(client.get("/admin/"))
    assert client.post("/admin/organisation/end/").status_code == 302
    assert client.get(list_of("members")).status_code == 302


@pytest.mark.conformance("W20")
def test_pages_name_what_there_is_and_show_no_text(lasting_world: World) -> None:
    here = lasting_world.here
    pages = things(here)
    lasting_world.there.remember(lasting_world.there.robot("aria"), "Theirs.")
    user, client = make_staff()
    open_organisation(client, lasting_world)
    shown = {name: response_text(client.get(list_of(name))) for name in LISTS}
    shown |= {name: response_text(client.get(url)) for name, url in pages.items()}
    expected = {
        "members": ["Mina", "Curator", "Joined"],
        "groups": ["#launch", "#design"],
        "robots": ["aria", "cmk_…_", "remember, act for members", "Works"],
        "memories": ["aria", "#launch", "Active"],
        "member": ["Mina", "#launch", "#design"],
        "group": ["#launch", "Bob", "Mina"],
        "memory": ["aria", "#launch", "Open what it says"],
        "audit": ["You", "looked at a list of members"],
    }
    for name, words in expected.items():
        assert [w for w in words if w not in shown[name]] == [], name
    assert not [name for name, page in shown.items() if "Zanzibar" in page]
    assert "Never <time" not in shown["robots"]
    emails = [name for name, page in shown.items() if f"@{here.organisation.slug}" in page]
    assert emails == [], "an address is nobody's to leaf through"
    # A name in the place of each id: what is left of ids stands in addresses and behind "Id".
    ids = re.compile(r">[^<]*[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}")
    assert not [name for name in LISTS if ids.search(shown[name])]
    told = staff_audit_entries(here, user)
    assert (told[0].action, told[0].detail) == ("support.chose", {"reason": REASON})
    listed = [e.target_type for e in told if e.action == "support.listed"]
    assert listed == ["member", "group", "robot", "job", "memory", "recall", "auditentry"]
    assert [e.target_type for e in told if e.action == "support.viewed"] == [*pages]
    assert [str(e.target) in pages[e.target_type] for e in told if e.target] == [True] * 3


@pytest.mark.conformance("W20")
def test_no_page_mixes_organisations(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    theirs = things(there)
    with organisation_scope(there.id):
        Robot.objects.filter(id=there.robots["bolt"].id).update(name="Theirs alone")
    _, client = make_staff(superuser=True)
    open_organisation(client, lasting_world)
    for url in theirs.values():
        assert client.get(url).status_code == 404, url
    for name in LISTS:
        page = response_text(client.get(list_of(name)))
        assert not [m.id for m in there.members.values() if str(m.id) in page], name
        assert "Theirs alone" not in page
        assert there.organisation.name not in page
    assert there.organisation.name not in response_text(client.get("/admin/"))
    assert response_text(client.get(list_of("members"))).count(">Mina<") == 1
    assert here.organisation.name in response_text(client.get(list_of("members")))


@pytest.mark.conformance("W20")
def test_an_organisation_reads_what_support_did_as_sentences(lasting_world: World) -> None:
    here = lasting_world.here
    user, client = make_staff()
    open_organisation(client, lasting_world)
    client.get(list_of("members"))
    client.get(things(here)["member"])
    client.post("/admin/organisation/end/")
    plain = support_audit_text(here)
    for words in (
        f"Sam (support) began to look at this organisation “{REASON}”",
        "Sam (support) looked at a list of members",
        "Sam (support) looked at the facts of Mina",
        "Sam (support) stopped looking at this organisation",
    ):
        assert words in plain, words
    assert user.email not in plain


def test_choosing_another_one_ends_the_first(lasting_world: World) -> None:
    user, client = make_staff()
    open_organisation(client, lasting_world)
    there = lasting_world.there
    client.post("/admin/organisation/", {"organisation": str(there.id), "reason": REASON})
    assert [e.action for e in staff_audit_entries(lasting_world.here, user)] == [
        "support.chose",
        "support.ended",
    ]
    assert [e.action for e in staff_audit_entries(there, user)] == ["support.chose"]


def test_two_of_one_name_are_told_apart(lasting_world: World) -> None:
    here, there = lasting_world.here.organisation, lasting_world.there.organisation
    with organisation_scope(there.id):
        type(there).objects.filter(id=there.id).update(name=here.name)
    _, client = make_staff()
    answer = client.post("/admin/organisation/", {"organisation": here.name, "reason": REASON})
    assert answer.status_code == 422
    assert f'name="organisation" value="{there.id}"' in response_text(answer)
    assert here.slug in response_text(answer)


def test_a_page_asks_few_questions(lasting_world: World) -> None:
    pages = things(lasting_world.here)
    _, client = make_staff()
    open_organisation(client, lasting_world)
    counts = {}
    for url in ["/admin/", *map(list_of, LISTS), *pages.values()]:
        with (
            CaptureQueriesContext(connections["default"]) as own,
            CaptureQueriesContext(connections["support"]) as theirs,
        ):
            assert client.get(url).status_code == 200
        asked = [q["sql"] for q in (*own, *theirs) if not q["sql"].startswith(SCOPE_STATEMENTS)]
        counts[url] = len(asked)
    assert max(counts.values()) <= MOST_QUERIES, counts


def test_the_database_refuses_texts_and_what_a_job_is_about(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), TEXT)
    for model, column in (
        (Memory, "content"),
        (Job, "parameters"),
        (Job, "problems"),
        (Job, "result"),
        (User, "email"),
    ):
        with (
            pytest.raises(ProgrammingError, match="permission denied"),
            organisation_scope(here.id, using="support"),
        ):
            list(model._default_manager.using("support").values_list(column, flat=True))


def test_the_admin_of_django_has_accounts_alone_for_superusers_alone(committed: None) -> None:
    assert [m for m in admin.site._registry if m._meta.app_label != "auth"] == [User]
    _, plain = make_staff()
    assert plain.get("/admin/orgs/user/").status_code == 403
    assert plain.get("/admin/orgs/user/add/").status_code == 403


def test_no_model_is_called_by_what_its_class_happens_to_be_named() -> None:
    ours = [m for m in apps.get_models() if m._meta.app_label in ("orgs", "robots", "memories")]
    names = {str(m._meta.verbose_name): str(m._meta.verbose_name_plural) for m in ours}
    # A plural is another word; one that Django made of a word in "y" is wrong.
    wrong = [f"{one}: {many}" for one, many in names.items() if re.search(r"[^aeiou]ys$", many)]
    assert wrong == []
    assert len(names) == len(ours)
    assert not {"pending", "sign in", "robot group"} & set(names)
