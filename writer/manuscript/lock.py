"""One window writes in a manuscript. The kernel holds the lock and drops it when the process dies, however it dies.

The file's content tells who holds it; it is never what decides.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from writer import locations, process
from writer.errors import ManuscriptError, ManuscriptLocked
from writer.language import say
from writer.manuscript import handover
from writer.text.sanitise import one_line

_FILE = "lock"
PATIENCE = 25.0  # seconds for another window to pause, save and close; what those may take by themselves
_POLL = 0.02  # seconds between looks at a lock that is to become free
_GRACE = 0.2  # seconds in which a holder that is just dying, or just starting, gets out of the way


@dataclass(frozen=True, slots=True)
class _Holder:
    pid: int
    ticks: int
    boot_id: str
    host: str
    bell: str = ""  # the socket at which it listens
    token: str = ""  # tells two windows of one process apart

    @property
    def lives(self) -> bool:
        return process.is_same(self.pid, self.ticks, self.boot_id)


class ManuscriptLock:
    """Held from `take` until `release` or the death of the process. The descriptor is closed on exec."""

    def __init__(self, fd: int) -> None:
        self._fd: int | None = fd

    @classmethod
    def take(cls, state_dir: Path) -> ManuscriptLock:
        """Lock the manuscript whose state is in `state_dir`.

        Raises ManuscriptLocked that names the holder; StateFull, StateReadOnly or ManuscriptError if nothing can lock.
        """
        try:
            path = locations.private(state_dir) / _FILE
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unusable(error) from error
        try:
            _lock(fd, path)
            _write(fd, _myself(state_dir))
        except BaseException:
            os.close(fd)
            raise
        return cls(fd)

    def release(self) -> None:
        """Let the next window in. May be called twice."""
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with contextlib.suppress(OSError):  # what it says decides nothing
                os.ftruncate(fd, 0)
            with contextlib.suppress(OSError):
                os.close(fd)


def holder(state_dir: Path) -> int | None:
    """Pid of the living process of this machine that holds the lock. Does not touch the lock."""
    found = _read(state_dir / _FILE)
    return found.pid if found and found.lives else None


def take_over(state_dir: Path, patience: float = PATIENCE) -> None:
    """Ask the window that holds the lock to save and let go, and wait until it has. The lock is free then, not taken.

    Blocks for `patience` seconds at most. Raises ManuscriptLocked if it does not.
    """
    begun, heard = time.monotonic(), None
    while not _free(state_dir):
        found = _read(state_dir / _FILE)
        if found and found.host != socket.gethostname():
            raise ManuscriptLocked(_sentence(found))
        if heard is None or found != heard:  # none has heard yet, or another window was faster than we
            heard = found if found and found.bell and handover.ring(Path(found.bell)) else None
        if time.monotonic() > begun + (patience if heard else min(patience, handover.HEARD)):
            what = say("is still saving. Look there") if heard else say("does not answer. Close it there")
            raise ManuscriptLocked(say("The other window {what}, then try again.", what=what))
        time.sleep(_POLL)


def _free(state_dir: Path) -> bool:
    try:
        ManuscriptLock.take(state_dir).release()
    except ManuscriptLocked:
        return False
    return True


def _lock(fd: int, path: Path) -> None:
    deadline = time.monotonic() + _GRACE
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found = _read(path)
            if (found and found.lives) or time.monotonic() > deadline:
                raise ManuscriptLocked(_sentence(found)) from None
        except OSError as error:
            raise _unusable(error) from error
        time.sleep(0.01)


def _sentence(found: _Holder | None) -> str:
    who = say(" (process {pid})", pid=found.pid) if found else ""
    if found and found.host != socket.gethostname():
        who = say(" (process {pid} on the computer {host})", pid=found.pid, host=one_line(found.host, 60))
    return say("This manuscript is open in another window{who}. Close it there, then try again.", who=who)


def _unusable(error: OSError) -> ManuscriptError:
    sentence = say(
        "The manuscript cannot be locked ({why}). Check the permissions of your state folder.", why=error.strerror
    )
    return ManuscriptError(sentence, detail=repr(error))


def _myself(state_dir: Path) -> _Holder:
    pid, bell = os.getpid(), handover.bell(state_dir)
    ticks, token = process.start_ticks(pid) or 0, os.urandom(4).hex()
    return _Holder(pid, ticks, process.boot_id(), socket.gethostname(), str(bell or ""), token)


def _write(fd: int, me: _Holder) -> None:
    with contextlib.suppress(OSError):  # a full disk: then nobody is named, and the lock holds all the same
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps(asdict(me)).encode(), 0)


def _read(path: Path) -> _Holder | None:
    try:
        values = json.loads(path.read_bytes())
        pid, ticks = int(values["pid"]), int(values["ticks"])
        boot_id, host = str(values["boot_id"]), str(values["host"])
        return _Holder(pid, ticks, boot_id, host, str(values.get("bell", "")), str(values.get("token", "")))
    except (OSError, ValueError, KeyError, TypeError):
        return None  # none yet, released, or cut short
