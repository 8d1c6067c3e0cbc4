"""Drafting that lets the machine sleep: the stream is given up before, and goes on at its next token afterwards.

Who ordered the text waits on, as after an engine's death, and pauses it at any time as usual. After a sleep nothing is
taken for granted: the engine proves by one token that it still writes, or a fresh one takes its place.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from writer.config import EngineSettings
from writer.engine.base import Engine
from writer.errors import EngineError, StorageError
from writer.generation.model import State, StopCause
from writer.runtime import pulse
from writer.runtime.drafting import Drafting, Outcome
from writer.runtime.engine_room import EngineRoom
from writer.runtime.events import Event, GenerationFailed, GenerationInterrupted, GenerationPaused
from writer.runtime.power import Power
from writer.runtime.runner import Notify
from writer.storage.state_file import StateFile

BEFORE = "The computer goes to sleep. Your text is saved, and goes on by itself afterwards."
AFTER = "The computer has slept. Your text is saved, and goes on once the engine has given a sign of life."
LOST = "The engine did not survive the sleep. Your text is saved; it is started again by itself."
_NETWORK = 1.0  # seconds between two tries to reach a server elsewhere
_STOPS = (
    "The engine stops again and again since the computer slept, so it is not started again by itself. "
    "Your text is saved; run writer doctor, then continue."
)


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
        self._stream: asyncio.Task[Outcome] | None = None
        self._identity = ""
        self._why = ""  # what is told of the stream that is being given up, "" if none is

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
        self._identity, self._why = identity, ""
        stream = self._stream = asyncio.ensure_future(self._drafting.write_on(identity, start))
        try:
            await asyncio.wait({stream})
        except asyncio.CancelledError:
            stream.cancel()
            await asyncio.wait({stream})
            if self._why or stream.cancelled():  # the author pauses what the sleep is just interrupting
                raise
        finally:
            self._stream = None
        if self._why and _gave_up(stream) and not self._waits:
            return None
        return self._paused(identity) if stream.cancelled() else stream.result()

    async def _give_up(self, why: str) -> None:
        stream, identity = self._stream, self._identity
        if stream is None or stream.done():
            return
        self._why = why
        stream.cancel()
        await asyncio.wait({stream})
        if _gave_up(stream):
            self._mark(identity, StopCause.SLEEP)

    def _told(self, event: Event) -> None:
        """Passes on what drafting reports; a pause for a sleep is none for who waits for the text."""
        if self._why and not self._waits and isinstance(event, GenerationPaused):
            event = GenerationInterrupted(event.generation, event.tokens, self._why, retrying=True)
        self._notify(event)

    async def _prove(self, identity: str) -> None:
        """One token from the engine, or a fresh engine. Raises EngineError if there is none to be had."""
        if not self._unproved:
            return
        engine = await self._room.ready()
        if not await _answers(engine):
            if not self._room.died():
                raise EngineError(_STOPS)
            self._notify(GenerationInterrupted(identity, self._tokens(identity), LOST, retrying=True))
            await self._room.restarted()
        self._unproved = False

    def _paused(self, identity: str) -> Outcome:
        self._mark(identity, StopCause.PAUSED)
        tokens = self._tokens(identity)
        self._notify(GenerationPaused(identity, tokens))
        return Outcome(State.PAUSED, tokens, "paused", paused=True)

    def _failed(self, identity: str, error: EngineError) -> Outcome:
        with suppress(StorageError):
            self._state.generations.mark(identity, State.INTERRUPTED, cause=StopCause.ENGINE)
        tokens = self._tokens(identity)
        self._notify(GenerationFailed(identity, tokens, error.sentence))
        return Outcome(State.INTERRUPTED, tokens, error.sentence)

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
