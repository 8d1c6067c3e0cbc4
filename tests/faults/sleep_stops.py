"""SIGSTOP of the app, of its engine, and of both, each for longer than every limit of the watchdogs.

The engine is the scripted one in a process of its own, behind a socket, with a spare one to turn to.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import random
import select
import signal
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from conditions import wait_until
from sleep_app import PATIENCE, SAMPLING, Writing, writing

from writer.engine.base import Probe, Report, Request
from writer.engine.scripted import Script, ScriptedEngine, prefix_cache
from writer.engine.scripted_source import ScriptedSource
from writer.errors import EngineDied
from writer.generation.model import Delta, Saved
from writer.runtime import pulse
from writer.runtime.events import BatchCommitted, Event

SCRIPT = Script(batch=(1, 3), tokens_per_second=200.0)
KINDS = ("app", "engine", "both")
_TRIES = 10  # by then a stop has come in the middle of the text
_PR_SET_PDEATHSIG = 1


class FarEngine(ScriptedEngine):
    """Asks the process behind the socket for everything that takes a model."""

    def __init__(self, socket: Path) -> None:
        super().__init__(SCRIPT, prefix_cache(SCRIPT))
        self._socket = socket

    async def probe(self, prompt_ids: Sequence[int]) -> Probe:
        async for count, cached in self._asked(["probe", list(prompt_ids)]):
            return Probe(count, cached, 0.0)
        raise EngineDied("The engine stopped.")

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        async for ids, text, ends, reason in self._asked(["stream", list(request.prompt_ids), request.max_tokens]):
            yield Delta(tuple(ids), text, tuple(ends), reason)
            if reason:
                return
        raise EngineDied("The engine stopped.")

    async def _asked(self, question: list[object]) -> AsyncGenerator[Any, None]:
        try:
            reader, writer = await asyncio.open_unix_connection(self._socket)
        except OSError as error:
            raise EngineDied("The engine stopped.", detail=repr(error)) from None
        try:
            writer.write(json.dumps(question).encode() + b"\n")
            while line := await reader.readline():
                yield json.loads(line)
        finally:
            writer.close()


class FarSource(ScriptedSource):
    """The engine behind the first socket; after a death the one behind the next."""

    def __init__(self, *sockets: Path) -> None:
        super().__init__({})
        self._sockets = list(sockets)

    async def acquire(self, report: Report) -> ScriptedEngine:
        return FarEngine(self._sockets[0])

    async def restart(self, report: Report) -> ScriptedEngine:
        del self._sockets[0]
        return FarEngine(self._sockets[0])


async def _serve(socket: Path) -> None:
    engine = ScriptedEngine(SCRIPT, prefix_cache(SCRIPT))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError):
            what, prompt, *most = json.loads(await reader.readline())
            if what == "probe":
                found = await engine.probe(prompt)
                _line(writer, [found.prompt_tokens, found.cached_tokens])
            else:
                async for delta in engine.stream(Request(tuple(prompt), SAMPLING, most[0])):
                    _line(writer, [delta.token_ids, delta.text, delta.ends, delta.finish_reason])
                    await writer.drain()
            writer.close()

    server = await asyncio.start_unix_server(answer, socket)
    async with server:
        await server.serve_forever()


def _line(writer: asyncio.StreamWriter, value: object) -> None:
    writer.write(json.dumps(value).encode() + b"\n")


# --- the app


async def _app(folder: Path, sockets: tuple[Path, ...], whole: Saved, say: Callable[[object], None], kind: str) -> None:
    def show(event: Event) -> None:
        if isinstance(event, BatchCommitted):
            say(event.tokens)

    async with writing(folder, source=FarSource(*sockets), show=show) as app:
        say(await _ended(app, whole, kind))


async def _ended(app: Writing, whole: Saved, kind: str) -> list[str]:
    if kind == "engine":  # it does hang: that may be told, and another engine may take its place
        assert app.order is not None
        await app.until(app.order.done, "the end of the draft")
        return await app.end(whole, hung=True, deaths=len(app.desk._room._deaths))
    return await app.end(whole)


def stopped(kind: str, folder: Path, whole: Saved, rnd: random.Random) -> list[str]:
    """One trial: what was wrong with what the app told, and with what it left."""
    for number in range(_TRIES):
        wrong, midway = _stopped(kind, folder / str(number), whole, rnd)
        if wrong or midway:
            return wrong
    return [f"no stop came in the middle of the text in {_TRIES} tries"]


def _stopped(kind: str, folder: Path, whole: Saved, rnd: random.Random) -> tuple[list[str], bool]:
    """What was wrong, and whether the stop came in the middle of the text."""
    longer = max(pulse.SILENCE, pulse.first_limit(200), pulse.PROBE) * 1.3
    with tempfile.TemporaryDirectory(prefix="w-far-") as place:
        sockets = (Path(place) / "a", Path(place) / "b")
        engines = [_forked(lambda socket=socket: asyncio.run(_serve(socket))) for socket in sockets]  # type: ignore[misc]
        app, pipe = 0, -1
        try:
            wait_until(lambda: all(socket.exists() for socket in sockets), what="two engines")
            app, pipe = _piped(lambda say: asyncio.run(_app(folder, sockets, whole, say, kind)))
            told, lines = rnd.randrange(1, 100), _Lines(pipe)
            while (line := lines.next()) is not None and isinstance(line, int) and line < told:
                pass
            victims = {"app": [app], "engine": engines[:1], "both": [app, engines[0]]}[kind]
            for victim in victims:
                os.kill(victim, signal.SIGSTOP)
                os.waitid(os.P_PID, victim, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            line = lines.newest(line)
            midway = isinstance(line, int) and line < len(whole.token_ids)
            time.sleep(longer)  # what is tried, not a condition
            rnd.shuffle(victims)
            for victim in victims:
                os.kill(victim, signal.SIGCONT)
                time.sleep(rnd.random() * 0.05)  # they do not wake at the same moment
            while isinstance(line, int):
                line = lines.next()
            return list(line) if line is not None else ["the app ended or fell silent"], midway
        finally:
            for pid in filter(None, (app, *engines)):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if pipe >= 0:
                os.close(pipe)


class _Lines:
    """What a child says; None at its end, or when it says nothing for long."""

    def __init__(self, pipe: int) -> None:
        self._pipe, self._data = pipe, b""

    def newest(self, line: Any) -> Any:
        """What has been said by now; `line` if that was the last."""
        while isinstance(line, int) and (b"\n" in self._data or select.select([self._pipe], [], [], 0)[0]):
            line = self.next()
        return line

    def next(self) -> Any:
        while b"\n" not in self._data:
            ready, _, _ = select.select([self._pipe], [], [], PATIENCE * 2)
            chunk = os.read(self._pipe, 65536) if ready else b""
            if not chunk:
                return None
            self._data += chunk
        line, _, self._data = self._data.partition(b"\n")
        return json.loads(line)


def _piped(work: Callable[[Callable[[object], None]], None]) -> tuple[int, int]:
    reader, writer = os.pipe()

    def say(value: object) -> None:
        os.write(writer, json.dumps(value).encode() + b"\n")

    pid = _forked(lambda: work(say), closing=reader)
    os.close(writer)
    return pid, reader


def _forked(work: Callable[[], None], *, closing: int = -1) -> int:
    """A child that does this work and dies with us."""
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        try:
            if closing >= 0:
                os.close(closing)
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() == parent:
                work()
        finally:
            os._exit(0)
    return pid
