"""What a generation begins with: its prompt as token ids, made once and stored with it, and how it is drawn."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from writer.config import WritingSettings
from writer.engine.base import Engine
from writer.errors import StateDamaged
from writer.generation.plan import Plan
from writer.generation.plan_parts import Kind
from writer.generation.prompt import ChapterPrompt
from writer.generation.sampling import Sampling, sampling_of
from writer.generation.thinking import beyond
from writer.generation.wording import Known, Wording, known
from writer.manuscript.model import Manuscript
from writer.runtime.branching import Branch
from writer.runtime.events import PromptPlanned
from writer.runtime.gathering import gather
from writer.runtime.orders import DraftOrder
from writer.runtime.planning import PLAINLY, How, plan_of
from writer.runtime.runner import Notify
from writer.runtime.turns import Turns
from writer.storage.generations import GenerationStore

_MOST_KNOWN = 60  # generations of a chapter that are looked at
_SHORTEST_KNOWN = 40  # characters: what is shorter stands in other places too
_NOTES = (Kind.STYLE, Kind.NOTE, Kind.MENTIONED)
WordingOf = Callable[[Engine], Wording]


class Prompting:
    """Plans the prompts of one manuscript. Remembers, for each chapter, where the last request stood in its text."""

    def __init__(
        self,
        manuscript: Manuscript,
        notify: Notify,
        wording: WordingOf,
        generations: GenerationStore,
        turns: Turns,
    ) -> None:
        self._manuscript = manuscript
        self._notify = notify
        self._wording_of = wording
        self._generations = generations
        self._wording: tuple[Engine, Wording] | None = None
        self._turns = turns

    async def begun(self, engine: Engine, order: DraftOrder, to_write: int, how: How = PLAINLY) -> Branch:
        """The prompt for writing on. The plan is told before. Raises EngineDied, PromptTooLong, ModelUnusable."""
        plan = await self.plan(engine, order, to_write, how)
        self._notify(PromptPlanned(order.chapter, plan))
        return Branch(plan.prompt_ids, thinking=plan.thinking)

    async def plan(self, engine: Engine, order: DraftOrder, to_write: int, how: How = PLAINLY) -> Plan:
        """What would be sent, and why not all of it. `to_write`: tokens to keep free for what is written."""
        material = await asyncio.to_thread(gather, self._manuscript, order.chapter, order.text, order.instruction)
        plan = await plan_of(
            material,
            self.words(engine),
            window=engine.facts.window,
            to_write=to_write,
            block=engine.facts.block_size,
            last=self._turns.of(order.chapter),
            known=self._known(engine, order.chapter),
            how=how,
        )
        if plan.turn is not None:
            self._turns.keep(order.chapter, plan.turn)
        return plan

    async def notes(self, engine: Engine, order: DraftOrder, taken: int) -> tuple[str, ...]:
        """Style and notes that belong to `order.text`, for a request beside the chapter; `taken`: tokens it has itself.

        They are chosen as for writing on, and nothing is remembered.
        """
        material = await asyncio.to_thread(gather, self._manuscript, order.chapter, order.text, order.instruction)
        facts, words = engine.facts, self.words(engine)
        plan = await plan_of(
            replace(material, text=""), words, window=facts.window, to_write=taken, block=facts.block_size
        )
        return tuple(part.text for part in plan.parts if part.included and part.kind in _NOTES)

    async def rendered(self, engine: Engine, prompt: ChapterPrompt) -> tuple[int, ...]:
        """The ids of a prompt that was made elsewhere."""
        return await self.words(engine).ids(prompt)

    def _known(self, engine: Engine, chapter: str) -> list[Known]:
        return known_texts(self._generations, chapter, engine.facts.fingerprint.tokenizer)

    def words(self, engine: Engine) -> Wording:
        """How texts become ids for this engine's model."""
        if self._wording is None or self._wording[0] is not engine:
            self._wording = engine, self._wording_of(engine)
        return self._wording[1]


def known_texts(generations: GenerationStore, chapter: str, tokenizer: str) -> list[Known]:
    """What was written in a chapter with this tokenizer: its ids stay, so that the engine's cache serves them."""
    written = [
        each
        for each in generations.all()
        if tokenizer and each.chapter == chapter and each.fingerprint.tokenizer == tokenizer and each.tokens
    ]
    found: list[Known] = []
    for each in written[-_MOST_KNOWN:]:
        with suppress(StateDamaged):  # its text is read anew, as any other
            text = known(beyond(each, generations.load(each.id)).saved)
            found += [text] if text is not None and len(text.text) >= _SHORTEST_KNOWN else []
    return found


def fresh_sampling(settings: WritingSettings) -> Sampling:
    """The settings in force; with a seed of its own, if they name none."""
    return sampling_of(settings, seed=secrets.randbelow(2**31))
