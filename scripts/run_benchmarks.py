#!/usr/bin/env python3
"""Run benchmarks one after the other: ``scripts/run_benchmarks.py [NAME]...``, all where no name is given.

A benchmark is a module ``benchmarks/<name>.py`` that prints one JSON line a row. Each runs in a process of its own, so
that one's memory and caches do not show in the next one's figures.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(names: list[str]) -> int:
    """Run the named benchmarks; return 1 where one fails, 2 where a name is unknown."""
    known = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if not path.stem.startswith("_"))
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    failed = 0
    for name in names or known:
        print(f"# {name}", file=sys.stderr, flush=True)
        failed |= subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=ROOT, check=False).returncode != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
