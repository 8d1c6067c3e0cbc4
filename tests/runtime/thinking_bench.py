"""A model that thinks first, at the desk: orders, and what a run gives that nobody disturbs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from desk_fixture import CHAPTER, Bench, bench
from test_desk import SAMPLING

from writer.generation.model import Generation, Sampling, Saved
from writer.generation.sampling import Thinking, thinking_of
from writer.runtime.events import BatchCommitted, GenerationStarted
from writer.runtime.orders import DraftOrder, ResumeOrder

START = "# Salt\n\nIt was late. The lamp had gone out.\n\nThe rain"
THINKING = replace(SAMPLING, max_tokens=40, think=True, think_tokens=200)
TOKENS = 45
"""Of the scripted model's thought, unless a test says otherwise."""


async def whole(folder: Path, drawn: Sampling = THINKING, think: int = TOKENS) -> tuple[list[int], str]:
    """Ids and text of a run that nobody disturbs."""
    async with bench(folder, batch=[1, 3], think=think) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), drawn)
        return b.ids, b.text


async def paused_after(b: Bench, tokens: int, drawn: Sampling = THINKING) -> None:
    """Starts a draft, and pauses it once that many tokens were told."""
    task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, START), drawn))
    while len(b.ids) < tokens:
        await asyncio.sleep(0)
    b.desk.pause()
    await task


def go_on(b: Bench, text: str | None = None) -> ResumeOrder:
    written = START + b.text if text is None else text
    return ResumeOrder(b.of(GenerationStarted)[-1].generation, CHAPTER, written, len(START), len(written))


def stored(b: Bench, generation: str = "") -> tuple[Generation, Saved]:
    """What the journal has of a generation; of the first one if none is named."""
    store = b.desk._means.state.generations
    identity = generation or store.all()[0].id
    return store.generation(identity), store.load(identity)


def thinking(generation: Generation) -> Thinking:
    found = thinking_of(generation.sampling)
    assert found is not None
    return found


def thought(b: Bench) -> str:
    return "".join(batch.thought for batch in b.of(BatchCommitted))
