"""Whether the kernel has lately killed for want of memory: its counters tell, without rights. Standard library only."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

_WINDOW = 10.0  # seconds; a killed process may take that long to go, so a count is kept for up to two of these


def kills(root: Path = Path("/")) -> int:
    """How often it has killed so far, on this machine and in our own control group."""
    return _count(root / "proc/vmstat") + max((_count(file) for file in _own_groups(root)), default=0)


def _count(file: Path) -> int:
    """The number behind "oom_kill" in a table of the kernel's; 0 if it does not tell."""
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def _own_groups(root: Path) -> list[Path]:
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            found.append(root / "sys/fs/cgroup" / group.lstrip("/") / "memory.events")
        elif "memory" in controllers.split(","):
            found.append(root / "sys/fs/cgroup/memory" / group.lstrip("/") / "memory.oom_control")
    return found


class Starvation:
    """Asked now and then while an engine lives, it tells after its death whether memory ran out about that time."""

    def __init__(self, count: Callable[[], int] = kills, clock: Callable[[], float] = time.monotonic) -> None:
        self._count = count
        self._clock = clock
        self._before = self._recent = count()
        self._sampled = clock()

    def look(self) -> None:
        """Cheap; to be called at least every few seconds."""
        if (now := self._clock()) - self._sampled >= _WINDOW:
            self._before, self._recent, self._sampled = self._recent, self._count(), now

    def happened(self) -> bool:
        """Whether the kernel has killed within the last 10 to 20 seconds."""
        return self._count() > self._before
