"""Find the site's pages by walking its own links: one path for each address name."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urlsplit

from django.urls import Resolver404, resolve
from playwright.sync_api import BrowserContext, Error

from tests.browser.site import Site

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


def find_pages(context: BrowserContext, site: Site, limit: int) -> tuple[dict[str, str], list[str]]:
    """Walk the links breadth first; return one path for each address name, and the paths that fail."""
    waiting = [*STARTS, f"/t/{site.team}/"]
    found: dict[str, str] = {}
    troubles: list[str] = []
    page = context.new_page()
    while waiting and len(found) < limit:
        path = waiting.pop(0)
        name = name_of(urlsplit(path).path)
        if not name or name in found:
            continue
        try:
            answer = page.goto(site.url + path, wait_until="load")
        except Error as error:
            if "Download is starting" not in str(error):
                raise
            continue
        if answer is None or "text/html" not in answer.headers.get("content-type", ""):
            continue
        if answer.status >= 500:
            troubles.append(f"{path} answers {answer.status}")
        found[name] = path
        for href in page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)"):
            target = urldefrag(href)[0]
            if target.startswith(site.url + "/"):
                waiting.append(target.removeprefix(site.url))
    page.close()
    return found, troubles
