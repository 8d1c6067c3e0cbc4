"""Runs inside vLLM's server: three doors of our own, to free the GPU and to take it again, and no other of the kind.

vLLM opens such doors in development mode only, together with others that run code. This is an ASGI middleware, passed
by `--middleware writer_doors.Doors`. It answers three paths, passes everything else on, and wakes the engine before it
passes on a request that would otherwise wait in a sleeping one for ever. Standard library only.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

SLEEP, WAKE, STATE = "/writer/sleep", "/writer/wake", "/writer/state"
_NEED_NO_GPU = ("/health", "/ping", "/load", "/version", "/metrics", "/v1/models", "/tokenize", "/detokenize")
_LEVEL = 1  # weights go to main memory; what was read is forgotten

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Doors:
    """One for the server. It sees every request, so it knows whether anything is being written."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app
        self._asleep = False
        self._busy = 0  # requests that need the GPU
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path.startswith(_NEED_NO_GPU):
            await self._app(scope, receive, send)
        elif path in (SLEEP, WAKE, STATE):
            await self._door(scope, path, send)
        else:
            await self._with_gpu(scope, receive, send)

    async def _with_gpu(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._busy += 1  # before the turn is waited for: who waits here is not put to sleep any more
        try:
            async with self._turn:
                await self._wake(scope)
            await self._app(scope, receive, send)
        finally:
            self._busy -= 1

    async def _door(self, scope: Scope, path: str, send: Send) -> None:
        if path != STATE and scope.get("method") != "POST":
            await _answer(send, 405, {"error": "POST only"})
            return
        begun, status = time.monotonic(), 200
        if path != STATE:
            async with self._turn:
                if path == WAKE:
                    await self._wake(scope)
                elif self._busy:
                    status = 409
                elif not self._asleep:
                    self._asleep = True  # if it fails half-way, waking is what mends it
                    await scope["app"].state.engine_client.sleep(_LEVEL)
        seconds = round(time.monotonic() - begun, 3)
        await _answer(send, status, {"asleep": self._asleep, "busy": self._busy, "seconds": seconds})

    async def _wake(self, scope: Scope) -> None:
        if self._asleep:
            await scope["app"].state.engine_client.wake_up()
            self._asleep = False


async def _answer(send: Send, status: int, value: MutableMapping[str, Any]) -> None:
    body = json.dumps(value).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
