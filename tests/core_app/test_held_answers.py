"""How many answers `?wait=` holds at once."""

from __future__ import annotations

import threading
from typing import Any

from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from core_app.rest.streaming import MOST_HELD, hold_until


def asking() -> Request:
    return Request(APIRequestFactory().get("/?wait=60"))


def test_answers_are_held_up_to_the_limit_and_a_further_one_is_given_at_once() -> None:
    released = threading.Event()
    held = threading.Barrier(MOST_HELD + 1, timeout=20)
    answers: list[bool] = []

    def client() -> None:
        looks: list[None] = []

        def is_done() -> bool:
            looks.append(None)
            if len(looks) == 2:
                held.wait()
            return len(looks) > 1 and released.wait(20)

        answers.append(hold_until(is_done, asking()))

    clients = [threading.Thread(target=client) for _ in range(MOST_HELD)]
    for thread in clients:
        thread.start()
    held.wait()
    looks: list[Any] = []
    assert hold_until(lambda: bool(looks.append(None)), asking()) is False
    assert len(looks) == 1
    released.set()
    for thread in clients:
        thread.join(20)
    assert answers == [True] * MOST_HELD
    assert hold_until(lambda: len(looks.append(None) or looks) > 3, asking()) is True
