from collections.abc import Iterator

import pytest

from tests.live.server import LiveServer


@pytest.fixture
def server() -> Iterator[LiveServer]:
    """A running platform with real processes, empty."""
    live = LiveServer()
    try:
        yield live.start()
    finally:
        live.stop()
