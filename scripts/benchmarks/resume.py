"""Until the first token: reading a prompt that the engine has not seen, against going on through the app. R1.

A text of the desk is paused and goes on, as an author does it: all is committed before anything is told. The baseline
is the bare engine over HTTP, with another prompt of the same length.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.batch import sampling_for
from benchmarks.ground import Ground, ground
from benchmarks.meter import median
from benchmarks.pairs import against, told
from benchmarks.targets import Measure, Plan, Reading
from writer.bootstrap import open_desk
from writer.engine.base import Engine, Request
from writer.generation.model import Sampling
from writer.runtime.desk import Desk
from writer.runtime.events import BatchCommitted, Event, GenerationStarted
from writer.runtime.orders import AsideOrder

GOALS = {8192: 7.0, 32_768: 20.0, 65_536: 30.0}
"""By tokens of the prompt, on a GPU."""
BEFORE, BEHIND = range(32, 64), 8
"""Tokens written before a pause, anywhere in a block of the cache, and behind it."""
PAUSE = 0.5
"""Seconds of a pause: the shortest that anyone makes. Until then the engine has ended the steps that it had begun."""
_IDS = (1000, 20_000)
"""Ordinary words in any vocabulary."""
_ROOM = 200


def first_tokens(plan: Plan) -> list[Reading]:
    """R1: for each length, cold : resumed; and a first draft of the desk : resumed."""
    with ground(plan) as place:
        device = place.held.engine.facts.device
        window = place.held.engine.facts.window
        lengths = [length for length in plan.lengths if length + _ROOM < window]
        if not lengths:
            raise SystemExit(f"The engine's window holds {window:,} tokens. Name smaller --lengths, or set window=….")
        return [reading for length in lengths for reading in _of_length(place, plan, length, device)]


ONCE = True
TARGETS: dict[str, Measure] = {"R1": first_tokens}


def _of_length(place: Ground, plan: Plan, length: int, device: str) -> list[Reading]:
    source = random.Random(length)
    cold, drafted, resumed = list[float](), list[float](), list[float]()
    spent, replayed = list[float](), list[float]()
    folder = place.manuscript(f"of-{length}").folder
    for number in range(plan.pairs + 1):
        sampling = sampling_for(place, _ROOM, number)
        text = Paused(folder, sampling, prompt_of(source, length), source.choice(BEFORE))
        first, again = asyncio.run(text.measured())
        bare = place.held.run(until_first(prompt_of(source, length), sampling))
        if number:
            cold.append(bare * 1000)
            drafted.append(first * 1000)
            resumed.append(again * 1000)
            spent.append(text.engine_seconds * 1000)
            replayed.append(text.replayed)
    goal = GOALS.get(length) if device == "gpu" else None
    return [
        against(f"first token at {length:,} tokens, cold : resumed by the app", cold, resumed, goal, "ms"),
        against(f"first token at {length:,} tokens, begun : resumed by the app", drafted, resumed, None, "ms"),
        Reading(
            f"of it at {length:,} tokens, the engine until its first token",
            median(spent),
            None,
            "ms",
            told(spent, "ms"),
        ),
        Reading(f"of it at {length:,} tokens, tokens that come again", median(replayed), None, ""),
    ]


def prompt_of(source: random.Random, length: int) -> tuple[int, ...]:
    """Ids of ordinary words, never the same again."""
    return tuple(source.randrange(*_IDS) for _ in range(length))


def until_first(prompt: tuple[int, ...], sampling: Sampling) -> Callable[[Engine], Coroutine[Any, Any, float]]:
    """Seconds of the bare engine until its first token."""

    async def work(engine: Engine) -> float:
        begun = time.perf_counter()
        async with aclosing(engine.stream(Request(prompt, sampling, 4))) as stream:
            await anext(stream)
            return time.perf_counter() - begun

    return work


@dataclass(slots=True)
class Paused:
    """A text that is paused after some tokens, and goes on."""

    folder: Path
    sampling: Sampling
    prompt: tuple[int, ...]
    upto: int
    came: list[tuple[float, int]] = field(default_factory=list)
    generation: str = ""
    engine_seconds: float = 0.0
    """Of going on: what the engine took until its first token."""
    replayed: int = 0
    desk: Desk | None = None

    def hear(self, event: Event) -> None:
        """Notes what came, and pauses once it is enough."""
        if isinstance(event, GenerationStarted):
            self.engine_seconds = event.seconds
            self.replayed = len(self.prompt) + event.resumed_from - event.prompt_tokens
        elif isinstance(event, BatchCommitted):
            self.generation = event.generation
            self.came.append((time.perf_counter(), event.tokens))
            if event.tokens >= self.upto and self.desk:
                self.desk.pause()

    def _first(self, told: list[str]) -> float:
        if not self.came:
            raise SystemExit(f"No text came: {' '.join(told) or 'and nothing was said of it'}")
        return self.came[0][0]

    async def measured(self) -> tuple[float, float]:
        """Seconds until the first token: of the new text, and when it goes on."""
        self.desk = open_desk(self.folder, os.environ, self.hear)
        await self.desk.open()
        try:
            await self.desk.warm_up()
            begun = time.perf_counter()
            chapter = "chapters/01-chapter-1.md"
            order = AsideOrder("bench", chapter, "", 0, 0, "take", prompt_ids=self.prompt, sampling=self.sampling)
            told = await self.desk.aside(order)
            first = self._first([each.sentence for each in told]) - begun
            self.came.clear()
            self.upto += BEHIND
            await asyncio.sleep(PAUSE)
            begun = time.perf_counter()
            outcome = await self.desk.go_on(self.generation)
            return first, self._first([outcome.sentence]) - begun
        finally:
            await self.desk.close()
