"""The write path by itself: commit before notify, refused commits, silence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from writer.engine.base import ChatMessage, EngineFacts, Probe, Request
from writer.errors import EngineDied, EngineSilent, StateFull
from writer.generation.model import Delta, Fingerprint, Generation, Sampling, Saved, State, TokenBatch
from writer.generation.resume import plain
from writer.runtime import pulse, runner
from writer.runtime.events import BatchCommitted, CommitDelayed, CommitRecovered, Event

GENERATION = Generation("g", "c.md", State.RUNNING, Sampling(), Fingerprint(), (1, 2), 0.0, 0.0)


class Tape:
    """Records commits and reports in one order; refuses the first `refusals` commits."""

    def __init__(self, refusals: int = 0) -> None:
        self.seen: list[Any] = []
        self.refusals = refusals
        self.held_up = ""

    def append(self, batch: TokenBatch, *, state: State = State.RUNNING, reason: str | None = None) -> None:
        if self.refusals:
            self.refusals -= 1
            raise StateFull("The disk is full: paused. Free some space; nothing shown is lost.")
        self.seen.append(("commit", batch.ordinal, state))

    def hold_up(self, generation: str) -> None:
        self.held_up = generation

    def notify(self, event: Event) -> None:
        self.seen.append(event)


class Mouth:
    """An engine that says the given deltas, then is silent if asked to be."""

    facts = EngineFacts("m", "1", "scripted", 100, 32, Fingerprint())

    def __init__(self, *deltas: Delta, silent: bool = False) -> None:
        self.deltas = deltas
        self.silent = silent

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        for delta in self.deltas:
            yield delta
        if self.silent:
            await asyncio.Event().wait()

    async def render(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        return None

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        return ()

    async def detokenize(self, token_ids: Sequence[int]) -> str:
        return ""

    async def probe(self, prompt_ids: Sequence[int]) -> Probe:
        return Probe(0, 0, 0.0)

    async def aclose(self) -> None: ...


ONE = Delta((5,), "It", (2,))
TWO = Delta((6, 7), " was", (0, 4), "stop")


async def write(tape: Tape, mouth: Mouth, patience: int | None = None) -> str:
    plan = plain((1, 2), Saved(), max_tokens=50)
    return await runner.Runner(tape, tape.notify, patience=patience).write(mouth, GENERATION, Saved(), plan)


async def test_each_batch_is_committed_before_it_is_told() -> None:
    tape = Tape()
    assert await write(tape, Mouth(ONE, TWO)) == "stop"
    assert tape.seen == [
        ("commit", 0, State.RUNNING),
        BatchCommitted("g", 0, (5,), "It", 1),
        ("commit", 1, State.FINISHED),
        BatchCommitted("g", 1, (6, 7), " was", 3),
    ]


async def test_a_stop_string_ends_the_text_before_the_token_that_begins_it() -> None:
    tape = Tape()
    said = [ONE, Delta((6,), " wa", (3,)), Delta((7, 8), "s o", (1, 3)), Delta((9,), "ver", (3,), "length")]
    stopping = replace(GENERATION, sampling=Sampling(stop=("was over", "no")))
    plan = plain((1, 2), Saved(), max_tokens=50)
    assert await runner.Runner(tape, tape.notify).write(Mouth(*said), stopping, Saved(), plan) == "stop"
    assert [e for e in tape.seen if isinstance(e, BatchCommitted)] == [
        BatchCommitted("g", 0, (5,), "It", 1),
        BatchCommitted("g", 1, (), "", 1),
    ]
    assert tape.seen[2] == ("commit", 1, State.FINISHED)


async def test_the_engine_is_told_what_of_the_prompt_was_generated() -> None:
    asked: list[Request] = []

    class Listening(Mouth):
        def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
            asked.append(request)
            return super().stream(request)

    saved = Saved((5, 6, 7), "It was", (2, 4, 6), 3)
    plan = plain((1, 2), saved, max_tokens=50)
    await runner.Runner(tape := Tape(), tape.notify).write(Listening(TWO), GENERATION, saved, plan)
    assert [(each.prompt_ids, each.generated, each.max_tokens) for each in asked] == [((1, 2, 5, 6, 7), 3, 47)]


async def test_a_refused_commit_shows_nothing_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_RETRIES", (0.0,))
    tape = Tape(refusals=3)
    await write(tape, Mouth(ONE, TWO))
    assert [type(e) for e in tape.seen[:3]] == [CommitDelayed] * 3
    assert tape.seen[3:6] == [("commit", 0, State.RUNNING), CommitRecovered("g"), BatchCommitted("g", 0, (5,), "It", 1)]


async def test_patience_ends_in_the_disks_own_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_RETRIES", (0.0,))
    tape = Tape(refusals=9)
    with pytest.raises(StateFull, match="disk is full"):
        await write(tape, Mouth(ONE), patience=2)
    assert not [e for e in tape.seen if isinstance(e, BatchCommitted)]


async def test_an_end_without_a_finish_reason_is_a_death() -> None:
    with pytest.raises(EngineDied):
        await write(Tape(), Mouth(ONE))


async def test_silence_is_a_death(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "SILENCE", 0.05)
    tape = Tape()
    with pytest.raises(EngineSilent, match="No text has come"):
        await write(tape, Mouth(ONE, silent=True))
    assert len([e for e in tape.seen if isinstance(e, BatchCommitted)]) == 1
