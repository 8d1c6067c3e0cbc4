"""The keeper and several GPUs: a worker for each, all ended however it ends; and starts fitted to what is free."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from keeping import Said, Source, attach_nothing, environ, gone, note_of, prepare_fake, survivors, tree, until

from writer.config import EngineSettings
from writer.engine import proc
from writer.engine.base import Engine
from writer.engine.lease import KeptEngine
from writer.engine.preparation import Prepared, Say
from writer.engine.running import stop_all
from writer.errors import EngineStartFailed

WHOLE = 7  # keeper, server, EngineCore and four workers


async def test_every_worker_is_ended(source: Source) -> None:
    kept = source(FAKE_TP="4", FAKE_DEAF="1")
    await kept.acquire(Said())
    everyone = tree(note_of(), WHOLE)
    await until(
        lambda: sum(os.getpgid(each.pid) == each.pid for each in everyone) == 6
    )  # all but the core lead a group
    await kept.release(stop=True)
    assert not survivors(everyone)


@pytest.mark.parametrize("who", ["server", "core", "keeper"])
async def test_every_worker_is_ended_after_a_kill(source: Source, who: str) -> None:
    kept = source(FAKE_TP="4")
    await kept.acquire(Said())
    note = note_of()
    everyone = tree(note, WHOLE)
    core = next(p.pid for p in proc.descendants(note.engine_pid))
    os.kill({"server": note.engine_pid, "core": core, "keeper": note.pid}[who], signal.SIGKILL)
    if who == "core":
        os.kill(note.engine_pid, signal.SIGTERM)  # vLLM's server ends by itself when its core has died
    if who == "keeper":
        await stop_all()  # it is dead, and what it kept is cleaned up
    gone(everyone)


async def test_a_start_is_fitted_to_the_memory_and_an_attachment_is_not(home: dict[str, str]) -> None:
    fits: list[str] = []
    seen: list[str] = []

    def prepare(settings: EngineSettings, variables: Mapping[str, str], say: Callable[[str], None]) -> Prepared:
        first = prepare_fake(settings, variables, say)

        def fitted(say: Say) -> Prepared:
            fits.append("measured")
            say("a window of 4,096 tokens fits")
            return replace(first, fingerprint=replace(first.fingerprint, engine="auto tp2"))

        return replace(first, fitted=fitted)

    async def attach(prepared: Prepared) -> Engine:
        seen.append(prepared.fingerprint.engine)
        return await attach_nothing(prepared)

    def window() -> KeptEngine:
        return KeptEngine(EngineSettings(keep_warm=30), environ=environ(), prepare=prepare, attach=attach)

    said = Said()
    try:
        await window().acquire(said)
        await window().acquire(Said())
    finally:
        await stop_all()
    assert fits == ["measured"]
    assert "a window of 4,096 tokens fits" in [status.sentence for status in said]
    assert seen == ["auto tp2"] * 2  # the second one hears how the engine was started


async def test_a_start_that_does_not_fit_starts_nothing(home: dict[str, str]) -> None:
    def prepare(settings: EngineSettings, variables: Mapping[str, str], say: Callable[[str], None]) -> Prepared:
        def fitted(say: Say) -> Prepared:
            raise EngineStartFailed("The model needs more.")

        return replace(prepare_fake(settings, variables, say), fitted=fitted)

    kept = KeptEngine(EngineSettings(), environ=environ(), prepare=prepare, attach=attach_nothing)
    with pytest.raises(EngineStartFailed, match="needs more"):
        await kept.acquire(Said())
    assert (await kept.status()).state == "stopped"
