"""logind over D-Bus: it tells before the machine sleeps and after, and waits for whoever holds an inhibitor lock.

The only door to dbus_fast. No bus, a bus that hangs, a refusal: none is an error, there is only less to know. Nothing
here waits for longer than `LIMIT`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from writer.language import say

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

LIMIT = 2.0  # seconds for the bus to answer
ADDRESS = "DBUS_SYSTEM_BUS_ADDRESS"
_DEFAULT = "unix:path=/var/run/dbus/system_bus_socket"
_NAME, _PATH, _MANAGER = "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"
_BUS, _BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
_MATCH = f"type='signal',sender='{_NAME}',path='{_PATH}',interface='{_MANAGER}',member='PrepareForSleep'"
_log = logging.getLogger(__name__)


class Lock:
    """An inhibitor lock: the machine's sleep waits until it is released, by any thread, or its time runs out."""

    def __init__(self) -> None:
        self._fd: int | None = None
        self._turn = threading.Lock()

    @property
    def held(self) -> bool:
        """Whether a sleep would wait for us."""
        return self._fd is not None

    def hold(self, fd: int) -> None:
        """Keeps the descriptor that logind gave; from our children as well, or the engine would delay every sleep."""
        os.set_inheritable(fd, False)
        self.release()
        with self._turn:
            self._fd = fd

    def release(self) -> None:
        """Does nothing if it is not held."""
        with self._turn:
            fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)


class Logind:
    """One connection. `said` is called in the loop's thread: True before the machine sleeps, False after."""

    def __init__(self, said: Callable[[bool], None], environ: Mapping[str, str]) -> None:
        self._said = said
        self._address = environ.get(ADDRESS) or _DEFAULT
        self._bus: MessageBus | None = None
        self._asking: asyncio.Task[None] | None = None
        self.lock = Lock()

    @property
    def connected(self) -> bool:
        """Whether we are told of a sleep."""
        return self._bus is not None and self._bus.connected

    async def connect(self) -> bool:
        """Listens, and holds a lock if that is allowed. False if there is no bus, or it does not answer in time."""
        self.close()
        if not _reachable(self._address):
            return False
        aio = await asyncio.to_thread(_library)  # its import takes a while
        try:
            async with asyncio.timeout(LIMIT):
                bus = aio.MessageBus(bus_address=self._address, negotiate_unix_fd=True)
                self._bus = await bus.connect()
                bus.add_message_handler(self._heard)
                await self._call(bus, _BUS, _BUS_PATH, _BUS, "AddMatch", _MATCH)
        except _errors() as error:
            _log.info("no word from logind: %r", error)
            self.close()
            return False
        await self.inhibit()
        return True

    async def inhibit(self) -> None:
        """Takes a lock for the next sleep. Without one we are still told, but perhaps too late."""
        if self._bus is None or self.lock.held or self._asking is not None:
            return
        self._asking = asyncio.ensure_future(self._inhibit(self._bus))
        self._asking.add_done_callback(self._asked)
        await asyncio.wait({self._asking}, timeout=LIMIT)  # a late answer brings a lock too, which must not be lost

    def close(self) -> None:
        """Releases the lock and lets go of the bus."""
        if self._asking is not None:
            self._asking.cancel()
        self.lock.release()
        bus, self._bus = self._bus, None
        if bus is not None:
            with contextlib.suppress(OSError, AttributeError):  # it may have gone before us
                bus.disconnect()

    async def _inhibit(self, bus: MessageBus) -> None:
        why = say("the text is saved first")
        try:
            reply = await self._call(bus, _NAME, _PATH, _MANAGER, "Inhibit", "sleep", "writer", why, "delay")
        except _errors() as error:
            _log.info("no inhibitor lock: %r", error)
            return
        if reply.unix_fds:
            self.lock.hold(reply.unix_fds[0])
        else:
            _log.info("no inhibitor lock: %s %s", reply.error_name, reply.body)

    def _asked(self, task: asyncio.Task[None]) -> None:
        self._asking = None

    async def _call(self, bus: MessageBus, name: str, path: str, interface: str, member: str, *body: str) -> Message:
        from dbus_fast import Message

        signature = "s" * len(body)
        message = Message(
            destination=name, path=path, interface=interface, member=member, signature=signature, body=list(body)
        )
        return await bus.call(message)

    def _heard(self, message: Message) -> None:
        if message.interface == _MANAGER and message.member == "PrepareForSleep" and message.signature == "b":
            self._said(bool(message.body[0]))


def _reachable(address: str) -> bool:
    """Only sockets of this machine; one whose path is not there need not be tried."""
    options = dict(part.split("=", 1) for part in address.removeprefix("unix:").split(",") if "=" in part)
    return address.startswith("unix:") and ("path" not in options or os.path.exists(options["path"]))


def _library() -> Any:
    import dbus_fast.aio

    return dbus_fast.aio


def _errors() -> tuple[type[Exception], ...]:
    """All that a bus may do to us."""
    from dbus_fast import DBusError

    return (OSError, EOFError, ValueError, TypeError, RuntimeError, DBusError)
