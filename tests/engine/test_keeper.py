"""The keeper with a fake engine tree: starts, leases, warmth, several windows, status."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time

import pytest
from keeping import FINGERPRINT, Said, Source, environ, folder, gone, note_of, prepare_fake, survivors, tree

from writer import locations
from writer.config import EngineSettings
from writer.engine import running
from writer.engine.keeper_state import read_note
from writer.engine.lease import KeptEngine
from writer.engine.running import running_engines
from writer.errors import EngineBusy


def test_the_keeper_imports_little() -> None:
    code = "import sys, writer.engine.keeper; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"httpx", "textual", "click", "asyncio", "platformdirs", "rich", "torch", "vllm", "pydantic"}
    assert not heavy & set(loaded)


async def test_start_reports_plain_words_and_is_ready(source: Source) -> None:
    said = Said()
    kept = source(FAKE_DELAY="3")  # thirty of the keeper's looks: a crowded machine may miss some
    await kept.acquire(said)
    assert not kept.attached_warm
    sentences = [status.sentence for status in said]
    assert sentences[0] == "preparing the model…"
    assert said[-1].state == "ready"
    assert "almost ready…" in sentences  # the last stage in the recorded log; earlier ones may pass before the lease
    status = await kept.status()
    assert status.state == "ready"
    assert status.leases == 1
    assert status.warm_until is None
    assert status.memory_bytes is not None
    assert status.memory_bytes > 2**20
    assert status.pid == note_of().engine_pid


async def test_a_client_of_the_running_engine(source: Source) -> None:
    await source().acquire(Said())
    kept = KeptEngine(EngineSettings(), environ=environ(), prepare=prepare_fake)
    engine = await kept.acquire(Said())
    assert engine.facts.model == FINGERPRINT
    assert engine.facts.fingerprint.engine == "vllm 0.32.0 cpu float32 v1"
    await engine.aclose()
    await kept.release(stop=True)


async def test_everything_it_lays_down_is_private(source: Source) -> None:
    before = os.umask(0)
    try:
        await source().acquire(Said())
    finally:
        os.umask(before)
    place = folder()
    assert not place.launch_file.exists()  # it held the environment
    assert place.path.stat().st_mode & 0o777 == 0o700
    for file in [*place.path.iterdir(), *locations.log_dir().iterdir(), locations.runtime_dir() / "lock"]:
        assert file.stat().st_mode & 0o077 == 0, file
    limits = (await asyncio.to_thread(open, f"/proc/{note_of().engine_pid}/limits")).read()
    assert [line.split()[4:6] for line in limits.splitlines() if "core file" in line] == [["0", "0"]]


async def test_a_second_window_attaches_quickly_and_warm(source: Source) -> None:
    first, second = source(), source()
    await first.acquire(Said())
    began = time.monotonic()
    await second.acquire(Said())
    assert time.monotonic() - began < 1.0
    assert second.attached_warm
    assert (await second.status()).leases == 2
    assert (await second.status()).pid == (await first.status()).pid


async def test_two_windows_at_once_start_one_engine(source: Source) -> None:
    windows = [source(FAKE_DELAY="0.2") for _ in range(4)]
    await asyncio.gather(*(window.acquire(Said()) for window in windows))
    assert len({(await window.status()).pid for window in windows}) == 1
    assert len(await running_engines()) == 1


async def test_released_engine_stays_warm_then_ends(source: Source) -> None:
    kept = source(keep_warm=0.5)
    await kept.acquire(Said())
    everyone = tree(note_of())
    await kept.release(stop=False)
    status = await kept.status()
    assert status.state == "ready"
    assert status.leases == 0
    assert status.warm_until is not None
    assert 0 < status.warm_until - time.time() <= 0.5
    await asyncio.to_thread(gone, everyone)
    assert (await kept.status()).state == "stopped"
    assert not folder().note_file.exists()


async def test_release_with_stop_ends_it_before_it_returns(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    everyone = tree(note_of())
    await kept.release(stop=True)
    assert not survivors(everyone)


async def test_stop_of_one_window_leaves_the_engine_to_another(source: Source) -> None:
    one, other = source(), source()
    await one.acquire(Said())
    await other.acquire(Said())
    await one.release(stop=True)
    status = await other.status()
    assert (status.state, status.leases) == ("ready", 1)


async def test_the_latest_lease_says_how_long_it_stays_warm(source: Source) -> None:
    long, short = source(keep_warm=300), source(keep_warm=0)
    await long.acquire(Said())
    everyone = tree(note_of())
    await short.acquire(Said())
    await short.release(stop=False)
    assert (await long.status()).state == "ready"  # a lease is left
    await long.release(stop=False)
    await asyncio.to_thread(gone, everyone)


async def test_acquiring_again_keeps_the_engine_that_would_stop_at_once(source: Source) -> None:
    kept = source(keep_warm=0)
    await kept.acquire(Said())
    pid = (await kept.status()).pid
    await kept.acquire(Said())
    assert kept.attached_warm
    assert (await kept.status()).pid == pid
    assert (await kept.status()).leases == 1


async def test_status_starts_nothing(source: Source) -> None:
    kept = source()
    assert (await kept.status()).state == "stopped"
    assert await running_engines() == []
    assert read_note(folder()) is None


async def test_status_without_a_lease_finds_the_engine_of_these_settings(source: Source) -> None:
    await source(model="11111111").acquire(Said())
    assert (await source(model="11111111").status()).state == "ready"
    assert (await source(model="22222222").status()).state == "stopped"


async def test_on_a_cpu_two_models_run_side_by_side(source: Source) -> None:
    await source(model="11111111").acquire(Said())
    await source(model="22222222").acquire(Said())
    assert len(await running_engines()) == 2


async def test_on_a_gpu_another_model_takes_the_place_of_an_unused_one(source: Source) -> None:
    first = source(model="11111111", dtype="gpu")
    await first.acquire(Said())
    everyone = tree(note_of("11111111"))
    with pytest.raises(EngineBusy, match="11111111"):
        await source(model="22222222", dtype="gpu").acquire(Said())
    assert len(survivors(everyone)) == len(everyone)
    await first.release(stop=False)
    await source(model="22222222", dtype="gpu").acquire(Said())
    assert not survivors(everyone)
    assert [status.model for status in await running_engines()] == ["22222222"]


async def test_memory_of_a_gone_session_is_nothing() -> None:
    assert running._memory(2**22, "cpu") == 0
