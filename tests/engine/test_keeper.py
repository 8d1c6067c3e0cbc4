"""The keeper with a fake engine tree: leases, warmth, faults at the start, death in the middle, re-attaching."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from conditions import wait_until
from keeping import FINGERPRINT, attach_nothing, environ, folder, gone, note_of, prepare_fake, survivors, tree

from writer import locations
from writer.config import EngineSettings
from writer.engine import keepers, lease, proc
from writer.engine.base import EngineStatus
from writer.engine.control import Control
from writer.engine.keeper_state import read_note, write_note
from writer.engine.lease import KeptEngine, running_engines, stop_all
from writer.errors import EngineBusy, EngineStartFailed, ModelUnusable

Source = Callable[..., KeptEngine]


@pytest.fixture
async def source(home: dict[str, str]) -> AsyncIterator[Source]:
    """Makes sources; whatever they started has ended afterwards."""

    def make(keep_warm: float = 30.0, model: str = "", dtype: str = "auto", **fake: str) -> KeptEngine:
        settings = EngineSettings(keep_warm=keep_warm, model=model, dtype=dtype)
        return KeptEngine(settings, environ=environ(**fake), prepare=prepare_fake, attach=attach_nothing)

    yield make
    await stop_all()


class Said(list[EngineStatus]):
    """A report that remembers."""

    def __call__(self, status: EngineStatus) -> None:
        self.append(status)


async def until(predicate: Callable[[], object], seconds: float = 10.0) -> None:
    await asyncio.to_thread(wait_until, predicate, seconds)


def test_the_keeper_imports_little() -> None:
    code = "import sys, writer.engine.keeper; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"httpx", "textual", "click", "asyncio", "platformdirs", "rich", "torch", "vllm", "pydantic"}
    assert not heavy & set(loaded)


async def test_start_reports_plain_words_and_is_ready(source: Source) -> None:
    said = Said()
    kept = source(FAKE_DELAY="0.3")
    await kept.acquire(said)
    assert not kept.attached_warm
    sentences = [status.sentence for status in said]
    assert sentences[0] == "preparing the model…"
    assert said[-1].state == "ready"
    assert "starting the engine…" in sentences
    assert "almost ready…" in sentences  # the last stage in the recorded log
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


@pytest.mark.parametrize(
    ("log", "error", "words"),
    [
        ("fail_trunc", ModelUnusable, "damaged or cut off"),
        ("fail_kv", EngineStartFailed, "engine.window"),
        ("fail_flag", EngineStartFailed, "--no-such-flag"),
    ],
)
async def test_a_start_that_fails_says_why_and_leaves_nothing(
    source: Source, log: str, error: type[EngineStartFailed], words: str
) -> None:
    said = Said()
    with pytest.raises(error, match=words):
        await source(FAKE_FAIL=log, FAKE_DELAY="0.2").acquire(said)
    assert said[-1].state == "failed"
    assert not [p for p in proc.everyone() if _env_has(p.pid, str(locations.runtime_dir()))]
    assert not folder().note_file.exists()
    assert not folder().engine_socket.exists()


async def test_a_start_that_fails_and_hangs_is_ended(source: Source) -> None:
    with pytest.raises(ModelUnusable, match="safetensors"):
        await asyncio.wait_for(source(FAKE_FAIL="fail_noweights", FAKE_HANG="1").acquire(Said()), 20)
    assert not [p for p in proc.everyone() if _env_has(p.pid, str(locations.runtime_dir()))]


async def test_killed_while_starting(source: Source) -> None:
    with pytest.raises(EngineStartFailed, match="killed"):
        await source(FAKE_EXIT="-9").acquire(Said())


async def test_a_server_that_ignores_sigterm_is_killed(source: Source) -> None:
    kept = source(FAKE_DEAF="all")
    await kept.acquire(Said())
    everyone = tree(note_of())
    began = time.monotonic()
    await kept.release(stop=True)
    assert not survivors(everyone)
    assert time.monotonic() - began > 4.5  # the five seconds of grace were given


async def test_a_worker_that_left_the_session_is_ended_too(source: Source) -> None:
    kept = source(FAKE_STRAY="1")
    await kept.acquire(Said())
    note = note_of()
    everyone = tree(note)
    await until(lambda: any(p and p.session != note.pid for p in map(proc.look, [p.pid for p in everyone])))
    await kept.release(stop=True)
    assert not survivors(everyone)


async def test_death_of_the_server_ends_the_rest_and_is_told(source: Source) -> None:
    said = Said()
    await source(FAKE_DEAF="1").acquire(said)
    everyone = tree(note_of())
    os.kill(note_of().engine_pid, signal.SIGKILL)
    await until(lambda: said[-1].state == "stopped")
    assert "killed" in said[-1].sentence
    assert not survivors([p for p in everyone if p.pid != note_of_keeper(everyone)])
    await asyncio.to_thread(gone, everyone)


def note_of_keeper(everyone: list[proc.Process]) -> int:
    return everyone[0].pid


async def test_restart_after_the_engine_died(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    before = tree(note_of())
    os.kill(note_of().engine_pid, signal.SIGKILL)
    await kept.restart(Said())
    assert not survivors(before)
    assert (await kept.status()).state == "ready"


async def test_restart_ends_an_engine_that_hangs(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    before = tree(note_of())
    for process in before[1:]:
        os.kill(process.pid, signal.SIGSTOP)
    await kept.restart(Said())
    assert not survivors(before)


async def test_restart_takes_the_engine_that_another_window_has_restarted(source: Source) -> None:
    one, other = source(), source()
    await one.acquire(Said())
    await other.acquire(Said())
    os.kill(note_of().engine_pid, signal.SIGKILL)
    await one.restart(Said())
    pid = (await one.status()).pid
    await other.restart(Said())
    assert other.attached_warm
    assert (await other.status()).pid == pid


async def test_killed_keeper_is_cleaned_at_the_next_start(source: Source) -> None:
    kept = source(FAKE_DEAF="1")
    await kept.acquire(Said())
    before = tree(note_of())
    os.kill(note_of().pid, signal.SIGKILL)
    await until(lambda: not proc.look(before[0].pid))
    assert survivors(before)  # else this test shows nothing
    await source().acquire(Said())
    assert not survivors(before)


async def test_running_engines_cleans_what_a_killed_keeper_left(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    assert [status.state for status in await running_engines()] == ["ready"]
    before = tree(note_of())
    os.kill(note_of().pid, signal.SIGKILL)
    await until(lambda: not proc.look(before[0].pid))
    assert await running_engines() == []
    assert not survivors(before)


async def test_stop_all_counts_and_ends_them(source: Source) -> None:
    await source(model="11111111").acquire(Said())
    await source(model="22222222").acquire(Said())
    everyone = tree(note_of("11111111")) + tree(note_of("22222222"))
    assert await stop_all() == 2
    assert not survivors(everyone)
    assert await stop_all() == 0


async def test_a_keeper_that_hangs_is_ended_by_stop(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writer.engine.control._ANSWER", 0.3)
    kept = source()
    await kept.acquire(Said())
    everyone = tree(note_of())
    os.kill(note_of().pid, signal.SIGSTOP)
    monkeypatch.setattr(Control.open.__func__, "__kwdefaults__", {"patience": 0.3})
    await stop_all()
    assert not survivors(everyone)


async def test_sigterm_to_the_keeper_ends_all(source: Source) -> None:
    await source().acquire(Said())
    everyone = tree(note_of())
    os.kill(note_of().pid, signal.SIGTERM)
    await asyncio.to_thread(gone, everyone, 3.0)


async def test_a_stale_socket_is_no_obstacle(source: Source) -> None:
    place = keepers.folder_of("0a1b2c3d")
    for file in (place.engine_socket, place.control_socket, place.note_file):
        file.write_text("stale")
    await source().acquire(Said())
    assert (await source().status()).state == "ready"


async def test_a_note_of_another_boot_kills_nobody(source: Source) -> None:
    await source().acquire(Said())
    note = note_of()
    everyone = tree(note)
    other = keepers.folder_of("99999999")
    write_note(other, replace(note, boot="another", fingerprint="99999999"))
    assert keepers.clean(other).ended == 0
    assert len(survivors(everyone)) == len(everyone)


async def test_a_reused_keeper_pid_kills_nobody(source: Source) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    try:
        ticks = proc.start_ticks(bystander.pid)
        assert ticks
        other = keepers.folder_of("99999999")
        await source().acquire(Said())
        write_note(other, replace(note_of(), pid=bystander.pid, ticks=ticks - 500))
        assert keepers.clean(other, wait=0).ended == 0
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.communicate()


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


async def test_cancelling_a_start_gives_up_the_lease(source: Source) -> None:
    said = Said()
    task = asyncio.create_task(source(keep_warm=0, FAKE_DELAY="60").acquire(said))
    await until(lambda: any(status.pid for status in said))
    everyone = tree(note_of())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.to_thread(gone, everyone)


async def test_nonsense_on_the_control_socket_disturbs_nobody(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    for nonsense in (b"\x00\xff\n", b"[1,2]\n", b'{"op": 7}\n', b'{"op":"lease","keep_warm":"x"}\n', b"{" * 200_000):
        reader, writer = await asyncio.open_unix_connection(str(folder().control_socket))
        writer.write(nonsense)
        try:
            await writer.drain()
            await asyncio.wait_for(reader.read(10), 5)
        except OSError:
            pass  # thrown out, as it should be
        writer.close()
    assert (await kept.status()).state == "ready"


async def test_memory_of_a_gone_session_is_nothing() -> None:
    assert lease._memory(2**22, "cpu") == 0


def _env_has(pid: int, text: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return text in file.read()
    except OSError:
        return False
