#!/usr/bin/env python3
"""A container's health check: ``healthcheck.py URL`` wants a 200, ``healthcheck.py --pidfile FILE`` a live process."""

from __future__ import annotations

import http.client
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 8


def page_answers(url: str) -> bool:
    """Tell whether the page answers 200 under the first name that ALLOWED_HOSTS lets in."""
    parts = urlsplit(url)
    host = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".") or parts.hostname or ""
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", parts.path or "/", headers={"Host": host})
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


def process_lives(pidfile: str) -> bool:
    """Tell whether the process whose id stands in the file is running."""
    try:
        os.kill(int(Path(pidfile).read_text()), 0)
    except (OSError, ValueError):
        return False
    return True


def main(arguments: list[str]) -> int:
    """Return 0 where healthy, 1 where not, 2 where the arguments make no sense."""
    match arguments:
        case ["--pidfile", pidfile]:
            return 0 if process_lives(pidfile) else 1
        case [url]:
            return 0 if page_answers(url) else 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
