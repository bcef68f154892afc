"""axe finds nothing on any page, and none is wider than its window.

Once, in light, for every run of the tests; in each theme and width, as the browser draws it from
beginning to end, for the slow ones.

The pages come from the URL conf: whatever answers a GET of the demo's admin with a page is looked
at, so a new page is in here without anybody writing it down.
"""

from collections.abc import Iterator
from itertools import product
from uuid import UUID

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from django.conf import settings as site_settings
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from memories.curation.edit_memory import edit_memory
from memories.demo.create_demo import create_demo
from memories.demo.delete_demo import delete_demo
from memories.jobs.models import Job
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs.accounts.sessions import actor_of, list_memberships
from orgs.models.memberships import Member
from orgs.models.organisations import Group
from orgs.models.users import User
from orgs.principals import Actor, resolve_principal
from robots.models.robots import Robot
from tests.isolation.api_surface import iter_url_patterns
from tests.journeys.conftest import RunningSite
from tests.journeys.test_accessibility import findings
from tests.sampling import sample_slice

pytestmark = [pytest.mark.browser, pytest.mark.timeout(580)]
SLUG = "demo-swept"
# Besides the plain addresses: what they look like when asked, filtered, empty or wrong.
ALSO = (
    "/memories/?q=When+does+the+Spinnaker+go+on+sale",
    "/memories/?q=nothing+of+the+kind+zzz&category=sentiment&tier=glacial",
    "/memories/?tag=dealers",
    "/knowledge/?category=org_policy",
    "/review/?state=decided",
    "/audit/?kind=memory",
    "/me/?view=shared",
    "/people/groups/?q=x",
    "/nothing-here/",
)
ANONYMOUS = (
    "/accounts/login/",
    "/accounts/password/new/x/y/",
    "/invite/01990000-0000-7000-8000-00000000dead/no",
    "/accounts/inactive/",
)


def who(name: str) -> tuple[User, Actor]:
    user = User.objects.get(email=f"{name}@demo.example")
    return user, actor_of(next(m for m, o in list_memberships(user) if o.slug == SLUG))


@pytest.fixture
def demo(site: RunningSite) -> Iterator[None]:
    create_demo(slug=SLUG, now=timezone.now())
    User.objects.filter(email="ada@demo.example").update(is_staff=True)
    yield
    User.objects.filter(email="ada@demo.example").update(is_staff=False)
    user, actor = who("ada")
    delete_demo(actor, user, now=timezone.now())


def ids() -> dict[str, UUID | str | int]:
    """Something that exists for each part of an address."""
    _, actor = who("ada")
    chidi = resolve_principal(who("chidi")[1])
    with chidi.scope():
        item = Proposal.objects.filter(state="open", cause="correction").latest("id")
        job = Job.objects.latest("id").id
    principal = resolve_principal(actor)
    with principal.scope():
        edited = Memory.objects.filter(version__gt=2).latest("id")
        group, robot = Group.objects.get(name="#launch"), Robot.objects.get(name="Aria")
        mina = Member.objects.get(name="Mina")
    edit_memory(actor, edited.id, {"content": f"{edited.content} Really."}, now=timezone.now())
    return {
        "memory_id": edited.id,
        "item_id": item.id,
        "group_id": group.id,
        "robot_id": robot.id,
        "member_id": mina.id,
        "job_id": job,
        "number": 1,
        "name": "days",
        "slug": SLUG,
    }


def pages(client: Client) -> dict[str, str]:
    """The addresses that answer with a page of our own, and the pages."""
    known, found = ids(), {}
    for route, pattern in iter_url_patterns():
        if route.startswith(("api/", "admin/")) or not pattern.name:
            continue
        wanted = pattern.pattern.converters
        if not set(wanted) <= set(known):
            continue
        url = reverse(pattern.name, kwargs={name: known[name] for name in wanted})
        answer = client.get(url)
        html = answer["Content-Type"].startswith("text/html")
        # A file to take along is no page of the site, and a part of a page is none.
        whole = html and not answer.streaming and b"<html" in answer.content
        if answer.status_code == 200 and whole:
            found[url] = answer.content.decode()
    return found


def signed_in(site: RunningSite, name: str, **look: object) -> tuple[Client, Page]:
    client = Client()
    client.force_login(who(name)[0])
    page = site.context(**look).new_page()
    cookie = client.cookies[site_settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": site_settings.SESSION_COOKIE_NAME, "value": cookie, "url": site.url}]
    )
    return client, page


# All pages have one head: the next one takes the place of the body, and nothing is loaded anew. Of
# a long list the beginning is looked at, and the frame around the page once.
LOOK_AT = """async ([html, exclude]) => {
  const next = new DOMParser().parseFromString(html, "text/html");
  for (const list of next.querySelectorAll("tbody, ol, ul, select"))
    while (list.children.length > 6) list.lastElementChild.remove();
  document.title = next.title;
  document.documentElement.lang = next.documentElement.lang;
  document.body.replaceWith(document.adoptNode(next.body));
  const { violations } = await axe.run({ exclude }, { resultTypes: ["violations"] });
  return violations.map(one => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
}"""


