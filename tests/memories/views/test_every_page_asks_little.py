"""No page makes more than thirteen queries; the pages come from the URL conf."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.isolation.api_surface import UNTENANTED_PATHS, iter_url_patterns
from tests.isolation.forgery import ForgeryWorld, build_forgery_world
from tests.memories.views.memory.test_thread import say
from tests.page_client import SCOPE_STATEMENTS, make_signed_in_client
from tests.sampling import sample_slice
from tests.world import World

MOST = 13
# Beside the plain addresses.
ALSO = (
    "/memories/?sort=-use&category=event",
    "/memories/?each=1",
    "/memories/?status=archived&q=pears",
    "/memories/?q=When+are+plums+red",
    "/review/?show=decided",
    "/me/?show=shared",
    "/me/?all=1",
    "/me/?show=forgotten",
    "/me/?trust=1",
    "/knowledge/?category=org_policy",
    "/experts/?topic=plums",
    "/said/?q=plums",
    "/audit/?kind=memory",
    "/palette/?q=plu",
)


def addresses(scene: ForgeryWorld) -> list[str]:
    """Each address of a page, for each thing of the scene that can stand in it."""
    found = []
    for route, pattern in iter_url_patterns():
        wanted = set(pattern.pattern.converters)
        if (
            route.startswith(("api/", *UNTENANTED_PATHS))
            or not pattern.name
            or wanted - set(scene.ids)
        ):
            continue
        for at in (0, -1) if wanted else (0,):
            ids = {name: scene.ids[name][at] for name in wanted}
            found.append(reverse(pattern.name, kwargs=ids))
    return found


def asked(client: Client, url: str) -> tuple[bool, int]:
    """Whether it answers with a page, and how many queries that took."""
    with CaptureQueriesContext(connection) as found:
        answer = client.get(url)
    page = answer.status_code == 200 and not answer.streaming
    page = page and answer["Content-Type"].startswith("text/html")
    return page, len([one for one in found if not one["sql"].startswith(SCOPE_STATEMENTS)])


def test_no_page_makes_more_than_thirteen_queries(
    world: World, request: pytest.FixtureRequest
) -> None:
    """A quarter of the pages for an admin, a twelfth for others, which the seed draws."""
    scene = build_forgery_world(world)
    here = world.here
    for number in range(3):
        say(here, "bob", f"Turn {number}.", number)
    scene.ids["memory_id"].append(str(say(here, "mina", "Agreed.", 4)))
    name = {"name": "Events", "query": "category=event"}
    over, pages = {}, set()
    for who in ("ada", "mina", "chidi"):
        client = make_signed_in_client(here, who)
        client.post("/memories/views/", name)
        client.get("/")
        every = (*addresses(scene), *ALSO)
        for url in every[sample_slice(request, 4 if who == "ada" else 12)]:
            page, number = asked(client, url)
            if page:
                pages.add(url)
                # A first visit may set something up, as a personal robot.
                if number > MOST and (again := asked(client, url)[1]) > MOST:
                    over[who, url] = again
    assert over == {}
    assert len(pages) > 12
    wanted = {"/", "/memories/", "/me/", "/review/", "/decisions/", "/audit/"}
    assert wanted <= set(addresses(scene))
