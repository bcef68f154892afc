"""The page of what happens by itself: who reads it, who changes it, what it says before."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories.insights.statistics import get_statistics
from memories.lifecycle.ageing_policy import find_policy_or_default, update_policy
from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.retention import run_retention
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from tests.memories.lifecycle.test_retention import columns, made
from tests.page_client import make_signed_in_client, response_text
from tests.world import PEOPLE, Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")

URL, PREVIEW = "/tiers/policy/", "/tiers/policy/preview/"
DAY = timedelta(days=1)
NOTHING = {"capacities": "standard"}


def stored(tenant: Tenant) -> AgeingPolicy:
    with organisation_scope(tenant.id):
        return find_policy_or_default(tenant.id)


def old_fact(tenant: Tenant) -> Any:
    one = made(tenant, "An old fact.")
    columns(tenant, one, created_at=timezone.now() - 90 * DAY)
    return one


def changed(tenant: Tenant) -> list[dict[str, Any]]:
    with organisation_scope(tenant.id):
        return [
            row.detail for row in AuditEntry.objects.filter(action="policy.changed").order_by("id")
        ]


@pytest.mark.conformance("H43")
def test_everybody_reads_it_and_admins_alone_change_it(here: Tenant) -> None:
    for name in PEOPLE:
        client, admin = make_signed_in_client(here, name), name == "ada"
        page = client.get(URL)
        assert page.status_code == 200, name
        assert ('name="keep_most"' in response_text(page)) is admin
        assert ("Nothing is archived by itself." in response_text(page)) is not admin
        wish = NOTHING | {"evict": "on"}
        assert client.post(PREVIEW, wish).status_code == (200 if admin else 404)
        assert client.post(URL, wish).status_code == (302 if admin else 404)
        assert f'href="{URL}"' in response_text(client.get("/tiers/"))
    assert [row["evict"] for row in changed(here)] == [True]
    assert Client().get(URL).status_code == 302


def test_it_saves_the_whole_policy_and_members_read_it_in_words(here: Tenant) -> None:
    ada = make_signed_in_client(here, "ada")
    wish = {"capacities": "large", "days_fact": "30", "keep_most": "5000", "past_half_life": "on"}
    assert ada.post(URL, wish | {"merge_duplicates": "on"}).status_code == 302
    found = stored(here)
    assert (found.capacities, found.max_age_days, found.keep_most) == ("large", {"fact": 30}, 5000)
    assert (found.past_half_life, found.merge_duplicates, found.evict) == (True, True, False)
    assert found.changed_by_id == here.members["ada"].id
    page = response_text(make_signed_in_client(here, "vera").get(URL))
    for sentence in (
        "Facts are archived after 30 days.",
        "2 hours fast, 2 days medium, 14 days slow, 60 days glacial.",
        "5,000 memories are kept; the least important are archived first.",
        "What says the same words is merged",
        "1,000 fast, 5,000 medium, 10,000 slow, 50,000 glacial.",
    ):
        assert sentence in page
    page = response_text(ada.get(URL))
    assert 'value="30"' in page
    assert 'value="5000"' in page
    # Only what changed is written down.
    ada.post(URL, wish | {"merge_duplicates": "on", "keep_most": "6000"})
    assert changed(here)[-1] == {"keep_most": 6000}
    ada.post(URL, NOTHING)
    found = stored(here)
    assert (found.max_age_days, found.keep_most, found.past_half_life) == ({}, None, False)
    trail = response_text(ada.get("/audit/?kind=policy"))
    assert "changed what happens by itself" in trail
    assert "days by type, twice the half-life, number kept, room in the tiers, merging<" in trail


@pytest.mark.conformance("H43", "H45")
def test_a_preview_says_how_many_by_rule_and_changes_nothing(here: Tenant) -> None:
    old_fact(here)
    columns(here, made(here, "A young fact."), created_at=timezone.now())
    ada, wish = make_signed_in_client(here, "ada"), NOTHING | {"days_fact": "30", "keep_most": "1"}
    page = response_text(ada.post(PREVIEW, wish))
    assert "would archive 1 memory:" in page
    assert "1 older than their type may be" in page
    assert "over the number" not in page
    assert "An old fact" not in page
    assert "would archive nothing." in response_text(ada.post(PREVIEW, NOTHING))
    part = ada.post(PREVIEW, wish, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="policy-form")
    assert response_text(part).lstrip().startswith('<form class="form" id="policy-form"')
    assert stored(here).max_age_days == {}
    assert changed(here) == []


@pytest.mark.conformance("H43")
def test_what_archives_more_is_saved_once_the_number_was_read(here: Tenant) -> None:
    old = old_fact(here)
    ada, wish = make_signed_in_client(here, "ada"), NOTHING | {"days_fact": "30"}
    for said in ({}, {"confirmed": "0"}, {"confirmed": ""}):
        page = response_text(ada.post(URL, wish | said))
        assert "Not saved yet. The next run would archive 1 memory:" in page
        assert 'name="confirmed" value="1"' in page
        assert stored(here).max_age_days == {}
    assert ada.post(URL, wish | {"confirmed": "1"}).status_code == 302
    assert stored(here).max_age_days == {"fact": 30}
    # What is as strict as before asks no more, and what is less strict neither.
    assert ada.post(URL, wish).status_code == 302
    assert ada.post(URL, NOTHING | {"days_fact": "60"}).status_code == 302
    run_retention(here.id, now=timezone.now())
    page = response_text(ada.get(f"/memories/{old}/"))
    assert "Archived by itself" in page
    assert "older than memories of its type are kept" in page
    trail = response_text(ada.get("/audit/"))
    assert "archived, as the policy says," in trail
    assert "1 memory</span>" in trail


@pytest.mark.parametrize("field", ["keep_most", "days_fact"])
@pytest.mark.parametrize("typed", ["0", "-1", "much", "1000000000000", "NaN", "1.5", "1e3"])
def test_a_wrong_number_is_told_at_its_field(here: Tenant, field: str, typed: str) -> None:
    ada = make_signed_in_client(here, "ada")
    for url in (URL, PREVIEW):
        answer = ada.post(url, NOTHING | {field: typed})
        assert answer.status_code == 422, (url, typed)
        form = answer.context["form"]
        assert list(form.errors) == [field]
        assert f'id="id_{field}_error"' in response_text(answer)
    assert changed(here) == []


def test_a_wrong_profile_is_told(here: Tenant) -> None:
    ada = make_signed_in_client(here, "ada")
    for wish in ({}, {"capacities": "huge"}):
        answer = ada.post(URL, wish)
        assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["capacities"])


@pytest.mark.conformance("G01")
def test_the_profile_decides_how_full_a_tier_is(here: Tenant) -> None:
    from tests.memories.lifecycle.test_age import used

    for n in range(5):
        used(here, made(here, f"Thing {n}."), tier="medium")
    ada, now = here.person("ada"), timezone.now()
    client = make_signed_in_client(here, "ada")
    assert get_statistics(ada, now=now)["pressure"] == 5 / 500
    assert "1,000 fast, 500 medium, 200 slow, 100 glacial" in response_text(client.get("/tiers/"))
    assert "Medium,1" in response_text(client.get("/tiers/fullness.csv"))
    update_policy(ada, {"capacities": "large"}, now=now)
    assert get_statistics(ada, now=now)["pressure"] == 5 / 5000
    assert "1,000 fast, 5,000 medium, 10,000 slow, 50,000 glacial" in response_text(
        client.get("/tiers/")
    )
    assert "Medium,0" in response_text(client.get("/tiers/fullness.csv"))
