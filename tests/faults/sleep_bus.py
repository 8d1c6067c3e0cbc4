"""A private dbus-daemon with a fake logind on it, and a bus that answers nothing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DAEMON = "dbus-daemon"
LOGIND = Path(__file__).parent / "sleep_logind.py"
_CONFIG = """<busconfig><type>system</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
<allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
"""


def missing() -> str:
    """Why there can be no bus; "" if there can."""
    return "" if shutil.which(DAEMON) else f"{DAEMON} is not installed"


class Bus:
    """A daemon and its logind, from `start` to `stop`. Both end with us, however we end."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.address = f"unix:path={folder / 'bus'}"
        self._daemon: subprocess.Popen[bytes] | None = None
        self._logind: asyncio.subprocess.Process | None = None

    async def start(self, *, patience: float = 2.0) -> None:
        """Both are there once this has returned. `patience`: seconds that logind waits for locks."""
        config = self._folder / "bus.conf"
        config.write_text(_CONFIG.format(socket=self._folder / "bus"))
        command = [DAEMON, f"--config-file={config}", "--nofork", "--nopidfile", "--print-address"]
        self._daemon = subprocess.Popen(
            _with_us(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._daemon.stdout is not None
        assert await asyncio.to_thread(self._daemon.stdout.readline), "the private bus did not start"
        self._logind = await asyncio.create_subprocess_exec(
            *_with_us([sys.executable, str(LOGIND), self.address]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "FAKE_DELAY_MAX": str(patience)},
        )
        await self._answer()

    @property
    def processes(self) -> tuple[int, ...]:
        """Their ids."""
        return tuple(each.pid for each in (self._daemon, self._logind) if each is not None)

    async def ask(self, command: str) -> dict[str, Any]:
        """What the fake logind answers."""
        assert self._logind is not None
        assert self._logind.stdin is not None
        self._logind.stdin.write(command.encode() + b"\n")
        return await self._answer()

    async def stop(self) -> None:
        """The bus is gone, as after a crash of the daemon. Can be called twice."""
        if self._daemon is not None:
            self._daemon.send_signal(signal.SIGKILL)
            self._daemon.wait()
            if self._daemon.stdout is not None:
                self._daemon.stdout.close()
            self._daemon = None
        if self._logind is not None:
            with contextlib.suppress(ProcessLookupError):
                self._logind.kill()
            await self._logind.wait()
            self._logind = None
        (self._folder / "bus").unlink(missing_ok=True)

    async def _answer(self) -> dict[str, Any]:
        assert self._logind is not None
        assert self._logind.stdout is not None
        async with asyncio.timeout(20):
            line = await self._logind.stdout.readline()
        assert line, "the fake logind has ended"
        return dict(json.loads(line))


@contextlib.contextmanager
def silent_bus(folder: Path) -> Iterator[str]:
    """The address of a bus that takes every connection and never says a word."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "silent"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(8)
        try:
            yield f"unix:path={path}"
        finally:
            path.unlink(missing_ok=True)


def _with_us(command: list[str]) -> list[str]:
    """The command, killed when the process that runs it dies."""
    return ["setpriv", "--pdeathsig", "KILL", *command] if shutil.which("setpriv") else command
