"""A tiny HTTP server on a Unix socket that plays recorded answers of vLLM, and faults, byte by byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from writer.engine.base import Request
from writer.engine.client import VllmEngine
from writer.generation.model import Delta, Sampling

SAMPLES = Path(__file__).parent / "samples"
Item = bytes | float
Play = Callable[[dict[str, Any], asyncio.StreamWriter], Awaitable[None]]


class Loopback:
    """What the server answers, and what it was asked. Set `play` for /v1/completions."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, tuple[int, str, bytes]] = {
            "/v1/models": as_json({"data": [{"id": "m", "root": "/models/m", "max_model_len": 8192}]}),
            "/version": as_json({"version": "0.32.0"}),
            "/metrics": (200, "text/plain", (SAMPLES / "metrics.txt").read_bytes()),
            "/detokenize": as_json({"prompt": "…"}),
        }
        self.play: Play | None = None

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: request after request until someone closes it."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                path = head.split(" ", 2)[1]
                length = next(
                    (int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0
                )
                body = json.loads(await reader.readexactly(length)) if length else {}
                self.asked.append((path, body))
                if path == "/v1/completions" and self.play is not None:
                    await self.play(body, writer)
                    return
                writer.write(plain(*self.answers.get(path, as_json({"detail": "Not Found"}, 404))))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client, or the test, is done
        finally:
            writer.close()


def as_json(value: object, status: int = 200) -> tuple[int, str, bytes]:
    """An answer."""
    return status, "application/json", json.dumps(value).encode()


def plain(status: int, kind: str, body: bytes) -> bytes:
    """A whole HTTP response."""
    return f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def chunk(data: bytes) -> bytes:
    """One HTTP chunk, as the server sends for one event."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def event(ids: list[int], text: str, finish: str | None = None) -> bytes:
    """One event in vLLM's shape."""
    choice = {
        "index": 0,
        "text": text,
        "logprobs": None,
        "finish_reason": finish,
        "stop_reason": None,
        "token_ids": ids,
    }
    return b"data: " + json.dumps({"id": "c", "model": "m", "choices": [choice]}).encode() + b"\n\n"


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Loopback]:
    """A running server."""
    loopback = Loopback(folder / "s")
    server = await asyncio.start_unix_server(loopback.handle, loopback.socket)
    try:
        yield loopback
    finally:
        server.close()


def play(loopback: Loopback, *items: Item) -> None:
    """The next completion answers with these writes; a number waits that many seconds between two."""

    async def answer(_: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        for item in items:
            if isinstance(item, bytes):
                writer.write(item)
                await writer.drain()
            else:
                await asyncio.sleep(item)  # how late the next write is: what the case plays

    loopback.play = answer


async def read(engine: VllmEngine, into: list[Delta], prompt: tuple[int, ...] = (6403, 1980), tokens: int = 6) -> None:
    """Streams into the list, so that what came before a failure is seen."""
    async for delta in engine.stream(Request(prompt, Sampling(seed=5, temperature=0.7, top_k=9), tokens)):
        into.append(delta)
