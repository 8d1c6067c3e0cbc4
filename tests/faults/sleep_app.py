"""An app that writes while the machine goes to sleep: a real desk with the scripted engine, and what it told when."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from writer.bootstrap import open_desk
from writer.engine.base import EngineSource
from writer.engine.scripted import ScriptedEngine
from writer.generation.model import Sampling, Saved
from writer.manuscript.project import create
from writer.runtime import power, pulse
from writer.runtime.clocks import Clocks
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import BatchCommitted, DeskOpened, Event, GenerationInterrupted, GenerationPaused
from writer.runtime.headless import Headless

CHAPTER = "chapters/01-chapter-1.md"
SAMPLING = Sampling(seed=11, max_tokens=150, ignore_eos=True)
SCALE = 50  # the limits of the watchdogs are so many times shorter here
PACE, SLOW = 400.0, 40.0  # tokens per second: usually, and while a moment in the text is waited for
PATIENCE = 20.0  # seconds in which everything here ends
HUNG = ("No text has come", "no sign of life")
"""What is said of an engine that hangs; false where it does not."""


@contextmanager
def hurried() -> Iterator[None]:
    """Watchdogs and heartbeat with shorter limits, so that a trial takes no minute."""
    limits = {name: getattr(pulse, name) / SCALE for name in ("SILENCE", "FIRST_SILENCE", "SETTLING", "PROBE", "_STEP")}
    beats = {"HEARTBEAT": 0.02, "_NO_SLEEP": 2.5, "_ONE_WAKE": 0.3, "_RETRY": 0.2}
    quiet = mock.patch.object(power._log, "disabled", True)
    with mock.patch.multiple(pulse, **limits), mock.patch.multiple(power, **beats), quiet:
        yield


def held_up(*others: int) -> float:
    """Seconds that our threads, and other processes, have waited for a processor so far: none if it is not known.

    What happens in time on a machine of one's own may happen that much later on a crowded one.
    """
    waited = 0.0
    for each in ("self", *others):
        for task in Path(f"/proc/{each}/task").glob("*/schedstat"):
            with suppress(OSError):
                waited += int(task.read_text().split()[1]) / 1e9
    return waited


@dataclass
class Jumps:
    """Clocks that can be set ahead, each by itself, as the kernel does in a sleep."""

    boottime: float = 0.0
    realtime: float = 0.0
    monotonic: float = 0.0

    def __call__(self) -> Clocks:
        now = Clocks.now()
        return Clocks(now.monotonic + self.monotonic, now.boottime + self.boottime, now.realtime + self.realtime)

    def sleep(self, seconds: float) -> None:
        """The machine has slept."""
        self.boottime += seconds
        self.realtime += seconds


@dataclass
class Writing:
    """A draft under way."""

    folder: Path
    desk: Desk
    front: Headless
    jumps: Jumps
    events: list[tuple[float, Event]] = field(default_factory=list)
    order: asyncio.Task[Outcome] | None = None
    wrong: list[str] = field(default_factory=list)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]

    @property
    def tokens(self) -> int:
        batches = self.of(BatchCommitted)
        return batches[-1].tokens if batches else 0

    @property
    def engine(self) -> ScriptedEngine:
        engine = self.desk._room._engine
        assert isinstance(engine, ScriptedEngine)
        return engine

    def pace(self, tokens_per_second: float) -> None:
        """How fast the engine, which is ours, gives tokens from here on."""
        engine = self.desk._room._engine
        if isinstance(engine, ScriptedEngine):  # there is none while another one is started
            engine._script = replace(engine._script, tokens_per_second=tokens_per_second)

    async def until(self, true: Callable[[], object], what: str, *, seconds: float = PATIENCE) -> None:
        """Waits for it; notes that it did not come."""
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                self.wrong.append(f"never: {what}")
                return
            await asyncio.sleep(0.005)

    async def quiet(self, during: Callable[[], Any], what: str) -> Any:
        """Nothing may be told meanwhile; what `during` gives."""
        await self.until(lambda: self.tokens, "a first token")
        answer = await during()
        told = self.tokens
        await asyncio.sleep(0.1)  # how long a stream that goes on would be noticed, not a condition
        if self.tokens != told:
            self.wrong.append(f"{self.tokens - told} tokens were told {what}")
        return answer

    def seconds_to(self, begun: float, sentence: str) -> float | None:
        """How long after `begun` the sentence was told; None if it was not."""
        for at, event in self.events:
            if isinstance(event, GenerationInterrupted) and at >= begun and sentence in event.sentence:
                return at - begun
        return None

    async def end(self, whole: Saved, *, hung: bool = False, deaths: int = 0) -> list[str]:
        """Lets the draft end; what is wrong with it. `hung`: whether silence may be told; `deaths` of the engine."""
        assert self.order is not None
        self.pace(PACE)
        await self.until(self.order.done, "the end of the draft")
        if not self.order.done():
            self.desk.pause()
        outcome = await self.order
        ids = tuple(i for event in self.of(BatchCommitted) for i in event.token_ids)
        text = "".join(event.text for event in self.of(BatchCommitted))
        said = [event.sentence for event in self.of(GenerationInterrupted)]
        if (ids, text) != (whole.token_ids, whole.text):
            self.wrong.append(f"{len(ids)} of {len(whole.token_ids)} tokens were told, or others ({outcome.sentence})")
        if (self.folder / CHAPTER).read_text(encoding="utf-8") != whole.text:
            self.wrong.append("the chapter is another one")
        if not hung and any(word in sentence for sentence in said for word in HUNG):
            self.wrong.append(f"false hung: {said}")
        if len(self.desk._room._deaths) != deaths:
            self.wrong.append(f"the engine was replaced {len(self.desk._room._deaths)} times, not {deaths}")
        if self.of(GenerationPaused):
            self.wrong.append("the draft was paused for whoever waits for it")
        return self.wrong


@asynccontextmanager
async def writing(
    folder: Path,
    *,
    pace: float = PACE,
    source: EngineSource | None = None,
    show: Callable[[Event], None] = lambda event: None,
) -> AsyncIterator[Writing]:
    """A new manuscript and a draft in it that has begun. `pace`: tokens per second of the engine, if it is ours."""
    create(folder, title="Whole")
    events: list[tuple[float, Event]] = []

    def note(event: Event) -> None:
        events.append((time.monotonic(), event))
        show(event)

    front = Headless(note, autosave=0.05)
    script = json.dumps({"batch": [1, 3], "tokens_per_second": pace})
    desk = open_desk(folder, {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": script}, front)
    if source is not None:
        desk._room._source = source
    jumps = Jumps()
    desk._drafting.power._look = jumps
    try:
        begun, crowded = time.monotonic(), held_up()
        await desk.open()
        app = Writing(folder, desk, front, jumps, events)
        if (took := time.monotonic() - begun) > 2.0 + held_up() - crowded:
            app.wrong.append(f"the start took {took:.1f} s")
        app.order = asyncio.ensure_future(front.draft(desk, CHAPTER, "", SAMPLING))
        yield app
    finally:
        desk.pause()
        begun, crowded = time.monotonic(), held_up()
        await desk.close()
        if (took := time.monotonic() - begun) > 2.0 + held_up() - crowded:
            app.wrong.append(f"leaving took {took:.1f} s")


async def undisturbed(folder: Path) -> Saved:
    """What a draft is that nobody disturbs."""
    async with writing(folder, pace=0.0) as app:
        assert app.order is not None
        await app.order
        assert len(app.of(DeskOpened)) == 1
        store = app.desk._means.state.generations
        return store.load(store.all()[0].id)
