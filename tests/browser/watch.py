"""What must never be seen on any page, collected while it runs, and the checks made on it."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WCAG = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}


class Watch:
    """Listens to one page: `faults` are console errors, script errors, failed requests and requests to other hosts."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("console", lambda message: self._note(message.type == "error", f"console: {message.text}"))
        page.on("pageerror", lambda error: self._note(True, f"script: {error}"))
        page.on("response", lambda got: self._note(got.status >= 500, f"{got.status}: {got.url}"))
        page.on(
            "requestfailed", lambda request: self._note(not request.is_navigation_request(), f"failed: {request.url}")
        )
        page.on("request", lambda sent: self._note(not sent.url.startswith((url, "data:")), f"other host: {sent.url}"))

    def _note(self, is_fault: bool, text: str) -> None:
        if is_fault:
            self.faults.append(text)

    def sideways(self) -> int:
        """Return by how many pixels the page can be scrolled sideways."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def axe_faults(self) -> list[str]:
        """Return what axe finds against WCAG 2.2 A and AA and its good practices: rule, place, explanation."""
        found: list[dict[str, Any]] = Axe().run(self.page, options=WCAG).response["violations"]
        return [
            f"{rule['id']} ({rule['impact']}): {node['target']} {node['failureSummary']}"
            for rule in found
            for node in rule["nodes"]
        ]
