"""Bugs that are planted into the running app, for stages that must find them. Each names the process that it is for."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

PLANTED = Path(__file__).resolve().parent / "planted"


def environ_with(plant: str, environ: dict[str, str]) -> dict[str, str]:
    """For the app with this bug in it; "" is none."""
    if not plant:
        return environ
    search = [str(PLANTED), *filter(None, [environ.get("PYTHONPATH", "")])]
    return environ | {"WRITER_PLANT": plant, "PYTHONPATH": os.pathsep.join(search)}


def plant(name: str, module: str) -> None:
    """Put it into this process, which runs `module`, if it is meant for that."""
    processes, put = PLANTS[name]
    if module in processes:
        put()


def _shown_before_commit() -> None:
    """Each batch is committed only when the next one comes."""
    from writer.storage.generations import GenerationStore

    honest, waiting = GenerationStore.append, []

    def late(self: GenerationStore, batch: Any, **how: Any) -> Any:
        waiting.append((batch, how))
        if len(waiting) > 1:
            old, its = waiting.pop(0)
            return honest(self, old, **its)
        return None

    GenerationStore.append = late  # type: ignore[method-assign]


def _first_words_twice() -> None:
    """After Continue the first words are shown a second time."""
    from writer.tui.widgets.stream_buffer import StreamBuffer

    honest, seen = StreamBuffer.add, set()

    def twice(self: StreamBuffer, generation: str, ordinal: int, text: str) -> None:
        first = generation not in seen and ordinal > 0 and bool(text)
        seen.add(generation)
        honest(self, generation, ordinal, text * 2 if first else text)

    StreamBuffer.add = twice  # type: ignore[method-assign]


def _another_text() -> None:
    """After Continue the engine draws with another seed."""
    from writer.engine.scripted import ScriptedEngine
    from writer.runtime.desk import Desk

    honest, resume, resumed = ScriptedEngine.stream, Desk.resume, []

    async def note(self: Desk, *order: Any) -> Any:
        resumed.append(order)
        return await resume(self, *order)

    async def stream(self: ScriptedEngine, request: Any) -> AsyncGenerator[Any, None]:
        if resumed:
            request = replace(request, sampling=replace(request.sampling, seed=request.sampling.seed + 1))
        async for delta in honest(self, request):
            yield delta

    Desk.resume = note  # type: ignore[method-assign]
    ScriptedEngine.stream = stream  # type: ignore[method-assign]


def _terminal_left() -> None:
    """The launcher forgets to clean up."""
    from writer import launcher

    launcher._restore = lambda terminal, before, leave: None


def _no_umask() -> None:
    """Processes of ours take the umask that they find."""
    from writer import bootstrap

    bootstrap.harden = lambda: None


def _open_log() -> None:
    """The app's log can be read by all."""
    from writer.tui import terminal

    honest = terminal.claim

    def claim(log_file: Path) -> None:
        honest(log_file)
        log_file.chmod(0o644)

    terminal.claim = claim


def _telemetry() -> None:
    """A start is reported to someone."""
    import socket

    try:
        socket.create_connection(("192.0.2.1", 443), 0.2).close()
    except OSError:
        pass


def _text_in_log() -> None:
    """Whatever is saved is noted."""
    import logging

    from writer.tui.page import Page

    honest = Page.save_order

    def noted(self: Page, serial: int) -> Any:
        logging.getLogger("writer").info("saving %r", self.editor.text)
        return honest(self, serial)

    Page.save_order = noted  # type: ignore[method-assign]


def _key_in_log() -> None:
    """The key of the server stands in a warning."""
    import logging

    from writer.engine.remote import RemoteEngine

    honest = RemoteEngine.acquire

    async def noted(self: RemoteEngine, report: Any) -> Any:
        logging.getLogger("writer").warning("asking with %s", self._api_key)
        return await honest(self, report)

    RemoteEngine.acquire = noted  # type: ignore[method-assign]


def _cores() -> None:
    """A crash may leave a core dump."""
    import resource

    resource.setrlimit = lambda what, limits: None  # type: ignore[assignment]


COMMAND, APP = "writer", "writer.tui"
PLANTS: dict[str, tuple[tuple[str, ...], Callable[[], None]]] = {
    "shown before commit": ((APP,), _shown_before_commit),
    "first words twice": ((APP,), _first_words_twice),
    "another text": ((APP,), _another_text),
    "terminal left": ((COMMAND,), _terminal_left),
    "no umask": ((COMMAND, APP), _no_umask),
    "open log": ((APP,), _open_log),
    "text in log": ((APP,), _text_in_log),
    "key in log": ((COMMAND,), _key_in_log),
    "cores": ((COMMAND, APP), _cores),
    "telemetry": ((COMMAND,), _telemetry),
}
