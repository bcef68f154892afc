"""A real Chromium against a real server with committed data."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.people import user_of
from tests.world import PASSWORD, World

CHROMIUM = Path("/usr/bin/chromium")
MISSING = "Chromium is not installed; the browser tests are left out."


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        if os.environ.get("CI") == "true":
            pytest.fail("CI=true, and /usr/bin/chromium is missing.")
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


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        """The browser's requests are not part of the report."""


@dataclass
class Site:
    """The running product. Every page of it must keep the console free of errors."""

    world: World
    url: str
    browser: Browser
    stack: ExitStack
    complaints: list[str] = field(default_factory=list)

    def context(self, **options: object) -> BrowserContext:
        context = self.browser.new_context(base_url=self.url, **options)
        self.stack.callback(context.close)
        context.set_default_timeout(8000)
        context.on("console", self._listen)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        return context

    def _listen(self, message: object) -> None:
        # The browser reports the status of answers as well; those the tests look at themselves.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def sign_in(self, name: str, **options: object) -> Page:
        """As a member of the first organisation, through the form."""
        page = self.context(**options).new_page()
        page.goto("/memories/")
        page.get_by_label("E-mail").fill(user_of(self.world.here, name).email)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Memories").wait_for()
        return page


@pytest.fixture
def site(lasting_world: World, browser: Browser) -> Iterator[Site]:
    server = ThreadedWSGIServer(("127.0.0.1", 0), _Quiet)
    server.daemon_threads = True
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    with ExitStack() as stack:
        running = Site(lasting_world, f"http://127.0.0.1:{server.server_port}", browser, stack)
        yield running
    server.shutdown()
    server.server_close()
    thread.join()
    assert running.complaints == []


@pytest.fixture(params=["with JavaScript", "without JavaScript"])
def page_of(request: pytest.FixtureRequest, site: Site) -> Callable[[str], Page]:
    """Sign somebody in, in a browser with and in one without JavaScript."""
    script = request.param == "with JavaScript"
    return lambda name: site.sign_in(name, java_script_enabled=script)
