"""Every page of a team that has done its work once, found by walking the links."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.site import Site
from tests.browser.walk import SIGNED_OUT, find_pages
from tests.browser.watch import Watch

#: Pages that answer 404 to an owner, as they must.
HIDDEN = {"no-such-page", "core-styleguide"}


@pytest.fixture(scope="module")
def demo_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The demo's team: an eval set, four runs, a comparison, a gate with a verdict."""
    site = Site(tmp_path_factory.mktemp("demo"))
    site.fill()
    site.seed()
    try:
        site.start()
        yield site
    finally:
        site.stop()


@pytest.fixture(scope="module")
def walked(demo_site: Site, browser: Browser) -> tuple[dict[str, str], list[str]]:
    context = browser.new_context()
    context.add_cookies(demo_site.cookies("owner", "en"))
    found = find_pages(context, demo_site, 200)
    context.close()
    return found


@pytest.fixture(scope="module")
def pages(walked: tuple[dict[str, str], list[str]]) -> dict[str, str]:
    return walked[0]


def test_no_page_of_the_walk_fails(walked: tuple[dict[str, str], list[str]]) -> None:
    assert walked[1] == []


def test_the_walk_reaches_the_pages_of_the_main_job(pages: dict[str, str]) -> None:
    wanted = {"teams-team", "datasets-detail", "datasets-items", "runs-list", "runs-detail", "runs-comparison"}
    assert wanted | {"runs-gate-check", "teams-audit", "teams-tokens"} <= pages.keys()


#: Axe reads the same markup at every width: it runs once, in the dress where contrast and room are scarcest.
@pytest.mark.parametrize(
    ("width", "scheme", "language", "with_axe"), [(360, "dark", "zh-hans", True), (1280, "light", "en", False)]
)
def test_every_page_is_accessible_quiet_and_never_wider_than_the_screen(
    demo_site: Site, browser: Browser, pages: dict[str, str], width: int, scheme: str, language: str, with_axe: bool
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce", locale=language
    )
    context.add_cookies(demo_site.cookies("owner", language))
    faults = []
    for name, path in {**pages, **SIGNED_OUT}.items():
        if name in SIGNED_OUT:
            context.clear_cookies(name="sessionid")
        page = context.new_page()
        watch = Watch(page, demo_site.url)
        page.goto(demo_site.url + path, wait_until="load")
        expected = [f for f in watch.faults if not (name in HIDDEN and "404" in f)]
        faults += [f"{path}: {fault}" for fault in expected + (watch.axe_faults() if with_axe else [])]
        if watch.sideways():
            faults.append(f"{path}: {watch.sideways()} px wider than the screen")
        page.close()
    context.close()
    assert faults == []
