"""What a plan costs, and what it keeps in the prefix cache, for a book of 120,000 words. L1 to L3.

Counted and made with the small model's tokenizer, which is prepared if need be; nothing is sent anywhere.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from benchmarks.borrowed import helper, own_folder
from benchmarks.meter import cpu, median
from benchmarks.targets import Measure, Plan, Reading
from writer.engine import models
from writer.engine.counting import ModelWording
from writer.generation.plan import Plan as PromptPlan
from writer.generation.window import Turn
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.runtime.gathering import gather
from writer.runtime.planning import plan_of

_WINDOW, _TO_WRITE = 32_768, 1200
_WRITTEN = 400
"""Words that are written between two plans."""
_LONG = (4096, 8192, 16_384, 32_768)
"""Windows in which a chapter that is longer than any of them goes on."""
_GOES, _GO = 23, 300
"""How often, and the words of each time: some 410 tokens."""


@dataclass(slots=True)
class Bench:
    """One book, one tokenizer, and the text of the chapter in its middle."""

    manuscript: Manuscript
    wording: ModelWording
    chapter: str
    text: str
    last: Turn | None = None
    window: int = _WINDOW

    def plan(self, instruction: str = "") -> PromptPlan:
        """The next plan, as the app makes it."""

        async def work() -> PromptPlan:
            material = await asyncio.to_thread(gather, self.manuscript, self.chapter, self.text, instruction)
            return await plan_of(
                material, self.wording, window=self.window, to_write=_TO_WRITE, block=32, last=self.last, known=()
            )

        drawn = asyncio.run(work())
        self.last = drawn.turn
        return drawn


def planned_again(plan: Plan) -> list[Reading]:
    """L1: processor time of the whole process, files read and ids made; all texts were counted before."""
    bench = _bench(plan)
    first = _spent(bench.plan)
    costs = [_spent(bench.plan) for _ in range(plan.repeats)]
    what = f"plan at {_WINDOW:,} tokens, everything counted before"
    return [
        Reading(what, median(costs), 200.0, "ms"),
        Reading("the first plan, everything counted and the tokenizer loaded", first, None, "ms"),
    ]


def fits(plan: Plan) -> list[Reading]:
    """L2: prompt and what is to be written, against the window, for every tenth chapter and a long one."""
    bench, full = _bench(plan), []
    texts = [(each.path, (bench.manuscript.folder / each.path).read_text()) for each in bench.manuscript.chapters]
    joined = "".join(text for _, text in texts)
    for chapter, text in [*texts[::10], (texts[-1][0], joined)]:
        bench.chapter, bench.text, bench.last = chapter, text, None
        full.append(bench.plan("the lamp goes out").share)
    return [Reading("prompt and what is to be written : window", max(full), 1.0)]


def goes_on(plan: Plan) -> list[Reading]:
    """L3: of a prompt in the same chapter, what is not the beginning of the one before with what was written."""
    bench, shares = _bench(plan), []
    source, before = random.Random(5), bench.plan().prompt_ids
    for _ in range(6):
        bench.text += helper("a_book").prose(source, _WRITTEN)
        drawn = bench.plan()
        shares.append(_lost(before, drawn.prompt_ids))
        before = drawn.prompt_ids
    read = Reading("of the last prompt, read again when the chapter goes on, median", median(shares), 0.05)
    return [read, *(_in_a_long_chapter(plan, window) for window in _LONG)]


def _in_a_long_chapter(plan: Plan, window: int) -> Reading:
    """How many of the requests find 95 % of their prompt; the others come with a step of the window."""
    bench, source, found = _bench(plan), random.Random(5), 0
    texts = [(bench.manuscript.folder / each.path).read_text() for each in bench.manuscript.chapters[:8]]
    bench.text, bench.window, goes = "".join(texts), window, 2 if plan.quick else _GOES
    before = bench.plan().prompt_ids
    for _ in range(goes):
        bench.text += helper("a_book").prose(source, _GO)
        ids = bench.plan().prompt_ids
        found += _lost(before, ids) <= 0.05
        before = ids
    return Reading(
        f"of {goes} requests in a long chapter, with 95 % cached, window {window:,}", found, None, "requests"
    )


def _lost(before: Sequence[int], now: Sequence[int]) -> float:
    """The share of a prompt that is not the beginning of the next one."""
    kept = next((n for n, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), len(before))
    return 1 - kept / len(before)


TARGETS: dict[str, Measure] = {"L1": planned_again, "L2": fits, "L3": goes_on}


def _bench(plan: Plan) -> Bench:
    manuscript = _manuscript(quick=plan.quick)
    chapter = manuscript.chapters[len(manuscript.chapters) // 2].path
    text = (manuscript.folder / chapter).read_text(encoding="utf-8")
    return Bench(manuscript, _wording(quick=plan.quick), chapter, text)


@lru_cache(maxsize=1)
def _manuscript(*, quick: bool) -> Manuscript:
    size = {"chapters": 4, "words": 4000, "notes": 9} if quick else {}
    return open_manuscript(helper("a_book").make(own_folder("planning") / "book", **size))


@lru_cache(maxsize=1)
def _wording(*, quick: bool) -> ModelWording:
    if quick:
        return ModelWording(helper("model_folders").model_folder(own_folder("planning") / "model", "smollm2"))
    return ModelWording(models.resolve("", lambda line: None))


def _spent(work: Callable[[], object]) -> float:
    begun = cpu()
    work()
    return cpu() - begun
