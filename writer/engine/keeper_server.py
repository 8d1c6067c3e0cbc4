"""The keeper's control socket: one JSON object per line, both ways. Standard library only.

A client that sent "lease" holds one until it says goodbye or its connection ends, which the kernel sees to
even if the client is killed. The socket lies in a 0700 folder, and only its owner is listened to.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Message = Mapping[str, Any]
_LONGEST = 64 * 1024  # bytes of one line


class Client:
    """One connection. `lease` is whether it keeps the engine alive."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.lease = False
        self._received = b""

    def read(self) -> list[Message] | None:
        """Whole messages that have arrived; None if the client is gone or talks nonsense."""
        try:
            data = self.connection.recv(_LONGEST)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not data or len(self._received) > _LONGEST:
            return None
        *lines, self._received = (self._received + data).split(b"\n")
        try:
            messages = [json.loads(line) for line in lines]
        except ValueError:
            return None
        return messages if all(isinstance(message, dict) for message in messages) else None

    def tell(self, message: Message) -> None:
        """Send without waiting. A client that does not read misses messages, but keeps its lease."""
        try:
            self.connection.send(json.dumps(message).encode() + b"\n")
        except OSError:
            pass  # full or gone; if gone, the next read says so


class ControlServer:
    """Listens, and hands each message on. `on_message(client, message)`, `on_gone(client)`."""

    def __init__(
        self,
        listener: socket.socket,
        selector: selectors.BaseSelector,
        on_message: Callable[[Client, Message], None],
        on_gone: Callable[[Client], None],
    ) -> None:
        self._listener = listener
        self._selector = selector
        self._on_message = on_message
        self._on_gone = on_gone
        self._clients: dict[int, Client] = {}
        listener.setblocking(False)
        selector.register(listener, selectors.EVENT_READ, self._accept)

    def clients(self) -> Iterable[Client]:
        """All that are connected now."""
        return tuple(self._clients.values())

    def leases(self) -> int:
        """How many of them keep the engine alive."""
        return sum(client.lease for client in self._clients.values())

    def tell_all(self, message: Message) -> None:
        """To each that holds a lease."""
        for client in self.clients():
            if client.lease:
                client.tell(message)

    def close(self) -> None:
        """No new clients from now on; those connected stay until the process ends."""
        self._selector.unregister(self._listener)
        self._listener.close()

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        if _peer_uid(connection) != os.getuid():
            connection.close()
            return
        connection.setblocking(False)
        client = self._clients[connection.fileno()] = Client(connection)
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._serve(client))

    def _serve(self, client: Client) -> None:
        messages = client.read()
        for message in messages or ():
            self._on_message(client, message)
        if messages is None:
            self._drop(client)

    def _drop(self, client: Client) -> None:
        self._selector.unregister(client.connection)
        del self._clients[client.connection.fileno()]
        client.connection.close()
        self._on_gone(client)


def _peer_uid(connection: socket.socket) -> int:
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    uid: int = struct.unpack("3i", credentials)[1]
    return uid


def listen(path: str) -> socket.socket:
    """A listening socket at this path. The caller holds the lock and has removed a stale one."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    return listener
