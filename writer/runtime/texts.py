"""Texts that go into a chapter: begun at its end, or gone on with at the very next token."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from writer.errors import ManuscriptError, NotResumable, StorageError, WriterError
from writer.generation.model import Generation, Sampling, Saved, State, StopCause
from writer.generation.resume import splice
from writer.generation.sampling import thinking_of
from writer.generation.thinking import beyond
from writer.language import say
from writer.runtime import comparing
from writer.runtime.branching import Branch, branch
from writer.runtime.drafting import Outcome, require_possible
from writer.runtime.events import Noted
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder, Span
from writer.runtime.workplace import Workplace

_LEAST = 64  # tokens of the window, below which a text goes on with a new prompt


class Texts:
    """Carries out drafts and resumes. The chapter is saved first; `save` is the desk's."""

    def __init__(self, at: Workplace, *, save: Callable[[SaveOrder], Awaitable[bool]]) -> None:
        self._state = at.state
        self._room = at.room
        self._drafting = at.drafting
        self._endings = at.endings
        self._works = at.works
        self._notify = at.notify
        self._prompt = at.prompt
        self._sampling = at.sampling
        self._save = save
        self._warned: set[str] = set()  # generations whose author has been told that the model changed

    async def draft(self, order: DraftOrder, sampling: Sampling | None) -> Outcome:
        """A new generation at the end of the chapter."""
        drawn = sampling or self._sampling(order.chapter)
        await self._saved(order.chapter, order.text)
        if order.parent:
            made = await self.branch(order.parent, order.parent_tokens)
            if not order.text.endswith(made.text):
                raise NotResumable(
                    say("The chapter does not end with that text any more, so it cannot go on from there.")
                )
        else:
            made = await self._room.alive(lambda engine: self._prompt(engine, order, drawn))
            parent, tokens = self._beside(order.instead)
            made = replace(made, parent=parent, parent_tokens=tokens)
        return await self._begin(order, made, drawn)

    async def resume(self, order: ResumeOrder) -> Outcome:
        """Goes on at the next token; from the author's words if he changed the text."""
        state = self._state.generations
        generation, saved = state.generation(order.generation), state.load(order.generation)
        if generation.aside:
            raise NotResumable(say("This text stands beside the chapter. Choose it first, or go on with it there."))
        if not generation.state.resumable:
            raise NotResumable(say("This text has ended. Press Ctrl+G at the end of the chapter to write on."))
        same = await self.compared(generation, saved)
        if same and order.text[order.start : order.end] == saved.text and not order.text[order.end :].strip():
            if not await self._is_full(len(generation.prompt_ids) + len(saved.token_ids)):
                span = Span(generation.id, order.start, order.end, len(saved.text))
                await self._saved(order.chapter, order.text, span)
                return await self._drafting.write_on(generation.id, order.start)
            same = False  # it goes on with a prompt that begins further in
        return await self._go_on_from_edit(generation, saved, order, same=same)

    async def branch(self, parent: str, tokens: int) -> Branch:
        """The ids that go on after the parent's first tokens. Raises NotResumable if the engine reads other ones."""
        generation, saved = self._state.generations.generation(parent), self._state.generations.load(parent)
        if not await self.compared(generation, saved):
            raise NotResumable(say("That text was begun with another model. Set engine.model back in the settings."))
        return branch(generation, saved, tokens)

    async def compared(self, generation: Generation, saved: Saved) -> bool:
        """Whether its ids may go to this engine. Raises NotResumable once, so that the author can choose."""
        engine = await self._room.ready()
        then, now = generation.fingerprint, engine.facts.fingerprint
        if (asked := comparing.choice(then, now, engine.facts.model)) and generation.id not in self._warned:
            self._warned.add(generation.id)
            raise asked
        if not asked and (note := comparing.engine_changed(then, now)):
            self._notify(Noted(note))
        return await comparing.same_tokens(engine, then, saved)

    # --- inside ------------------------------------------------------------------------------------------------

    async def _begin(self, order: DraftOrder, made: Branch, sampling: Sampling) -> Outcome:
        engine, start = await self._room.ready(), len(order.text)
        require_possible(engine, len(made.prompt_ids), sampling)
        generation = self._state.generations.begin(
            chapter=order.chapter,
            prompt_ids=made.prompt_ids,
            sampling=replace(sampling, thinking=made.thinking),
            fingerprint=engine.facts.fingerprint,
            instruction=order.instruction,
            parent=made.parent,
            parent_tokens=made.parent_tokens,
        )
        self._works.begun(generation.id)
        try:
            if order.instead:
                self._endings.discard(order.instead, (start, start), order.text)
            self._endings.supersede(order.chapter, generation.id)
            await self._saved(order.chapter, order.text, Span(generation.id, start, start, 0))
        except (asyncio.CancelledError, WriterError):  # nothing is written yet, but it can go on
            with suppress(StorageError):
                self._state.generations.mark(generation.id, State.PAUSED, cause=StopCause.PAUSED)
            raise
        return await self._drafting.write_on(generation.id, start)

    async def _go_on_from_edit(self, old: Generation, saved: Saved, order: ResumeOrder, *, same: bool) -> Outcome:
        """The author changed the text: what stands before the change keeps its ids, the rest is read anew."""
        await self._saved(order.chapter, order.text)
        anew = DraftOrder(order.chapter, order.text, old.instruction)
        drawn = self._sampling(order.chapter)
        made = None
        after = beyond(old, saved)
        writes = bool(after.offset) or thinking_of(old.sampling) is None  # what was typed is no part of a thought
        if same and writes and order.end > order.start:  # else its text is not there: its prompt is out of date
            cut = splice(after.saved, order.text[order.start :])
            rest = await self._room.alive(lambda engine: engine.tokenize(cut.rest))
            made = branch(old, saved, after.offset + cut.kept)
            made = replace(made, prompt_ids=made.prompt_ids + rest)
        if made is None or await self._is_full(len(made.prompt_ids)):
            made = await self._room.alive(lambda engine: self._prompt(engine, anew, drawn))
        return await self._begin(anew, made, drawn)

    async def _is_full(self, tokens: int) -> bool:
        """Whether a prompt of that length leaves too little of the window to write in."""
        return tokens + _LEAST > (await self._room.ready()).facts.window

    def _beside(self, instead: str) -> tuple[str, int]:
        """A text that takes another's place stands beside it in the tree, not under it."""
        if not instead:
            return "", 0
        former = self._state.generations.generation(instead)
        return former.parent, former.parent_tokens

    async def _saved(self, chapter: str, text: str, *spans: Span) -> None:
        if not await self._save(SaveOrder(chapter, text, 0, spans)):
            raise ManuscriptError(
                say("Nothing is written before the chapter can be saved. Free its disk, then try again.")
            )
