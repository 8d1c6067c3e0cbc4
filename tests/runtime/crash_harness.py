"""Kills a writing process at random moments and looks at what is left. Processes are forked, so a trial costs little.

A child drafts with the scripted engine and reports every batch through a pipe; nothing may be reported that the
database does not hold. A second child resumes, and the whole must equal an uninterrupted run.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from writer.bootstrap import open_desk
from writer.generation.model import Sampling
from writer.manuscript.project import create
from writer.runtime.events import BatchCommitted, Event, Offer
from writer.runtime.headless import Headless

SAMPLING = Sampling(seed=11, max_tokens=160, ignore_eos=True)
ENVIRON = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"batch": [1, 4], "think": 70})}
THINKING = replace(SAMPLING, think=True, max_tokens=60)
Plant = Callable[[], None]


@dataclass
class Result:
    """What trials found. `lost`: told but not saved; `doubled`: saved twice or out of order."""

    trials: int = 0
    killed_midway: int = 0
    lost: int = 0
    doubled: int = 0
    unequal: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def failures(self) -> int:
        return self.lost + self.doubled + self.unequal

    def add(self, other: Result) -> None:
        for name in ("trials", "killed_midway", "lost", "doubled", "unequal"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.notes += other.notes


def run(
    root: Path, *, count: int, seed: int, plant: Plant | None = None, drawn: Sampling = SAMPLING, batches: int = 60
) -> Result:
    """`count` trials with cuts drawn from `seed`, within so many batches. `plant` puts a bug into the children."""
    whole = uninterrupted(root / "whole", drawn)
    result = Result()
    for number in range(count):
        result.add(trial(root / str(number), f"{seed}:{number}", whole, plant, drawn, batches))
    return result


def uninterrupted(folder: Path, drawn: Sampling = SAMPLING) -> tuple[list[int], str]:
    """Token ids and chapter text of a run that nobody disturbs."""
    create(folder, title="Whole")
    told: list[BatchCommitted] = []
    asyncio.run(_draft(folder, told.append, drawn))
    return [i for event in told for i in event.token_ids], chapter_text(folder)


def trial(
    folder: Path,
    seed: str,
    whole: tuple[list[int], str],
    plant: Plant | None,
    drawn: Sampling = SAMPLING,
    batches: int = 60,
) -> Result:
    """One kill at a moment that is drawn from `seed`, a look at what is left, and a resume to the end."""
    rnd, (ids_of_whole, text), result = random.Random(seed), whole, Result(trials=1)
    create(folder, title="Whole")
    told = _killed(folder, rnd.randrange(0, batches), rnd.random() * 0.002, plant, drawn)
    shown = [i for _, batch_ids, _ in told for i in batch_ids]
    result.killed_midway += 0 < len(shown) < len(ids_of_whole)
    for offer, ids, saved_text in _looked_at(folder):
        result.lost += ids[: len(shown)] != shown
        result.doubled += ids != ids_of_whole[: len(ids)]
        result.unequal += saved_text not in chapter_text(folder)
        if offer is not None and not offer.truncated:
            _resume_forked(folder, plant)
    final = _looked_at(folder)
    after = final[0][1] if final else []
    if not told and not final:
        return result  # killed before the generation was begun: nothing was shown
    if after != ids_of_whole or chapter_text(folder) != text:
        result.unequal += 1
    if result.failures:
        result.notes.append(f"seed {seed}: {len(shown)} told, {len(after)} of {len(ids_of_whole)} after the resume")
    return result


def _killed(
    folder: Path, batches: int, delay: float, plant: Plant | None, drawn: Sampling
) -> list[tuple[int, list[int], str]]:
    """What a child told before it was killed, a moment after that many batches."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _child(folder, writer, plant, drawn)
    os.close(writer)
    lines, data = 0, b""
    while lines < batches:
        if not (chunk := _read(reader)):
            break
        data += chunk
        lines = data.count(b"\n")
    end = time.perf_counter() + delay
    while time.perf_counter() < end:  # a random moment inside a commit, which no condition can name
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while chunk := _read(reader):
        data += chunk
    os.close(reader)
    return [tuple(json.loads(line)) for line in data.split(b"\n")[:-1]]  # type: ignore[misc]


def _read(fd: int) -> bytes:
    ready, _, _ = select.select([fd], [], [], 20)
    assert ready, "the writing child fell silent"
    return os.read(fd, 65536)


def _child(folder: Path, out: int, plant: Plant | None, drawn: Sampling) -> None:
    def tell(event: BatchCommitted) -> None:
        os.write(out, json.dumps([event.ordinal, list(event.token_ids), event.text]).encode() + b"\n")

    try:
        if plant is not None:
            plant()
        asyncio.run(_draft(folder, tell, drawn))
    finally:
        os._exit(0)


async def _draft(folder: Path, tell: Callable[[BatchCommitted], None], drawn: Sampling) -> None:
    def show(event: Event) -> None:
        if isinstance(event, BatchCommitted):
            tell(event)

    front = Headless(show, autosave=0.01)
    desk = open_desk(folder, ENVIRON, front)
    await desk.open()
    await front.draft(desk, "chapters/01-chapter-1.md", "", replace(drawn))
    await desk.close()


def _looked_at(folder: Path) -> list[tuple[Offer | None, list[int], str]]:
    """Opens the manuscript as the next start would: (offer, ids, text) of each generation."""

    async def look() -> list[tuple[Offer | None, list[int], str]]:
        desk = open_desk(folder, ENVIRON, lambda event: None)
        offers = {offer.generation: offer for offer in (await desk.open()).offers}
        store = desk._means.state.generations
        found = [(offers.get(g.id), store.load(g.id)) for g in store.all()]
        await desk.close()
        return [(offer, list(saved.token_ids), saved.text) for offer, saved in found]

    return asyncio.run(look())


def _resume_forked(folder: Path, plant: Plant | None) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            if plant is not None:
                plant()
            asyncio.run(_resume(folder))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


async def _resume(folder: Path) -> None:
    front = Headless(lambda event: None, autosave=0.01)
    desk = open_desk(folder, ENVIRON, front)
    opened = await desk.open()
    await front.resume(desk, opened.offers[0])
    await desk.close()


def chapter_text(folder: Path) -> str:
    return (folder / "chapters/01-chapter-1.md").read_text(encoding="utf-8")
