"""What would be sent for a chapter now: planned without sending anything, and without starting an engine for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from writer.config import Settings
from writer.engine.base import Engine
from writer.errors import WriterError
from writer.generation.plan import Plan
from writer.generation.wording import Wording
from writer.manuscript.model import Manuscript
from writer.runtime.engine_room import EngineRoom
from writer.runtime.events import PromptShown
from writer.runtime.gathering import gather
from writer.runtime.orders import DraftOrder
from writer.runtime.planning import plan_of
from writer.runtime.prompting import WordingOf, known_texts
from writer.runtime.turns import Turns
from writer.storage.generations import GenerationStore

UNKNOWN = "Not known yet: the model has not been looked at. Press Ctrl+P and choose Start the engine."


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
        *,
        wording: WordingOf,
        on_disk: OnDisk,
    ) -> None:
        """`on_disk` blocks: it looks for the model that the settings name, and never prepares one."""
        self._manuscript = manuscript
        self._room = room
        self._generations = generations
        self._turns = turns
        self._wording_of = wording
        self._on_disk = on_disk
        self._read: tuple[Engine, Reader] | None = None

    async def answer(self, order: DraftOrder, settings: Settings) -> PromptShown:
        """The plan and the very text; why they are not known, if they are not."""
        try:
            reader = await self._reader()
            if reader is None:
                return PromptShown(order.chapter, None, "", UNKNOWN)
            plan = await self._plan(reader, order, settings)
            return PromptShown(order.chapter, plan, await self._text(reader, plan))
        except WriterError as error:
            return PromptShown(order.chapter, None, "", error.sentence)

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
        )

    async def _reader(self) -> Reader | None:
        engine = self._room.attached
        if engine is None:
            return await asyncio.to_thread(self._on_disk)
        if self._read is None or self._read[0] is not engine:
            facts = engine.facts
            reader = Reader(self._wording_of(engine), facts.window, facts.fingerprint.tokenizer, facts.block_size)
            self._read = engine, reader
        return self._read[1]

    async def _text(self, reader: Reader, plan: Plan) -> str:
        """As the model reads it, template and all, where its tokenizer is here."""
        read = getattr(reader.wording, "rendered", None)  # only a wording in this process has it
        if read is not None:
            return str(await asyncio.to_thread(read, plan.prompt))
        engine = self._room.attached
        return await engine.detokenize(plan.prompt_ids) if engine is not None else ""
