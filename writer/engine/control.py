"""The app's end of a keeper's control socket: leases, questions, news. Asyncio; never blocks the loop."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from writer.engine import proc
from writer.engine.base import EngineStatus
from writer.engine.keeper_state import PROTOCOL, KeeperFolder

Facts = Mapping[str, Any]
_ANSWER = 10.0  # seconds in which a living keeper answers, even on a crowded machine


class Control:
    """A connection to a keeper that proved to be ours. Closing it, or dying, gives up its lease."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.facts: Facts = {}

    @classmethod
    async def open(cls, folder: KeeperFolder, first: Facts, *, patience: float = _ANSWER) -> Self | None:
        """Connect and send `first`; None if nobody answers there, or somebody who is not this folder's keeper."""
        try:
            reader, writer = await asyncio.open_unix_connection(str(folder.control_socket), limit=2**20)
        except OSError:
            return None
        control = cls(reader, writer)
        try:
            peer: socket.socket = writer.get_extra_info("socket")
            facts = await asyncio.wait_for(control.ask(first), patience)
            if facts is not None and _peer_uid(peer) == os.getuid() and is_ours(facts, folder):
                return control
        except (OSError, TimeoutError):
            pass
        except BaseException:  # cancelled: a lease that was asked for must not stay
            await control.close()
            raise
        await control.close()
        return None

    async def ask(self, message: Facts) -> Facts | None:
        """Send, and return the next thing said; None if the keeper has gone."""
        await self.send(message)
        return await self.next()

    async def send(self, message: Facts) -> None:
        """Say something. Raises OSError if the keeper has gone."""
        self._writer.write(json.dumps(message).encode() + b"\n")
        await self._writer.drain()

    async def next(self) -> Facts | None:
        """The next news; None once the keeper has gone. May be cancelled without losing any."""
        try:
            line = await self._reader.readline()
            facts = json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):
            return None
        if isinstance(facts, dict):
            self.facts = facts
            return facts
        return None

    async def ended(self, patience: float) -> bool:
        """Wait until the keeper's process is gone, and with it the engine; False if that takes too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while await self.next():
                    pass
                while is_alive(self.facts):  # the kernel closes its sockets a moment before
                    await asyncio.sleep(0.005)
                return True
        return False

    async def close(self) -> None:
        """End the connection, and with it the lease."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            pass  # gone already, which is what we want


def is_alive(facts: Facts) -> bool:
    """Whether the keeper that said this lives, as a process of this user and boot."""
    pid, ticks, boot = facts.get("keeper"), facts.get("keeper_ticks"), facts.get("boot")
    if not isinstance(pid, int) or not isinstance(ticks, int) or not isinstance(boot, str):
        return False
    process = proc.look(pid)
    return process is not None and process.uid == os.getuid() and proc.is_same(pid, ticks, boot)


def is_ours(facts: Facts, folder: KeeperFolder) -> bool:
    """Whether these facts come from this folder's own keeper, and one whose language we speak."""
    return is_alive(facts) and facts.get("protocol") == PROTOCOL and facts.get("fingerprint") == folder.path.name


def status_of(facts: Facts) -> EngineStatus:
    """A keeper's facts as everyone else knows them. Memory is left out: it takes longer."""
    return EngineStatus(
        state=str(facts["state"]),
        model=str(facts["model"]),
        sentence=str(facts["sentence"]),
        pid=int(facts["pid"]),
        leases=int(facts["leases"]),
        warm_until=facts["warm_until"],
        seconds=float(facts["seconds"]),
        log=Path(facts["log"]),
        can_sleep=facts["device"] == "gpu",
    )


def _peer_uid(connection: socket.socket) -> int:
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    uid: int = struct.unpack("3i", credentials)[1]
    return uid
