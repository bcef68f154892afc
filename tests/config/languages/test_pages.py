"""Which language a page has, and what of it every language has alike."""

import re
from datetime import timedelta
from uuid import UUID

import pytest
from django.test import Client, override_settings
from django.utils import timezone, translation

from orgs.database.rls import organisation_scope
from orgs.languages.page_text import format_decimal, format_number
from orgs.models.memberships import Member
from orgs.views.time_formats import day, short_day, shortly
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import Tenant, World

GERMAN = {"HTTP_ACCEPT_LANGUAGE": "de-CH, en;q=0.5"}
PAGES = ("/", "/memories/", "/review/", "/me/", "/people/", "/robots/", "/tiers/", "/map/")


def german(tenant: Tenant, name: str) -> Client:
    client = make_signed_in_client(tenant, name)
    client.defaults.update(GERMAN)
    return client


def filled(world: World) -> UUID:
    here = world.here
    made = [
        here.remember(here.robot("aria"), f"The zebra sale number {n} is on Friday.").id
        for n in range(4)
    ]
    return made[0]


def test_the_browser_decides_until_the_member_does(world: World) -> None:
    here = world.here
    client = german(here, "ada")
    page = client.get("/people/")
    text = response_text(page)
    assert '<html lang="de">' in text
    assert "Menschen und Gruppen" in text
    assert "People and groups" not in text
    assert page["Content-Language"] == "de"
    assert "Accept-Language" in page["Vary"]
    assert client.post("/me/language/", {"language": "en"}).status_code == 302
    english = client.get("/people/")
    assert '<html lang="en">' in response_text(english)
    assert english["Content-Language"] == "en"
    assert client.cookies["language"].value == "en"
    # Also where nobody knows yet who asks.
    stranger = Client(**GERMAN)
    assert "Anmelden" in response_text(stranger.get("/accounts/login/"))
    stranger.cookies["language"] = client.cookies["language"].value
    assert "Sign in" in response_text(stranger.get("/accounts/login/"))
    client.post("/me/language/", {"language": ""})
    assert '<html lang="de">' in response_text(client.get("/people/"))
    with organisation_scope(here.id):
        assert Member.objects.get(id=here.members["ada"].id).language == ""


def test_the_choice_of_a_member_comes_before_a_cookie(world: World) -> None:
    client = make_signed_in_client(world.here, "ada")
    client.post("/me/language/", {"language": "de"})
    client.cookies["language"] = "en"
    page = response_text(client.get("/me/"))
    assert '<html lang="de">' in page
    assert "Deutsch" in page
    assert "Meine Erinnerungen" in page
    # An error is in it too, and the thread is in English again after it.
    assert "Hier ist nichts" in response_text(client.get(f"/memories/{world.there.id}/"))
    assert translation.get_language() == "en"


def test_a_language_that_there_is_not_is_refused(world: World) -> None:
    client = make_signed_in_client(world.here, "ada")
    for code in ("xx", "de\n", "d" * 600, "he"):
        client.post("/me/language/", {"language": code})
    with organisation_scope(world.here.id):
        assert Member.objects.get(id=world.here.members["ada"].id).language == ""


def test_answers_for_programs_are_english_and_do_not_vary(world: World) -> None:
    api = world.here.api("aria")
    for path in ("/api/v1/memories/none", "/api/v1/nothing", "/mem0/v1/nothing/", "/scim/v2/Users"):
        english = api.get(path)
        other = api.get(path, **GERMAN)
        assert "Accept-Language" not in other.headers.get("Vary", ""), path
        assert "Content-Language" not in other.headers, path
        ids = re.compile(rb'"(?:request_id|instance)": ?"[^"]*"')
        told = [ids.sub(b"", one.content) for one in (english, other)]
        assert told[0] == told[1], path


@pytest.mark.parametrize("url", PAGES)
def test_a_german_page_asks_the_database_no_more(world: World, url: str) -> None:
    filled(world)
    english, other = make_signed_in_client(world.here, "ada"), german(world.here, "ada")
    for client in (english, other):
        client.get(url)
    assert count_queries(other, url) == count_queries(english, url)


# What a machine reads: addresses, values, times, coordinates.
_FOR_MACHINES = re.compile(
    r"\s(datetime|viewBox|points|x|y|x1|x2|y1|y2|cx|cy|r|d|width|height|rx|max|min|value|step|"
    r"name|id|href|action|hx-get|hx-post|data-until|data-live|data-version)=\"([^\"]*)\""
)


_SECRET = re.compile(r"[A-Za-z0-9]{64}|[A-Za-z0-9_:-]{40,}")


@pytest.mark.parametrize("url", PAGES)
@pytest.mark.conformance("X16")
def test_what_machines_read_is_the_same_in_every_language(world: World, url: str) -> None:
    """A comma in a coordinate breaks a picture, and one in a value breaks a form."""
    memory = filled(world)
    for one in (url, f"/memories/{memory}/"):
        pages = [
            response_text(client.get(one))
            for client in (make_signed_in_client(world.here, "ada"), german(world.here, "ada"))
        ]
        assert '<html lang="de">' in pages[1]
        told = [
            sorted(
                f"{name}={re.sub(r'[0-9]+(?:[.][0-9]+)?', '9', value)}"
                for name, value in _FOR_MACHINES.findall(page)
                if not _SECRET.fullmatch(value)
            )
            for page in pages
        ]
        assert told[0] == told[1], "but for the digits, which a moment may change"
        assert len(told[0]) > 20


@pytest.mark.conformance("X16")
def test_numbers_and_days_are_told_by_the_language() -> None:
    now = timezone.now()
    before = (now - timedelta(days=400)).replace(month=5, day=3, hour=14)
    with translation.override("en"):
        assert format_number(12345) == "12,345"
        assert format_decimal(0.25, ".2f") == "0.25"
        assert day(before) == f"3 May {before.year}"
        assert shortly(now - timedelta(days=1)) == "yesterday"
    with translation.override("de"):
        assert format_number(12345) == "12.345"
        assert format_decimal(0.25, ".2f") == "0,25"
        assert day(before) == f"3. Mai {before.year}"
        assert short_day(before, year=True) == f"3. Mai {before.year}"
        assert shortly(now - timedelta(days=1)) == "gestern"


@pytest.mark.conformance("X16")
def test_the_words_of_memories_are_never_translated(world: World) -> None:
    here = world.here
    text = "Review, Save and Undo are the words of this memory."
    memory = here.remember(here.robot("aria"), text).id
    assert text in response_text(german(here, "ada").get(f"/memories/{memory}/"))


@override_settings(LANGUAGES=[("en", "English"), ("he", "Hebrew")])
def test_a_language_from_right_to_left_has_its_direction(world: World) -> None:
    client = make_signed_in_client(world.here, "ada")
    page = client.get("/people/", HTTP_ACCEPT_LANGUAGE="he")
    assert '<html lang="he" dir="rtl">' in response_text(page)
    assert 'dir="rtl"' not in response_text(client.get("/people/"))


def test_the_file_to_read_is_in_the_language_of_the_page(world: World) -> None:
    here = world.here
    filled(world)
    file = german(here, "ada").get("/me/export/page/")
    text = b"".join(file.streaming_content).decode()
    assert '<html lang="de">' in text
    assert "behält" in text
