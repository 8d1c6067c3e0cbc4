"""The keeper with a fake engine tree: starts that fail, deaths in the middle, leftovers, hostile neighbours."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from keeping import Said, Source, folder, gone, note_of, survivors, tree, until

from writer import locations
from writer.engine import keepers, proc
from writer.engine.control import Control
from writer.engine.keeper_state import write_note
from writer.engine.running import running_engines, stop_all
from writer.errors import EngineStartFailed, ModelUnusable


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
    with pytest.raises(EngineStartFailed, match="from outside"):
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
    assert "from outside" in said[-1].sentence
    assert not survivors(everyone[1:])
    await asyncio.to_thread(gone, everyone)


async def test_restart_after_the_engine_died(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    before = tree(note_of())
    os.kill(note_of().engine_pid, signal.SIGKILL)
    assert await kept.last_words() == "The engine was ended from outside."
    await kept.restart(Said())
    assert not survivors(before)
    assert (await kept.status()).state == "ready"


async def test_restart_ends_an_engine_that_hangs(source: Source) -> None:
    kept = source()
    await kept.acquire(Said())
    before = tree(note_of())
    for process in before[1:]:
        os.kill(process.pid, signal.SIGSTOP)
    assert await kept.last_words() == ""  # nobody but us knows
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
    kept = source()
    await kept.acquire(Said())
    everyone = tree(note_of())
    os.kill(note_of().pid, signal.SIGSTOP)
    monkeypatch.setitem(Control.open.__func__.__kwdefaults__, "patience", 0.3)  # not ten seconds of waiting
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


def _env_has(pid: int, text: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return text in file.read()
    except OSError:
        return False
