"""Texts written by the app's own desk without a screen, and by the whole app: what came, and when."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.pairs import rate
from benchmarks.seen import letters, progress
from benchmarks.window import EDITOR_LEFT, SIZE, WRITE, Window, generations
from writer.bootstrap import open_desk
from writer.generation.model import Sampling
from writer.manuscript.model import Manuscript
from writer.runtime.events import BatchCommitted, Event
from writer.runtime.headless import Headless


@dataclass(frozen=True, slots=True)
class Seen:
    """One text as a reader saw it come: (second, tokens on the screen), and what the journal has of it."""

    moments: tuple[tuple[float, float], ...]
    generation: dict[str, Any] = field(repr=False)

    @property
    def rate(self) -> float:
        """Tokens per second behind those that came first."""
        return rate(self.moments)


def read_in_the_app(manuscript: Manuscript) -> Seen:
    """Opens the app, has the first chapter written on, reads until the end, and leaves."""
    folder, chapter = manuscript.folder, manuscript.chapters[0].path
    before = len(letters((folder / chapter).read_text(encoding="utf-8")))
    window = Window(folder)
    window.shows("saved")
    window.press(WRITE)
    window.rests()
    window.quit()
    (generation,) = generations(folder)
    whole = (folder / chapter).read_text(encoding="utf-8")
    for_each = len(generation["token_ids"]) / (len(letters(whole)) - before)
    seen = progress(window.written, whole, SIZE, EDITOR_LEFT)
    return Seen(tuple((second, (count - before) * for_each) for second, count in seen if count > before), generation)


def drafted(manuscript: Manuscript, sampling: Sampling | None = None, count: int = 1) -> tuple[Seen, float]:
    """The first `count` chapters, written at once by the desk, each batch when it was committed; seconds in all."""
    return asyncio.run(_drafted(manuscript.folder, [each.path for each in manuscript.chapters][:count], sampling))


async def _drafted(folder: Path, chapters: Sequence[str], sampling: Sampling | None) -> tuple[Seen, float]:
    moments: list[tuple[float, float]] = []
    tokens = 0

    def shown(event: Event) -> None:
        nonlocal tokens
        if isinstance(event, BatchCommitted):
            tokens += len(event.token_ids)
            moments.append((time.perf_counter(), tokens))

    front = Headless(shown, autosave=3.0)
    desk = open_desk(folder, os.environ, front)
    await desk.open()
    try:
        begun = time.perf_counter()
        outcomes = await asyncio.gather(*(front.draft(desk, each, "", sampling) for each in chapters))
        seconds = time.perf_counter() - begun
    finally:
        await desk.close()
    if not all(outcome.ended for outcome in outcomes):
        raise SystemExit(next(outcome.sentence for outcome in outcomes if not outcome.ended))
    return Seen(tuple(moments), {}), seconds
