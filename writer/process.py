"""Which process is which. A pid alone is not a name: it is used again, so its start and the boot go with it.

Standard library only; every room may use it. Linux. Where the system does not tell, the answers are "" and None, and
`is_same` is false: nothing is ever signalled, or taken for alive, on a guess.
"""

from __future__ import annotations

import os
import time
from pathlib import Path


def boot_id() -> str:
    """Names the time since the machine was started; "" where the system does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def start_ticks(pid: int) -> int | None:
    """Clock ticks from boot to the start of `pid`; None if it does not run (a zombie does not)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    state, *numbers = stat[stat.rindex(b")") + 2 :].split()  # the name before it may hold spaces and brackets
    return None if state in (b"Z", b"X") else int(numbers[18])


def is_same(pid: int, ticks: int, boot: str) -> bool:
    """Whether the very process that was noted still lives."""
    return this_boot(boot) and start_ticks(pid) == ticks


def this_boot(boot: str) -> bool:
    """Whether that was noted since the machine was started; false where the system does not tell."""
    return boot != "" and boot == boot_id()


def started_at() -> float:
    """When this process began, in UTC seconds."""
    ticks = start_ticks(os.getpid()) or 0
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - age
