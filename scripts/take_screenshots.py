#!/usr/bin/env python3
"""Photograph every page at three widths, light and dark, in both languages.

Starts the demo in a temporary home, signs in as its owner and follows links until each page of the site has been seen
once. Pictures go to screenshots/<language>/<scheme>/<width>/<page>.png. Ends with 1 and says where, if a page answers
with an error, writes to the browser's console, or is wider than the window.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import django
from django.urls import Resolver404, resolve
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from with_services import free_port

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "screenshots"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
LANGUAGES = {"en": "en", "zh": "zh-hans"}
SCHEMES = ("light", "dark")
WIDTHS = (390, 820, 1440)
HEIGHT = 900
OWNER = "olivia"
DEMO_SECONDS = 300
#: Pages of Django's own admin look alike: its front page stands for them.
SKIPPED_PREFIXES = ("/api/", "/static/", "/admin/", "/metrics", "/i18n/")
MOST_PAGES = 80


@contextlib.contextmanager
def demo_site() -> Iterator[tuple[str, str]]:
    """Yield the address and the owner's password of a demo that has come to its verdict."""
    home = Path(tempfile.mkdtemp(prefix="evp-shots-"))
    port = free_port()
    log = home / "demo.log"
    environment = {**os.environ, "EVALPLATFORM_HOME": str(home), "DJANGO_SETTINGS_MODULE": "evalplatform.settings.dev"}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--port", str(port)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + DEMO_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                credentials = json.loads((home / "demo.json").read_text(encoding="utf-8"))
                if credentials["gate_check"]:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10).close()
                    yield f"http://127.0.0.1:{port}", credentials["password"]
                    return
            time.sleep(0.5)
        raise SystemExit(f"the demo came to no verdict:\n{log.read_text(errors='replace')[-3000:]}")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(40)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(home, ignore_errors=True)


def page_name(path: str) -> str | None:
    """Return the name of the view behind a path as a file name, None where it is no page of the site."""
    if path.startswith(SKIPPED_PREFIXES) and path != "/admin/":
        return None
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return (match.view_name or match.func.__name__).replace(":", "-")


def sign_in(context: BrowserContext, site: str, password: str) -> Page:
    """Return a page on which the demo's owner is signed in."""
    page = context.new_page()
    page.goto(f"{site}/")
    page.fill("input[name=username]", OWNER)
    page.fill("input[name=password]", password)
    page.press("input[name=password]", "Enter")
    page.wait_for_selector("input[name=password]", state="detached")
    return page


def find_pages(page: Page, site: str) -> dict[str, str]:
    """Follow the links from the page's present place; return the first path met for each view's name."""
    found: dict[str, str] = {}
    waiting = deque([urlsplit(page.url).path])
    seen = set(waiting)
    while waiting and len(found) < MOST_PAGES:
        path = waiting.popleft()
        name = page_name(urlsplit(path).path)
        if name is None or name in found:
            continue
        answer = page.request.get(site + path, max_redirects=0)
        if "text/html" not in answer.headers.get("content-type", "") or answer.headers.get("content-disposition"):
            continue
        page.goto(site + path)
        found[name] = path
        links = page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))")
        for link in links:
            target = urlsplit(urljoin(site + path, link))
            place = target.path + (f"?{target.query}" if target.query else "")
            if f"{target.scheme}://{target.netloc}" == site and place not in seen:
                seen.add(place)
                waiting.append(place)
    return found


def photograph(browser: Browser, site: str, state: dict[str, object], pages: dict[str, str]) -> list[str]:
    """Take the pictures; return one line for each thing that is wrong with a page."""
    problems: list[str] = []
    for language, code in LANGUAGES.items():
        for scheme in SCHEMES:
            context = browser.new_context(
                color_scheme=scheme,  # type: ignore[arg-type]
                storage_state=state,  # type: ignore[arg-type]
                locale="zh-CN" if language == "zh" else "en-GB",
            )
            context.add_cookies([{"name": "django_language", "value": code, "url": site}])
            page = context.new_page()
            place = ""
            page.on(
                "console",
                lambda said: (
                    problems.append(f"{place}: console {said.type}: {said.text}")  # noqa: B023
                    if said.type in {"error", "warning"}
                    else None
                ),
            )
            page.on("pageerror", lambda error: problems.append(f"{place}: script error: {error}"))  # noqa: B023
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": HEIGHT})
                folder = TARGET / language / scheme / str(width)
                folder.mkdir(parents=True, exist_ok=True)
                for name, path in pages.items():
                    place = f"{language}/{scheme}/{width}/{name} ({path})"
                    answer = page.goto(site + path, wait_until="load")
                    if answer is None or not answer.ok:
                        problems.append(f"{place}: answers {answer.status if answer else 'nothing'}")
                    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                    if overflow > 0:
                        problems.append(f"{place}: {overflow} px wider than the window")
                    page.screenshot(path=folder / f"{name}.png", full_page=True)
            context.close()
    return problems


def main() -> int:
    """Return 0 where every page was photographed and nothing was wrong with it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="photograph only pages whose name holds this word")
    options = parser.parse_args()
    chromium = next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)
    if chromium is None:
        print("screenshots: Chromium is not installed (Debian: apt-get install chromium)", file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings.dev")
    django.setup()
    flags = [*CHROMIUM_FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with demo_site() as (site, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        context = browser.new_context()
        entrance = context.new_page()
        entrance.goto(f"{site}/")
        sign_in_path = urlsplit(entrance.url).path
        page = sign_in(context, site, password)
        pages = {"sign-in": sign_in_path, **find_pages(page, site)}
        chosen = {name: path for name, path in pages.items() if options.only in name}
        state = dict(context.storage_state())
        entrance_pages = {name: path for name, path in chosen.items() if name == "sign-in"}
        problems = photograph(browser, site, {}, entrance_pages) if entrance_pages else []
        problems += photograph(
            browser, site, state, {name: path for name, path in chosen.items() if name not in entrance_pages}
        )
        browser.close()
    for problem in problems:
        print(f"screenshots: {problem}", file=sys.stderr)
    count = len(chosen) * len(LANGUAGES) * len(SCHEMES) * len(WIDTHS)
    print(f"screenshots: {len(chosen)} pages, {count} pictures in screenshots/, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
