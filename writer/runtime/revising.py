"""Rewritings on the desk: written beside the chapter like takes, and made into passages when they are asked for."""

from __future__ import annotations

from collections.abc import Callable

from writer.engine.base import Engine
from writer.errors import NotResumable
from writer.generation.model import Sampling, State
from writer.language import say
from writer.runtime.asides import Asides
from writer.runtime.drafting import Outcome
from writer.runtime.endings import Endings
from writer.runtime.orders import AsideOrder, DraftOrder
from writer.runtime.prompting import Prompting
from writer.runtime.rewriting import (
    INSERT,
    REWRITE,
    PassageLost,
    PassageRecalled,
    RewriteRequest,
    Rewritten,
    Task,
    place_of,
    rewritten,
)
from writer.runtime.rewriting_order import plain_order, resolved
from writer.storage.state_file import StateFile


class Revising:
    """Carries out requests to rewrite or insert. Their texts end, resume and are chosen like all beside a chapter."""

    def __init__(
        self,
        state: StateFile,
        asides: Asides,
        endings: Endings,
        prompting: Prompting,
        *,
        sampling: Callable[[str], Sampling],
    ) -> None:
        self._state = state
        self._endings = endings
        self._asides = asides
        self._prompting = prompting
        self._sampling = sampling

    async def begin(self, request: RewriteRequest, sampling: Sampling | None = None) -> tuple[Outcome, ...]:
        """Writes as many answers as were asked for, at once; how each ended."""
        drawn = sampling or self._sampling(request.chapter)

        async def resolve(engine: Engine) -> AsideOrder:
            return await resolved(engine, self._prompting.words(engine), request, drawn, self._notes)

        return await self._asides.begin(plain_order(request), resolve)

    async def _notes(self, engine: Engine, request: RewriteRequest, taken: int) -> tuple[str, ...]:
        seen = request.passage
        order = DraftOrder(request.chapter, seen.before + seen.text, request.wish)
        return await self._prompting.notes(engine, order, taken)

    def recalled(self, generation: str, text: str) -> PassageRecalled | PassageLost:
        """The same of an earlier run. If its passage is gone it is kept, and not offered again."""
        store = self._state.generations
        try:
            found = self.found(generation, text)
        except NotResumable:
            self._endings.keep(generation)
            return PassageLost(generation)
        task = Task.read(store.generation(generation).instruction)
        return PassageRecalled(found, task.wish, store.load(generation).text)

    def found(self, generation: str, text: str) -> Rewritten:
        """What has been written so far, beside its passage in the chapter's `text`, which may have changed elsewhere.

        Raises NotResumable if this is no rewriting, or if its passage is not there any more.
        """
        store = self._state.generations
        asked = store.generation(generation)
        if asked.role not in (REWRITE, INSERT):
            raise NotResumable(say("This text is no rewriting. `writer takes` shows what it is."))
        task = Task.read(asked.instruction)
        place = place_of(task.near, text, *asked.place)
        if place is None:
            raise NotResumable(
                say(
                    "The passage has changed since its rewriting was asked for, so it is not put there. Its text "
                    "is kept: writer takes --show {generation} shows it.",
                    generation=generation,
                )
            )
        ended = asked.state is State.FINISHED and asked.finish_reason != "length"
        answer = store.load(generation).text
        return rewritten(generation, asked.chapter, (text, *place), task, answer, complete=ended)
