"""A logind of our own on a private bus: gives inhibitor locks, says that the machine sleeps, measures who lets go.

A process of its own, so that it measures rightly what a stuck app does. Commands on stdin, answers as JSON lines:

    sleep      says PrepareForSleep(true); {"released": milliseconds, or null if nobody lets go, "locks": how many}
    wake       says PrepareForSleep(false); {"said": false}
    locks      {"locks": how many are held now}
    refuse     from here on no lock is given; {"refuses": true}
    allow      the other way round
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

from dbus_fast import DBusError, Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, method

PATH, MANAGER = "/org/freedesktop/login1", "org.freedesktop.login1.Manager"
PATIENCE = float(os.environ.get("FAKE_DELAY_MAX", "2"))  # seconds; InhibitDelayMaxSec


class Manager(ServiceInterface):
    """Keeps the reading end of each lock's pipe: at its end the lock has been released."""

    def __init__(self) -> None:
        super().__init__(MANAGER)
        self.locks: set[int] = set()
        self.refuses = False
        self.free = asyncio.Event()
        self.free.set()

    @method()
    def Inhibit(self, what: s, who: s, why: s, mode: s) -> h:  # type: ignore[name-defined]  # noqa: F821
        if self.refuses or (what, who, mode) != ("sleep", "writer", "delay"):
            raise DBusError("org.freedesktop.DBus.Error.AccessDenied", "Permission denied")
        reader, writer = os.pipe()
        self.locks.add(reader)
        self.free.clear()
        loop = asyncio.get_running_loop()
        loop.add_reader(reader, self._ended, reader)
        loop.call_later(0.02, os.close, writer)  # its copy is on its way by then
        return writer

    def _ended(self, reader: int) -> None:
        asyncio.get_running_loop().remove_reader(reader)
        os.close(reader)
        self.locks.discard(reader)
        if not self.locks:
            self.free.set()


async def serve(address: str) -> None:
    bus = await MessageBus(bus_address=address, negotiate_unix_fd=True).connect()
    manager = Manager()
    bus.export(PATH, manager)
    await bus.request_name("org.freedesktop.login1")
    commands = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    tell({"ready": True})
    while line := (await commands.readline()).decode().strip():
        if line == "sleep":
            await asyncio.sleep(0.03)  # until our own copies of fresh locks are closed
            tell(await sleep(bus, manager))
        elif line == "wake":
            await say(bus, False)
            tell({"said": False})
        elif line in ("refuse", "allow"):
            manager.refuses = line == "refuse"
            tell({"refuses": manager.refuses})
        else:
            tell({"locks": len(manager.locks)})


async def sleep(bus: MessageBus, manager: Manager) -> dict[str, object]:
    locks, begun = len(manager.locks), time.monotonic()
    await say(bus, True)
    try:
        await asyncio.wait_for(manager.free.wait(), PATIENCE)
    except TimeoutError:
        return {"released": None, "locks": locks}
    return {"released": (time.monotonic() - begun) * 1000, "locks": locks}


async def say(bus: MessageBus, start: bool) -> None:
    await bus.send(
        Message(
            message_type=MessageType.SIGNAL,
            path=PATH,
            interface=MANAGER,
            member="PrepareForSleep",
            signature="b",
            body=[start],
        )
    )


def tell(value: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
