"""A real Chromium against a real server with committed data."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.live_site import serving_site
from tests.page_client import make_signed_in_client
from tests.world import World

# The shell is the same browser without windows, and takes less of the processor.
CHROMIUM = next(
    (
        path
        for path in (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
        if path.exists()
    ),
    None,
)
MISSING = "Chromium is not installed; the browser tests are left out."


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI=true, and Chromium is missing.")
        pytest.skip(MISSING)
    # Playwright keeps an event loop in this thread; Django would refuse every query beside it.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def _delay_keys_until_loaded(page: Page) -> None:
    """Let a key wait for the page's modules: a heading stands before they run."""
    press = page.keyboard.press

    def patient(key: str, **options: float) -> None:
        page.wait_for_load_state("domcontentloaded")
        press(key, **options)

    page.keyboard.press = patient


class BrowserContextPool:
    """Contexts that a journey hands to the next one, emptied.

    The first page of a new context costs the browser a second of work, a page beside another a
    fifth of that. So each context keeps an empty page for as long as the tests run.
    """

    def __init__(self, browser: Browser, url: str) -> None:
        self.browser, self.url = browser, url
        self.free: dict[bool, list[BrowserContext]] = {True: [], False: []}

    def take(self, *, script: bool) -> BrowserContext:
        """One with nothing in it; with or without JavaScript."""
        if self.free[script]:
            return self.free[script].pop()
        context = self.browser.new_context(base_url=self.url, java_script_enabled=script)
        context.new_page()
        return context

    def give_back(self, context: BrowserContext, *, script: bool) -> None:
        """Close its pages and forget what the site has stored in it."""
        empty, *pages = context.pages
        for page in pages:
            page.close()
        context.clear_cookies()
        context.clear_permissions()
        devtools = context.new_cdp_session(empty)
        everything = {"origin": self.url, "storageTypes": "all"}
        devtools.send("Storage.clearDataForOrigin", everything)
        devtools.detach()
        self.free[script].append(context)


@pytest.fixture(scope="session")
def address(django_db_setup: None) -> Iterator[str]:
    """Where the product runs, in threads of this process, as long as there are tests."""
    with serving_site() as url:
        yield url


@pytest.fixture(scope="session")
def contexts(browser: Browser, address: str) -> BrowserContextPool:
    return BrowserContextPool(browser, address)


@dataclass
class RunningSite:
    """The running product. Every page of it must keep the console free of errors."""

    world: World
    contexts: BrowserContextPool
    stack: ExitStack
    complaints: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.contexts.url

    def context(self, *, java_script_enabled: bool = True, **options: object) -> BrowserContext:
        """A browser that knows nothing yet; for a look or a state of its own, a new one."""
        script = java_script_enabled
        if options:
            context = self.contexts.browser.new_context(
                base_url=self.url, java_script_enabled=script, **options
            )
            self.stack.callback(context.close)
        else:
            context = self.contexts.take(script=script)
            self.stack.callback(self.contexts.give_back, context, script=script)
        context.set_default_timeout(8000)
        for event, listener in (
            ("console", self._listen),
            ("weberror", self._fail),
            ("page", _delay_keys_until_loaded),
        ):
            context.on(event, listener)
            self.stack.callback(context.remove_listener, event, listener)
        return context

    def _listen(self, message: object) -> None:
        # The browser reports the status of answers as well; those the tests look at themselves.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def _fail(self, error: object) -> None:
        self.complaints.append(str(error.error))

    def sign_in(self, name: str, **options: object) -> Page:
        """On Memories, as a member of the first organisation who has signed in before.

        The form itself is filled in by test_core_pages and test_signing_in.
        """
        session = (
            make_signed_in_client(self.world.here, name).cookies[settings.SESSION_COOKIE_NAME].value
        )
        context = self.context(**options)
        context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.url}]
        )
        page = context.new_page()
        page.goto("/memories/")
        page.get_by_role("heading", name="Memories").wait_for()
        return page


@pytest.fixture
def site(lasting_world: World, contexts: BrowserContextPool) -> Iterator[RunningSite]:
    with ExitStack() as stack:
        running = RunningSite(lasting_world, contexts, stack)
        yield running
    assert running.complaints == []


@pytest.fixture(
    params=["with JavaScript", pytest.param("without JavaScript", marks=pytest.mark.slow)]
)
def page_of(request: pytest.FixtureRequest, site: RunningSite) -> Callable[[str], Page]:
    """Sign somebody in, in a browser with and in one without JavaScript."""
    script = request.param == "with JavaScript"
    return lambda name: site.sign_in(name, java_script_enabled=script)
