"""Whether a text that was cut goes on with the same tokens: a matrix of engines, ways to draw words, and cuts. X1.

Each cell counts the cuts after which all further ids equal those of the text that was never cut. *aligned* and *plain*
are the two plans of generation/resume.py; *restart*: the engine was ended and started between; *beside*: three other
texts are written meanwhile. The promise of the docs is the plan that this engine takes, alone, with a warm cache.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.ground import Ground, ground
from benchmarks.targets import Measure, Plan, Reading
from writer.engine.base import ChatMessage, Engine, Request
from writer.generation.model import Delta, Sampling, Saved
from writer.generation.resume import ResumePlan, aligned, plain
from writer.generation.sampling import word_control

_SEEDED = Sampling(temperature=0.8, top_p=1.0, repetition_penalty=1.0, seed=7, ignore_eos=True)
SAMPLERS: dict[str, Sampling] = {
    "greedy": replace(_SEEDED, temperature=0.0),
    "temperature": _SEEDED,
    "top-p": replace(_SEEDED, top_p=0.9),
    "top-k": replace(_SEEDED, top_k=40),
    "min-p": replace(_SEEDED, min_p=0.05),
    "repetition": replace(_SEEDED, repetition_penalty=1.1, min_p=0.05),
    "presence": replace(_SEEDED, presence_penalty=0.6, top_p=0.95),
    "frequency": replace(_SEEDED, frequency_penalty=0.6, top_p=0.95),
    "DRY": replace(_SEEDED, dry_multiplier=0.8, min_p=0.05),
    "XTC": replace(_SEEDED, xtc_probability=0.5, min_p=0.02),
    "banned": replace(_SEEDED, banned=("lamp", "the sea"), min_p=0.05),
}
"""Every way of drawing words that the settings offer, each by itself."""
PLACES = ("aligned", "plain", "aligned beside", "plain beside", "aligned restart", "plain restart")
BESIDE = 3
_OPENINGS = ("The keeper climbed the stairs.", "Nobody had seen the ferry come in that night, and the bell was silent.")
_LEAST = 1.0


@dataclass(slots=True)
class Cell:
    """How many cuts went on with the same tokens."""

    same: int = 0
    cuts: int = 0

    def __str__(self) -> str:
        return f"{self.same}/{self.cuts}"


Work = Callable[[Engine], Coroutine[Any, Any, Any]]
Row = dict[str, Cell]
"""By place."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A text that was never cut."""

    prompt: tuple[int, ...]
    sampling: Sampling
    saved: Saved

    def cut(self, tokens: int) -> Saved:
        """What would be saved had it been cut there."""
        ends = self.saved.ends[:tokens]
        return Saved(self.saved.token_ids[:tokens], self.saved.text[: ends[-1]], ends)


def matrix(plan: Plan) -> list[Reading]:
    """X1: one row for each engine and way of drawing; the goal is 100 % where the docs promise it."""
    readings: list[Reading] = []
    for variant in plan.variants or ("as set",):
        with engine_of(variant, plan) as place:
            rows = _rows(place, plan)
            facts = place.held.engine.facts
            taken = "aligned" if facts.aligned else "plain"
            readings += as_readings(variant.partition(":")[0], facts.fingerprint.engine, rows, taken)
    return readings


ONCE = True
TARGETS: dict[str, Measure] = {"X1": matrix}


def as_readings(variant: str, engine: str, rows: dict[str, Row], taken: str = "aligned") -> list[Reading]:
    """All cuts by the plan that is taken here, all samplers, warm and alone, with the goal; a row for each sampler."""
    promised = [row[taken] for row in rows.values() if row[taken].cuts]
    cuts, same = sum(cell.cuts for cell in promised), sum(cell.same for cell in promised)
    what = f"{variant}: the same tokens, {taken}, alone"
    readings = [Reading(what, same / cuts, _LEAST, absolute=f"{same}/{cuts} cuts, {engine}", least=True)]
    for name, row in rows.items():
        cells = [cell for cell in row.values() if cell.cuts]
        share = sum(cell.same for cell in cells) / max(1, sum(cell.cuts for cell in cells))
        told = ", ".join(f"{place} {row[place]}" for place in PLACES if row[place].cuts)
        readings.append(Reading(f"{variant}: {name}", share, absolute=told or "not offered by this engine"))
    return readings