NARROWEST = 320
OPENED_WIDTH = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  return document.documentElement.scrollWidth;
}"""


@pytest.mark.slow
@pytest.mark.conformance("W15")
def test_some_pages(site: RunningSite, demo: None, request: pytest.FixtureRequest) -> None:
    """Fetched without a browser, which draws one after the other in the same document."""
    client, stranger = Client(), Client()
    client.force_login(who("ada")[0])
    page = site.context(viewport={"width": 1280, "height": 800}).new_page()
    page.emulate_media(reduced_motion="reduce")
    page.goto("/accounts/login/")
    page.evaluate(AXE_SCRIPT)
    every = [(client, url, html) for url, html in pages(client).items()]
    assert len(every) > 55
    found = []
    every += ((client, url, "") for url in ALSO)
    every += ((stranger, url, "") for url in ANONYMOUS)
    for asked, url, fetched in every[sample_slice(request, 20)]:
        html = fetched or asked.get(url).content.decode()
        frame = [[".rail"], [".topbar"], [".bottombar"]] if url != "/" else []
        found += [f"{url}: {fault}" for fault in page.evaluate(LOOK_AT, [html, frame])]
        page.set_viewport_size({"width": NARROWEST, "height": 800})
        if (width := page.evaluate(OPENED_WIDTH)) > NARROWEST:
            found.append(f"{url}: {width} pixels wide in a window of {NARROWEST}")
        page.set_viewport_size({"width": 1280, "height": 800})
    assert found == []


@pytest.mark.slow
@pytest.mark.conformance("W15")
@pytest.mark.parametrize(("theme", "width"), [*product(("light", "dark"), (320, 768, 1280))])
def test_every_page(site: RunningSite, demo: None, theme: str, width: int) -> None:
    look = {"color_scheme": theme, "viewport": {"width": width, "height": 800}}
    found: list[str] = []
    wide: list[str] = []

    def visit(page: Page, url: str) -> None:
        page.goto(url)
        found.extend(findings(page))
        if page.evaluate(OPENED_WIDTH) > width:
            wide.append(url)

    client, ada = signed_in(site, "ada", **look)
    every = pages(client)
    assert len(every) > 30
    plain = ("", "review", "jobs", "me", "me/known", "me/names", "audit", "design", "trash")
    named = (*plain, "experts", "layouts")
    assert {f"/{name}/".replace("//", "/") for name in named} <= set(every)
    for url in (*every, *ALSO):
        visit(ada, url)
    _, mina = signed_in(site, "mina", **look)
    for url in ("/", "/review/", "/knowledge/", "/me/", "/me/names/", "/people/", "/jobs/"):
        visit(mina, url)
    anonymous = site.context(**look).new_page()
    for url in ANONYMOUS:
        visit(anonymous, url)
    assert found == []
    assert wide == []


def looks(site: RunningSite, language: str, theme: str) -> Page:
    """Ada's window in this language, where each page is drawn in the same document."""
    context = site.context(
        viewport={"width": NARROWEST, "height": 800}, color_scheme=theme, locale=language
    )
    page = context.new_page()
    page.emulate_media(reduced_motion="reduce", color_scheme=theme)
    page.goto("/accounts/login/")
    return page


DRAW = """async (html) => {
  const next = new DOMParser().parseFromString(html, "text/html");
  for (const name of ["lang", "dir"]) document.documentElement[name] = next.documentElement[name];
  document.title = next.title;
  document.body.replaceWith(document.adoptNode(next.body));
}"""


@pytest.mark.slow
@pytest.mark.conformance("X16")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_german_pages_fit_a_narrow_window(site: RunningSite, demo: None, theme: str) -> None:
    """German words are long: no page is wider than 320 pixels."""
    client = Client(HTTP_ACCEPT_LANGUAGE="de")
    client.force_login(who("ada")[0])
    page = looks(site, "de", theme)
    wide = []
    for url, html in pages(client).items():
        assert '<html lang="de"' in html, url
        page.evaluate(DRAW, html)
        if (width := page.evaluate(OPENED_WIDTH)) > NARROWEST:
            wide.append(f"{url}: {width}")
    assert wide == []


@pytest.mark.slow
@pytest.mark.conformance("X16")
@pytest.mark.parametrize("width", [NARROWEST, 1280])
def test_pages_from_right_to_left_stay_in_the_window(
    site: RunningSite, demo: None, width: int
) -> None:
    """Hebrew turns the layout; its sentences are not translated, so they stay English."""
    client = Client(HTTP_ACCEPT_LANGUAGE="he")
    client.force_login(who("ada")[0])
    page = looks(site, "he", "light")
    page.set_viewport_size({"width": width, "height": 800})
    wrong = []
    with override_settings(LANGUAGES=[("en", "English"), ("he", "Hebrew")]):
        every = pages(client)
    for url, html in every.items():
        assert 'dir="rtl"' in html, url
        page.evaluate(DRAW, html)
        if (wide := page.evaluate(OPENED_WIDTH)) > width:
            wrong.append(f"{url}: {wide}")
    assert wrong == []
