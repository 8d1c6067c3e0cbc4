"""Lets one chosen system call of a forked child fail, or be its last, by strace. The child has imported everything.

The child stops itself, strace is attached, and the child is continued: from then on every call of its main thread is
counted, so a call has the same number in every run. Other threads (of a library) are left alone.
"""

from __future__ import annotations

import ctypes
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TRACED = (
    *(
        "pwrite64",
        "write",
        "pread64",
        "read",
        "openat",
        "ftruncate",
        "fallocate",
        "fdatasync",
        "fsync",
        "close",
        "fcntl",
    ),
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "rmdir", "flock", "fchmod"),
    *("newfstatat", "fstat", "lseek", "getdents64", "statfs", "chmod", "readlink", "copy_file_range", "sendfile"),
)
FAULTS = {
    "KILL": "signal=SIGKILL",
    "EIO": "error=EIO",
    "ENOSPC": "error=ENOSPC",
    "ENOSPC from there on": "error=ENOSPC",
}
_TAKES_SPACE = (
    "pwrite64",
    "write",
    "openat",
    "ftruncate",
    "fallocate",
    "mkdir",
    "link",
    "linkat",
    "rename",
    "fsync",
    "fdatasync",
)
_CANNOT_FAIL = ("lseek", "fstat")  # for these no disk is asked
_CHANGES_NOTHING = (*("pread64", "read", "close", "newfstatat", "fstat", "lseek", "getdents64", "statfs", "readlink"),)
"""A kill at one of these leaves what a kill at the next call leaves that changes something."""
_CALL = re.compile(r"(?:\d+ +)?(\w+)\(")
_PATIENCE = 60.0  # seconds for a child to end
_PR_SET_PDEATHSIG = 1
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Point:
    """The n-th call of that name, and what becomes of it."""

    call: str
    number: int
    fault: str

    def __str__(self) -> str:
        return f"{self.fault} at {self.call} {self.number}"

    @property
    def injection(self) -> str:
        """As strace wants it."""
        on = "+" if self.fault.endswith("on") else ""
        return f"inject={self.call}:{FAULTS[self.fault]}:when={self.number}{on}"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a child said, and how it ended: by itself, killed, or not at all."""

    said: tuple[str, ...]
    killed: bool = False
    hung: bool = False


def unusable() -> str:
    """Why nothing can be injected here; "" if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    ran = run(lambda say: say("here"), None)
    return "" if ran.said == ("here",) and not ran.hung else "strace may not look at a process here"


def points(act: Callable[[Say], None], folder: Path, log: Path) -> list[Point]:
    """Every way in which a call of this work may go wrong that has to do with a file in `folder`."""
    run(act, None, log)
    counts: Counter[str] = Counter()
    found = []
    for line in log.read_text(errors="replace").splitlines():
        if match := _CALL.match(line):
            counts[match[1]] += 1
            if str(folder) not in line:
                continue
            creates = match[1] != "openat" or "O_CREAT" in line or "O_TRUNC" in line
            found += [
                Point(match[1], counts[match[1]], fault)
                for fault in FAULTS
                if _possible(match[1], fault, creates=creates)
            ]
    return found


def _possible(call: str, fault: str, *, creates: bool) -> bool:
    if fault == "KILL":
        return creates and call not in _CHANGES_NOTHING
    if fault == "EIO":
        return call not in _CANNOT_FAIL
    return creates and call in _TAKES_SPACE and (not fault.endswith("on") or call in ("pwrite64", "write"))


def run(act: Callable[[Say], None], point: Point | None, log: Path | None = None) -> Ran:
    """Does it in a child whose call at `point` goes wrong."""
    ours, theirs = socket.socketpair()
    with ours:
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            ours.close()
            _child(act, theirs, parent)
        theirs.close()
        os.waitpid(pid, os.WUNTRACED)
        tracer = _attached(pid, point, log)
        try:
            os.kill(pid, signal.SIGCONT)
            return _heard(pid, ours)
        finally:
            tracer.wait(_PATIENCE)


def _child(act: Callable[[Say], None], out: socket.socket, parent: int) -> None:
    """Ends with its parent, however that ends: a stopped child would be there for ever."""

    def say(line: str) -> None:
        out.sendall(line.replace("\n", " | ").encode() + b"\n")  # a call that is not traced

    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            return
        os.kill(os.getpid(), signal.SIGSTOP)
        act(say)
    except BaseException:  # whatever it is, the stage wants to hear of it
        say(f"crash: {traceback.format_exc(limit=-3)}")
    finally:
        os._exit(0)


def _attached(pid: int, point: Point | None, log: Path | None) -> subprocess.Popen[bytes]:
    inject = ["-e", point.injection] if point else []
    calls = ",".join(TRACED) if point is None else point.call
    tracer = subprocess.Popen(
        ["strace", "-y", "-qq", "-p", str(pid), "-o", str(log or os.devnull), "-e", f"trace={calls}", *inject],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    status = Path(f"/proc/{pid}/status")
    end = time.monotonic() + _PATIENCE
    while "TracerPid:\t0\n" in status.read_text() and tracer.poll() is None and time.monotonic() < end:
        time.sleep(0.0005)
    return tracer


def _heard(pid: int, ours: socket.socket) -> Ran:
    data, end = b"", time.monotonic() + _PATIENCE
    while True:
        ready, _, _ = select.select([ours], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            os.kill(pid, signal.SIGKILL)
        chunk = ours.recv(65536) if ready else b""
        data += chunk
        if not chunk:
            break
    _, status = os.waitpid(pid, 0)
    return Ran(tuple(data.decode().splitlines()), killed=os.WIFSIGNALED(status), hung=not ready)
