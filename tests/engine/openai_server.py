"""A server that speaks OpenAI's API and no token ids: it tells a story, goes on where it is told to, and breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopback_server import DONE, END, HEAD, as_json, chunk, plain

STORY = "".join(f"Wave {n} came in, grey and 海 salt. " for n in range(1, 40))


@dataclass
class StoryServer:
    """`cuts`: pieces after which the streams break off, one for each. `echo`: characters that it says again."""

    doors: tuple[str, ...] = ("/v1/chat/completions", "/v1/completions")
    models: tuple[str, ...] = ("tale",)
    cuts: list[int] = field(default_factory=list)
    echo: int = 0
    story: str = STORY
    finish: str = "stop"
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                size = next((int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:")), 0)
                path, body = head.split(" ", 2)[1], json.loads(await reader.readexactly(size)) if size else {}
                if body:
                    self.asked.append((path, body))
                if path == "/v1/models":
                    writer.write(plain(*as_json({"data": [{"id": name} for name in self.models]})))
                elif path not in self.doors:
                    writer.write(plain(*as_json({"error": {"message": "Not Found"}}, 404)))
                elif not body:
                    writer.write(plain(*as_json({"error": {"message": "no model"}}, 400)))
                else:
                    await self._tell(path, body, writer)
                    return
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client is done
        finally:
            writer.close()

    def written(self, body: dict[str, Any]) -> str:
        """What of the story the request holds already."""
        before = body["prompt"] if "prompt" in body else "".join(m["content"] for m in body["messages"])
        sizes = (size for size in range(len(self.story), 0, -1) if self.story[:size] in before)
        return self.story[: next(sizes, 0)]

    async def _tell(self, path: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        done = len(self.written(body))
        rest = self.story[max(0, done - self.echo) if done else 0 :]
        pieces = [rest[at : at + 5] for at in range(0, len(rest), 5)]
        cut = self.cuts.pop(0) if self.cuts else None
        writer.write(HEAD)
        shape: Callable[[str], dict[str, Any]] = (
            (lambda text: {"text": text}) if path == "/v1/completions" else (lambda text: {"delta": {"content": text}})
        )
        for piece in pieces[:cut]:
            writer.write(chunk(event({**shape(piece), "finish_reason": None})))
            await writer.drain()
        if cut is None:
            writer.write(chunk(event({**shape(""), "finish_reason": self.finish}) + DONE) + END)
            await writer.drain()


def event(choice: dict[str, Any]) -> bytes:
    """One event of a stream."""
    return b"data: " + json.dumps({"id": "c", "choices": [{"index": 0, **choice}]}).encode() + b"\n\n"


@asynccontextmanager
async def telling(server: StoryServer, folder: Path) -> AsyncIterator[str]:
    """A running server, and its address."""
    listening = await asyncio.start_unix_server(server.handle, folder / "o")
    try:
        yield f"http+unix://{str(folder / 'o').replace('/', '%2F')}"
    finally:
        listening.close()
