#!/usr/bin/env python3
"""Take every page at three widths, light and dark, in both languages, into screenshots/ (never committed).

The pages are found by walking the site's own links from the team's home, signed in as an owner who is also staff, on a
private database filled by `manage.py demo` (or, with --bare, by the browser tests' seed). One page per address name.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings.test")

import django  # noqa: E402

django.setup()

from playwright.sync_api import Browser, BrowserContext, sync_playwright  # noqa: E402

from tests.browser.site import ARGUMENTS, CHROMIUM, Site  # noqa: E402
from tests.browser.walk import SIGNED_OUT, find_pages  # noqa: E402

WIDTHS = (360, 1280, 1920)
SCHEMES = ("light", "dark")
LANGUAGES = ("en", "zh-hans")


def context_for(browser: Browser, site: Site, width: int, scheme: str, language: str, person: str) -> BrowserContext:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce", locale=language
    )
    context.add_cookies(site.cookies(person, language))
    return context


def take(browser: Browser, site: Site, folder: Path, options: argparse.Namespace) -> int:
    """Take all pictures; return how many pages there are."""
    walker = context_for(browser, site, 1280, "light", "en", options.person)
    pages, troubles = find_pages(walker, site, options.limit)
    for trouble in troubles:
        print(f"screenshots: {trouble}", file=sys.stderr)
    walker.close()
    for width in options.widths:
        for scheme in options.schemes:
            for language in options.languages:
                context = context_for(browser, site, width, scheme, language, options.person)
                page = context.new_page()
                for name, path in {**pages, **SIGNED_OUT}.items():
                    if name in SIGNED_OUT:
                        context.clear_cookies(name="sessionid")
                    page.goto(site.url + path, wait_until="load")
                    page.screenshot(path=folder / f"{name}.{width}.{scheme}.{language}.png", full_page=True)
                context.close()
    return len(pages | SIGNED_OUT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bare", action="store_true", help="an empty team instead of the demo's data")
    parser.add_argument("--home", type=Path, help="use (and keep) this home's database")
    parser.add_argument("--person", default="admin", help="who looks: owner, steward, editor, annotator, viewer, admin")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    parser.add_argument("--schemes", nargs="+", default=SCHEMES)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES)
    parser.add_argument("--to", type=Path, default=ROOT / "screenshots")
    options = parser.parse_args()
    if not Path(CHROMIUM).exists():
        print(f"screenshots: no Chromium at {CHROMIUM} (Debian: apt-get install chromium)", file=sys.stderr)
        return 2
    options.to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        home = options.home or Path(temporary)
        site = Site(home)
        if options.bare or options.home:
            site.manage("migrate", "--verbosity", "0")
        else:
            site.fill()
        site.seed()
        try:
            site.start()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
                pages = take(browser, site, options.to, options)
                browser.close()
        finally:
            site.stop()
    print(f"screenshots: {pages} pages in {options.to}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
