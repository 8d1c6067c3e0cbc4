"""SIGKILL with four takes in flight: nothing that was told is lost, and each goes on at its very next token."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import bench
from test_asides import FOUR

from writer.bootstrap import open_desk
from writer.generation.model import Sampling
from writer.manuscript.project import create
from writer.runtime.events import BatchCommitted, Event
from writer.storage.generations import GenerationStore

ORDER = replace(FOUR, sampling=Sampling(seed=11, max_tokens=120, ignore_eos=True))
ENVIRON = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"batch": [1, 4]})}
Plant = Callable[[], None]


async def written(folder: Path, tell: Callable[[Event], None]) -> None:
    desk = open_desk(folder, ENVIRON, tell)
    await desk.open()
    await desk.aside(ORDER)
    await desk.close()


def killed(folder: Path, batches: int, plant: Plant | None) -> dict[str, list[int]]:
    """The ids of each take that a child has told before it is killed, after so many batches."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _child(folder, writer, plant)
    os.close(writer)
    data = b""
    while data.count(b"\n") < batches and (more := os.read(reader, 65536)):
        data += more
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while more := os.read(reader, 65536):
        data += more
    os.close(reader)
    told: dict[str, list[int]] = {}
    for line in data.split(b"\n")[:-1]:
        generation, ids = json.loads(line)
        told.setdefault(generation, []).extend(ids)
    return told


def _child(folder: Path, out: int, plant: Plant | None) -> None:
    def tell(event: Event) -> None:
        if isinstance(event, BatchCommitted):
            os.write(out, json.dumps([event.generation, list(event.token_ids)]).encode() + b"\n")

    try:
        if plant is not None:
            plant()
        asyncio.run(written(folder, tell))
    finally:
        os._exit(0)


async def wrong(folder: Path, told: dict[str, list[int]], whole: list[tuple[int, ...]]) -> list[str]:
    """What is not as it must be after a kill."""
    found: list[str] = []
    async with bench(folder, batch=[1, 4]) as b:
        store = b.desk._means.state.generations
        before = b.file()
        for generation, ids in told.items():
            if list(store.load(generation).token_ids[: len(ids)]) != ids:
                found.append(f"{generation}: words that were told are lost")
        if b.opened.offers:
            found.append("a take is offered as a chapter's text")
        for offer in b.opened.asides:
            if not offer.truncated:
                await b.desk.go_on(offer.generation)
        made = [generation.id for generation in store.all()]
        if made and [store.load(each).token_ids for each in made] != whole:
            found.append("the takes are not what they would have been without a kill")
        if b.file() != before:
            found.append("the chapter was changed")
    return found


async def without_a_kill(folder: Path) -> list[tuple[int, ...]]:
    async with bench(folder, batch=[1, 4]) as b:
        outcomes = await b.desk.aside(ORDER)
        return [b.desk._means.state.generations.load(outcome.generation).token_ids for outcome in outcomes]


def trial(folder: Path, whole: list[tuple[int, ...]], seed: str, plant: Plant | None = None) -> list[str]:
    create(folder, title="Salt")
    told = killed(folder, random.Random(seed).randrange(1, 150), plant)
    return asyncio.run(wrong(folder, told, whole))


@pytest.fixture
def whole(tmp_path: Path) -> list[tuple[int, ...]]:
    return asyncio.run(without_a_kill(tmp_path / "whole"))


def test_nothing_is_lost_and_each_goes_on(whole: list[tuple[int, ...]], tmp_path: Path) -> None:
    for number in range(int(os.environ.get("WRITER_TAKE_KILLS", "8"))):
        assert trial(tmp_path / str(number), whole, f"take {number}") == [], f"seed: take {number}"


def test_the_trial_would_see_a_take_that_is_told_before_it_is_saved(
    whole: list[tuple[int, ...]], tmp_path: Path
) -> None:
    def plant() -> None:
        honest, waiting = GenerationStore.append, []

        def late(self: GenerationStore, batch: object, **how: object) -> None:
            waiting.append((batch, how))
            if len(waiting) > 4:
                old, its = waiting.pop(0)
                honest(self, old, **its)

        GenerationStore.append = late  # type: ignore[method-assign, assignment]

    assert any(trial(tmp_path / str(number), whole, f"take {number}", plant) for number in range(8))
