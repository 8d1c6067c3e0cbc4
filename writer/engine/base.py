"""The engine as the rest of the program sees it. Two implementations: vLLM's server and the scripted one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from writer.generation.model import Delta, Fingerprint, Probe, Sampling
from writer.generation.prompt import ChatMessage

__all__ = [
    "Alternative",
    "ChatMessage",
    "Engine",
    "EngineFacts",
    "EngineSource",
    "EngineStatus",
    "Probe",
    "Report",
    "Request",
]


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What is known of a ready engine."""

    model: str  # the served name
    version: str  # "vllm 0.32.0"
    device: str  # "cpu", "gpu", "remote" or "scripted"
    window: int  # tokens of prompt and text together
    block_size: int  # tokens per prefix-cache block
    fingerprint: Fingerprint
    model_folder: Path | None = None
    word_control: bool = False
    """Whether it can do DRY, XTC, banned words, presence and frequency penalties (generation/sampling.py)."""
    can_sleep: bool = False
    """Whether it can free a GPU and take it again."""
    tells_cost: bool = False
    """Whether the first delta of a stream tells what reading the prompt cost."""
    aligned: bool = True
    """Whether a resume has to begin behind a whole cached block to be exact (generation/resume.py)."""
    by_text: bool = False
    """Whether its ids are our own, and it goes on from the text they hold (text_tokens.py): not exactly."""


@dataclass(frozen=True, slots=True)
class Request:
    """One segment: ids in, ids out. `max_tokens` overrides the sampling's own.

    `generated`: how many ids at the end of the prompt this generation wrote before. Penalties, and the least number of
    tokens, count them as if there had been no cut.
    """

    prompt_ids: tuple[int, ...]
    sampling: Sampling
    max_tokens: int
    generated: int = 0
    whole: bool = False
    """Whether the prompt is known to end with a whole character."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A word that might come next."""

    token_ids: tuple[int, ...]
    text: str  # "" for the end of the text
    probability: float  # of the first of the ids, by the model itself: before temperature and penalties


class Engine(Protocol):
    """A ready engine. All methods raise EngineDied or RequestRefused."""

    @property
    def facts(self) -> EngineFacts: ...

    async def render(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """Ids of the chat template up to the open assistant turn; None if the model has no template."""
        ...

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        """Ids of `text`; `special` adds the model's own opening ids (BOS)."""
        ...

    async def detokenize(self, token_ids: Sequence[int]) -> str: ...

    async def probe(self, prompt_ids: Sequence[int]) -> Probe:
        """By a request for one token, which is thrown away."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Yields what arrives until a finish reason. Closing the iterator aborts the request.

        Raises EngineDied if the stream ends without a finish reason.
        """
        ...

    async def alternatives(self, prompt_ids: Sequence[int], count: int) -> tuple[Alternative, ...]:
        """At most `count` whole words that might come next, likeliest first, each once."""
        ...

    async def confidence(self, prompt_ids: Sequence[int], start: int) -> tuple[float, ...]:
        """The model's own probability of each id from `start` (at least 1) on.

        Costs as much as reading the prompt without a cache.
        """
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What is known of an engine without starting one."""

    state: str  # "stopped", "starting", "ready", "asleep", "failed"
    model: str = ""
    sentence: str = ""  # plain words for the status line: "loading the model…"
    pid: int | None = None  # of the API server
    memory_bytes: int | None = None  # resident, of the whole tree (GPU memory on a GPU if known)
    leases: int = 0
    warm_until: float | None = None  # UTC seconds; when it will be stopped, if no one leases it
    seconds: float = 0.0  # since start, while starting; start-up time, once ready
    log: Path | None = None
    can_sleep: bool = False


Report = Callable[[EngineStatus], None]


class EngineSource(Protocol):
    """Where a ready engine comes from: a kept local one, a server by URL, or a script."""

    async def acquire(self, report: Report) -> Engine:
        """Attach to a warm engine, or start one and wait. Raises EngineStartFailed, ModelUnusable."""
        ...

    async def restart(self, report: Report) -> Engine:
        """After EngineDied: clean up what is left, start anew."""
        ...

    async def last_words(self) -> str:
        """Why the engine that we had has ended, as one sentence without a next step; "" if that is not known."""
        ...

    async def sleep(self) -> float:
        """Free the GPU and keep the engine, which forgets what it has read; seconds that it took.

        Raises EngineBusy while another window writes with it, EngineError where it cannot.
        """
        ...

    async def wake(self) -> float:
        """Take the GPU again; a request does that too. Raises EngineError."""
        ...

    async def release(self, *, stop: bool) -> None:
        """Say goodbye to the lease. `stop` ends the engine; otherwise it stays warm for `engine.keep_warm`."""
        ...

    async def status(self) -> EngineStatus:
        """What is known without starting anything. Never raises."""
        ...
