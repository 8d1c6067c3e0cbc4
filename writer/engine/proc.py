"""Facts about processes from /proc, and the one way we end those of an engine.

A process is known by (pid, start ticks, boot id), never by its name: names lie, and pids come back.
The keeper and the app both import this: standard library, and writer.process, whose answers it gives as its own.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from writer.process import boot_id, is_same, start_ticks, this_boot

__all__ = [
    "Process",
    "Sweep",
    "become_subreaper",
    "boot_id",
    "descendants",
    "end",
    "everyone",
    "is_same",
    "kill_session",
    "look",
    "mark_of",
    "members",
    "resident_bytes",
    "start_ticks",
]
_PR_SET_CHILD_SUBREAPER = 36
_POLL = 0.01  # seconds between looks while signalled processes leave
Mark = tuple[int, int]  # (device, inode) of a file that our processes hold as stdout or stderr


@dataclass(frozen=True, slots=True)
class Process:
    """One living process (a zombie is not one). `ticks` is its start in clock ticks since boot."""

    pid: int
    parent: int
    session: int
    ticks: int
    uid: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """What ending a session came to: how many processes were ours, and which would not die."""

    ended: int
    left: tuple[int, ...]


def look(pid: int) -> Process | None:
    """The living process with this pid, or None."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        status = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()  # the name before it may hold blanks and brackets
    if fields[0] in (b"Z", b"X"):
        return None
    uid = int(status.split(b"\nUid:", 1)[1].split(None, 1)[0])
    return Process(pid, int(fields[1]), int(fields[3]), int(fields[19]), uid)


def everyone() -> Iterable[Process]:
    """All living processes that can be seen."""
    for name in os.listdir("/proc"):
        if name.isdigit() and (process := look(int(name))):
            yield process


def members(session: int) -> list[Process]:
    """Living processes of a session id."""
    return [process for process in everyone() if process.session == session]


def descendants(pid: int) -> list[Process]:
    """Living children of `pid`, their children, and so on."""
    children: dict[int, list[Process]] = {}
    for process in everyone():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += [process.pid for process in below]
    return found


def resident_bytes(pids: Iterable[int]) -> int:
    """Memory of these processes together, shared pages counted once where the kernel tells (PSS)."""
    return sum(_resident(pid) for pid in pids)


def _resident(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # not permitted, or gone: the coarser number, or none
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def mark_of(fd: int) -> Mark:
    """The identity of an open file, for `kill_session`."""
    stat = os.fstat(fd)
    return stat.st_dev, stat.st_ino


def kill_session(
    session: int,
    boot: str,
    not_before_ticks: int,
    *,
    spare: Collection[int] = (),
    mark: Mark | None = None,
    grace: float = 2.0,
    patience: float = 15.0,
) -> Sweep:
    """End what is left of a session: SIGTERM, `grace` seconds, SIGKILL until none is left or `patience` is over.

    Touches only processes of that session id, of this user, of this boot, started at or after the session
    and (given `mark`) writing to the session's own log. A session's leader has the session's id as its pid: a
    leader with other start ticks is a stranger who got the number later, which can only be if ours are all gone.
    """

    def ours() -> list[Process]:
        leader = look(session)
        if not this_boot(boot) or (leader and leader.ticks != not_before_ticks):
            return []
        return [p for p in members(session) if _is_ours(p, not_before_ticks, spare, mark)]

    seen = {(p.pid, p.ticks) for p in ours()}
    if seen and grace > 0:
        _signal_all(ours(), signal.SIGTERM)
        _wait_gone(ours, grace)
    deadline = time.monotonic() + patience
    while (left := ours()) and time.monotonic() < deadline:
        seen |= {(p.pid, p.ticks) for p in left}
        _signal_all(left, signal.SIGKILL)
        _wait_gone(ours, 0.2)
    return Sweep(len(seen), tuple(p.pid for p in left))


def _is_ours(process: Process, not_before: int, spare: Collection[int], mark: Mark | None) -> bool:
    if process.uid != os.getuid() or process.ticks < not_before or process.pid in spare:
        return False
    return mark is None or mark in _outputs(process.pid)


def _outputs(pid: int) -> list[Mark]:
    found = []
    for fd in (1, 2):
        try:
            stat = os.stat(f"/proc/{pid}/fd/{fd}")
            found.append((stat.st_dev, stat.st_ino))
        except OSError:
            continue
    return found


def _signal_all(processes: Iterable[Process], number: signal.Signals) -> None:
    for process in processes:
        end(process, number)


def end(process: Process, number: signal.Signals) -> None:
    """Signal this very process: held by a pidfd, then looked at again, so its pid cannot change hands between."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return
    try:
        if start_ticks(process.pid) == process.ticks:
            signal.pidfd_send_signal(handle, number)
    except OSError:
        pass  # it left, or it is not ours after all
    finally:
        os.close(handle)


def _wait_gone(ours: Callable[[], list[Process]], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while ours() and time.monotonic() < deadline:
        time.sleep(_POLL)


def become_subreaper() -> None:
    """From now on orphans among our descendants become our children, not init's."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
