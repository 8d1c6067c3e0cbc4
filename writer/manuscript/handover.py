"""How a second window gets to write: it rings at the first one, which saves, closes its desk and lets go of the lock.

The bell is a Unix socket that whoever holds the lock listens at; its path stands in the lock's file. Only the lock
itself decides who may write: a bell that nobody hears changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from writer import locations
from writer.errors import StorageError

_PLEASE, _COMING = b"please leave\n", b"coming\n"
HEARD = 2.0  # seconds in which the other window must say that it has heard
_log = logging.getLogger(__name__)


def bell(state_dir: Path) -> Path | None:
    """Where the window that has this state open listens; None if there is no place for a socket. At most 107 bytes."""
    try:
        return locations.runtime_dir() / f"{state_dir.name.replace('-', '')[:16]}.window"
    except StorageError:
        return None


def ring(path: Path) -> bool:
    """Ask the window that listens there to save and let go. Whether it has heard; it may take its time then."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(HEARD)
        try:
            line.connect(os.fspath(path))
            if _uid(line) != os.geteuid():
                return False
            line.sendall(_PLEASE)
            return line.recv(len(_COMING)) == _COMING
        except OSError:
            return False


class Bell:
    """Listens for other windows, from `hang` to `take_down`, in the running loop. For the holder of the lock."""

    def __init__(self, path: Path | None, rung: Callable[[int], None]) -> None:
        """`rung` is given the process that wants to write."""
        self._path = path
        self._rung = rung
        self._server: asyncio.Server | None = None

    async def hang(self) -> None:
        """From now on others can ask. Where no socket can be made nobody is heard; that is logged."""
        if self._path is None:
            return
        try:
            self._path.unlink(missing_ok=True)  # what a killed window left: whoever holds the lock may do this
            self._server = await asyncio.start_unix_server(self._answer, self._path, limit=64)
            self._path.chmod(0o600)
        except OSError as error:
            _log.warning("other windows cannot ask for the manuscript: %s", error.strerror)

    def take_down(self) -> None:
        """Nobody is heard any more. May be called twice, and before `hang`."""
        if self._server is not None and self._path is not None:
            self._server.close()
            self._server = None
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = writer.get_extra_info("socket")
            said = await asyncio.wait_for(reader.readline(), HEARD)
            if _uid(line) == os.geteuid() and said == _PLEASE:
                writer.write(_COMING)
                await writer.drain()
                self._rung(_peer(line)[0])
        except (OSError, ValueError, TimeoutError):
            pass  # it has gone, or is none of ours
        finally:
            writer.close()


def _peer(line: socket.socket) -> tuple[int, int, int]:
    """Process, user and group at the other end."""
    pid, uid, gid = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return pid, uid, gid


def _uid(line: socket.socket) -> int:
    return _peer(line)[1]
