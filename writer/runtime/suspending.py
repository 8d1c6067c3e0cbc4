"""Drafting that lets the machine sleep: the stream is given up before, and goes on at its next token afterwards.

Who ordered the text waits on, as after an engine's death, and pauses it at any time as usual. After a sleep nothing is
taken for granted: the engine proves by one token that it still writes, or a fresh one takes its place.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from writer.config import EngineSettings
from writer.engine.base import Engine
from writer.errors import EngineError, StorageError
from writer.generation.model import State, StopCause
from writer.language import say
from writer.runtime import pulse
from writer.runtime.drafting import Drafting, Outcome
from writer.runtime.engine_room import EngineRoom
from writer.runtime.events import Event, GenerationFailed, GenerationInterrupted, GenerationPaused
from writer.runtime.power import Power
from writer.runtime.runner import Notify
from writer.storage.state_file import StateFile

BEFORE = say("The computer goes to sleep. Your text is saved, and goes on by itself afterwards.")
AFTER = say("The computer has slept. Your text is saved, and goes on once the engine has given a sign of life.")
LOST = say("The engine did not survive the sleep. Your text is saved; it is started again by itself.")
_NETWORK = 1.0  # seconds between two tries to reach a server elsewhere
_STOPS = say(
    "The engine stops again and again since the computer slept, so it is not started again by itself. "
    "Your text is saved; run writer doctor, then continue."
)


@dataclass(slots=True)
class _Stream:
    """What writes at one generation."""

    task: asyncio.Task[Outcome]
    why: str = ""  # what is told of it while it is being given up


class Suspendable:
    """Writes on as `Drafting` does. `sleep` and `wake` are called in the same loop, by whoever hears of the machine."""

    def __init__(
        self,
        state: StateFile,
        room: EngineRoom,
        notify: Notify,
        settings: EngineSettings,
        *,
        patience: int | None = None,
    ) -> None:
        self._state = state
        self._room = room
        self._notify = notify
        self._waits = settings.after_sleep == "wait"  # after a sleep the author continues, not we
        self._drafting = Drafting(state, room, self._told, patience=patience)
        self.power = Power(self.sleep, self.wake)
        self._awake = asyncio.Event()
        self._awake.set()
        self._unproved = False  # since the last sleep the engine has given no token
        self._proving = asyncio.Lock()
        self._streams: dict[str, _Stream] = {}  # by the generation that they write

    async def sleep(self) -> None:
        """Nothing streams once this has returned, and all that was told is in the database itself."""
        self._awake.clear()
        await self._give_up(BEFORE)
        with suppress(StorageError):
            self._state.checkpoint()

    async def wake(self) -> None:
        """What was given up goes on. If nobody told of the sleep, the stream is not trusted either."""
        self._unproved = True
        self._awake.clear()
        await self._give_up(AFTER)
        self._awake.set()

    async def write_on(self, identity: str, start: int) -> Outcome:
        """As Drafting.write_on: until finished, paused (by cancelling) or failed, over any number of sleeps."""
        try:
            while True:
                await self._awake.wait()
                await self._prove(identity)
                outcome = await self._stretch(identity, start)
                if outcome is not None:
                    return outcome
        except asyncio.CancelledError:
            return self._paused(identity)
        except EngineError as error:
            return self._failed(identity, error)

    # --- inside ------------------------------------------------------------------------------------------------

    async def _stretch(self, identity: str, start: int) -> Outcome | None:
        """One stretch of writing; None if it ended by a sleep and is to go on. Cancel to pause."""
        stream = self._streams[identity] = _Stream(asyncio.ensure_future(self._drafting.write_on(identity, start)))
        task = stream.task
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            if stream.why or task.cancelled():  # the author pauses what the sleep is just interrupting
                raise
        finally:
            del self._streams[identity]
        if stream.why and _gave_up(task) and not self._waits:
            return None
        return self._paused(identity) if task.cancelled() else task.result()

    async def _give_up(self, why: str) -> None:
        streams = {identity: stream for identity, stream in self._streams.items() if not stream.task.done()}
        for stream in streams.values():
            stream.why = why
            stream.task.cancel()
        if streams:
            await asyncio.wait({stream.task for stream in streams.values()})
        for identity, stream in streams.items():
            if _gave_up(stream.task):
                self._mark(identity, StopCause.SLEEP)

    def _told(self, event: Event) -> None:
        """Passes on what drafting reports; a pause for a sleep is none for who waits for the text."""
        if isinstance(event, GenerationPaused) and not self._waits:
            stream = self._streams.get(event.generation)
            if stream is not None and stream.why:
                event = GenerationInterrupted(event.generation, event.tokens, stream.why, retrying=True)
        self._notify(event)

    async def _prove(self, identity: str) -> None:
        """One token from the engine, or a fresh engine: for all that wait. Raises EngineError if there is none."""
        async with self._proving:
            if not self._unproved:
                return
            engine = await self._room.ready()
            if not await _answers(engine):
                if not self._room.died(engine):
                    raise EngineError(_STOPS)
                self._notify(GenerationInterrupted(identity, self._tokens(identity), LOST, retrying=True))
                await self._room.restarted()
            self._unproved = False

    def _paused(self, identity: str) -> Outcome:
        self._mark(identity, StopCause.PAUSED)
        tokens = self._tokens(identity)
        self._notify(GenerationPaused(identity, tokens))
        return Outcome(State.PAUSED, tokens, "paused", paused=True, generation=identity)

    def _failed(self, identity: str, error: EngineError) -> Outcome:
        with suppress(StorageError):
            self._state.generations.mark(identity, State.INTERRUPTED, cause=StopCause.ENGINE)
        tokens = self._tokens(identity)
        self._notify(GenerationFailed(identity, tokens, error.sentence))
        return Outcome(State.INTERRUPTED, tokens, error.sentence, generation=identity)

    def _mark(self, identity: str, cause: StopCause) -> None:
        with suppress(StorageError):  # a full disk: the row stays as it is, which can go on as well
            self._state.generations.mark(identity, State.PAUSED, cause=cause)

    def _tokens(self, identity: str) -> int:
        return self._state.generations.generation(identity).tokens


async def _answers(engine: Engine) -> bool:
    """Whether it gives one token. A server elsewhere may be out of reach until the network is back."""
    clock = asyncio.get_running_loop().time
    last = clock() + pulse.PROBE
    while not await pulse.answers(engine):
        if engine.facts.device != "remote" or clock() >= last:
            return False
        await asyncio.sleep(_NETWORK)
    return True


def _gave_up(stream: asyncio.Task[Outcome]) -> bool:
    """Whether it ended because it was told to, not by an end of its own."""
    return stream.cancelled() or (stream.exception() is None and stream.result().paused)
