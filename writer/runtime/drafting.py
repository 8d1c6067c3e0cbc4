"""Keeps one generation going: a segment, and after an engine's death the next one, until it ends or is paused."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from writer.engine.base import Engine
from writer.errors import EngineDied, EngineError, EngineSilent, ModelRepeats, PromptTooLong, StorageError, WriterError
from writer.generation.model import Generation, Probe, Sampling, Saved, State, StopCause
from writer.generation.resume import Diverged, ResumePlan, aligned, plain
from writer.generation.sampling import require_ability, thinking_of
from writer.generation.thinking import Stage, beyond
from writer.language import say, together
from writer.runtime import pulse, thoughts, told
from writer.runtime.comparing import require_same
from writer.runtime.engine_room import EngineRoom
from writer.runtime.events import (
    GenerationFailed,
    GenerationFinished,
    GenerationInterrupted,
    GenerationPaused,
    GenerationStarted,
    Noted,
)
from writer.runtime.runner import Notify, Runner
from writer.storage.state_file import StateFile
from writer.text.count import words
from writer.text.sentences import first_sentence


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a draft ended, for a front end that waits for it."""

    state: State | None  # None: nothing was begun
    tokens: int
    sentence: str  # a finish reason, or what happened
    paused: bool = False
    generation: str = ""  # "" if none was begun

    @property
    def ended(self) -> bool:
        """Whether a finish reason was seen."""
        return self.state in (State.FINISHED, State.TRUNCATED)


class Drafting:
    """Writes on at generations, whatever state they are in, and records how each ended. Any number at once."""

    def __init__(self, state: StateFile, room: EngineRoom, notify: Notify, *, patience: int | None = None) -> None:
        self._state = state
        self._room = room
        self._notify = notify
        self._runner = Runner(state.generations, notify, patience=patience)
        self._at_once = 0

    async def write_on(self, identity: str, start: int) -> Outcome:
        """Until finished, paused (by cancelling) or failed. `start`: where its text begins, in characters."""
        self._at_once += 1
        try:
            reason = await self._segments(identity, start)
        except asyncio.CancelledError:
            outcome = self._stopped(identity, State.PAUSED, StopCause.PAUSED)
            self._room.keep(self._whole(identity))
            return outcome
        except StorageError as error:
            return self._failed(identity, StopCause.DISK, error)
        except ModelRepeats as error:
            return self._failed(identity, StopCause.LOOP, error)
        except EngineError as error:
            return self._failed(identity, StopCause.ENGINE, error)
        finally:
            self._at_once -= 1
        return self._finished(identity, reason)

    async def _segments(self, identity: str, start: int) -> str:
        engine = await self._room.ready()
        first, exact, silences, reached = engine.facts, True, 0, -1
        while True:
            require_same(first, engine.facts)
            try:
                leeway = 2.0**silences * self._at_once
                if reason := await self._segment(engine, identity, start, exact=exact, leeway=leeway):
                    return reason
                exact = True  # the thought is over, the text begins
            except Diverged:
                exact = False
            except EngineSilent as error:
                tokens = self._state.generations.generation(identity).tokens
                silences, reached, exact = silences + 1 if tokens == reached else 1, tokens, True
                engine = await self._woken(engine, identity, error, silences)
            except EngineDied as error:
                engine = await self._revived(engine, identity, error)
                exact = True

    async def _segment(self, engine: Engine, identity: str, start: int, *, exact: bool, leeway: float) -> str:
        """Up to a finish reason; "" at the end of a thought."""
        generation = self._state.generations.generation(identity)
        saved = await self._led_back(engine, generation)
        inside = await thoughts.inside(engine, generation, saved, exact=exact)
        plan = await _plan(engine, generation, saved, exact=exact) if inside is None else _within(engine, inside[0])
        asked = None
        if not engine.facts.tells_cost:
            limit = pulse.first_limit(len(plan.prompt_ids), leeway)
            asked = await pulse.within(engine.probe(plan.prompt_ids), limit)

        def begun(read: Probe | None) -> None:
            cost = asked or read or Probe(len(plan.prompt_ids), 0, 0.0)  # not told this once: nothing is boasted of
            self._begun(engine, generation, saved, plan, cost, start, thinking=inside is not None)

        if inside is None:
            return await self._runner.write(engine, generation, saved, plan, leeway, begun=begun)
        await self._runner.write(engine, generation, saved, plan, leeway, inside[1], begun)
        await self._close(generation, inside[1].over)
        return ""

    def _begun(
        self,
        engine: Engine,
        generation: Generation,
        saved: Saved,
        plan: ResumePlan,
        probe: Probe,
        start: int,
        *,
        thinking: bool,
    ) -> None:
        """The segment goes on record with its first token, and it is told what reading cost."""
        self._room.reading.seen(probe)
        self._state.generations.open_segment(
            generation.id,
            resumed_from=plan.start,
            prompt_tokens=probe.prompt_tokens,
            cached_tokens=probe.cached_tokens,
            seconds=probe.seconds,
            engine=engine.facts.fingerprint.engine,
        )
        self._notify(
            GenerationStarted(
                generation=generation.id,
                chapter=generation.chapter,
                prompt_tokens=probe.prompt_tokens,
                cached_tokens=probe.cached_tokens,
                resumed_from=len(saved.token_ids),
                start=start,
                end=start + len(saved.text),
                seconds=probe.seconds,
                thinking=thinking,
            )
        )
        if engine.facts.by_text and saved.text:
            self._notify(Noted(told.BY_TEXT))

    async def _led_back(self, engine: Engine, generation: Generation) -> Saved:
        """What is saved of it; first what stands behind its thought, if that is over and a kill came between."""
        saved = self._state.generations.load(generation.id)
        said = await thoughts.said_by(engine, generation, saved)
        if not (ids := thoughts.leading_back(generation, saved, said)):
            return saved
        await self._runner.lead_back(generation.id, saved, ids)
        return self._state.generations.load(generation.id)

    async def _close(self, generation: Generation, over: Stage | None) -> None:
        thinking = thinking_of(generation.sampling)
        if thinking is None:
            return
        saved = self._state.generations.load(generation.id)
        await self._runner.lead_back(generation.id, saved, thoughts.behind(thinking, over))
        if over is Stage.FULL:
            self._notify(Noted(told.FULL.format(tokens=len(saved.token_ids))))

    async def _woken(self, engine: Engine, identity: str, error: EngineSilent, silences: int) -> Engine:
        """The engine that fell silent, if it gives a sign of life; a fresh one the second time at the same token.

        Its request is given up by now. Raises EngineError the third time.
        """
        if silences > 2:
            raise EngineError(told.NO_TEXT)
        self._interrupted(identity, say("{sentence} The engine is asked for a sign of life.", sentence=error.sentence))
        await asyncio.sleep(pulse.SETTLING)
        if silences == 1 and await pulse.answers(engine):
            return engine
        return await self._revived(engine, identity, EngineDied(say("The engine gives no sign of life.")))

    async def _revived(self, engine: Engine, identity: str, error: EngineDied) -> Engine:
        again = self._room.died(engine)
        what = await self._room.last_words() or first_sentence(error.sentence)
        ours = engine.facts.device != "remote"
        if not again:
            raise EngineError(together(what, told.STORM if ours else told.BROKEN))
        written = words(self._state.generations.load(identity).text)
        then = say("it is started again by itself") if ours else say("writing goes on by itself")
        self._interrupted(
            identity, say("{what} Your {written:,} words are saved; {then}.", what=what, written=written, then=then)
        )
        return await self._room.restarted()

    def _interrupted(self, identity: str, sentence: str) -> None:
        self._state.generations.mark(identity, State.INTERRUPTED, cause=StopCause.ENGINE)
        tokens = self._state.generations.generation(identity).tokens
        self._notify(GenerationInterrupted(identity, tokens, sentence, retrying=True))

    def _finished(self, identity: str, reason: str) -> Outcome:
        generation = self._state.generations.generation(identity)
        with suppress(StorageError):  # what is saved needs no copy
            self._state.rest()
        self._notify(GenerationFinished(identity, generation.tokens, reason))
        return Outcome(generation.state, generation.tokens, reason, generation=identity)

    def _stopped(self, identity: str, state: State, cause: StopCause) -> Outcome:
        with suppress(StorageError):  # a full disk: the row stays RUNNING, which the next start understands
            self._state.generations.mark(identity, state, cause=cause)
        self._rest()
        stopped = self._state.generations.generation(identity)
        tokens = stopped.tokens
        self._notify(GenerationPaused(identity, tokens, stopped.chapter))
        return Outcome(state, tokens, "paused", paused=True, generation=identity)

    def _failed(self, identity: str, cause: StopCause, error: WriterError) -> Outcome:
        try:
            self._state.generations.mark(identity, State.INTERRUPTED, cause=cause)
            self._rest()
        except StorageError:
            pass  # a RUNNING row becomes INTERRUPTED at the next start
        failed = self._state.generations.generation(identity)
        tokens = failed.tokens
        self._notify(GenerationFailed(identity, tokens, error.sentence, failed.chapter))
        return Outcome(State.INTERRUPTED, tokens, error.sentence, generation=identity)

    def _whole(self, identity: str) -> tuple[int, ...]:
        with suppress(StorageError):  # it is only kept for speed
            prompt = self._state.generations.generation(identity).prompt_ids
            return (*prompt, *self._state.generations.load(identity).token_ids)
        return ()

    def _rest(self) -> None:
        with suppress(StorageError):  # it only keeps the WAL short
            self._state.checkpoint()


