"""A server that speaks the part of vLLM's API that writer uses, over a Unix socket, and can be made to misbehave.

Its model is the scripted one: a token follows from seed and position, so a text that went on after any number of faults
can be compared to the letter with an undisturbed one. `python fake_server.py --uds PATH …` is a process of its own,
with an EngineCore below it, for keepers; at token FAKE_DIE_AT it gives itself the signal FAKE_SIGNAL (KILL, or STOP to
hang), once: FAKE_DIED names the mark of it.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from writer.engine import scripted_words as words
from writer.engine.scripted_cache import BLOCK_SIZE, PrefixCache
from writer.text.sanitise import from_model

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"
ERROR = (
    b'data: {"error": {"message": "EngineCore encountered an issue", "type": "InternalServerError", "code": 500}}\n\n'
)
MODEL, WINDOW = "fake", 4096
Misbehave = Callable[["Answer"], Awaitable[None]]


def chunk(data: bytes) -> bytes:
    """One HTTP chunk."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def whole(value: object, status: int = 200, kind: str = "application/json") -> bytes:
    """A whole response: JSON, or bytes as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def event(ids: list[int], text: str, finish: str | None = None) -> bytes:
    """One event of a stream, in vLLM's shape."""
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish, "token_ids": ids}
    return b"data: " + json.dumps({"id": "c", "model": MODEL, "choices": [choice]}).encode() + b"\n\n"


class Answer:
    """One stream that is asked for; whoever misbehaves decides what is sent of the honest one."""

    def __init__(self, body: Mapping[str, Any], writer: asyncio.StreamWriter, model: str) -> None:
        self.body = body
        self.writer = writer
        self.sequence = list(body["prompt"])
        self.left = int(body["max_tokens"])
        self._model = model
        self._seed = int(body["seed"]) if body.get("temperature", 1) > 0 else -1
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._decoder.decode(b"".join(map(words.raw, self.sequence[-8:])))

    def next(self) -> tuple[int, str]:
        """The honest next token and the text that it completes."""
        token = words.token_at(self._model, self._seed, len(self.sequence), self.sequence[-1])
        self.sequence.append(token)
        self.left -= 1
        return token, from_model(self._decoder.decode(words.raw(token)))

    def events(self, count: int, batch: int = 1) -> bytes:
        """The next so many tokens, `batch` in each event, with the finish if that is due."""
        data = b""
        for at in range(0, min(count, self.left), batch):
            some = [self.next() for _ in range(min(batch, count - at, self.left))]
            finish = None if self.left else "length"
            data += event([token for token, _ in some], "".join(text for _, text in some), finish)
        return data

    async def send(self, data: bytes) -> None:
        """Write these bytes as one chunk."""
        self.writer.write(chunk(data))
        await self.writer.drain()

    async def tokens(self, count: int, batch: int = 1) -> None:
        """Head and the next so many tokens, one write for each event."""
        self.writer.write(HEAD)
        for _ in range(0, count, batch):
            await self.send(self.events(batch, batch))

    async def rest(self, batch: int = 1) -> None:
        """All that is left, to an honest end."""
        while self.left:
            await self.send(self.events(batch, batch))
        await self.send(DONE)
        self.writer.write(END)
        await self.writer.drain()


async def honest(answer: Answer) -> None:
    """A stream without any fault."""
    await answer.tokens(0)
    await answer.rest()


@dataclass
class Script:
    """How the server behaves. Each list is used up one by one; then it is honest."""

    model: str = MODEL
    streams: list[Misbehave] = field(default_factory=list)
    probes: list[Misbehave] = field(default_factory=list)
    always: Misbehave | None = None
    """Every stream from the first to the last."""
    answers: dict[str, bytes] = field(default_factory=dict)
    """Whole responses by path, in place of the honest ones."""


class FakeServer:
    """What the server does, and how often it was asked for a stream."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.streams = 0
        self._cache = PrefixCache()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, socket: Path) -> asyncio.Server:
        """Listens; close the server that is returned, then `end`."""
        return await asyncio.start_unix_server(self._connected, socket, limit=2**22)

    async def end(self) -> None:
        """Ends what is still being answered, even what hangs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._request(reader, writer):
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client, or the test, is done
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request; whether the connection may be used for another."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ", 2)[1]
        lengths = [int(line[15:]) for line in head.lower().split("\r\n") if line.startswith("content-length:")]
        body = json.loads(await reader.readexactly(lengths[0])) if lengths and lengths[0] else {}
        if path in self.script.answers:
            writer.write(self.script.answers[path])
        elif path == "/v1/completions":
            return await self._complete(body, writer)
        else:
            writer.write(self._small(path, body))
        return True

    def _small(self, path: str, body: Mapping[str, Any]) -> bytes:
        if path == "/v1/models":
            entry = {"id": self.script.model, "root": "/models/fake", "max_model_len": WINDOW}
            return whole({"data": [entry]})
        if path == "/version":
            return whole({"version": "0.32.0"})
        if path == "/metrics":
            return whole(f'vllm:cache_config_info{{block_size="{BLOCK_SIZE}"}} 1.0\n'.encode(), kind="text/plain")
        if path == "/tokenize":
            return whole({"tokens": _tokenize(body)})
        if path == "/detokenize":
            return whole({"prompt": words.detokenize(body["tokens"])})
        return whole(b"", kind="text/plain") if path == "/health" else whole({"detail": "Not Found"}, 404)

    async def _complete(self, body: Mapping[str, Any], writer: asyncio.StreamWriter) -> bool:
        answer = Answer({"seed": 0, **body}, writer, self.script.model)
        if not body.get("stream"):
            if self.script.probes:
                await self.script.probes.pop(0)(answer)
                return False
            cached = self._cache.cached(body["prompt"])
            self._cache.remember(body["prompt"])
            usage = {"prompt_tokens": len(body["prompt"]), "prompt_tokens_details": {"cached_tokens": cached}}
            writer.write(whole({"usage": usage}))
            return True
        self.streams += 1
        misbehave = self.script.always or (self.script.streams.pop(0) if self.script.streams else honest)
        await misbehave(answer)
        self._cache.remember(answer.sequence)
        return False


def _tokenize(body: Mapping[str, Any]) -> list[int]:
    if "messages" not in body:
        return [*([words.BOS] if body.get("add_special_tokens") else []), *words.tokenize(body["prompt"])]
    said = "".join(f"<{m['role']}>\n{m['content']}\n" for m in body["messages"])
    return [words.BOS, *words.tokenize(said + "<assistant>\n")]


async def _alone(socket: Path) -> None:
    """This process as an engine of its own."""

    async def die(answer: Answer) -> None:
        await answer.tokens(int(os.environ["FAKE_DIE_AT"]))
        mark.touch()
        os.kill(os.getpid(), signal.Signals[f"SIG{os.environ.get('FAKE_SIGNAL', 'KILL')}"])

    mark = Path(os.environ.get("FAKE_DIED", "/nonexistent/mark"))
    script = Script(streams=[die] if "FAKE_DIE_AT" in os.environ and not mark.exists() else [])
    server = await FakeServer(script).serve(socket)
    if os.fork() == 0:  # the EngineCore, which outlives its parent as the real one does
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(60)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_alone(Path(sys.argv[sys.argv.index("--uds") + 1])))
