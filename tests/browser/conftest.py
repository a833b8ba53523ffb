"""A real Chromium on a real server. Skipped, saying so, where Debian's chromium is not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.site import ARGUMENTS, CHROMIUM, Site
from tests.browser.watch import Watch

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, and keep them in one worker: they share a server and a browser."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            if not Path(CHROMIUM).exists():
                item.add_marker(
                    pytest.mark.skip(reason=f"no Chromium at {CHROMIUM} (Debian: apt-get install chromium)")
                )


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with one team and a person in each role."""
    site = Site(tmp_path_factory.mktemp("site"))
    site.manage("migrate", "--verbosity", "0")
    site.seed()
    try:
        site.start()
        yield site
    finally:
        site.stop()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


OpenPage = Callable[..., tuple[Page, Watch]]


@pytest.fixture
def open_page(site: Site, browser: Browser) -> Iterator[OpenPage]:
    """Open a path as a person: `open_page("/styleguide/", person="admin", width=360, scheme="dark", language="en")`.

    Returns the page and what was seen while it ran (console errors, failed requests, other hosts).
    """
    contexts = []

    def opened(
        path: str,
        *,
        person: str = "",
        width: int = 1280,
        height: int = 800,
        scheme: str = "light",
        language: str = "en",
    ) -> tuple[Page, Watch]:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", locale="en-GB"
        )
        contexts.append(context)
        context.add_cookies(site.cookies(person, language))
        page = context.new_page()
        watch = Watch(page, site.url)
        page.goto(site.url + path, wait_until="load")
        return page, watch

    yield opened
    for context in contexts:
        context.close()
