#!/usr/bin/env python3
"""Take every page at three widths, light and dark, in both languages, into screenshots/ (never committed).

The pages are found by walking the site's own links from the team's home, signed in as an owner who is also staff, on a
private database filled by `manage.py demo` (or, with --bare, by the browser tests' seed). One page per address name.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings.test")

import django  # noqa: E402

django.setup()

from django.urls import Resolver404, resolve  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, sync_playwright  # noqa: E402

from tests.browser.site import ARGUMENTS, CHROMIUM, Site  # noqa: E402

WIDTHS = (360, 1280, 1920)
SCHEMES = ("light", "dark")
LANGUAGES = ("en", "zh-hans")
STARTS = ("/", "/styleguide/", "/no-such-page/")
SIGNED_OUT = {"teams-sign-in": "/sign-in/"}
SKIPPED = ("/admin/", "/api/", "/static/", "/metrics", "/healthz", "/readyz", "/i18n/")


def name_of(path: str) -> str:
    """Return the address name of a path, as a file's name; "" for what is no page."""
    if path.startswith(SKIPPED):
        return ""
    try:
        return resolve(path).view_name.replace(":", "-")
    except Resolver404:
        return re.sub(r"[^a-z0-9]+", "-", path).strip("-")


def find_pages(context: BrowserContext, site: Site, limit: int) -> dict[str, str]:
    """Walk the links breadth first; return one path for each address name."""
    waiting = [*STARTS, f"/t/{site.team}/"]
    found: dict[str, str] = {}
    page = context.new_page()
    while waiting and len(found) < limit:
        path = waiting.pop(0)
        name = name_of(urlsplit(path).path)
        if not name or name in found:
            continue
        try:
            answer = page.goto(site.url + path, wait_until="load")
        except Exception as error:
            print(f"screenshots: {path}: {type(error).__name__} (a download?)")
            continue
        if answer is None or "text/html" not in answer.headers.get("content-type", ""):
            continue
        if answer.status >= 500:
            print(f"screenshots: {path} answers {answer.status}", file=sys.stderr)
        found[name] = path
        for href in page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)"):
            target = urldefrag(href)[0]
            if target.startswith(site.url + "/"):
                waiting.append(target.removeprefix(site.url))
    page.close()
    return found


def context_for(browser: Browser, site: Site, width: int, scheme: str, language: str, person: str) -> BrowserContext:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce", locale=language
    )
    context.add_cookies(site.cookies(person, language))
    return context


def take(browser: Browser, site: Site, folder: Path, options: argparse.Namespace) -> int:
    """Take all pictures; return how many pages there are."""
    walker = context_for(browser, site, 1280, "light", "en", options.person)
    pages = find_pages(walker, site, options.limit)
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
        site.manage("migrate", "--verbosity", "0")
        if not options.bare and options.home is None:
            filler = Site(home, settings="evalplatform.settings.dev")
            filler.manage("demo", "--no-serve", accept=(0, 1, 2))
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
