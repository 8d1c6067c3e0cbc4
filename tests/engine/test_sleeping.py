"""Pause and free the GPU: the engine of a kept window sleeps and wakes, and says by name where that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from keeping import Said, Source, folder

from writer.engine import running, sleeping
from writer.engine.hardware import Hardware
from writer.engine.remote import RemoteEngine
from writer.engine.running import running_engines, sleep_all, wake_all
from writer.errors import EngineBusy, EngineDied, EngineError

GIB = 2**30


async def test_an_engine_on_a_gpu_sleeps_and_wakes(source: Source) -> None:
    kept = source(dtype="gpu")
    await kept.acquire(Said())
    assert await kept.sleep() == 0.25
    status = await kept.status()
    assert (status.state, status.can_sleep) == ("asleep", True)
    assert "writing wakes" in status.sentence
    assert [each.state for each in await running_engines()] == ["asleep"]
    assert await kept.wake() == 0.25
    assert (await kept.status()).state == "ready"


async def test_a_second_window_attaches_to_one_that_sleeps(source: Source) -> None:
    kept, other = source(dtype="gpu"), source(dtype="gpu")
    await kept.acquire(Said())
    await kept.sleep()
    await other.acquire(Said())
    assert (await other.status()).state == "asleep"  # its first order wakes it


async def test_a_cpu_is_refused_by_name(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    for sleeps in (kept.sleep, sleep_all, wake_all):
        with pytest.raises(EngineError, match="CPU writes here"):
            await sleeps()
    assert not (await kept.status()).can_sleep


async def test_no_engine_holds_nothing(source: Source) -> None:
    with pytest.raises(EngineError, match="No engine is running"):
        await source(dtype="gpu").sleep()
    assert await sleep_all() == await wake_all() == []


async def test_a_text_that_was_just_paused_is_waited_for(source: Source) -> None:
    kept = source(dtype="gpu", FAKE_BUSY="3")
    await kept.acquire(Said())
    assert await kept.sleep() == 0.25


async def test_nobody_frees_the_gpu_under_another_windows_text(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_LETTING_GO", 0.0)
    kept = source(dtype="gpu", FAKE_BUSY="1000000")
    await kept.acquire(Said())
    with pytest.raises(EngineBusy, match="Another window is writing"):
        await kept.sleep()
    assert (await kept.status()).state == "ready"


async def test_an_engine_without_the_doors_is_told_with_what_else_helps(source: Source) -> None:
    kept = source(dtype="gpu", FAKE_DUMB="1")
    await kept.acquire(Said())
    with pytest.raises(EngineDied, match="writer engine stop"):
        await kept.sleep()
    assert (await kept.status()).state == "ready"


async def test_an_engine_that_has_gone_does_not_sleep(tmp_path: Path) -> None:
    assert not await sleeping.is_asleep(tmp_path / "nothing")
    with pytest.raises(EngineDied):
        await sleeping.wake(tmp_path / "nothing")


async def test_the_engine_stops_with_its_clock_though_it_sleeps(source: Source) -> None:
    kept = source(dtype="gpu")
    await kept.acquire(Said())
    await kept.sleep()
    await kept.release(stop=True)
    assert not folder().note_file.exists()


def test_main_memory_must_have_room_for_the_weights() -> None:
    sleeping.require_memory(16 * GIB, Hardware((), 8, 64 * GIB, 20 * GIB))
    sleeping.require_memory(0, Hardware((), 8, 64 * GIB, GIB))
    sleeping.require_memory(16 * GIB, Hardware((), 8, 0, 0))  # a machine that does not tell
    with pytest.raises(EngineError, match=r"16\.0 GiB of weights.*only 17\.0 GiB are free"):
        sleeping.require_memory(16 * GIB, Hardware((), 8, 64 * GIB, 17 * GIB))


async def test_a_server_of_others_keeps_its_gpu() -> None:
    from writer.config import EngineSettings

    remote = RemoteEngine(EngineSettings(url="http://127.0.0.1:1"), environ={})
    with pytest.raises(EngineError, match="others run"):
        await remote.sleep()
