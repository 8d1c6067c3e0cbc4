"""What a generation begins with: its prompt as token ids, made once and stored with it, and how it is drawn."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable

from writer.config import WritingSettings
from writer.engine.base import Engine
from writer.generation.model import Sampling
from writer.generation.plan import Plan
from writer.generation.prompt import ChapterPrompt
from writer.generation.window import Turn
from writer.generation.wording import Known, Wording, known
from writer.manuscript.model import Manuscript
from writer.runtime.events import PromptPlanned
from writer.runtime.gathering import gather
from writer.runtime.orders import DraftOrder
from writer.runtime.planning import plan_of
from writer.runtime.runner import Notify
from writer.storage.generations import GenerationStore

_MOST_KNOWN = 60  # generations of a chapter that are looked at
_SHORTEST_KNOWN = 40  # characters: what is shorter stands in other places too
WordingOf = Callable[[Engine], Wording]


class Prompting:
    """Plans the prompts of one manuscript. Remembers, for each chapter, where the last request stood in its text."""

    def __init__(
        self,
        manuscript: Manuscript,
        notify: Notify,
        wording: WordingOf,
        generations: GenerationStore,
    ) -> None:
        self._manuscript = manuscript
        self._notify = notify
        self._wording_of = wording
        self._generations = generations
        self._wording: tuple[Engine, Wording] | None = None
        self._turns: dict[str, Turn] = {}

    async def ids(self, engine: Engine, order: DraftOrder, to_write: int) -> tuple[int, ...]:
        """The prompt's ids for writing on. The plan is told before. Raises EngineDied, PromptTooLong, ModelUnusable."""
        plan = await self.plan(engine, order, to_write)
        self._notify(PromptPlanned(order.chapter, plan))
        return plan.prompt_ids

    async def plan(self, engine: Engine, order: DraftOrder, to_write: int) -> Plan:
        """What would be sent, and why not all of it. `to_write`: tokens to keep free for what is written."""
        material = await asyncio.to_thread(gather, self._manuscript, order.chapter, order.text, order.instruction)
        plan = await plan_of(
            material,
            self._words(engine),
            window=engine.facts.window,
            to_write=to_write,
            block=engine.facts.block_size,
            last=self._turns.get(order.chapter),
            known=self._known(engine, order.chapter),
        )
        if plan.turn is not None:
            self._turns[order.chapter] = plan.turn
        return plan

    async def rendered(self, engine: Engine, prompt: ChapterPrompt) -> tuple[int, ...]:
        """The ids of a prompt that was made elsewhere."""
        return await self._words(engine).ids(prompt)

    def _known(self, engine: Engine, chapter: str) -> list[Known]:
        """What was written in the chapter with the same tokenizer: its ids stay, so that the engine's cache serves."""
        tokenizer = engine.facts.fingerprint.tokenizer
        written = [
            each
            for each in self._generations.all()
            if tokenizer and each.chapter == chapter and each.fingerprint.tokenizer == tokenizer and each.tokens
        ]
        texts = (known(self._generations.load(each.id)) for each in written[-_MOST_KNOWN:])
        return [each for each in texts if each is not None and len(each.text) >= _SHORTEST_KNOWN]

    def _words(self, engine: Engine) -> Wording:
        if self._wording is None or self._wording[0] is not engine:
            self._wording = engine, self._wording_of(engine)
        return self._wording[1]


def fresh_sampling(settings: WritingSettings) -> Sampling:
    """The settings in force, with a seed of its own."""
    return Sampling(
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=settings.top_k,
        min_p=settings.min_p,
        repetition_penalty=settings.repetition_penalty,
        seed=secrets.randbelow(2**31),
        max_tokens=settings.max_tokens,
    )
