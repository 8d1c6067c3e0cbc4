"""Texts beside a chapter: written several at once over one prompt, each durable by itself, never in the file.

Which of them goes into the chapter is the author's choice, and the front end's work: here it is only put on record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from writer.engine.base import Engine
from writer.errors import EngineError, NotResumable, StateDamaged, StorageError, WriterError
from writer.generation.model import Generation, Sampling, Saved, SpanRecord, State, StopCause, TokenBatch
from writer.generation.prompt import ChapterPrompt
from writer.language import say
from writer.runtime import pulse
from writer.runtime.branching import Branch, seeds, tokens_within
from writer.runtime.drafting import Outcome, require_possible
from writer.runtime.events import AsideBegun, BatchCommitted, ChoiceUndone, TakeChosen, TakesListed
from writer.runtime.orders import AsideOrder, DraftOrder
from writer.runtime.takes import CHOSEN, Take, digest, tree
from writer.runtime.texts import Texts
from writer.runtime.workplace import Workplace
from writer.storage.state_file import StateFile

Resolve = Callable[[Engine], Awaitable[AsideOrder]]
Rendered = Callable[[Engine, ChapterPrompt], Awaitable[tuple[int, ...]]]


class Asides:
    """Carries out orders for texts beside a chapter, and keeps the record of what becomes of them."""

    def __init__(self, at: Workplace, texts: Texts, *, rendered: Rendered) -> None:
        self._state = at.state
        self._room = at.room
        self._drafting = at.drafting
        self._endings = at.endings
        self._works = at.works
        self._notify = at.notify
        self._prompt = at.prompt
        self._sampling = at.sampling
        self._texts = texts
        self._rendered = rendered
        self._orders = 0

    async def begin(self, order: AsideOrder, resolve: Resolve | None = None) -> tuple[Outcome, ...]:
        """Writes all that was ordered, at once; how each ended. One outcome if they could not be begun.

        `resolve` makes the order whole where that takes an engine.
        """
        self._orders += 1
        begun: list[Coroutine[Any, Any, Outcome]] = []
        place = f"order {self._orders}"
        outcome = await self._works.run(self._begun(order, resolve, begun), order.chapter, place=place, tag=order.tag)
        return tuple(await asyncio.gather(*begun)) if begun else (outcome,)

    async def go_on(self, generation: str) -> Outcome:
        """Goes on with one at its very next token."""
        chapter = self._state.generations.generation(generation).chapter
        return await self._works.run(self._resumed(generation), chapter, place=generation, generation=generation)

    def choose(self, generation: str) -> None:
        """The front end has put its text into the chapter. Those that were written with it are kept."""
        store = self._state.generations
        found = store.generation(generation)
        if self._busy(found):
            raise NotResumable(say("This text is still being written. Pause it, or wait until it has ended."))
        self._endings.seal(generation, CHOSEN)
        prompt, kept = store.prompt_of(generation), []
        for other in store.all():
            alike = (other.chapter, other.role, other.place) == (found.chapter, found.role, found.place)
            if alike and other.id != generation and store.prompt_of(other.id) == prompt:
                kept.append(other.id)
                if other.state.resumable or other.finish_reason == CHOSEN:
                    self._keep(other)
        self._notify(TakeChosen(generation, tuple(kept)))

    def unchoose(self, generation: str) -> None:
        """The front end has taken its text out of the chapter again."""
        found = self._state.generations.generation(generation)
        if found.finish_reason == CHOSEN:
            self._keep(found)
            self._notify(ChoiceUndone(generation))

    def keep_all(self, chapter: str) -> None:
        """What stands beside the chapter stays there, and is not offered again."""
        for found in self._state.generations.unsealed():
            if found.chapter == chapter and found.aside:
                self._keep(found)

    def listed(self, chapter: str) -> tuple[Take, ...]:
        """The texts of the chapter as a tree; also reported."""
        takes = listed(self._state, chapter)
        self._notify(TakesListed(chapter, takes))
        return takes

    # --- inside ------------------------------------------------------------------------------------------------

    def _keep(self, found: Generation) -> None:
        if not self._busy(found):
            self._endings.seal(found.id, "kept")

    def _busy(self, found: Generation) -> bool:
        """Whether it is being written. The front end may be faster than the end of a work that it has been told of."""
        over = found.state in (State.FINISHED, State.TRUNCATED) or found.stopped_by is StopCause.PAUSED
        return self._works.writes(found.id) and not over

    async def _begun(
        self, order: AsideOrder, resolve: Resolve | None, begun: list[Coroutine[Any, Any, Outcome]]
    ) -> Outcome:
        """Saves all of them before the first token is asked for; then nothing is awaited until all are being written,
        so that a pause stops all."""
        if resolve is not None:
            order = await self._room.alive(resolve)
        sampling = order.sampling or self._sampling(order.chapter)
        made = await self._branch(order, sampling)
        if order.cut is not None and order.cut.standing:
            order = replace(order, start=order.start - (order.cut.characters - len(made.text)))
        engine = await self._room.ready()
        require_possible(engine, len(made.prompt_ids), sampling)
        if order.count > 1:
            await self._read_once(made.prompt_ids)
        identities = self._recorded(order, made, sampling, engine)
        for number, identity in enumerate(identities, 1):
            self._notify(AsideBegun(order.tag, identity, order.chapter, order.role, number, order.count))
            if order.opening is not None:
                ids, text = order.opening
                self._notify(BatchCommitted(identity, 0, ids, text, len(ids)))
        begun += [
            self._works.run(self._written(each), order.chapter, place=each, generation=each) for each in identities
        ]
        return Outcome(State.RUNNING, 0, "")

    async def _branch(self, order: AsideOrder, sampling: Sampling) -> Branch:
        if order.parent:
            tokens = order.parent_tokens
            if order.cut is not None:
                tokens = tokens_within(self._state.generations.load(order.parent), order.cut.characters)
            return await self._texts.branch(order.parent, tokens)
        if order.prompt_ids:
            return Branch(order.prompt_ids)
        if (prompt := order.prompt) is not None:
            return Branch(await self._room.alive(lambda engine: self._rendered(engine, prompt)))
        draft = DraftOrder(order.chapter, order.text[: order.start], order.instruction)
        return await self._room.alive(lambda engine: self._prompt(engine, draft, sampling))

    async def _read_once(self, prompt_ids: tuple[int, ...]) -> None:
        """The engine reads the prompt once, and finds it in its cache for all."""

        async def read(engine: Engine) -> None:
            await pulse.within(engine.probe(prompt_ids), pulse.first_limit(len(prompt_ids)))

        with suppress(EngineError):  # each text meets the same trouble, and knows what to do
            await self._room.alive(read)

    def _recorded(self, order: AsideOrder, made: Branch, sampling: Sampling, engine: Engine) -> list[str]:
        identities: list[str] = []
        try:
            for seed in seeds(sampling.seed, order.count):
                generation = self._state.generations.begin(
                    chapter=order.chapter,
                    prompt_ids=made.prompt_ids,
                    sampling=replace(sampling, seed=seed, thinking=made.thinking),
                    fingerprint=engine.facts.fingerprint,
                    instruction=order.instruction,
                    role=order.role,
                    parent=made.parent,
                    parent_tokens=made.parent_tokens,
                    place=(order.start, order.end),
                )
                identities.append(generation.id)
                self._state.spans.record(SpanRecord(generation.id, digest(order.text), order.start, order.end, 0))
                if order.opening is not None:
                    self._state.generations.append(_opening(generation.id, *order.opening))
        except WriterError:  # nothing is written yet, but those that are there can go on
            with suppress(StorageError):
                for identity in identities:
                    self._state.generations.mark(identity, State.PAUSED, cause=StopCause.PAUSED)
            raise
        return identities

    async def _resumed(self, generation: str) -> Outcome:
        found, saved = self._state.generations.generation(generation), self._state.generations.load(generation)
        if not (found.aside and found.state.resumable):
            raise NotResumable(say("This text has ended. Go on from any place of it with a new take."))
        if not await self._texts.compared(found, saved):
            raise NotResumable(say("This text was begun with another model. Set engine.model back in the settings."))
        self._notify(AsideBegun("", generation, found.chapter, found.role, 1, 1))
        return await self._written(generation)

    async def _written(self, generation: str) -> Outcome:
        outcome = await self._drafting.write_on(generation, 0)
        if outcome.state is State.FINISHED and not self._state.generations.is_sealed(generation):
            with suppress(StorageError):  # the next start does it
                self._state.generations.seal(generation)
        return outcome


def _opening(generation: str, ids: tuple[int, ...], text: str) -> TokenBatch:
    """The first batch of a text whose beginning the author chose. Only the last of its tokens shows text."""
    return TokenBatch(generation, 0, 0, ids, text, (0,) * (len(ids) - 1) + (len(text),))


def listed(state: StateFile, chapter: str) -> tuple[Take, ...]:
    """The texts of a chapter as a tree. One whose record is damaged is left out: `writer state check` tells more."""
    found: list[tuple[Generation, Saved, str]] = []
    for each in state.generations.all():
        with suppress(StateDamaged):
            if each.chapter == chapter:
                places = [span.file_sha256 for span in state.spans.of(each.id)] if each.aside else []
                found.append((each, state.generations.load(each.id), "".join(places[:1])))
    return tree(chapter, found)
