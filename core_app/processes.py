"""Names of processes: who holds something, and is it still there?

A name is `host:pid:start`, with the process's start time, so that a process that died on this machine is known at once
and a new one with the same pid is not taken for it.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path


def _start_of(pid: int) -> str:
    """Return the process's start time in clock ticks since boot (Linux), `live` elsewhere, or "" where it is dead."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return ""
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        except PermissionError:
            return "live"
        return "live"
    except OSError:
        return "live"
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def process_name() -> str:
    """Return this process's name, kept beside what it holds."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_start_of(pid)}"


def is_dead(name: str) -> bool:
    """Return whether the named process ran on this machine and is gone; False where that can't be known."""
    host, _sep, rest = name.rpartition(":")[0].rpartition(":")
    started = name.rpartition(":")[2]
    if host != socket.gethostname() or not rest.isdigit():
        return False
    return _start_of(int(rest)) != started