def require_possible(engine: Engine, prompt_tokens: int, sampling: Sampling) -> None:
    """Asked before anything is recorded. Raises PromptTooLong, and RequestRefused for what this engine cannot do."""
    room_for(engine, prompt_tokens, sampling.max_tokens)
    require_ability(sampling, has_word_control=engine.facts.word_control)


def room_for(engine: Engine, prompt_tokens: int, wanted: int) -> int:
    """How many tokens may be written after a prompt of that length. Raises PromptTooLong if none."""
    window = engine.facts.window
    if prompt_tokens >= window:
        raise PromptTooLong(
            say(
                "The chapter and its instructions are {prompt_tokens:,} tokens long; the model's window "
                "holds {window:,}. Go on in a new chapter, or choose a model with a larger window.",
                prompt_tokens=prompt_tokens,
                window=window,
            )
        )
    return min(wanted, window - prompt_tokens)


async def _plan(engine: Engine, generation: Generation, saved: Saved, *, exact: bool) -> ResumePlan:
    """What to send next for the text. A generation that had used up its tokens gets as many again."""
    after = beyond(generation, saved, await thoughts.said_by(engine, generation, saved))
    sampling, done = generation.sampling, len(after.saved.token_ids)
    budget = sampling.max_tokens * (done // sampling.max_tokens + 1)
    if exact and engine.facts.aligned:
        plan = aligned(after.prompt_ids, after.saved, block_size=engine.facts.block_size, max_tokens=budget)
    else:
        plan = plain(after.prompt_ids, after.saved, max_tokens=budget, compared=exact)
    return _within(engine, replace(plan, offset=after.offset))


def _within(engine: Engine, plan: ResumePlan) -> ResumePlan:
    """The plan with no more tokens than the window holds."""
    return replace(plan, max_tokens=room_for(engine, len(plan.prompt_ids), plan.max_tokens))
