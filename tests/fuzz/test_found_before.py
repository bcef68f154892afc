"""Server errors that were found once, each by itself (T25)."""

import pytest
from django.test import Client

from tests.memories.curation.test_decide import propose
from tests.page_client import make_signed_in_client
from tests.world import World

pytestmark = pytest.mark.conformance("T25")


def support(world: World) -> Client:
    from tests.fuzz.test_no_server_error import staff

    return staff(world, superuser=False)


@pytest.mark.parametrize("page", ["members", "groups", "robots", "jobs", "memories", "questions"])
def test_the_console_takes_no_condition_but_its_filters(lasting_world: World, page: str) -> None:
    client, address = support(lasting_world), f"/admin/organisation/{page}/"
    for query in ("before=x", "before=", "before=%00", "status=x", "content__startswith=a", "q=a"):
        assert client.get(f"{address}?{query}").status_code == 200, query


@pytest.mark.parametrize("query", ["name__range=made-up", "email__in=", "id__range=x", "name=a"])
def test_the_list_of_accounts_takes_no_condition(lasting_world: World, query: str) -> None:
    from tests.fuzz.test_no_server_error import staff

    client = staff(lasting_world, superuser=True)
    assert client.get("/admin/orgs/user/").status_code == 200
    assert client.get(f"/admin/orgs/user/?{query}").status_code == 400


def test_a_choice_of_organisation_leads_to_addresses_alone(lasting_world: World) -> None:
    for wish, to in (
        ("1", "/admin/organisation/members/"),
        ("home", "/admin/organisation/members/"),
        ("//evil.example", "/admin/organisation/members/"),
        ("/me/", "/me/"),
    ):
        sent = {"organisation": str(lasting_world.here.id), "next": wish}
        sent["reason"] = "Somebody asked us to look."
        answer = support(lasting_world).post("/admin/organisation/", sent)
        assert (answer.status_code, answer["Location"]) == (302, to)


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "9999-12-30"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_the_trail_of_the_last_and_first_day(world: World, name: str, day: str) -> None:
    assert make_signed_in_client(world.here, "ada").get(f"/audit/?{name}={day}").status_code == 200


def test_the_last_day_leaves_nothing_out(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    ada.post("/me/learning/", {"on": "1"})
    whole = ada.get("/audit/").content.decode()
    assert "paused what robots learn" in whole
    assert "paused what robots learn" in ada.get("/audit/?until=9999-12-31").content.decode()


def test_the_documentation_has_no_options(client: Client) -> None:
    assert client.options("/api/v1/docs").status_code == 405


@pytest.mark.parametrize("length", ["many", "-1", "1.5", "\u0663"])
@pytest.mark.parametrize("path", ["/me/learning/", "/api/v1/recall", "/accounts/login/"])
def test_a_length_that_is_no_number(world: World, path: str, length: str) -> None:
    client = make_signed_in_client(world.here, "ada")
    client.raise_request_exception = False
    answer = client.post(path, b"on=1", "application/x-www-form-urlencoded", CONTENT_LENGTH=length)
    assert answer.status_code == 400


@pytest.mark.parametrize("topic", ["-" * 64, "- " * 64 + "crane", "\uff0d" * 64 + "crane"])
def test_a_drawn_line_is_a_topic(world: World, topic: str) -> None:
    # Without a memory the query of words is never made.
    world.here.remember(world.here.robot("aria"), "The crane is red.", visibility="organisation")
    for path in ("/api/v1/said", "/api/v1/timeline"):
        answer = world.here.api("aria").get(path, {"topic": topic})
        assert answer.status_code == 200, path
    page = make_signed_in_client(world.here, "ada").get("/said/", {"topic": topic})
    assert page.status_code == 200


@pytest.mark.parametrize("into", [":", ":::", ":3", "x:3"])
def test_a_memory_to_merge_into_that_is_no_id_is_asked_for_again(world: World, into: str) -> None:
    item = propose(world.here)
    answer = make_signed_in_client(world.here, "chidi").post(
        f"/review/{item.id}/merge/", {"into": into, "content": "Both.", "version": "1"}
    )
    assert answer.status_code == 422
