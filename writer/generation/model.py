"""The values of a generation. Frozen, small, and free of I/O.

A *generation* is one attempt to write. A *segment* is one request of it to an engine.
A *batch* is what one commit saves. Token ids are the truth; text is derived from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from writer.generation.sampling import Sampling as Sampling


class State(StrEnum):
    """Where a generation stands. All but FINISHED and FAILED can be resumed."""

    RUNNING = "running"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    TRUNCATED = "truncated"
    FINISHED = "finished"
    FAILED = "failed"

    @property
    def resumable(self) -> bool:
        """Whether the sequence can go on from its last saved token."""
        return self not in (State.FINISHED, State.FAILED)


class StopCause(StrEnum):
    """Why a generation that may go on has stopped, in the author's terms."""

    PAUSED = "paused"  # the author's key
    KILLED = "killed"  # the process vanished, same boot
    POWER = "power"  # the machine was started anew since
    ENGINE = "engine"  # the engine died or fell silent
    SLEEP = "sleep"
    DISK = "disk"
    LOOP = "loop"  # the model began to repeat itself


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a generation was made with; compared before a resume. Empty strings mean unknown."""

    model: str = ""  # sha256 over config, tokenizer, template and the names and sizes of the weights
    tokenizer: str = ""  # sha256 of the tokenizer's file
    engine: str = ""  # "vllm 0.32.0 v1 float32": the noise differs between these


@dataclass(frozen=True, slots=True)
class Probe:
    """What reading a prompt cost until its first token, which is the proof that generation works.

    The count of cached tokens is the engine's own.
    """

    prompt_tokens: int
    cached_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Delta:
    """What the engine said at once (one read of the stream).

    `ends[i]` counts the characters of `text` shown once token i is there. A token that shows no text of
    its own (half a character, or merged with the next by the server) repeats its predecessor's number,
    so a cut after token i is clean only where `ends` grows.
    """

    token_ids: tuple[int, ...]
    text: str
    ends: tuple[int, ...]
    finish_reason: str | None = None
    read: Probe | None = None
    """With the first one of an engine that tells it."""


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """One committed step of a generation.

    `start` is the index of the first token in the generation. It may lie below the number of tokens saved
    before: then trailing tokens that never showed text are superseded. Shown text is never rewritten.
    """

    generation: str
    ordinal: int  # 0, 1, 2, … over all segments
    start: int
    token_ids: tuple[int, ...]
    text: str
    ends: tuple[int, ...]  # within `text`, as in Delta


@dataclass(frozen=True, slots=True)
class Saved:
    """All that is saved of a generation's output, batches folded together."""

    token_ids: tuple[int, ...] = ()
    text: str = ""
    ends: tuple[int, ...] = ()  # characters of `text` shown once token i is there
    batches: int = 0  # the next ordinal


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """Where a generation's text stands in one version of its chapter file.

    Offsets are characters of the decoded chapter text. `covered` is how much of the generation's text
    the file holds; `end` is where the rest belongs.
    """

    generation: str
    file_sha256: str
    start: int
    end: int
    covered: int


@dataclass(frozen=True, slots=True)
class Generation:
    """One attempt to write, as stored. Times are UTC seconds since the epoch."""

    id: str
    chapter: str  # path relative to the manuscript, "chapters/01-….md"
    state: State
    sampling: Sampling
    fingerprint: Fingerprint
    prompt_ids: tuple[int, ...] = field(repr=False)
    created: float
    updated: float
    tokens: int = 0
    finish_reason: str | None = None  # "stop", "length", "kept", "discarded", "salvaged", or an error's sentence
    stopped_by: StopCause | None = None
    instruction: str = ""
    role: str = "text"
    """"text" stands in its chapter's file. Others stand beside it: "take", "rewrite", "insert", "summary", "idea"."""
    parent: str = ""
    """The generation that this one was continued from, or takes the place of; "" if none."""
    parent_tokens: int = 0
    """How many of the parent's tokens it continues."""
    place: tuple[int, int] = (0, 0)
    """Of one beside the chapter: the characters of the chapter's text, as it was then, that it is meant for."""

    @property
    def aside(self) -> bool:
        """Whether it is written beside its chapter, and never into its file."""
        return self.role != "text"