def read_variant(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Settings and environment of "name:key=value,NAME=value"."""
    parts = [part for part in text.partition(":")[2].split(",") if part]
    outer = dict(part.split("=", 1) for part in parts if part.split("=")[0].isupper())
    return tuple(part for part in parts if not part.split("=")[0].isupper()), outer


@contextmanager
def engine_of(variant: str, plan: Plan) -> Iterator[Ground]:
    """The engine of this variant, held."""
    settings, outer = read_variant(variant)
    before = {name: os.environ.get(name) for name in outer}
    os.environ.update(outer)
    try:
        with ground(replace(plan, settings=(*plan.settings, *settings))) as place:
            yield place
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _rows(place: Ground, plan: Plan) -> dict[str, Row]:
    able = place.held.engine.facts.word_control
    offered = {name: each for name, each in SAMPLERS.items() if able or not word_control(each)}
    rows: dict[str, Row] = {name: {each: Cell() for each in PLACES} for name in SAMPLERS}
    wholes = {name: place.held.run(written(each, plan.tokens)) for name, each in offered.items()}
    for name, texts in wholes.items():
        place.held.run(tried(rows[name], texts, plan, beside=False, restart=False))
    place.held.run(_all_beside(rows, wholes, plan))
    if not place.scripted:
        place.held.stop()
        place.held.hold()
        for name, texts in wholes.items():
            place.held.run(tried(rows[name], texts, plan, beside=False, restart=True))
    return rows


def written(sampling: Sampling, tokens: int) -> Work:
    """Texts that are never cut."""

    async def work(engine: Engine) -> list[Whole]:
        prompts = await _prompts(engine)
        return [Whole(prompt, sampling, await stream(engine, prompt, sampling, tokens)) for prompt in prompts]

    return work


def tried(row: Row, texts: Sequence[Whole], plan: Plan, *, beside: bool, restart: bool) -> Work:
    """Counts in the row how many cuts of them go on with the same tokens."""

    async def work(engine: Engine) -> None:
        for number, whole in enumerate(texts):
            most = len(whole.saved.token_ids) - 2
            cuts = random.Random(number).sample(range(1, most), min(plan.cuts, most - 1))
            for cut in cuts[number :: len(texts)] or cuts[:1]:
                for kind in ("aligned", "plain"):
                    cell = row[kind + (" beside" if beside else " restart" if restart else "")]
                    cell.cuts += 1
                    cell.same += await goes_on(engine, whole, cut, kind)

    return work


def _all_beside(rows: dict[str, Row], wholes: dict[str, list[Whole]], plan: Plan) -> Work:
    """All cuts again while three other texts are being written."""

    async def noise(engine: Engine, number: int) -> None:
        while True:
            sampling = replace(_SEEDED, seed=1000 + number)
            number += BESIDE
            await stream(engine, (await _prompts(engine))[0], sampling, plan.tokens)

    async def work(engine: Engine) -> None:
        others = [asyncio.create_task(noise(engine, number)) for number in range(BESIDE)]
        try:
            for name, texts in wholes.items():
                await tried(rows[name], texts, plan, beside=True, restart=False)(engine)
        finally:
            for other in others:
                other.cancel()
            await asyncio.gather(*others, return_exceptions=True)

    return work


async def goes_on(engine: Engine, whole: Whole, cut: int, kind: str) -> bool:
    """Whether a resume behind this cut gives the rest of the text, id by id."""
    most, saved = len(whole.saved.token_ids), whole.cut(cut)
    plan: ResumePlan = (
        aligned(whole.prompt, saved, block_size=engine.facts.block_size, max_tokens=most)
        if kind == "aligned"
        else plain(whole.prompt, saved, max_tokens=most)
    )
    rest = await stream(engine, plan.prompt_ids, whole.sampling, plan.max_tokens, plan.kept)
    return whole.saved.token_ids[: plan.kept] + rest.token_ids == whole.saved.token_ids


async def stream(engine: Engine, prompt: Sequence[int], sampling: Sampling, tokens: int, generated: int = 0) -> Saved:
    """All that is written, as it would be saved."""
    deltas: list[Delta] = [d async for d in engine.stream(Request(tuple(prompt), sampling, tokens, generated))]
    text, ends = "", list[int]()
    for delta in deltas:
        ends += [len(text) + end for end in delta.ends]
        text += delta.text
    return Saved(tuple(each for delta in deltas for each in delta.token_ids), text, tuple(ends))


async def _prompts(engine: Engine) -> list[tuple[int, ...]]:
    asked = [ChatMessage("system", "You are a novelist."), ChatMessage("user", "Write about a lighthouse.")]
    before = await engine.render(asked) or ()
    return [(*before, *await engine.tokenize(opening)) for opening in _OPENINGS]
