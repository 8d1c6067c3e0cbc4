"""Silence is noticed and told, a sign of life decides, and who was not awake has not listened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING, whole

from writer.engine import scripted_words
from writer.engine.base import Probe, Request
from writer.engine.scripted import ScriptedEngine
from writer.errors import EngineSilent
from writer.generation.model import Delta, State, StopCause
from writer.runtime import pulse
from writer.runtime.events import GenerationFailed, GenerationInterrupted, GenerationStarted
from writer.runtime.orders import DraftOrder


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """All limits a hundred times shorter."""
    for name in ("SILENCE", "FIRST_SILENCE", "SETTLING", "PROBE", "_STEP"):
        monkeypatch.setattr(pulse, name, getattr(pulse, name) / 100)
    monkeypatch.setattr(pulse, "PER_SECOND", 100 * pulse.PER_SECOND)


def test_the_limits_are_those_that_are_promised() -> None:
    """A minute and a second for each 200 tokens of the prompt; then half a minute, told within 35 seconds."""
    assert pulse.first_limit(0) == 60
    assert pulse.first_limit(8000) == 100
    assert pulse.SILENCE == 30
    assert pulse.SILENCE + 2 * pulse._STEP < 35


def hang_first_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first stream falls silent after some tokens; the engine itself lives."""
    honest, streams = ScriptedEngine.stream, list[int]()

    async def stream(engine: ScriptedEngine, request: Request) -> AsyncGenerator[Delta, None]:
        streams.append(0)
        first = len(streams) == 1
        async for delta in honest(engine, request):
            yield delta
            streams[-1] += len(delta.token_ids)
            if first and streams[-1] > 5:
                await asyncio.Event().wait()

    monkeypatch.setattr(ScriptedEngine, "stream", stream)


async def written(b: Bench) -> None:
    assert (await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)).ended


async def test_a_silent_engine_that_lives_goes_on_without_a_restart(
    quick: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ids, text = await whole(tmp_path / "whole")
    hang_first_stream(monkeypatch)
    async with bench(tmp_path / "cut", batch=[1, 3]) as b:
        await b.desk.warm_up()
        first = b.desk._room._engine
        await written(b)
        assert b.desk._room._engine is first
        assert (b.ids, b.text) == (ids, text)
        assert [e.sentence for e in b.of(GenerationInterrupted)] == [
            "No text has come for a while. Your text is saved. The engine is asked for a sign of life."
        ]
        assert not b.desk._room._deaths


async def test_a_silent_engine_that_gives_no_sign_of_life_is_replaced(
    quick: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3], hang_at=9) as b:
        await b.desk.warm_up()
        first = b.desk._room._engine
        assert isinstance(first, ScriptedEngine)
        healthy = replace(first._script, hang_at=None)
        b.desk._means.source._source._script = healthy  # type: ignore[attr-defined]  # the next one does not hang

        async def nothing(*args: object) -> Probe:
            await asyncio.Event().wait()
            raise AssertionError

        first.probe = nothing  # type: ignore[method-assign]
        await written(b)
        assert (b.ids, b.text) == (ids, text)
        said = [e.sentence for e in b.of(GenerationInterrupted)]
        assert len(said) == 2
        assert "gives no sign of life" in said[1]
        assert "words are saved" in said[1]
        assert b.desk._room._engine is not first


async def test_an_engine_that_hangs_at_the_very_same_token_is_given_up(quick: None, tmp_path: Path) -> None:
    """It answers each probe, but no token ever comes: not for ever."""
    async with bench(tmp_path, batch=[1, 1], hang_at=0, first_delay=0.0) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert not outcome.ended
        assert outcome.state is State.INTERRUPTED
        assert "three times in a row" in outcome.sentence
        assert len(b.of(GenerationFailed)) == 1
        assert not b.ids


async def test_an_engine_that_hangs_at_the_beginning_is_noticed(
    quick: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def nothing(*args: object) -> Probe:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(ScriptedEngine, "probe", nothing)
    async with bench(tmp_path, hang_at=0) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert outcome.state is State.INTERRUPTED
        assert not b.of(GenerationStarted)


async def test_a_pause_ends_the_wait_for_a_sign_of_life(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pulse, "SILENCE", 0.05)
    async with bench(tmp_path, batch=[1, 1], hang_at=9) as b:
        task = asyncio.ensure_future(b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING))
        while not b.of(GenerationInterrupted):
            await asyncio.sleep(0.01)
        b.desk.pause()
        assert (await task).paused
        assert b.desk._means.state.generations.all()[0].stopped_by is StopCause.PAUSED


async def test_who_was_stopped_has_not_listened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A jump of the clock, as after SIGSTOP: an hour is gone, and the token is there. That was no silence."""
    loop = asyncio.get_running_loop()
    honest, jump = loop.time, [0.0]
    monkeypatch.setattr(loop, "time", lambda: honest() + jump[0])
    monkeypatch.setattr(pulse, "_STEP", 0.05)

    async def slow() -> str:
        while not jump[0]:
            await asyncio.sleep(0.01)
        for _ in range(3):
            await asyncio.sleep(0)
        return "token"

    task = asyncio.ensure_future(pulse.within(slow(), 1.0))
    await asyncio.sleep(0)
    jump[0] = 3600.0
    assert await task == "token"


async def test_work_that_is_given_up_has_ended() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(EngineSilent):
        await pulse.within(work(), 0.01)
    assert ended.is_set()


async def test_a_model_that_repeats_itself_is_stopped_and_can_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    honest, first = scripted_words.token_at, list[int]()
    stuck = scripted_words.tokenize("!")[0]

    def broken(model: str, seed: int, position: int, before: int) -> int:
        first.append(position)
        return stuck if position >= first[0] + 10 else honest(model, seed, position, before)

    monkeypatch.setattr(scripted_words, "token_at", broken)
    async with bench(tmp_path, batch=[3, 9]) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert outcome.state is State.INTERRUPTED
        assert "begun to repeat itself" in outcome.sentence
        assert len(b.ids) == 10 + 48
        assert b.ids[10:] == [stuck] * 48
        generation = b.desk._means.state.generations.all()[0]
        assert generation.stopped_by is StopCause.LOOP
        assert generation.state.resumable
    async with bench(tmp_path) as again:
        assert again.opened.offers[0].cause is StopCause.LOOP
        assert again.file() == INTRO + b.text
