"""Pause and free the GPU: nothing is written, the engine sleeps, and what waking will cost is told in seconds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from writer.engine.base import Engine, EngineSource, EngineStatus, Probe, Report
from writer.errors import EngineError
from writer.language import say

_WORTH = 512  # tokens: below this the time of a request says little about how fast a prompt is read


@dataclass(slots=True)
class Reading:
    """What the engine's requests have told of how fast it reads."""

    tokens: int = 0  # of the last prompt: what the next one has to read again
    speed: float = 0.0  # tokens a second; 0 if nothing long was read anew yet

    def seen(self, probe: Probe) -> None:
        """This was read."""
        self.tokens, anew = probe.prompt_tokens, probe.prompt_tokens - probe.cached_tokens
        if anew >= _WORTH and probe.seconds > 0:
            self.speed = anew / probe.seconds


@dataclass(slots=True)
class Sleeper:
    """Whether this window has put the engine to sleep. Others may have done so: then a request wakes it unasked."""

    source: EngineSource
    report: Report
    asleep: bool = False

    async def sleep(self, reading: Reading) -> None:
        """Frees the GPU. Raises EngineBusy or EngineError."""
        seconds = await self.source.sleep()
        self.asleep = True
        self.report(EngineStatus("asleep", sentence=told(seconds, reading), can_sleep=True))

    async def awake(self, engine: Engine | None) -> None:
        """Before a request: wakes what sleeps, and says so."""
        if not self.asleep:
            return
        self.asleep = False  # before the wait, so that one request wakes it and the others follow
        self.report(EngineStatus("starting", sentence=say("taking the GPU again…"), can_sleep=True))
        with suppress(EngineError):  # then the request itself tells what is wrong
            await self.source.wake()
        self.report(EngineStatus("ready", model=engine.facts.model if engine else "", can_sleep=True))


def told(seconds: float, reading: Reading) -> str:
    """The sentence for the status line."""
    if not reading.tokens:
        return say("GPU free ({seconds:.1f} s): writing wakes the engine", seconds=seconds)
    again = say(", about {tokens:.1f} s", tokens=reading.tokens / reading.speed) if reading.speed else ""
    return say(
        "GPU free ({seconds:.1f} s): writing wakes the engine, which reads {tokens:,} tokens again{again}",
        seconds=seconds,
        tokens=reading.tokens,
        again=again,
    )
