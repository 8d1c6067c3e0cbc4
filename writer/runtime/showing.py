"""What would be sent for a chapter now: planned without sending anything, and without starting an engine for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from writer.config import Settings
from writer.engine.base import Engine
from writer.errors import StateDamaged, WriterError
from writer.generation.plan import Plan
from writer.generation.wording import Wording
from writer.language import say
from writer.manuscript.model import Manuscript
from writer.runtime.engine_room import EngineRoom
from writer.runtime.events import PromptShown
from writer.runtime.gathering import gather
from writer.runtime.orders import DraftOrder
from writer.runtime.planning import how_of, plan_of
from writer.runtime.prompting import WordingOf, known_texts
from writer.runtime.runner import Notify
from writer.runtime.turns import Turns
from writer.storage.generations import GenerationStore

_LAST = 4  # generations whose ids may still be in the engine's cache
UNKNOWN = say("Not known yet: the model has not been looked at. Press Ctrl+P and choose Start the engine.")


@dataclass(frozen=True, slots=True)
class Reader:
    """Whoever reads the prompt: an engine that is there, or a model on the disk that none has loaded yet."""

    wording: Wording
    window: int  # tokens
    tokenizer: str  # its sha256
    block: int = 32  # tokens of a block of the prefix cache


OnDisk = Callable[[], Reader | None]


class Showing:
    """Answers what would be sent. Remembers nothing: an answer changes no later prompt."""

    def __init__(
        self,
        manuscript: Manuscript,
        room: EngineRoom,
        generations: GenerationStore,
        turns: Turns,
        notify: Notify,
        *,
        wording: WordingOf,
        on_disk: OnDisk,
    ) -> None:
        """`on_disk` blocks: it looks for the model that the settings name, and never prepares one."""
        self._manuscript = manuscript
        self._room = room
        self._generations = generations
        self._turns = turns
        self._notify = notify
        self._wording_of = wording
        self._on_disk = on_disk
        self._read: tuple[Engine, Reader] | None = None
        self._answering: asyncio.Task[PromptShown] | None = None

    async def answer(self, order: DraftOrder, settings: Settings) -> PromptShown | None:
        """The plan and the very text, reported; why they are not known, if they are not. None if that was given up.

        With a parent the text is what goes on after its tokens, and the plan is what a fresh text would be given.
        """
        self.stop()
        self._answering = answering = asyncio.ensure_future(self._answer(order, settings))
        try:
            answer = await answering
        except asyncio.CancelledError:
            return None
        self._notify(answer)
        return answer

    def stop(self) -> None:
        """Gives up what is being planned: nobody waits for it any more."""
        if self._answering is not None:
            self._answering.cancel()

    async def _answer(self, order: DraftOrder, settings: Settings) -> PromptShown:
        try:
            reader = await self.reader()
            if reader is None:
                return PromptShown(order.chapter, None, why=UNKNOWN)
            plan = await self._plan(reader, order, settings)
            ids = self._stored(order) or plan.prompt_ids
            text = await reader.wording.text(ids)
            return PromptShown(order.chapter, plan, text, len(ids), self._cached(reader, plan))
        except WriterError as error:
            return PromptShown(order.chapter, None, why=error.sentence)

    async def _plan(self, reader: Reader, order: DraftOrder, settings: Settings) -> Plan:
        material = await asyncio.to_thread(gather, self._manuscript, order.chapter, order.text, order.instruction)
        return await plan_of(
            material,
            reader.wording,
            window=reader.window,
            to_write=settings.writing_of(order.chapter).max_tokens,
            block=reader.block,
            last=self._turns.of(order.chapter),
            known=known_texts(self._generations, order.chapter, reader.tokenizer),
            how=how_of(settings.writing_of(order.chapter)),
        )

    async def reader(self) -> Reader | None:
        """Who can read ids now: the engine that is there, or the model on the disk; None if neither is known."""
        engine = self._room.attached
        if engine is None:
            return await asyncio.to_thread(self._on_disk)
        if self._read is None or self._read[0] is not engine:
            facts = engine.facts
            reader = Reader(self._wording_of(engine), facts.window, facts.fingerprint.tokenizer, facts.block_size)
            self._read = engine, reader
        return self._read[1]

    def _stored(self, order: DraftOrder) -> tuple[int, ...]:
        """What is sent to go on with a text: its prompt and its tokens, never read anew; () if none goes on."""
        if not order.parent:
            return ()
        prompt = self._generations.generation(order.parent).prompt_ids
        return prompt + self._generations.load(order.parent).token_ids[: order.parent_tokens]

    def _cached(self, reader: Reader, plan: Plan) -> int:
        """What the engine has read of it last, if it has not forgotten that; 0 without an engine."""
        if self._room.attached is None:
            return 0
        store = self._generations
        since = self._room.cold_at
        read = [
            each for each in store.all() if each.fingerprint.tokenizer == reader.tokenizer and each.updated >= since
        ]
        with suppress(StateDamaged):
            last = (store.generation(each.id).prompt_ids + store.load(each.id).token_ids for each in read[-_LAST:])
            same = max((_common(plan.prompt_ids, ids) for ids in last), default=0)
            return same // reader.block * reader.block
        return 0


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Leading ids that are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
