"""Plain, honest terminal output: steps, a progress line where there is a terminal, tables."""

from __future__ import annotations

import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO, TypeVar

T = TypeVar("T")


def width(text: str) -> int:
    """Return the columns that a text takes in a terminal; Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


class Terminal:
    """Writes to `out`; progress redraws one line on a terminal and says only its end elsewhere."""

    def __init__(self, out: TextIO | None = None) -> None:
        self.out = out or sys.stdout
        self.live = self.out.isatty()
        self.begun = time.monotonic()

    def say(self, text: str = "") -> None:
        self.out.write(text + "\n")
        self.out.flush()

    def step(self, text: str) -> None:
        self.say(f"[{time.monotonic() - self.begun:5.1f} s] {text}")

    def bar(self, label: str, done: int, total: int) -> None:
        """Draw a progress line; the last call (done == total) ends it."""
        if self.live:
            filled = round(24 * done / total) if total else 24
            self.out.write(f"\r          {label} {'█' * filled}{'░' * (24 - filled)} {done}/{total}")
            if done >= total:
                self.out.write("\n")
            self.out.flush()
        elif done >= total:
            self.say(f"          {label} {done}/{total}")

    def track(self, label: str, rows: Sequence[T]) -> Iterator[T]:
        """Yield the rows, drawing progress."""
        for done, row in enumerate(rows, start=1):
            yield row
            self.bar(label, done, len(rows))

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print columns: the first to the left, the others to the right."""
        lines = [list(head), *[list(row) for row in rows]]
        widths = [max(width(line[column]) for line in lines) for column in range(len(head))]
        for number, line in enumerate(lines):
            cells = [line[0] + " " * (widths[0] - width(line[0]))]
            cells += [" " * (widths[i] - width(cell)) + cell for i, cell in enumerate(line) if i]
            self.say("  " + "  ".join(cells).rstrip())
            if number == 0:
                self.say("  " + "  ".join("─" * size for size in widths))
