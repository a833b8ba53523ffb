"""A small REST client on the standard library alone: what a pipeline needs, and what docs/pipelines.md explains.

Every refusal is raised as `ApiError` with the problem+json body; requests that the server could not take (429, 503, a
connection refused while it restarts) are tried again, POSTs under one Idempotency-Key so that nothing happens twice.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_RETRY_STATUS = {429, 503}


class ApiError(Exception):
    """A refusal: `status` and the problem+json `body`."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        faults = "; ".join(
            f"{'line ' + str(row['line']) + ' ' if row.get('line') else ''}{row.get('pointer', '')}: {row['detail']}"
            for row in list(body.get("errors") or [])[:5]
        )
        super().__init__(f"{status} {body.get('code', '')}: {body.get('detail', '')} {faults}".strip())
        self.status = status
        self.body = dict(body)


class Api:
    """`base` is the site's address, for example `http://localhost:8000/`; `token` a service token."""

    def __init__(self, base: str, token: str, *, tries: int = 5) -> None:
        self.base = base.rstrip("/") + "/api/v1/"
        self.token = token
        self.tries = tries

    def get(self, path: str) -> Any:
        return self._call("GET", path)

    def post(self, path: str, body: Any = None) -> Any:
        return self._call("POST", path, body=body)

    def text(self, path: str) -> str:
        """Return a body as text (JUnit, markdown, CSV)."""
        return self._call("GET", path, raw=True)

    def post_lines(self, path: str, rows: Sequence[Mapping[str, Any]]) -> Any:
        """Send rows as NDJSON."""
        data = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode("utf-8")
        return self._call("POST", path, data=data, content_type="application/x-ndjson")

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield every row of a cursor-paged list."""
        page = self.get(path)
        while True:
            yield from page["results"]
            if not page["next"]:
                return
            page = self._call("GET", page["next"])

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        data: bytes | None = None,
        content_type: str = "application/json",
        raw: bool = False,
    ) -> Any:
        url = path if path.startswith("http") else self.base + path.lstrip("/")
        if body is not None:
            data = json.dumps(body, ensure_ascii=False).encode("utf-8")
        headers = {"Authorization": f"Bearer {self.token}"}
        if method == "POST":
            data = data if data is not None else b"{}"
            headers |= {"Content-Type": content_type, "Idempotency-Key": uuid.uuid4().hex}
        for attempt in range(1, self.tries + 1):
            request = urllib.request.Request(url, data=data, headers=headers, method=method)  # noqa: S310
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310
                    content = answer.read().decode("utf-8")
                    return content if raw else (json.loads(content) if content else None)
            except urllib.error.HTTPError as error:
                text = error.read().decode("utf-8", "replace")
                if error.code in _RETRY_STATUS and attempt < self.tries:
                    time.sleep(float(error.headers.get("Retry-After") or attempt))
                    continue
                try:
                    problem = json.loads(text)
                except ValueError:
                    problem = {"code": "not_json", "detail": text[:300]}
                raise ApiError(error.code, problem) from None
            except (urllib.error.URLError, ConnectionError):
                if attempt == self.tries:
                    raise
                time.sleep(attempt)
        raise AssertionError("unreachable")


def wait_for_run(api: Api, run: str, *, timeout_s: float = 600, progress: Any = None) -> dict[str, Any]:
    """Return the run once it is completed, failed or cancelled; TimeoutError past `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        state = api.get(f"runs/{run}?wait=1")
        if progress is not None:
            progress(state)
        if state["status"] in {"completed", "failed", "cancelled"}:
            return dict(state)
    raise TimeoutError(f"run {run} is not finished after {timeout_s:.0f} s")
