"""What several texts at once gain: chapters written together by the desk, against one alone, and one by one. B1.

The chapters have prompts of their own, as those of a book have; every batch of each is durable. The last baseline is
Hugging Face's transformers, which writes the same chapters of the same model one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.drafts import drafted
from benchmarks.ground import Ground, ground
from benchmarks.pairs import against
from benchmarks.raw import transformers
from benchmarks.targets import Measure, Plan, Reading
from writer.engine.base import Engine
from writer.generation.model import Sampling
from writer.generation.sampling import sampling_of
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, open_manuscript

COUNTS = (1, 4, 8, 16)
GOALS = {"gpu": 7.0}
"""Eight at once : one. A CPU has no such gain to give."""
ONE_BY_ONE = 10.0
"""Sixteen at once : transformers, one after the other."""
_TOPICS = "lamp harbour letter storm debt map bell wreck key winter orchard ferry chapel mill quarry portrait".split()  # noqa: SIM905


def at_once(plan: Plan) -> list[Reading]:
    """B1: tokens per second of 4, 8 and 16 chapters, all together, against one; of 16 against transformers."""
    with ground(plan) as place:
        rates = _rates(place, plan)
        device = place.held.engine.facts.device
        readings = [
            against(f"{count} chapters at once : one", rates[count], rates[1], _goal(count, device), "tokens/s")
            for count in COUNTS[1:]
        ]
        prompts = _prompts(place)
        place.held.stop()  # transformers has the machine for itself
        alone = _one_by_one(place, plan, prompts)
    what = "16 chapters at once : transformers, one by one"
    goal = None if place.scripted else ONE_BY_ONE
    return [*readings, against(what, rates[16], alone, goal, "tokens/s")]


ONCE = True
TARGETS: dict[str, Measure] = {"B1": at_once}


def _goal(count: int, device: str) -> float | None:
    return GOALS.get(device) if count == 8 else None


def sampling_for(place: Ground, tokens: int, seed: int) -> Sampling:
    """The settings' own, for a text that goes on to its last token."""
    drawn = sampling_of(place.settings.writing, seed=seed)
    return replace(drawn, max_tokens=tokens, ignore_eos=True)


def _rates(place: Ground, plan: Plan) -> Mapping[int, list[float]]:
    rates: dict[int, list[float]] = {count: [] for count in COUNTS}
    for number in range(plan.quick, plan.pairs + 1):
        for count in COUNTS if number % 2 else reversed(COUNTS):
            made = chapters(place, f"{number}-{count}", count)
            written, seconds = drafted(made, sampling_for(place, plan.tokens, number), count)
            if number:  # the first round warms what there is to warm
                rates[count].append(written.moments[-1][1] / seconds)
    return rates


def chapters(place: Ground, name: str, count: int) -> Manuscript:
    """A manuscript of so many chapters, each with a beginning of its own."""
    made = place.manuscript(name)
    while len(made.chapters) < count:
        add_chapter(made, f"The {_TOPICS[len(made.chapters) % 16]}")
        made = open_manuscript(made.folder)
    for chapter, topic in zip(made.chapters, _TOPICS, strict=False):
        (made.folder / chapter.path).write_text(f"The {topic} was not where she had left it.", encoding="utf-8")
    return made


def _prompts(place: Ground) -> list[tuple[int, ...]]:
    """Of the chapters, nearly: their beginnings alone. A prompt is a small part of what is computed here."""
    texts = [f"The {topic} was not where she had left it." for topic in _TOPICS]

    async def ids(engine: Engine) -> list[tuple[int, ...]]:
        return [await engine.tokenize(text) for text in texts]

    return place.held.run(ids)


def _one_by_one(place: Ground, plan: Plan, prompts: list[tuple[int, ...]]) -> list[float]:
    """Tokens per second; two texts are enough for one rate, since nothing is shared between them."""
    rates = []
    with transformers(place) as peer:
        peer.stream(prompts[:1], sampling_for(place, min(8, plan.tokens), 1), min(8, plan.tokens))
        for number in range(plan.pairs):
            some = prompts[2 * number % 16 :][:2]
            written = peer.stream(some, sampling_for(place, plan.tokens, number), plan.tokens)
            rates.append(written.moments[-1][1] / written.seconds)
    return rates
