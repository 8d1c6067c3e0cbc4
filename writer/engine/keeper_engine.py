"""The engine's process as its keeper holds it: started, asked for its health, read, ended. Standard library only."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from writer.engine import proc
from writer.engine.keeper_state import KeeperFolder, Order
from writer.engine.kv_disk import Warden
from writer.engine.leftovers import Leftovers
from writer.engine.starvation import Starvation

_TAIL_BYTES = 64 * 1024
_LOG_LIMIT = 16 * 2**20  # bytes; a log that grows beyond this begins anew
_NOTE_EVERY = 60.0  # seconds between looks at the engine's shared memory
_HEALTH = b"GET /health HTTP/1.1\r\nHost: engine\r\nConnection: close\r\n\r\n"


class EngineProcess:
    """vLLM's API server and all that it starts. They share the keeper's session, which is how they are found."""

    def __init__(self, order: Order, folder: KeeperFolder) -> None:
        self._order = order
        self._socket = folder.engine_socket
        self._log = _LogReader(order.log_file)
        self._status: int | None = None
        self._starvation = Starvation()
        self._shared = Leftovers(folder)
        self._noted = time.monotonic()
        self._kept = Warden(order.kv_folder, order.kv_bytes)
        child = subprocess.Popen(
            order.argv,
            env=dict(order.env),
            cwd=folder.path,
            stdin=subprocess.DEVNULL,
            process_group=0,  # its own group, the keeper's session
        )
        child.returncode = 0  # reaped by `reap`, together with orphans; Popen must not wait for it
        self.pid = child.pid
        self.ticks = proc.start_ticks(child.pid) or 0
        self.pidfd = os.pidfd_open(child.pid)

    def reap(self) -> None:
        """Take leave of all children that have ended; orphans of the engine are ours too (sub-reaper)."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.pid:
                    self._status = os.waitstatus_to_exitcode(ended[1])
        except ChildProcessError:
            if self._status is None:
                self._status = 0

    @property
    def status(self) -> int | None:
        """Exit status of the API server, negative for a signal; None while it runs."""
        return self._status

    @property
    def starved(self) -> bool:
        """Whether the kernel has just killed for want of memory, so perhaps the engine."""
        return self._starvation.happened()

    def new_lines(self) -> list[str]:
        """Log lines since the last call."""
        return self._log.new_lines()

    def tail(self) -> list[str]:
        """The end of the log: of this start, or of the time since it was ready."""
        return self._log.tail()

    def ready(self) -> None:
        """What was said while starting explains no later death."""
        self._log.begin_anew()
        self._note_shared()

    def look(self) -> None:
        """At each turn: what can only be seen while it lives. Keeps a long-lived engine's log from filling the disk."""
        self._starvation.look()
        self._log.trim()
        self._kept.look()
        if time.monotonic() - self._noted >= _NOTE_EVERY:
            self._note_shared()

    def _note_shared(self) -> None:
        self._noted = time.monotonic()
        self._shared.note(process.pid for process in proc.descendants(os.getpid()))

    def healthy(self) -> bool:
        """Whether /health answers 200: true readiness, but no proof of life later on."""
        if not self._socket.exists():
            return False
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(1.0)
                connection.connect(str(self._socket))
                connection.sendall(_HEALTH)
                return connection.recv(64).split(b"\r\n")[0].split()[1:2] == [b"200"]
        except OSError:
            return False

    def stop(self) -> proc.Sweep:
        """SIGTERM to the API server, a grace, then SIGKILL to everything in the session and below us."""
        self._note_shared()
        server = proc.look(self.pid)
        if server and server.ticks == self.ticks:
            proc.end(server, signal.SIGTERM)
            deadline = time.monotonic() + self._order.stop_grace
            while self._status is None and time.monotonic() < deadline:
                time.sleep(0.02)
                self.reap()
        swept = self._end_rest()
        os.close(self.pidfd)
        if not swept.left:
            self._shared.remove()
        return swept

    def _end_rest(self) -> proc.Sweep:
        keeper = proc.look(os.getpid())
        assert keeper is not None
        for process in proc.descendants(keeper.pid):  # some may have left the session
            proc.end(process, signal.SIGKILL)
        swept = proc.kill_session(keeper.session, proc.boot_id(), keeper.ticks, spare={keeper.pid}, grace=0)
        self.reap()
        return swept


class _LogReader:
    """The log from where this start began."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin = self._read_to = path.stat().st_size if path.exists() else 0
        self._rest = b""

    def new_lines(self) -> list[str]:
        self._rest += self._read(self._read_to)
        *whole, self._rest = self._rest.replace(b"\r", b"\n").split(b"\n")
        return [line.decode("utf-8", "replace") for line in whole if line.strip()]

    def _read(self, offset: int) -> bytes:
        try:
            with self._path.open("rb") as file:
                file.seek(offset)
                data = file.read(_LOG_LIMIT)
                self._read_to = file.tell()
                return data
        except OSError:
            return b""

    def tail(self) -> list[str]:
        try:
            size = self._path.stat().st_size
        except OSError:
            return []
        data = self._read(max(self._begin, size - _TAIL_BYTES))
        return [line for line in data.decode("utf-8", "replace").replace("\r", "\n").split("\n") if line.strip()]

    def begin_anew(self) -> None:
        self._begin = self._read_to

    def trim(self) -> None:
        try:
            if self._path.stat().st_size > _LOG_LIMIT:
                os.truncate(self._path, 0)  # its writers append, so nothing else changes for them
                self._begin = self._read_to = 0
        except OSError:
            pass
